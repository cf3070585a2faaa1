"""Lines of CSV that are made record by record: byte for byte what DuckDB's own writer puts into a file."""

from __future__ import annotations

import datetime as dt
import struct
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.engines.duckdb import copies
from auditor.errors import UsageError

WRITTEN_WITH = [",", ";", "\t", "|", "'", "{", "~", "é", "€", "ࠀ", "𝄞"]
NASTY = [
    "",
    " ",
    "#",
    "a#",
    '"',
    '""',
    "a,b",
    "a;b",
    "x\ny",
    "\r",
    "'",
    "\\",
    "null",
    "NULL",
    "{0}",
    "é",
    "À",
    "߿",
    "࿿",
    "က",
    "₡",
    "𐀀",
    "🎲",
]
TEXTS = st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
SINGLE = st.floats(width=32)
TYPED = {
    "text": (pa.string(), TEXTS),
    "flag": (pa.bool_(), st.booleans()),
    "tiny": (pa.int8(), st.integers(-128, 127)),
    "long": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "single": (pa.float32(), SINGLE | st.integers(-(2**24), 2**24).map(float)),
    "double": (pa.float64(), st.floats() | st.integers(-(2**53), 2**53).map(float)),
    "money": (pa.decimal128(12, 2), st.decimals("-1e9", "1e9", places=2)),
    "small": (pa.decimal128(7, 7), st.decimals("-0.9", "0.9", places=7)),
    "whole": (pa.decimal128(38, 0), st.integers(-(10**37), 10**37).map(Decimal)),
    "day": (pa.date32(), st.dates()),
    "time": (pa.timestamp("us"), st.datetimes()),
    "moment": (pa.timestamp("us", "UTC"), st.datetimes(timezones=st.just(dt.UTC))),
}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    names = draw(st.lists(st.sampled_from([*TYPED]), min_size=1, unique=True))
    rows = draw(st.integers(1, 6))
    column = {name: st.lists(TYPED[name][1] | st.none(), min_size=rows, max_size=rows) for name in names}
    return pa.table({name: pa.array(draw(column[name]), TYPED[name][0]) for name in names})


@pytest.mark.slow
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables(), delimiter=st.sampled_from(WRITTEN_WITH))
def test_lines_are_those_of_copy(tmp_path, table, delimiter):
    same_as_copied(table, delimiter, tmp_path)


@pytest.mark.parametrize("delimiter", WRITTEN_WITH)
def test_so_are_those_of_every_odd_text(tmp_path, delimiter):
    """Of other delimiters beyond ASCII, too: COPY takes for one what begins with the same byte."""
    same_as_copied(pa.table({"a": [*NASTY, None], "b": [None, *NASTY]}), delimiter, tmp_path)


def same_as_copied(table, delimiter, tmp_path):
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        database.register("found", table)
        kinds = [kind for _, kind, *_ in database.execute("DESCRIBE found").fetchall()]
        columns = list(zip(table.column_names, kinds, strict=True))
        made = database.execute(copies.lines("found", columns, delimiter)).fetchall()
        texts = ", ".join(f"{text} AS {name}" for text, name in copies.as_text(columns))
        target = tmp_path / "copied.csv"
        database.execute(copies.copy(f"SELECT {texts} FROM found", target, table.column_names, delimiter))
    text = "\n".join([copies.header(table.column_names, delimiter).removesuffix("\n"), *(line for (line,) in made), ""])
    assert text.encode() == target.read_bytes()


@given(number=st.floats(allow_nan=False))
def test_numbers_come_back_from_their_texts(number):
    """The second computation is Python's reading of the text."""
    with duckdb.connect() as database:
        database.register("found", pa.table({"x": pa.array([number], pa.float64())}))
        ((line,),) = database.execute(copies.lines("found", [("x", "DOUBLE")], ",")).fetchall()
    assert struct.pack("d", float(line)) == struct.pack("d", number)


@pytest.mark.parametrize(
    "name", ["release", "release.parquet", "release.pq", "release.v2", "r.csv", "r.TSV", "r.v2.csv"]
)
def test_folders_of_parquet_and_of_csv_have_names(name):
    copies.check_folder_name(Path(name))


@pytest.mark.parametrize("name", ["r.csv.gz", "r.parquet.zst", "r.jsonl", "r.arrow", "r.csv.parquet", "r.gz"])
def test_other_names_are_refused(name):
    with pytest.raises(UsageError, match="a folder of Parquet files, or of CSV files"):
        copies.check_folder_name(Path(name))
