"""The statements travel: each parses, and means the same to PostgreSQL and Spark; names and values cannot break out."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pyarrow as pa
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.classes import KeyLayout
from auditor.engines import Allowed, ColumnUse, open_data
from auditor.engines.duckdb import column_sql, sql
from auditor.errors import UsageError

LAYOUT = KeyLayout.of({"c0": 1000, "c1": 2**40, "c2": 2**30})
STATEMENTS: dict[str, Callable[[], list[str]]] = {
    "combinations": lambda: [
        sql.combinations("s", {"c0": '"a"', "c1": column_sql.value('"b"', "DOUBLE", ["-9"])}, weight)
        for weight in (None, '"n"')
    ],
    "class_sizes": lambda: [sql.class_sizes("coded", columns, "n") for columns in (["c0", "c1"], [])],
    "bad_weights": lambda: [sql.bad_weights("s", '"n"')],
    "store": lambda: [sql.store("t", "SELECT 1 AS x")],
    "keep_rows": lambda: [sql.keep_rows("t", "s", {"c0": '"a"'})],
    "dictionary": lambda: [sql.dictionary("d0", "t", "c0", sql.text("v", "TIMESTAMP"))],
    "longest_text": lambda: [sql.longest_text("t", "c0")],
    "digits": lambda: [sql.digits("t", "c0")],
    "encode": lambda: [sql.encode("e", "t", {"c0": ("d0", "UTINYINT"), "c1": ("d1", "BIGINT")}, ["c2", "n"])],
    "packed_keys": lambda: [
        sql.packed_keys("e", LAYOUT, 2, 1, 0, counted=True),
        sql.packed_keys("e", LAYOUT, 2, 4, 3, counted=False),
    ],
    "rolled_up": lambda: [
        sql.rolled_up("e", ["c0", "c1"], {"c1": "nodes_c1"}, counted=True),
        sql.rolled_up("e", ["c0"], {}, counted=False),
    ],
    "released": lambda: [
        sql.released(
            "s", {"o0": '"a"'}, [("m0.label", '"a"')], [("m0", "o0")], ["m0.node"], keep_order=keep, starred=stars
        )
        for keep in (True, False)
        for stars in (True, False)
    ],
    "told": lambda: [sql.told(["k0", "k1"], {"k1": "d0"}), sql.told([], {})],
    "shown": lambda: [sql.shown("SELECT a FROM s ORDER BY 1", each) for each in (["CAST(a AS VARCHAR) AS a"], [])],
    "regrouped": lambda: [
        sql.regrouped(
            "s",
            {"o0": '"a"'},
            [("m0.label", '"a"')],
            [("d0", "o0")],
            ["regrouped.n0"],
            groups=sql.RegroupedTable(1, [0], ranked=ranked),
            keep_order=keep,
            starred=stars,
        )
        for keep in (True, False)
        for stars in (True, False)
        for ranked in (True, False)
    ],
    "number_rows": lambda: [sql.number_rows("r", "s", {"c0": column_sql.row_text('"b"', "TIMESTAMP", ["-9"])})],
    "hashed": lambda: [sql.hashed("r", column_sql.row_text('"b"', "TIMESTAMP", ["-9"]))],
    "rows_as_texts": lambda: [sql.rows_as_texts("v", "r", {"c0": column_sql.row_text("x0", "DOUBLE", ["-9"])})],
    "without_loss": lambda: [sql.without_loss("m0", kind) for kind in ("DECIMAL(9,2)", "VARCHAR", "TIMESTAMP")],
    "rewritten": lambda: [
        sql.rewritten("s", [("source.x0", '"a"'), ("CAST(m0.label AS INT)", '"b"')], 1, places=places)
        for places in (False, True)
    ],
    "code_column": lambda: [sql.code_column("d", "r", "c0")],
    "coded_column": lambda: [sql.coded_column("d", "r", "c0")],
    "outside": lambda: [
        column_sql.outside("t", "c0", kind, ["-9"], allowed, weight=weight)
        for kind in ("VARCHAR", "DOUBLE", "BIGINT", "DECIMAL(9,2)", "BOOLEAN", "DATE")
        for allowed in (Allowed(values=("a", "b'c")), Allowed(least=-1.5, most=2.0, missing=False), Allowed())
        for weight in (None, '"n"')
    ],
}
HELPERS = {
    "files", "identifier", "literal", "is_number", "is_usable", "exactly", "text", "starred", "total", "is_enumeration",
    "without_enumerations", "_source", "_kept", "double_of",
}  # fmt: skip
"""Expressions that stand inside the statements."""


def test_every_statement_is_held_here():
    own = {name for name, each in inspect.getmembers(sql, inspect.isfunction) if each.__module__ == sql.__name__}
    assert own == {*STATEMENTS, *HELPERS} - {"outside"}


@pytest.mark.parametrize("dialect", ["postgres", "spark"])
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_parses_and_travels(name, dialect):
    for statement in STATEMENTS[name]():
        for parsed in sqlglot.parse(statement, dialect="duckdb"):
            assert parsed is not None
            assert not list(parsed.find_all(sqlglot.exp.Command)), "sqlglot passes over what it does not understand"
            travelled = parsed.sql(dialect=dialect, unsupported_level=sqlglot.ErrorLevel.RAISE)
            assert sqlglot.parse_one(travelled, dialect=dialect) is not None


# Names and values

HOSTILE = [
    'a"b',
    "a'b",
    "a;b",
    'x"; DROP TABLE combinations; --',
    "--",
    "/* */",
    "%s",
    "$1",
    "?",
    "{}",
    "*",
    "a.b",
    '""',
]
OURS = ["c0", "n", "v", "w0", "code", "h", "t", "d0", "combinations", "coded", "object_input"]
ODD = ["select", "group", "rowid", "true", "null", "1", "A", "ünïcödé", "名前", "a\nb", " padded ", "x" * 300, "\\"]
NAMES = [*HOSTILE, *OURS, *ODD]
ANY_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


def policy(name: str, kind: str = "quasi-identifier") -> dict[str, object]:
    escaped = "".join(f"[{c}]" if c in "*?[" else c for c in name)
    return {"name": "p", "attributes": {escaped: kind, "other": "sensitive"}, "requirements": [
        {"model": "k-anonymity", "k": 1, "quasi_identifiers": [escaped]}]}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_names_that_sql_could_misread(name):
    table = pa.table({name: ["x", "y", "x"], "other": ["1", "2", "1"]})
    found = auditor.check(table, policy(name))
    assert (found.classes.count, found.classes.smallest) == (2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if '"' not in name and "\n" not in name])
def test_the_same_names_in_a_csv_file(name, tmp_path):
    (tmp_path / "d.csv").write_text(f'"{name}",other\nx,1\ny,2\nx,1\n', encoding="utf-8")
    assert auditor.check(tmp_path / "d.csv", policy(name)).classes.count == 2


@given(ANY_TEXT.filter(str.strip))
def test_any_name_is_counted(name):
    with open_data(pa.table({name: ["x", "y", "x"]})) as source:
        assert source.dictionary(ColumnUse(name))[1].tolist() == [2, 1]
        assert source.count([ColumnUse(name)]).combinations == 2


VALUES = ["'; DROP TABLE t; --", "''", "\\", "%", "a\nb", "x" * 1000, "ü", "NULL"]


@given(st.lists(st.sampled_from(VALUES) | ANY_TEXT, min_size=1, unique=True))
def test_values_of_the_policy_are_values(listed):
    with open_data(pa.table({"a": [*listed, "never listed\x01"]})) as source:
        assert source.outside(ColumnUse("a"), Allowed(values=tuple(listed))) == 1
        labels, counts = source.dictionary(ColumnUse("a", missing_values=tuple(listed)))
        assert (labels, counts.tolist()) == ((None, "never listed\x01"), [len(listed), 1])


@pytest.mark.parametrize("pattern", ["(?=a)b", r"(a)\1", "[", "(?<!a)b", "a{1001}"])
def test_a_pattern_that_re2_refuses_is_the_policys_fault(pattern):
    requirement = {"model": "allowed-values", "attribute": "a", "pattern": pattern}
    with pytest.raises(UsageError, match="RE2") as error:
        auditor.check(pa.table({"a": ["x"]}), {"attributes": {"a": "insensitive"}, "requirements": [requirement]})
    assert pattern in str(error.value) or repr(pattern) in str(error.value)


def test_a_catastrophic_pattern_is_quick():
    import time

    requirement = {"model": "allowed-values", "attribute": "a", "pattern": "(a+)+$"}
    began = time.process_time()
    found = auditor.check(
        pa.table({"a": ["a" * 50_000 + "!"]}), {"attributes": {"a": "insensitive"}, "requirements": [requirement]}
    )
    assert found.requirements[0].achieved == 1
    assert time.process_time() - began < 5
