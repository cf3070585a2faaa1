"""A table of any type in every format that can hold it; each format says which types it has no way to express."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import feather
from pyarrow import parquet as pq

from tests.engines.values import BY_NAME, Kind


@dataclass(frozen=True)
class Table:
    """Columns of some kinds, all of the same length."""

    kinds: Mapping[str, Kind]
    columns: Mapping[str, Sequence[Any]]

    @property
    def arrow(self) -> pa.Table:
        return pa.table({name: pa.array(self.columns[name], kind.arrow) for name, kind in self.kinds.items()})

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*self.columns.values(), strict=True))


NANOSECONDS = frozenset({"moment of nanoseconds", "instant of nanoseconds", "duration of nanoseconds"})
SPELLED = frozenset({"number of any type"})
"""Numbers of several types in one column: a format with types has one for a column, and CSV has none."""
UNTYPED = NANOSECONDS | {"single", "half"}
"""What no text has a notation of: a text holds whatever a program makes of it."""


@dataclass(frozen=True)
class Format:
    """A way to keep a table: what it makes of a folder and a table, and the kinds that it cannot express."""

    name: str
    write: Callable[[Path, Table], Any]
    lacks: frozenset[str] = SPELLED

    def holds(self, table: Table) -> bool:
        return not self.lacks & {kind.name for kind in table.kinds.values()}


# Text


def _text(value: Any) -> str:
    """A value as programs write it to CSV; of a missing one, nothing."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        return f"{value or abs(value):.10f}"
    return repr(value + 0.0) if isinstance(value, float) else str(value)


def csv_text(table: Table, delimiter: str = ",", end: str = "\n") -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
    writer.writerow(table.columns)
    writer.writerows([_text(value) for value in row] for row in table.rows)
    return text.getvalue()


def _csv(name: str, encoding: str = "utf-8", **how: str) -> Callable[[Path, Table], str]:
    def write(folder: Path, table: Table) -> str:
        data = csv_text(table, **how).encode(encoding)
        (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return str(folder / name)

    return write


def _json_value(value: Any) -> str:
    if isinstance(value, Decimal):
        return f"{value:f}"
    return json.dumps(str(value) if isinstance(value, dt.date | dt.time | dt.timedelta) else value)


def _object(names: Iterable[str], row: Iterable[Any]) -> str:
    return "{" + ", ".join(f'"{name}": {_json_value(value)}' for name, value in zip(names, row, strict=True)) + "}"


def _objects(table: Table) -> list[str]:
    return [_object(table.columns, row) for row in table.rows]


def _json_lines(folder: Path, table: Table) -> str:
    (folder / "t.jsonl").write_text("\n".join(_objects(table)), encoding="utf-8")
    return str(folder / "t.jsonl")


def _json_array(folder: Path, table: Table) -> str:
    (folder / "t.json").write_text(f"[{', '.join(_objects(table))}]", encoding="utf-8")
    return str(folder / "t.json")


# Columns with types


def _parquet(folder: Path, table: Table) -> str:
    pq.write_table(table.arrow, folder / "t.parquet")
    return str(folder / "t.parquet")


def _parquet_of_int96(folder: Path, table: Table) -> str:
    pq.write_table(table.arrow, folder / "i.parquet", use_deprecated_int96_timestamps=True)
    return str(folder / "i.parquet")


def _parquet_parts(folder: Path, table: Table) -> str:
    (folder / "parts").mkdir(exist_ok=True)
    half = len(table.arrow) // 2
    for place, part in enumerate((table.arrow[:half], table.arrow[half:])):
        pq.write_table(part, folder / "parts" / f"{place}.parquet")
    return str(folder / "parts")


def _parquet_of_duckdb(folder: Path, table: Table) -> str:
    with duckdb.connect() as database:
        database.register("given", table.arrow)
        database.execute(f"COPY given TO '{folder / 'd.parquet'}' (FORMAT parquet)")
    return str(folder / "d.parquet")


def _parquet_of_polars(folder: Path, table: Table) -> str:
    pl.DataFrame(table.arrow).write_parquet(folder / "p.parquet")
    return str(folder / "p.parquet")


def _feather(folder: Path, table: Table) -> str:
    feather.write_feather(table.arrow, folder / "t.feather")
    return str(folder / "t.feather")


def _arrow_stream(folder: Path, table: Table) -> str:
    with pa.ipc.new_stream(folder / "t.arrow", table.arrow.schema) as out:
        out.write_table(table.arrow, max_chunksize=3)
    return str(folder / "t.arrow")


# Workbooks


def _excel(folder: Path, table: Table) -> str:
    book = openpyxl.Workbook()
    for row in (tuple(table.columns), *table.rows):
        book.active.append(row)
    for row in book.active.iter_rows():
        for cell in row:
            if isinstance(cell.value, str):
                cell.data_type = "s"  # and no formula, error or number, whatever it looks like
    book.save(folder / "t.xlsx")
    return str(folder / "t.xlsx")


# Databases


def _duckdb(folder: Path, table: Table) -> str:
    with duckdb.connect(folder / "t.duckdb") as database:
        database.register("given", table.arrow)
        database.execute("CREATE OR REPLACE TABLE t AS SELECT * FROM given")
    return f"duckdb:{folder / 't.duckdb'}?table=t"


def _of_sqlite(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return str(value) if isinstance(value, dt.date | dt.time | dt.timedelta) else value


def _sqlite(folder: Path, table: Table) -> str:
    database = sqlite3.connect(folder / "t.sqlite")
    database.execute("DROP TABLE IF EXISTS t")
    database.execute(f"CREATE TABLE t ({', '.join(table.columns)})")
    marks = ", ".join("?" * len(table.columns))
    database.executemany(f"INSERT INTO t VALUES ({marks})", [tuple(map(_of_sqlite, row)) for row in table.rows])
    database.commit()
    database.close()
    return f"sqlite:{folder / 't.sqlite'}?table=t"


def postgres_table(server: Any, table: Table, name: str = "kinds") -> str:
    """A table of a server; numbers keep the zeros that they are written with. Its URL."""

    def literal(value: Any, kind: Kind) -> str:
        if value is None:
            return "NULL"
        text = (
            f"{value / dt.timedelta(microseconds=1):.0f} microseconds"
            if isinstance(value, dt.timedelta)
            else str(value)
        )
        return "'{}'::{}".format(text.replace("'", "''"), kind.postgres)

    kinds = list(table.kinds.values())
    described = ", ".join(f"{column} {kind.postgres}" for column, kind in table.kinds.items())
    rows = ", ".join(f"({', '.join(map(literal, row, kinds))})" for row in table.rows)
    server.sql(
        f"DROP TABLE IF EXISTS {name}", f"CREATE TABLE {name} ({described})", f"INSERT INTO {name} VALUES {rows}"
    )
    return str(server.url(f"?table={name}"))


# Memory


def _pandas(_: Path, table: Table) -> pd.DataFrame:
    return table.arrow.to_pandas(integer_object_nulls=True)


def _pandas_objects(_: Path, table: Table) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(list(column), dtype=object) for name, column in table.columns.items()})


def _pandas_of_arrow(_: Path, table: Table) -> pd.DataFrame:
    return table.arrow.to_pandas(types_mapper=pd.ArrowDtype)


def _dictionaries(_: Path, table: Table) -> pa.Table:
    encoded = [
        column if pa.types.is_dictionary(column.type) else column.dictionary_encode() for column in table.arrow.columns
    ]
    return pa.table(encoded, names=list(table.columns))


BEYOND_TEXT = SPELLED | UNTYPED
BEYOND_DUCKDB = SPELLED | {"half", "wide decimal", "duration of nanoseconds"}
FORMATS = (
    Format("CSV", _csv("t.csv"), BEYOND_TEXT),
    Format("CSV, semicolons, CRLF, mark", _csv("t.csv", "utf-8-sig", delimiter=";", end="\r\n"), BEYOND_TEXT),
    Format("CSV, UTF-16", _csv("t.csv", "utf-16"), BEYOND_TEXT),
    Format("TSV, compressed", _csv("t.tsv.gz", delimiter="\t"), BEYOND_TEXT),
    Format("JSON lines", _json_lines, UNTYPED | {"long decimal"}),
    Format("JSON", _json_array, UNTYPED | {"long decimal"}),
    Format("Parquet", _parquet),
    Format("Parquet, by DuckDB", _parquet_of_duckdb, BEYOND_DUCKDB | {"duration"}),
    Format("Parquet, by Polars", _parquet_of_polars, SPELLED | {"wide decimal", "category of numbers"}),
    Format("Parquet, parts", _parquet_parts),
    Format("Parquet, times of 96 bits", _parquet_of_int96),
    Format("Feather", _feather),
    Format("Arrow stream", _arrow_stream),
    Format("Excel", _excel, frozenset(BY_NAME) - {"truth", "text", "category", "decimal"}),
    Format("DuckDB", _duckdb, BEYOND_DUCKDB),
    Format("SQLite", _sqlite, UNTYPED | {"unsigned", "long decimal", "wide decimal"}),
    Format("Arrow table", lambda _, table: table.arrow),
    Format("Arrow batches", lambda _, table: table.arrow.to_reader(max_chunksize=3)),
    Format("Arrow dictionaries", _dictionaries, SPELLED | {"truth"}),
    Format("pandas", _pandas),
    Format("pandas of Arrow", _pandas_of_arrow),
    Format("pandas objects", _pandas_objects, frozenset()),
    Format("Polars", lambda _, table: pl.DataFrame(table.arrow), SPELLED | {"wide decimal", "category of numbers"}),
)  # fmt: skip
