"""Rows that are read once and written with other values: types, missing values, other columns, the order."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from auditor.engines import ColumnUse, Rewritten, open_data
from auditor.errors import DataError
from tests.engines import data

TABLE = pa.table(
    {
        "kept": pa.array([3, 1, None, 2], pa.int16()),
        "small": pa.array([10, 20, 30, None], pa.int8()),
        "price": pa.array([Decimal("1.50"), Decimal("2.25"), None, Decimal("3.00")], pa.decimal128(9, 2)),
        "share": pa.array([0.1, 0.7, None, 0.25], pa.float32()),
        "day": pa.array([dt.date(2020, 2, 29), None, dt.date(1999, 1, 1), dt.date(2001, 5, 5)]),
        "at": pa.array(["2020-01-01T12:30:00", None, "1999-01-01T00:00:00", "2001-05-05T00:00:01"]).cast(
            pa.timestamp("us")
        ),
        "sick": pa.array([True, False, None, True]),
        "word": pa.array(["x", "y", None, "z"]),
    }
)


def reversed_column(snapshot, place: int, name: str) -> Rewritten:
    """The values of a column in the reverse order: what swapping could make of it."""
    known = snapshot.coded.dictionaries[place]
    absent = int(known[0] is None)
    return Rewritten(name, snapshot.coded.codes[::-1, place] - np.int32(absent), known[absent:])


def rewrite(given, tmp_path, names, change, target="r.parquet", columns=None):
    with open_data(given) as source:
        columns = columns or [column.name for column in source.columns]
        snapshot = source.snapshot(columns, [ColumnUse(name) for name in names])
        rewritten = [change(snapshot, place, name) for place, name in enumerate(names)]
        path = source.workspace / target
        snapshot.write(columns, rewritten, path)
        return path.rename(tmp_path / target)


def test_a_column_keeps_its_type_where_its_values_do(tmp_path):
    names = [name for name in TABLE.column_names if name != "kept"]
    written = pq.read_table(rewrite(TABLE, tmp_path, names, reversed_column))
    assert written.schema.types == TABLE.schema.types
    expected = zip(TABLE["kept"].to_pylist(), *(TABLE[name].to_pylist()[::-1] for name in names), strict=True)
    assert Counter(zip(*written.to_pydict().values(), strict=True)) == Counter(expected)


@pytest.mark.parametrize(
    ("name", "labels", "kind"),
    [
        ("small", ("12.5", "3"), pa.float64()),
        ("small", ("1000", "3"), pa.int64()),
        ("small", ("120", "-3"), pa.int8()),
        ("price", ("1.005", "2"), pa.float64()),
        ("price", ("1", "2"), pa.decimal128(9, 2)),
        ("share", ("0.123456789", "1"), pa.float64()),
        ("day", ("2020", "1999"), pa.string()),
        ("sick", ("true", "perhaps"), pa.string()),
        ("word", ("1", "2"), pa.string()),
    ],
)
def test_other_values_get_a_type_that_holds_them(name, labels, kind, tmp_path):
    def change(snapshot, place, name):
        return Rewritten(name, np.array([0, -1, 1, 0], np.int32), labels)

    found = pq.read_table(rewrite(TABLE, tmp_path, [name], change, columns=["kept", name]))
    assert found.schema.field(name).type == kind
    by_row = dict(zip(found["kept"].to_pylist(), found[name].to_pylist(), strict=True))
    shown = {place: None if value is None else str(value).lower() for place, value in by_row.items()}
    if kind in (pa.string(), pa.int8(), pa.int64()):
        assert shown == {3: labels[0], 1: None, None: labels[1], 2: labels[0]}
    else:
        numbers = {place: None if value is None else float(value) for place, value in shown.items()}
        assert numbers == {3: float(labels[0]), 1: None, None: float(labels[1]), 2: float(labels[0])}


@pytest.mark.slow
@pytest.mark.parametrize("form", [name for name in data.FORMS if "hive" not in name])
@pytest.mark.parametrize("target", ["r.tsv.gz", "r.jsonl"])
def test_every_form_is_written_in_every_format(form, target, tmp_path):
    people = data.people(40)
    given = data.FORMS[form](tmp_path, people)
    path = rewrite(given, tmp_path, ["cost"], reversed_column, target)
    with open_data(path) as source:
        coded = source.coded([ColumnUse(name) for name in data.NAMES])
    columns = zip(coded.dictionaries, coded.codes.T, strict=True)
    texts = zip(*([known[code] for code in codes] for known, codes in columns), strict=True)
    costs = [row[2] for row in people][::-1]
    assert Counter(texts) == Counter((*row[:2], cost, *row[3:]) for row, cost in zip(people, costs, strict=True))


def test_what_stands_where_does_not_tell_where_it_stood(tmp_path):
    """The same rows in another order give the same file, byte for byte."""

    def same(snapshot, place, name):
        known = snapshot.coded.dictionaries[place]
        return Rewritten(name, snapshot.coded.codes[:, place] - np.int32(known[0] is None), known[known[0] is None :])

    chance = np.random.default_rng(5)
    people = data.people(200)
    files = []
    for number in range(2):
        shuffled = [people[place] for place in chance.permutation(200)]
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "t.csv").write_text(data.csv_text(shuffled))
        files.append(rewrite(str(folder / "t.csv"), folder, ["cost"], same, "r.csv").read_bytes())
    assert files[0] == files[1]


def test_json_numbers_stay_numbers_and_json_texts_texts(tmp_path):
    rows = [{"n": 1, "t": "1", "o": [1, 2]}, {"n": 2.5, "t": "2", "o": None}, {"n": None, "t": None, "o": {"a": 1}}]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = rewrite(str(tmp_path / "t.jsonl"), tmp_path, ["n", "t"], reversed_column, "r.jsonl")
    found = [json.loads(line) for line in path.read_text().splitlines()]
    key = json.dumps
    assert sorted(found, key=key) == sorted(
        [{"n": None, "t": None, "o": [1, 2]}, {"n": 2.5, "t": "2", "o": None}, {"n": 1, "t": "1", "o": {"a": 1}}],
        key=key,
    )


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_frame_is_of_the_kind_asked_for(kind):
    with open_data(TABLE) as source:
        snapshot = source.snapshot(["kept", "small"], [ColumnUse("small")])
        found = snapshot.frame(["small"], [reversed_column(snapshot, 0, "small")], kind)
    assert isinstance(found, {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.Table}[kind])
    assert sorted(pl.DataFrame(found)["small"].drop_nulls().to_list()) == [10, 20, 30]


def test_a_nested_column_is_kept_and_cannot_be_rewritten(tmp_path):
    table = pa.table({"a": ["x", "y"], "l": [[1, 2], [3]]})
    with open_data(table) as source, pytest.raises(DataError, match="nested"):
        source.snapshot(["a"], [ColumnUse("l")])
    path = rewrite(table, tmp_path, ["a"], reversed_column)
    assert sorted(pq.read_table(path).to_pydict()["l"]) == [[1, 2], [3]]


@pytest.mark.parametrize("target", ["r.csv", "r.parquet", None])
def test_places_say_which_row_went_where(target, tmp_path):
    table = pa.table({"a": [10, 9, 100, 9], "b": ["x", "y", "z", "w"]})
    with open_data(table) as source:
        snapshot = source.snapshot(["a", "b"], [ColumnUse("a")])
        rewritten = [reversed_column(snapshot, 0, "a")]
        places = snapshot.places(["a", "b"], rewritten, None if target is None else source.workspace / target)
        if target is None:
            words = snapshot.frame(["a", "b"], rewritten, "arrow")["b"].to_pylist()
        else:
            snapshot.write(["a", "b"], rewritten, source.workspace / target)
            with open_data(source.workspace / target) as written:
                coded = written.coded([ColumnUse("b")])
                words = [coded.dictionaries[0][code] for code in coded.codes[:, 0]]
    assert [table["b"].to_pylist()[place] for place in places] == words
    # the rows are (9, x), (100, y), (9, z), (10, w); as text, 10 comes before 100 and both before 9
    assert words == (["w", "y", "x", "z"] if target == "r.csv" else ["x", "z", "w", "y"])
