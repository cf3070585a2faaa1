"""One table in every form that data can come in."""

from __future__ import annotations

import csv
import gzip
import json
import random
import sqlite3
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import feather
from pyarrow import parquet as pq

NAMES = ("zip", "job", "cost", "sick", "site")
Table = list[tuple[str | None, ...]]
POLICY = {
    "name": "p",
    "attributes": {
        "zip": "quasi-identifier",
        "job": "quasi-identifier",
        "site": "quasi-identifier",
        "cost": {"role": "sensitive", "type": "number"},
        "sick": {"role": "sensitive", "order": ["none", 'a "cold"', "flu"]},
    },
    "requirements": [
        {"model": "k-anonymity", "k": 3},
        {"model": "average-risk", "max": 0.2},
        {"model": "entropy-l-diversity", "sensitive": ["cost", "sick"], "l": 2},
        {"model": "t-closeness", "sensitive": ["cost", "sick"], "t": 0.2, "ground": "ordered"},
        {"model": "allowed-values", "attribute": "zip", "pattern": "[0-9]*"},
    ],
}


def people(rows: int = 300) -> Table:
    """Text throughout, with everything that a format could lose; the last column is fit for folder names."""
    chance = random.Random(7)
    zips = ["01234", "1234", "1234.0", "NA", None, "null", "NaN", "-0"]
    jobs = ["nurse", "ärztin, Köln", 'said "no"', "two\nlines", " spaced ", None]
    costs = ["1", "1.0", "2.5", "1e3", "-7"]
    sicknesses = ["none", 'a "cold"', "flu"]
    sites = ["n", "s=1", "ü x"]
    return [tuple(chance.choice(values) for values in (zips, jobs, costs, sicknesses, sites)) for _ in range(rows)]


def arrow(table: Table) -> pa.Table:
    columns = zip(*table, strict=True)
    return pa.table({name: pa.array(column, pa.string()) for name, column in zip(NAMES, columns, strict=True)})


def csv_text(table: Table, delimiter: str = ",", names: tuple[str, ...] = NAMES) -> str:
    class Written(csv.excel):
        lineterminator = "\n"

    Written.delimiter = delimiter
    lines: list[str] = []
    writer = csv.writer(type("Lines", (), {"write": staticmethod(lines.append)})(), Written)
    writer.writerow(names)
    writer.writerows([["" if value is None else value for value in row] for row in table])
    return "".join(lines)


def json_lines(table: Table) -> str:
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True)), ensure_ascii=False) + "\n" for row in table)


def by_site(table: Table) -> dict[str, Table]:
    ordered = sorted(table, key=lambda row: str(row[-1]))
    return {str(site): list(rows) for site, rows in groupby(ordered, key=lambda row: row[-1])}


# Writers: a folder and a table in, what `check` takes out


def _text(name: str, text: Callable[[Table], str], encoding: str = "utf-8") -> Callable[[Path, Table], Any]:
    def write(folder: Path, table: Table) -> str:
        (folder / name).write_bytes(text(table).encode(encoding))
        return str(folder / name)

    return write


def _gzip(folder: Path, table: Table) -> str:
    (folder / "t.csv.gz").write_bytes(gzip.compress(csv_text(table).encode()))
    return str(folder / "t.csv.gz")


def _zstd(folder: Path, table: Table) -> str:
    (folder / "t.csv").write_text(csv_text(table), encoding="utf-8", newline="")
    with pa.output_stream(str(folder / "t.csv.zst"), compression="zstd") as out:
        out.write((folder / "t.csv").read_bytes())
    return str(folder / "t.csv.zst")


def _json_gzip(folder: Path, table: Table) -> str:
    (folder / "t.jsonl.gz").write_bytes(gzip.compress(json_lines(table).encode()))
    return str(folder / "t.jsonl.gz")


def _json_array(folder: Path, table: Table) -> str:
    records = [dict(zip(NAMES, row, strict=True)) for row in table]
    (folder / "t.json").write_text(json.dumps(records), encoding="utf-8")
    return str(folder / "t.json")


def _parquet(folder: Path, table: Table) -> str:
    pq.write_table(arrow(table), folder / "t.parquet", row_group_size=50)
    return str(folder / "t.parquet")


def _feather(folder: Path, table: Table) -> str:
    feather.write_feather(arrow(table), folder / "t.feather")
    return str(folder / "t.feather")


def _arrow_stream(folder: Path, table: Table) -> str:
    with pa.ipc.new_stream(folder / "t.arrow", arrow(table).schema) as out:
        out.write_table(arrow(table))
    return str(folder / "t.arrow")


def _csv_parts(folder: Path, table: Table) -> str:
    (folder / "parts" / "deeper").mkdir(parents=True)
    for i, part in enumerate((table[:1], table[1:200], table[200:])):
        (folder / "parts" / ("deeper" if i else "") / f"{i}.csv").write_text(
            csv_text(part), encoding="utf-8", newline=""
        )
    return str(folder / "parts")


def _glob(folder: Path, table: Table) -> str:
    _csv_parts(folder, table)
    return str(folder / "parts" / "**" / "*.csv")


def _glob_of_folders(folder: Path, table: Table) -> str:
    """A pattern that matches the files and the folders that they are in."""
    _csv_parts(folder, table)
    return str(folder / "parts" / "**")


def _parquet_parts(folder: Path, table: Table) -> str:
    (folder / "parts").mkdir()
    for i in range(0, len(table), 100):
        pq.write_table(arrow(table[i : i + 100]), folder / "parts" / f"{i}.parquet")
    (folder / "parts" / "_SUCCESS").touch()
    return str(folder / "parts")


def _hive_csv(folder: Path, table: Table) -> str:
    for site, rows in by_site(table).items():
        part = folder / "hive" / f"site={site.replace('=', '%3D').replace(' ', '%20')}"
        part.mkdir(parents=True)
        text = csv_text([row[:-1] for row in rows], names=NAMES[:-1])
        (part / "part.csv").write_text(text, encoding="utf-8", newline="")
    return str(folder / "hive")


def _hive_json(folder: Path, table: Table) -> str:
    for site, rows in by_site(table).items():
        part = folder / "hive" / f"site={site.replace('=', '%3D').replace(' ', '%20')}"
        part.mkdir(parents=True)
        lines = [json.dumps(dict(zip(NAMES[:-1], row[:-1], strict=True))) + "\n" for row in rows]
        (part / "part.jsonl").write_text("".join(lines), encoding="utf-8")
    return str(folder / "hive")


def _hive_feather(folder: Path, table: Table) -> str:
    for site, rows in by_site(table).items():
        part = folder / "hive" / f"site={site.replace('=', '%3D').replace(' ', '%20')}"
        part.mkdir(parents=True)
        feather.write_feather(arrow(rows).drop_columns("site"), part / "part.feather")
    return str(folder / "hive")


def _hive_parquet(folder: Path, table: Table) -> str:
    pq.write_to_dataset(arrow(table), folder / "hive", partition_cols=["site"])
    return str(folder / "hive")


def _duckdb(folder: Path, table: Table) -> str:
    with duckdb.connect(str(folder / "t.duckdb")) as database:
        database.register("given", arrow(table))
        database.execute('CREATE TABLE "my people" AS SELECT * FROM given')
    return f"duckdb:{folder / 't.duckdb'}?table=my people"


def _duckdb_query(folder: Path, table: Table) -> str:
    return _duckdb(folder, table).replace("?table=my people", "?query=SELECT * FROM \"my people\" WHERE site <> 'none'")


def _sqlite(folder: Path, table: Table) -> str:
    database = sqlite3.connect(folder / "t.sqlite")
    database.execute(f"CREATE TABLE people ({', '.join(NAMES)})")
    database.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(NAMES))})", table)
    database.commit()
    database.close()
    return f"sqlite:{folder / 't.sqlite'}?table=people"


def _pandas(folder: Path, table: Table) -> pd.DataFrame:
    return pd.DataFrame(table, columns=list(NAMES))


FORMS: dict[str, Callable[[Path, Table], Any]] = {
    "csv": _text("t.csv", csv_text),
    "csv, CRLF": _text("t.csv", lambda table: csv_text(table).replace("\n", "\r\n").replace("two\r\n", "two\n")),
    "csv, semicolons": _text("t.csv", lambda table: csv_text(table, ";")),
    "csv, byte order mark": _text("t.csv", csv_text, "utf-8-sig"),
    "csv, UTF-16": _text("t.csv", csv_text, "utf-16"),
    "csv, no newline at the end": _text("t.csv", lambda table: csv_text(table).removesuffix("\n")),
    "tsv": _text("t.tsv", lambda table: csv_text(table, "\t")),
    "csv.gz": _gzip,
    "csv.zst": _zstd,
    "parts of csv": _csv_parts,
    "glob": _glob,
    "glob that matches folders too": _glob_of_folders,
    "hive partitions of csv": _hive_csv,
    "json lines": _text("t.jsonl", json_lines),
    "json lines.gz": _json_gzip,
    "json array": _json_array,
    "hive partitions of json": _hive_json,
    "parquet": _parquet,
    "parts of parquet": _parquet_parts,
    "hive partitions of parquet": _hive_parquet,
    "feather": _feather,
    "hive partitions of feather": _hive_feather,
    "arrow stream": _arrow_stream,
    "duckdb table": _duckdb,
    "duckdb query": _duckdb_query,
    "sqlite table": _sqlite,
    "pandas": _pandas,
    "pandas objects": lambda folder, table: _pandas(folder, table).astype(object),
    "pandas categories": lambda folder, table: _pandas(folder, table).astype("category"),
    "polars": lambda _, table: pl.from_arrow(arrow(table)),
    "arrow table": lambda _, table: arrow(table),
    "arrow dictionaries": lambda _, table: pa.table(
        [column.dictionary_encode() for column in arrow(table).columns], names=list(NAMES)
    ),
    "arrow batches": lambda _, table: pa.RecordBatchReader.from_batches(
        arrow(table).schema, arrow(table).to_batches(70)
    ),
}  # fmt: skip
