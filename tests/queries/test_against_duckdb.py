"""Random statements: the records that contribute, and the answers, are those that DuckDB finds by running them."""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.engines import ColumnUse, open_data
from auditor.queries import Statement
from auditor.queries._answers import answer_of
from auditor.queries._query import Linear, Public, Query, Refused
from auditor.queries.records.records import RecordProfiles, read_profiles
from auditor.queries.records.schema import Schema
from auditor.queries.records.tables import JoinedTable
from auditor.queries.sql.reader import SqlReader
from auditor.queries.values.values import PublicColumn

PUBLIC = ("dept", "age", "score", "day", "flag")
PROTECTED = ("salary", "hiv", "illness")
ROWS = 40


def table(seed: int) -> pa.Table:
    """Rows with every kind of value, missing ones too."""
    chance = random.Random(seed)

    def some(values: list[Any]) -> list[Any]:
        return [chance.choice([*values, *values, None]) for _ in range(ROWS)]

    database = duckdb.connect()
    columns = {
        "dept": pa.array(some(["IT", "HR", "Law", "it", "I%T", ""]), pa.string()),
        "age": pa.array(some([0, 20, 31, 45, 45, 60, -3]), pa.int32()),
        "score": pa.array([None if x is None else Decimal(x) for x in some(["0.10", "1.25", "-2.50", "3.00"])]),
        "day": pa.array(some(["2020-02-29", "2021-01-01", "1999-12-31"]), pa.string()),
        "flag": pa.array(some([True, False]), pa.bool_()),
        "salary": pa.array(some([1000, 2500, 3100, 4700, -20, 0]), pa.int64()),
        "hiv": pa.array(some([True, False]), pa.bool_()),
        "illness": pa.array(some(["flu", "cold", "none"]), pa.string()),
    }
    given_table = pa.table({"id": range(ROWS), **columns})
    database.register("given_table", given_table)
    return database.sql("SELECT * REPLACE (CAST(day AS DATE) AS day) FROM given_table").to_arrow_table()


@cache
def opened(seed: int, null_is_public: bool = True) -> tuple[SqlReader, RecordProfiles, duckdb.DuckDBPyConnection]:
    """The same table for the reader and in DuckDB."""
    made = table(seed)
    types = {"age": ("number",), "score": ("number",), "day": ("date",), "flag": ("boolean",), "dept": ("text",)}
    schema = Schema("emp", tuple(made.column_names), PUBLIC, PROTECTED, types=types, null_is_public=null_is_public)
    with open_data(made) as source:
        profiles = read_profiles(source, schema, set(PUBLIC))
    database = duckdb.connect()
    database.register("emp", made)
    return SqlReader(profiles, "duckdb"), profiles, database


NUMBERS = st.sampled_from(["age", "score", "age + score", "age * 2 - score", "-age", "age * age", "coalesce(age, 7)"])
CONSTANTS = st.sampled_from(["31", "0", "-3", "1.25", "45.0", "0.1", "1e1", "20.5", "NULL"])
OPERATORS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
WORDS = st.sampled_from(["'IT'", "'HR'", "''", "'x'", "'I%T'", "NULL"])
DAYS = st.sampled_from(["'2020-02-29'", "DATE '2021-01-01'", "CAST('1999-12-31' AS DATE)"])
PATTERNS = st.sampled_from(["'I%'", "'%'", "'_T'", "'%T'", "'I!%T' ESCAPE '!'", "''", "'%a%w'", "'it'"])
NOT = st.sampled_from(["", "NOT "])
LEAVES = st.one_of(
    st.tuples(NUMBERS, OPERATORS, CONSTANTS).map(" ".join),
    st.tuples(NUMBERS, OPERATORS, NUMBERS).map(" ".join),
    st.tuples(CONSTANTS, OPERATORS, NUMBERS).map(" ".join),
    st.tuples(st.just("dept"), st.sampled_from(["=", "<>"]), WORDS).map(" ".join),
    st.tuples(st.just("day"), OPERATORS, DAYS).map(" ".join),
    st.tuples(NUMBERS, NOT, CONSTANTS, CONSTANTS).map(lambda t: f"{t[0]} {t[1]}BETWEEN {t[2]} AND {t[3]}"),
    st.tuples(NOT, st.lists(CONSTANTS, min_size=1, max_size=3)).map(lambda t: f"age {t[0]}IN ({', '.join(t[1])})"),
    st.tuples(NOT, st.lists(WORDS, min_size=1, max_size=3)).map(lambda t: f"dept {t[0]}IN ({', '.join(t[1])})"),
    st.tuples(NOT, st.sampled_from(["LIKE", "ILIKE"]), PATTERNS).map(lambda t: f"dept {t[0]}{t[1]} {t[2]}"),
    st.tuples(st.sampled_from([*PUBLIC, "salary", "hiv"]), NOT).map(lambda t: f"{t[0]} IS {t[1]}NULL"),
    st.tuples(NUMBERS, NOT, CONSTANTS).map(lambda t: f"{t[0]} IS {t[1]}DISTINCT FROM {t[2]}"),
    st.tuples(st.just("flag IS"), NOT, st.sampled_from(["TRUE", "FALSE"])).map(" ".join),
    st.sampled_from(["flag", "TRUE", "FALSE", "NULL", "flag = (age > 30)", "nullif(age, 45) > 20", "age::BIGINT = 45"]),
    st.just("CASE WHEN age > 30 THEN dept = 'IT' WHEN flag THEN NULL ELSE score > 0 END"),
    st.just("CASE dept WHEN 'IT' THEN 1 WHEN 'HR' THEN 2.5 END < 2"),
)
SECRETS = st.sampled_from(
    ["hiv", "NOT hiv", "hiv = TRUE", "hiv IS NULL", "hiv IS NOT TRUE", "coalesce(hiv, flag)", "hiv AND age > 30"]
)
ILLNESSES = st.sampled_from(
    ["illness = 'flu'", "illness <> 'flu'", "illness IN ('flu', 'cold')", "illness LIKE '%o%'", "illness IS NULL"]
)


def combined(leaves: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
            inner.map(lambda each: f"NOT ({each})"),
        ),
        max_leaves=5,
    )


CONDITIONS = combined(LEAVES)
SECRET_CONDITIONS = st.one_of(combined(LEAVES | SECRETS), combined(LEAVES | ILLNESSES))
AGGREGATES = st.sampled_from(
    [
        "SUM(salary)",
        "AVG(salary)",
        "COUNT(salary)",
        "COUNT(*)",
        "MAX(salary)",
        "MIN(salary)",
        "SUM(salary * age)",
        "SUM(salary * 2 - age + 0.5)",
        "SUM(CASE WHEN dept = 'IT' THEN salary ELSE 0 END)",
        "AVG(CASE WHEN flag THEN salary END)",
        "SUM(coalesce(salary, 0))",
        "AVG(coalesce(salary, age))",
        "SUM(salary) FILTER (WHERE age > 30)",
        "SUM(salary) / COUNT(*)",
        "100.0 * SUM(salary) / COUNT(salary)",
        "SUM(salary) - SUM(age)",
        "COUNT(*) - COUNT(age)",
        "MAX(CASE WHEN flag THEN salary END)",
        "SUM(salary * score) / SUM(score)",
        "-SUM(salary) + 3",
        "SUM(score)",
    ]
)
SECRET_COUNTS = st.sampled_from(
    [
        "COUNT(*)",
        "COUNT(*) FILTER (WHERE hiv)",
        "SUM(hiv::INT)",
        "AVG(hiv::INT)",
        "AVG(CASE WHEN hiv THEN 1 ELSE 0 END)",
        "SUM(CASE WHEN hiv THEN age ELSE -1 END)",
        "COUNT(CASE WHEN hiv THEN 1 END)",
        "COUNT(hiv)",
        "SUM(CASE WHEN age > 30 THEN hiv::INT END)",
        "100.0 * COUNT(*) FILTER (WHERE hiv OR age < 30) / COUNT(hiv)",
    ]
)
PRODUCTS = ("product-of-protected", "protected-denominator", "null-not-public", "protected-in-predicate")
PRODUCTS += ("extreme-of-category",)
"""What two protected columns in one condition are refused as, and missing values of which nobody knows."""
GROUPS = st.sampled_from(
    ["", "dept", "flag", "age", "dept, flag", "age > 30", "coalesce(dept, 'none')", "day", "score"]
)
EXACT = settings(deadline=None, max_examples=250, suppress_health_check=[HealthCheck.too_slow])


def said(found: Any) -> Fraction | None:
    return None if found is None else Fraction(str(found)) if not isinstance(found, float) else Fraction(found)


def close(found: Fraction | None, expected: Fraction | None) -> bool:
    """Equal, or within what DuckDB's double division may lose."""
    if found is None or expected is None:
        return found == expected
    return abs(found - expected) <= Fraction(1, 10**12) * max(1, abs(expected))


def check(query: Query, expected: Any, profiles: RecordProfiles) -> None:
    assert not isinstance(query.asked, Refused), (query.asked, query.statement.sql)
    if not isinstance(query.asked, Public):
        answer = answer_of(query.asked, profiles)
        assert close(answer, said(expected)), (query.statement.sql, answer, expected)


@pytest.mark.slow
@EXACT
@given(seed=st.integers(0, 3), where=CONDITIONS, aggregate=AGGREGATES, group=GROUPS)
def test_answers_are_those_of_duckdb(seed, where, aggregate, group):
    reader, profiles, database = opened(seed)
    sql = f"SELECT {aggregate} FROM emp WHERE {where}" + (f" GROUP BY {group}" if group else "")
    ordered = ", ".join(f"{each} NULLS LAST" for each in group.split(", ")) if "coalesce" not in group else group
    expected = database.execute(f"{sql} ORDER BY {ordered}" if group else sql).fetchall()
    found = reader.read(Statement(1, sql))
    if not expected:  # a GROUP BY of nobody asks nothing
        assert [query.asked for query in found] == [Public()]
        return
    assert len(found) == len(expected)
    assert [query.index for query in found] == ([f"1.{i}" for i in range(1, len(found) + 1)] if group else ["1"])
    for query, (value,) in zip(found, expected, strict=True):
        check(query, value, profiles)


@pytest.mark.slow
@EXACT
@given(seed=st.integers(0, 3), where=CONDITIONS, inner=CONDITIONS)
def test_query_sets_are_those_of_duckdb(seed, where, inner):
    reader, profiles, database = opened(seed)
    drawn = f"(SELECT *, age AS years FROM emp WHERE {inner}) AS e"
    (found,) = reader.read(Statement(1, f"SELECT SUM(salary) FROM {drawn} WHERE {where}"))
    chosen = f"SELECT id FROM {drawn} WHERE ({where}) AND salary IS NOT NULL ORDER BY id"
    expected = [row[0] for row in database.execute(chosen).fetchall()]
    assert not isinstance(found.asked, Refused), (found.asked, found.statement.sql)
    held = found.members.dense()[profiles.of_record]
    assert [i for i, inside in enumerate(held.tolist()) if inside] == expected
    assert found.query_set == len(expected)


@pytest.mark.slow
@EXACT
@given(seed=st.integers(0, 3), where=SECRET_CONDITIONS, count=SECRET_COUNTS, known=st.booleans())
def test_counts_with_protected_conditions_are_those_of_duckdb(seed, where, count, known):
    reader, profiles, database = opened(seed, known)
    sql = f"SELECT {count} FROM emp WHERE {where}"
    (found,) = reader.read(Statement(1, sql))
    if getattr(found.asked, "construct", None) in PRODUCTS:
        return
    (expected,) = database.execute(sql).fetchone()
    if expected is None:
        expected = 0  # a sum of nothing
    if not isinstance(found.asked, Public):
        check(found, expected, profiles)


@pytest.mark.slow
@EXACT
@given(seed=st.integers(0, 3), where=CONDITIONS, aggregate=AGGREGATES)
def test_answers_are_those_of_duckdb_where_nobody_knows_what_is_missing(seed, where, aggregate):
    reader, profiles, database = opened(seed, null_is_public=False)
    sql = f"SELECT {aggregate} FROM emp WHERE {where}"
    (found,) = reader.read(Statement(1, sql))
    if isinstance(found.asked, Refused):
        assert found.asked.construct in PRODUCTS
    elif isinstance(found.asked, Linear):
        (expected,) = database.execute(sql).fetchone()
        found_answer = answer_of(found.asked, profiles)
        if expected is None:  # a sum of nobody: NULL, or 0 where whoever is missing cannot be told
            assert found_answer in (None, 0), sql
        else:
            assert close(found_answer, said(expected)), sql


@pytest.mark.slow
@EXACT
@given(seed=st.integers(0, 3), where=combined(LEAVES), group=st.sampled_from(["illness", "dept, illness", "hiv"]))
def test_groups_of_a_protected_column_are_those_of_duckdb(seed, where, group):
    reader, profiles, database = opened(seed)
    sql = f"SELECT COUNT(*) FROM emp WHERE {where} GROUP BY {group}"
    expected = sorted(row[0] for row in database.execute(sql).fetchall())
    found = reader.read(Statement(1, sql))
    answers = [
        answer_of(query.asked, profiles) if isinstance(query.asked, Linear) else query.query_set for query in found
    ]
    assert sorted(int(answer) for answer in answers if answer) == expected


DEPTS = pa.table(
    {
        "name": ["IT", "HR", "it", "IT", None, "x"],
        "floor": [1, 2, None, 4, 5, 6],
        "boss": [True, False, None, True, False, True],
    }
)
"""A public table whose key appears twice for one department: the join repeats its records."""


@cache
def joined_to_departments(seed: int) -> tuple[SqlReader, RecordProfiles, duckdb.DuckDBPyConnection]:
    _, profiles, database = opened(seed)
    database.register("depts", DEPTS)
    with open_data(DEPTS) as source:
        coded = source.coded([ColumnUse(name) for name in DEPTS.column_names])
    kinds = (("text",), ("number",), ("boolean",))
    columns = tuple(
        PublicColumn(name, labels, kind)
        for name, labels, kind in zip(DEPTS.column_names, coded.dictionaries, kinds, strict=True)
    )
    tables = {"depts": JoinedTable(columns, coded.codes, ("name",))}
    schema = replace(profiles.schema, tables=tables)
    return SqlReader(replace(profiles, schema=schema), "duckdb"), profiles, database


JOINS = st.sampled_from(
    [
        "emp JOIN depts d ON emp.dept = d.name",
        "emp LEFT JOIN depts d ON d.name = emp.dept",
        "depts d JOIN emp ON d.name = dept AND d.floor > 1",
        "(SELECT *, dept AS name FROM emp) AS e JOIN depts d USING (name)",
        "emp JOIN depts d ON d.name = dept LEFT JOIN depts c ON c.name = CASE WHEN d.boss THEN 'IT' ELSE 'HR' END",
    ]
)
JOINED = combined(LEAVES | st.sampled_from(["d.floor > 1", "d.floor IS NULL", "boss", "d.floor * 10 > age"]))


@pytest.mark.slow
@EXACT
@given(
    seed=st.integers(0, 3),
    joined=JOINS,
    where=JOINED,
    aggregate=AGGREGATES | st.sampled_from(["SUM(salary * d.floor)", "SUM(CASE WHEN d.boss THEN salary END)"]),
    group=st.sampled_from(["", "d.floor", "dept", "d.boss, flag"]),
)
def test_joins_to_public_tables_are_those_of_duckdb(seed, joined, where, aggregate, group):
    reader, profiles, database = joined_to_departments(seed)
    if joined.count("depts") > 1:
        where = where.replace("boss", "d.boss")
    sql = f"SELECT {aggregate} FROM {joined} WHERE {where}".replace("d.d.", "d.")
    sql += f" GROUP BY {group}" if group else ""
    ordered = ", ".join(f"{each} NULLS LAST" for each in group.split(", "))
    expected = database.execute(f"{sql} ORDER BY {ordered}" if group else sql).fetchall()
    found = reader.read(Statement(1, sql))
    if not expected:
        assert [query.asked for query in found] == [Public()]
        return
    assert len(found) == len(expected), (found[0].asked, sql)
    for query, (value,) in zip(found, expected, strict=True):
        check(query, value, profiles)
