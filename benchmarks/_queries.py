"""What the benchmarks of query logs ask about: a table of random people, and predicates over its public columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

COLUMNS = {"age": 100, "zip": 50, "dept": 30, "grade": 20, "tenure": 10, "sex": 2}
"""The public columns of the ad-hoc queries, and how many values each has: hardly two records agree on all."""
LEAST = 50
"""Records in a random query set, so that none by itself is close to any other."""


def make_table(folder: Path, name: str, columns: dict[str, int], records: int) -> Path:
    """Records with random public columns and a salary, as Parquet and as CSV."""
    path = folder / f"{name}.parquet"
    drawn = [f"(hash(range * 16 + {i}) % {many})::int AS {each}" for i, (each, many) in enumerate(columns.items())]
    salary = "(20000 + hash(range * 16 + 15) % 90000)::int AS salary"
    query = f"SELECT range AS id, {', '.join(drawn)}, {salary} FROM range({records})"
    with duckdb.connect() as database:
        database.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
        database.execute(f"COPY ({query}) TO '{path.with_suffix('.csv')}' (FORMAT csv)")
    return path


def read_columns(table: Path) -> dict[str, Any]:
    """The record numbers and public columns, as arrays in the order of the record numbers."""
    with duckdb.connect() as database:
        names = ", ".join(COLUMNS)
        found: dict[str, Any] = database.execute(f"SELECT id, {names} FROM '{table}' ORDER BY id").fetchnumpy()
    return found


def predicate(generator: np.random.Generator, read: dict[str, Any]) -> tuple[str, NDArray[np.bool_]]:
    """Ranges of two or three columns, often with a value of another, that hold for enough records."""
    while True:
        members = np.ones(len(read["id"]), dtype=np.bool_)
        terms = []
        for place, name in enumerate(generator.permutation(list(COLUMNS))[: generator.integers(2, 5)]):
            low, high = sorted(generator.integers(0, COLUMNS[name], 2).tolist())
            if place == 3:
                terms.append(f"{name} = {low}")
                members &= read[name] == low
            else:
                terms.append(f"{name} BETWEEN {low} AND {high}")
                members &= (read[name] >= low) & (read[name] <= high)
        if members.sum() >= LEAST:
            return " AND ".join(terms), members
