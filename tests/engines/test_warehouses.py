"""The statements that databases and warehouses run: as text beside snapshots, and run where there is something to.

A snapshot is not a proof that a warehouse understands it: it is what was read and compared with the warehouse's manual,
and no change gets past unseen. `python -m tests.engines.test_warehouses` writes them anew.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

import auditor
from auditor.cli import invoke
from auditor.engines import _grouping
from auditor.engines._grouping import BINARY, ReadColumn, ValueKind
from auditor.errors import Unsupported, UsageError
from tests.documents import without_work
from tests.engines import data

SNAPSHOTS = Path(__file__).parent / "snapshots"
KINDS = [ReadColumn(f"a {kind}", kind, f"c{i}") for i, kind in enumerate(ValueKind)]
ODD = ['a"b', "a`b", "a'b", "a]b", "SELECT", "order", "Größe", "n; DROP TABLE people; --", "x -- y", "/* z */", "${w}"]
WAREHOUSES = sorted(BINARY)


def statements(dialect: str) -> dict[str, str]:
    people = _grouping.table("clinic.people", dialect)
    odd = [ReadColumn(name, ValueKind.TEXT, name) for name in ODD]
    return {
        "what auditor sql prints for two texts and a number": auditor.counting_sql(data.POLICY, "people", dialect),
        "class table, one column of every kind": _grouping.grouped(people, KINDS, dialect, "n"),
        "the values of one column": _grouping.grouped(people, [ReadColumn("zip", ValueKind.TEXT, "c0")], dialect, "n"),
        "how many records": _grouping.grouped(people, [], dialect, "n"),
        "every row": _grouping.read(people, KINDS, dialect),
        "no row, with its types": _grouping.nothing(people),
        "of a query": _grouping.grouped(
            _grouping.query("SELECT zip FROM people -- all"), [ReadColumn("zip", ValueKind.TEXT, "zip")], dialect, "n"
        ),
        "names that could break out": _grouping.grouped(_grouping.table('a"b.c`d', dialect), odd, dialect, 'n"`'),
    }


def written(dialect: str) -> str:
    return "".join(f"-- {name}\n{statement};\n\n" for name, statement in statements(dialect).items())


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_statements_are_those_that_were_read(dialect):
    assert (SNAPSHOTS / f"{dialect}.sql").read_text(encoding="utf-8") == written(dialect)


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_statements_parse_in_their_dialect_as_one_select_that_means_the_same(dialect):
    for statement in statements(dialect).values():
        (parsed,) = sqlglot.parse(statement, dialect=dialect)
        assert isinstance(parsed, exp.Select)
        (again,) = sqlglot.parse(parsed.sql(dialect), dialect=dialect)
        assert again == parsed
        assert "GROUP BY ALL" not in statement


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_names_stay_names(dialect):
    (parsed,) = sqlglot.parse(statements(dialect)["names that could break out"], dialect=dialect)
    assert {column.name for column in parsed.find_all(exp.Column)} >= set(ODD)
    assert {alias.alias for alias in parsed.find_all(exp.Alias)} == {*ODD, 'n"`'}
    (table,) = parsed.find_all(exp.Table)
    assert (table.db, table.name) == ('a"b', "c`d")


@given(st.text(min_size=1, max_size=12).filter(lambda name: "\0" not in name), st.sampled_from(WAREHOUSES))
def test_any_name_stays_a_name(name, dialect):
    try:
        statement = _grouping.grouped("t", [ReadColumn(name, ValueKind.PLAIN, name)], dialect, "n")
    except Unsupported:
        assert "\\" in name
        return
    (parsed,) = sqlglot.parse(statement, dialect=dialect)
    assert {column.name for column in parsed.find_all(exp.Column)} == {name}
    assert [each.name for each in parsed.find_all(exp.Table)] == ["t"]


@given(st.text(min_size=1, max_size=12).filter(lambda name: "\0" not in name))
def test_any_name_stays_a_name_where_statements_run(name):
    """DuckDB and SQLite are asked, not sqlglot; DuckDB tells names apart without regard to case."""
    wide = _grouping.grouped("t", [ReadColumn(name, ValueKind.TEXT, "c0")], "duckdb", "n")
    try:
        quoted = '"' + name.replace('"', '""') + '"'
        with duckdb.connect() as database:
            database.execute(f"CREATE TABLE t ({quoted} VARCHAR)")
            database.execute("INSERT INTO t VALUES ('x'), ('x'), ('y')")
            assert sorted(database.execute(wide).fetchall()) == [("x", 2), ("y", 1)]
    except (duckdb.Error, UnicodeEncodeError):
        with duckdb.connect() as database, pytest.raises((duckdb.Error, UnicodeEncodeError)):
            database.execute(f"CREATE TABLE t ({quoted} VARCHAR)")


def counts(rows: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    return Counter({tuple(row[:-1]): row[-1] for row in rows})


TEXTS = ["Köln", "KÖLN", "köln", "a", "a ", "", None, "NaN", "1.0", "1", "ß", "ss"]


@pytest.mark.parametrize("collation", ["", "COLLATE NOCASE", "COLLATE RTRIM"])
def test_sqlite_counts_what_the_rows_hold(collation):
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE people (zip TEXT {collation}, job TEXT {collation}, cost, sick, site)")
    rows = [(text, TEXTS[i % 3], 1.5, "flu", None) for i, text in enumerate(TEXTS * 3)]
    database.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", rows)
    found = database.execute(auditor.counting_sql(data.POLICY, "people", "sqlite")).fetchall()
    database.close()
    order = ["zip", "job", "site", "cost", "sick"]
    places = [("zip", "job", "cost", "sick", "site").index(name) for name in order]
    assert counts(found) == Counter(
        tuple("1.5" if row[place] == 1.5 else row[place] for place in places) for row in rows
    )


@pytest.mark.parametrize("collation", ["", "COLLATE NOCASE", "COLLATE NOCASE.NOACCENT"])
def test_duckdb_counts_what_the_rows_hold_and_its_counts_give_the_same_document(collation, tmp_path):
    table = data.people()
    with duckdb.connect(str(tmp_path / "t.duckdb")) as database:
        described = ", ".join(f"{name} VARCHAR {collation}" for name in data.NAMES)
        database.execute(f"CREATE TABLE people ({described})")
        database.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", table)
        statement = auditor.counting_sql(data.POLICY, "people", "duckdb", weight="how many")
        database.execute(f"COPY ({statement}) TO '{tmp_path / 'counts.parquet'}'")
    counted = auditor.check(str(tmp_path / "counts.parquet"), data.POLICY, weight="how many")
    ours, theirs = (
        without_work(found.to_dict())
        for found in (counted, auditor.check(f"duckdb:{tmp_path / 't.duckdb'}?table=people", data.POLICY))
    )
    assert ours.pop("data")["rows"] == theirs.pop("data")["rows"] == len(table)
    assert ours == theirs


def test_not_a_number_is_missing_where_the_policy_says_number():
    policy = {
        "attributes": {"a": "quasi-identifier", "b": {"role": "sensitive", "type": "number"}},
        "requirements": [{"model": "k-anonymity", "k": 1}],
    }
    with duckdb.connect() as database:
        database.execute(
            "CREATE TABLE t AS SELECT 'NaN' AS a, CAST(v AS DOUBLE) AS b FROM (VALUES ('NaN'), ('1.5')) t(v)"
        )
        found = database.execute(auditor.counting_sql(policy, "t", "duckdb")).fetchall()
    assert sorted(found, key=str) == [("NaN", "1.5", 1), ("NaN", None, 1)]


FLOATS = [0.0, -0.0, 0.3, 0.1 + 0.2, float("nan"), None, float("inf"), 1e300, 5e-324]
UNTYPED = {"attributes": {"v": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 1}]}


def floats_apart(rows: list[tuple[Any, ...]]) -> list[tuple[float | None, int]]:
    """Counted floats as numbers, where they are written as such."""
    return sorted(((None if text is None else float(text), n) for text, n in rows), key=str)


BY_HAND = sorted([(0.0, 2), (0.3, 1), (0.1 + 0.2, 1), (None, 2), (float("inf"), 1), (1e300, 1), (5e-324, 1)], key=str)


def test_floats_that_the_policy_does_not_type_are_those_of_a_table():
    statement = {dialect: auditor.counting_sql(UNTYPED, "t", dialect) for dialect in ("duckdb", "sqlite")}
    with duckdb.connect() as database:
        database.execute("CREATE TABLE t (v DOUBLE)")
        database.executemany("INSERT INTO t VALUES (?)", [(each,) for each in FLOATS])
        assert floats_apart(database.execute(statement["duckdb"]).fetchall()) == BY_HAND
        database.execute("CREATE OR REPLACE TABLE t AS SELECT unnest(['NaN', '-0', '0', NULL]) AS v")
        assert len(database.execute(statement["duckdb"]).fetchall()) == 4, "texts are texts"
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (v)")
    database.executemany("INSERT INTO t VALUES (?)", [(each,) for each in FLOATS])
    assert floats_apart(database.execute(statement["sqlite"]).fetchall()) == BY_HAND
    database.close()


def test_columns_are_those_that_are_judged():
    policy = {
        "unit": {"column": "person"},
        "attributes": {
            "person": "identifier", "name": "identifier", "zip": "quasi-identifier", "sick": "sensitive",
            "code": "insensitive", "note": "insensitive",
        },
        "requirements": [
            {"model": "k-anonymity", "k": 2},
            {"model": "allowed-values", "attribute": "code", "values": ["x"]},
        ],
    }  # fmt: skip
    (parsed,) = sqlglot.parse(auditor.counting_sql(policy, "t"), dialect="postgres")
    assert set(parsed.named_selects) == {"person", "zip", "sick", "code", "n"}


@pytest.mark.parametrize(
    ("change", "more", "what"),
    [
        ({}, {"dialect": "oracle"}, "no statements are written for the dialect 'oracle'"),
        ({}, {"weight": "zip"}, "the policy has a column of that name"),
        ({}, {"table": "a..b"}, "names no table"),
        ({"attributes": {"z*": "quasi-identifier"}}, {}, r"by the pattern 'z\*'"),
    ],
)
def test_what_cannot_be_meant(change, more, what):
    policy = {"attributes": {"zip": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 2}], **change}
    with pytest.raises(UsageError, match=what):
        auditor.counting_sql(policy, **{"table": "t", **more})


def test_the_command(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(
        "attributes: {zip: quasi-identifier}\nrequirements: [{model: k-anonymity, k: 2}]\n"
    )
    assert invoke(["sql", "clinic.stays", "-p", "p.yaml", "--dialect", "trino"]) == 0
    printed = capfd.readouterr().out
    assert printed == auditor.counting_sql("p.yaml", "clinic.stays", "trino") + "\n"
    assert invoke(["sql", "t", "-p", "p.yaml", "--dialect", "mysql"]) == 2


if __name__ == "__main__":
    for name in WAREHOUSES:
        (SNAPSHOTS / f"{name}.sql").write_text(written(name), encoding="utf-8")
