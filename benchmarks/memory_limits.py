"""Masking and the audit of query logs within --memory: whole processes, which either end within it or refuse early.

Each command is run with several limits. What the memory does not hold has to be refused (exit code 3, the reason
memory), within the limit, too. ``--data`` names a Parquet file of persons (as `persons` writes it) for the masking.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from _measure import MET, MISSED, judge, process, show, start
from _queries import COLUMNS, make_table, predicate, read_columns
from _tables import AUDITOR, PERSON_COLUMNS, persons, reader
from auditor.engines import RunLimits

ROWS = 1_000_000
LIMITS = ("512MB", "1GB", "2GB")
SUMS = 300
METHODS: dict[str, dict[str, Any]] = {
    "rounding": {"attributes": ["age"], "base": 5},
    "rank-swapping": {"attributes": ["age", "zip"], "p": 5},
    "pram": {"attributes": ["disease", "country"], "theta": 0.8},
}


def main() -> int:
    """Measure every command at every limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="mask this table instead of making one")
    parser.add_argument("--rows", type=int, default=ROWS, help="how many rows to make")
    parser.add_argument("--small", action="store_true", help="few rows and one limit: does it run at all")
    options = parser.parse_args()
    rows = 1_000 if options.small else options.rows
    start(f"masking and the audit of {SUMS} sums within --memory, whole processes")
    with tempfile.TemporaryDirectory(prefix="auditor-benchmark-") as name:
        folder = Path(name)
        table = options.data or persons(rows, folder / "persons.parquet")
        commands = {f"mask by {method}": _masking(method, table, folder) for method in METHODS}
        commands[f"queries, {SUMS} sums"] = _queries(rows, folder)
        print(f"   {_count(table):,} persons to be masked; a log about {rows:,} records")
        limits = LIMITS[-1:] if options.small else LIMITS
        result = folder / "result.json"
        met = [_within(what, command, limit, result) for what, command in commands.items() for limit in limits]
    return MET if all(met) else MISSED


def _within(what: str, command: list[str | Path], limit: str, result: Path) -> bool:
    """Whether a command ends within a limit, or refuses within it."""
    result.unlink(missing_ok=True)
    cost = process([*command, "--memory", limit, "--report", result], expected=(0, 1, 3))
    done = result.exists()
    show(f"{what}, {limit}", cost)
    peak = (cost.peak_mb or 0) * 2**20 / 1e6
    return judge(f"{what}, peak{'' if done else ' (refused)'}", peak, RunLimits.of(limit).memory / 1e6, " MB")


def _masking(method: str, table: Path, folder: Path) -> list[str | Path]:
    chosen = METHODS[method]
    kinds = {"type": "text"} if method == "pram" else {"type": "number"}
    roles = {name: {"role": "quasi-identifier"} for name in (*PERSON_COLUMNS, "disease")}
    policy = {
        "name": "persons",
        "attributes": roles | {name: {"role": "quasi-identifier", **kinds} for name in chosen["attributes"]},
        "requirements": [{"model": "k-anonymity", "k": 1}],
        "protection": [{"method": method, **chosen}],
    }
    file = folder / f"{method}.yaml"
    file.write_text(json.dumps(policy), encoding="utf-8")
    return [AUDITOR, "mask", table, "-p", file, "-o", folder / "masked.parquet"]


def _queries(rows: int, folder: Path) -> list[str | Path]:
    """Audit sums over ranges of two to four columns."""
    table, log, file = make_table(folder, "people", COLUMNS, rows), folder / "log.sql", folder / "people.yaml"
    generator, read = np.random.default_rng(1), read_columns(table)
    asked = [predicate(generator, read)[0] for _ in range(SUMS)]
    log.write_text("\n".join(f"SELECT SUM(salary) FROM people WHERE {each};" for each in asked), encoding="utf-8")
    roles = {"id": "identifier", **dict.fromkeys(COLUMNS, "quasi-identifier")}
    policy = {
        "name": "people",
        "attributes": {**roles, "salary": {"role": "sensitive", "type": "number"}},
        "queries": {"table": "people", "key": "id", "limits": {"exact_value": "deny"}},
    }
    file.write_text(json.dumps(policy), encoding="utf-8")
    return [AUDITOR, "queries", log, "-p", file, "-d", table]


def _count(table: Path) -> int:
    with duckdb.connect() as database:
        return int(database.execute(f"select count(*) from {reader(table)}").fetchall()[0][0])


if __name__ == "__main__":
    sys.exit(main())
