"""Tables and queries of database files: the names are the database's, and nothing else is opened."""

from __future__ import annotations

import sqlite3

import duckdb
import pytest

from auditor.engines import ColumnUse, open_data
from auditor.errors import DataError, UsageError


@pytest.fixture(params=["sqlite", "duckdb"])
def database(request, tmp_path):
    """The address of an empty database."""
    path = tmp_path / f"d.{request.param}"
    (sqlite3 if request.param == "sqlite" else duckdb).connect(str(path)).execute("CREATE TABLE t (a INTEGER)").close()
    return f"{request.param}:{path}"


def test_names_that_differ_only_in_case_are_two_columns(database):
    with open_data(f"{database}?query=SELECT 1 AS a, 2 AS A, 3 AS A_1") as source:
        assert [column.name for column in source.columns] == ["a", "A", "A_1"]
        assert [source.dictionary(ColumnUse(name))[0] for name in ("a", "A", "A_1")] == [("1",), ("2",), ("3",)]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT 1 AS a, 2 AS a", "columns 1 and 2 have the same name; names must differ"),
        ("SELECT 1 AS a, 2 AS ' '", "column 2 has no name; every column needs one"),
    ],
)
def test_names_that_mean_no_column(query, message, database):
    with pytest.raises(DataError, match=message) as error:
        open_data(f"{database}?query={query.replace(chr(39), chr(34))}")
    assert ":1:" not in str(error.value), "a table has no lines"


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("reads", ["read_csv('{}')", "'{}'", "read_text('{}')", "glob('{}')"])
def test_binding_a_query_opens_no_other_file(reads, there, tmp_path):
    """Whether another file exists makes no difference: the connection is locked before the query is bound."""
    duckdb.connect(str(tmp_path / "d.duckdb")).close()
    if there:
        (tmp_path / "other.csv").write_text("a\nx\n")
    with pytest.raises(DataError, match=r"cannot be read \(Permission Error\)"):
        open_data(f"duckdb:{tmp_path / 'd.duckdb'}?query=SELECT * FROM {reads.format(tmp_path / 'other.csv')}")


def test_a_collation_of_the_database_takes_no_two_texts_for_one(tmp_path):

    with duckdb.connect(str(tmp_path / "t.duckdb")) as database:
        database.execute("CREATE TABLE t (a VARCHAR COLLATE NOCASE, b VARCHAR COLLATE NOCASE.NOACCENT)")
        database.execute("INSERT INTO t VALUES ('Köln', 'a'), ('KÖLN', 'ä'), ('köln', 'A'), ('köln', NULL)")
    with open_data(f"duckdb:{tmp_path / 't.duckdb'}?table=t") as source:
        labels, counts = source.dictionary(ColumnUse("a"))
        assert dict(zip(labels, counts.tolist(), strict=True)) == {"KÖLN": 1, "Köln": 1, "köln": 2}
        counted = source.count([ColumnUse("a"), ColumnUse("b")])
        assert (counted.combinations, counted.labels("b")) == (4, (None, "A", "a", "ä"))


ODD_NAMES = ["My Table", 'a.b"c', "s.x", '"', "t.", "select"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("schema", ["", "main.", '"main".'])
def test_a_quoted_name_of_a_table_is_a_name(name, schema, database):
    quoted = '"' + name.replace('"', '""') + '"'
    engine, _, path = database.partition(":")
    opened = (sqlite3 if engine == "sqlite" else duckdb).connect(path)
    opened.execute(f"CREATE TABLE {quoted} (a INTEGER)")
    opened.execute(f"INSERT INTO {quoted} VALUES (7)")
    opened.commit()
    opened.close()
    with open_data(f"{database}?table={schema}{quoted}") as source:
        assert source.dictionary(ColumnUse("a"))[0] == ("7",)


@pytest.mark.parametrize(
    "asked", ["query=SELECT hash(random()) AS v FROM f", "table=drawn", "query=SELECT i AS v FROM f USING SAMPLE 9"]
)
def test_rows_that_are_drawn_anew_are_read_once(asked, tmp_path):
    with duckdb.connect(str(tmp_path / "t.duckdb")) as database:
        database.execute("CREATE TABLE f AS SELECT range AS i FROM range(1000)")
        database.execute("CREATE VIEW drawn AS SELECT random() AS v FROM f")
    with open_data(f"duckdb:{tmp_path / 't.duckdb'}?{asked}") as source:
        assert source.fingerprint(["v"]) == source.fingerprint(["v"])
        assert source.dictionary(ColumnUse("v"))[0] == source.dictionary(ColumnUse("v"))[0]


def test_equal_numbers_of_sqlite_are_one_value(tmp_path):
    database = sqlite3.connect(tmp_path / "t.sqlite")
    database.execute("CREATE TABLE t (x)")
    numbers = [1, 1.0, 0, 0.0, -0.0, 2**53, 2.0**53, 2**53 + 1, 0.5, "1.0", None, float("nan")]
    database.executemany("INSERT INTO t VALUES (?)", [(each,) for each in numbers])
    database.commit()
    database.close()
    with open_data(f"sqlite:{tmp_path / 't.sqlite'}?table=t") as source:
        labels, counts = source.dictionary(ColumnUse("x"))
    wanted = {None: 2, "0": 3, "0.5": 1, "1": 2, "1.0": 1, str(2**53): 2, str(2**53 + 1): 1}
    assert dict(zip(labels, counts.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("name", ["d", "50%25 of it", "a b"])
@pytest.mark.parametrize("before", ["", "///"])
def test_a_path_of_sqlite_may_hold_any_character(name, before, tmp_path):
    path = tmp_path / f"{name}.sqlite"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE t AS SELECT 1 AS a")
    base.close()
    with open_data(f"sqlite:{before}{path}?table=t") as source:
        assert source.records() == 1


def test_a_file_that_is_no_database_is_told(tmp_path):
    for kind in ("sqlite", "duckdb"):
        with pytest.raises(DataError):
            open_data(f"{kind}:{tmp_path / 'absent'}?table=t")


def test_generated_columns_are_read_once(tmp_path):
    """Each read of them draws other values: the class that one read finds would be none of the next one's."""
    with duckdb.connect(str(tmp_path / "d.duckdb")) as base:
        base.execute("CREATE TABLE t (b INTEGER, a DOUBLE GENERATED ALWAYS AS (random()))")
        base.execute("INSERT INTO t SELECT 1 FROM range(100)")
    with open_data(f"duckdb:{tmp_path / 'd.duckdb'}?table=t") as source:
        first, second = (set(source.dictionary(ColumnUse("a"))[0]) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("what", ["?table=t#1", "?query=SELECT * FROM t WHERE a # b", "?table=t#"])
def test_a_part_of_an_address_is_not_dropped(what, database):
    """A URL ends at #: another table, or other records, would be judged."""
    with pytest.raises(UsageError, match="write %23 for #"):
        open_data(f"{database}{what}")
    with open_data(f"{database}?query=SELECT '%23' AS a") as source:
        assert source.dictionary(ColumnUse("a"))[0] == ("#",)


@pytest.mark.parametrize("name", ["a#b.db", "50%23.db", "a b%.db"])
def test_the_path_of_a_database_stands_as_it_is(name, tmp_path):
    with sqlite3.connect(tmp_path / name) as base:
        base.execute("CREATE TABLE t AS SELECT 7 AS a")
    with open_data(f"sqlite:{tmp_path / name}?table=t") as source:
        assert source.dictionary(ColumnUse("a"))[0] == ("7",)


@pytest.mark.parametrize(
    "macro",
    [
        "count(x) AS 9",
        "count() AS 9",
        "count_star() AS 9",
        "row_number() AS 1",
        "isnan(x) AS true",
        "lower(x) AS 'a'",
    ],
)
@pytest.mark.parametrize("asked", ["table=t", "table=main.t", "table=v", "query=SELECT a FROM t"])
def test_a_macro_of_the_file_is_no_function_of_ours(asked, macro, tmp_path):
    """A database file may have macros that are named like functions: they are for its own queries."""
    with duckdb.connect(str(tmp_path / "t.duckdb")) as database:
        database.execute("CREATE TABLE t (a VARCHAR); INSERT INTO t VALUES ('x'), ('x'), ('y')")
        database.execute(f"CREATE VIEW v AS SELECT * FROM t; CREATE MACRO {macro}")
        database.execute("CREATE MACRO duckdb_views() AS TABLE SELECT 'none' AS view_name, false AS internal")
    with open_data(f"duckdb:{tmp_path / 't.duckdb'}?{asked}") as source:
        labels, counts = source.dictionary(ColumnUse("a"))
        assert dict(zip(labels, counts.tolist(), strict=True)) == {"x": 2, "y": 1}
        assert source.records() == 3
