"""Releases as files: sorted by what they show, whatever is an enumeration on the way, and suppressed by values."""

import csv
import datetime as dt
import random

import duckdb
import numpy as np
import pytest

from auditor.engines import ColumnUse, Recoding, ReleaseRequest, RunLimits, open_data
from auditor.engines.duckdb import _release

COLUMNS = ("zip", "job", "note", "born")
LEAST = 20
JOBS = ["b", "a", "é", "Z", "", None, "NA"]
DRAW = random.Random(1)
ROWS = [(f"{DRAW.randrange(40):05}", DRAW.choice(JOBS), f"n{i % 90}", dt.date(2000, 1, 1 + i % 3)) for i in range(600)]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "data.parquet"
    with duckdb.connect() as database:
        database.execute("CREATE TABLE t (zip VARCHAR, job VARCHAR, note VARCHAR, born DATE)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
        database.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    return path


def released(table, name, *, starred=False, missing=()):
    """The release by the first three digits of the ZIP code, without the classes of fewer than `LEAST` members."""
    uses = [ColumnUse("zip"), ColumnUse("job", missing), ColumnUse("born")]
    with open_data(table, limits=RunLimits.of("1GB")) as source:
        counted = source.count(uses)
        labels = [f"{value[:4]}*" for value in counted.labels("zip")]
        nodes = {label: node for node, label in enumerate(dict.fromkeys(labels))}
        recoding = Recoding("zip", np.array([nodes[label] for label in labels]), tuple(labels))
        (classes,) = counted.tables(("zip", "job"), recoded={"zip": recoding.nodes})
        keys = classes.keys[classes.sizes < LEAST]
        suppressed = np.stack([classes.layout.codes(keys, column) for column in ("zip", "job")], axis=1)
        release = ReleaseRequest(COLUMNS, (recoding,), ("zip", "job"), suppressed, starred)
        target = source.workspace / name
        counted.write(release, target)
        return target.read_bytes()


def expected(missing=()):
    """The same in plain Python."""
    rows = [(f"{code[:4]}*", job, note, born) for code, job, note, born in ROWS]
    keys = [(code, None if job in missing else job) for code, job, *_ in rows]
    return [row for row, key in zip(rows, keys, strict=True) if keys.count(key) >= LEAST]


def in_order(row):
    return [(value is None, "" if value is None else str(value).encode()) for value in row]


@pytest.mark.slow
@pytest.mark.parametrize("most", [_release.MOST_ENUMERATED, 50, 0])
@pytest.mark.parametrize("missing", [(), ("NA", "b")])
def test_a_parquet_release_is_sorted_and_lacks_what_is_suppressed(most, missing, table, tmp_path, monkeypatch):
    monkeypatch.setattr(_release, "MOST_ENUMERATED", most)
    (tmp_path / "r.parquet").write_bytes(released(table, "r.parquet", missing=missing))
    with duckdb.connect() as database:
        found = database.execute(f"SELECT * FROM '{tmp_path}/r.parquet'").fetchall()
        types = database.execute(f"DESCRIBE SELECT * FROM '{tmp_path}/r.parquet'").fetchall()
    assert found == sorted(expected(missing), key=in_order)
    assert 0 < len(found) < len(ROWS)
    assert [row[1] for row in types] == ["VARCHAR", "VARCHAR", "VARCHAR", "DATE"]


@pytest.mark.parametrize("most", [_release.MOST_ENUMERATED, 50, 0])
def test_a_csv_release_holds_the_same(most, table, monkeypatch):
    monkeypatch.setattr(_release, "MOST_ENUMERATED", most)
    header, *rows = csv.reader(released(table, "r.csv").decode().splitlines())
    assert tuple(header) == COLUMNS
    wanted = [["" if value is None else str(value) for value in row] for row in sorted(expected(), key=in_order)]
    assert rows == wanted


def test_enumerations_or_not_make_the_same_bytes(table, monkeypatch):
    for name in ("r.csv", "r.jsonl"):
        with monkeypatch.context() as patched:
            patched.setattr(_release, "MOST_ENUMERATED", 0)
            texts = released(table, name), released(table, name, starred=True)
        assert (released(table, name), released(table, name, starred=True)) == texts


def test_a_missing_value_among_what_is_suppressed_is_starred_once(table):
    found = list(csv.reader(released(table, "r.csv", starred=True).decode().splitlines()))[1:]
    assert len(found) == len(ROWS)
    assert sum(row[0] == "*" for row in found) == len(ROWS) - len(expected())


def test_many_suppressed_classes_are_handed_over_as_arrays(tmp_path):
    """As lists of Python values they took gigabytes; the limit of memory is for the engine and them alike."""
    path = tmp_path / "many.parquet"
    with duckdb.connect() as database:
        database.execute(f"COPY (SELECT range::VARCHAR AS a FROM range(200_000)) TO '{path}' (FORMAT parquet)")
    with open_data(path, limits=RunLimits.of("1GB")) as source:
        counted = source.count([ColumnUse("a")])
        codes = np.arange(1, 200_000, dtype=np.int64)[:, None]
        target = source.workspace / "r.csv"
        counted.write(ReleaseRequest(("a",), (), ("a",), codes), target)
        assert target.read_text() == "a\n0\n"
