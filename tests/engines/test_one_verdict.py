"""One table, one verdict: in every format and on every engine the numbers that plain Python works out."""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import auditor
from auditor.engines.postgres import PostgreSQL
from auditor.errors import NotEvaluated
from tests import postgres, spark
from tests.engines.values import BY_NAME, KINDS, Kind
from tests.engines.writers import FORMATS, Table, postgres_table

GROUPS = Kind("group", ("x", "y"), BY_NAME["text"].arrow, "text")
NAMES = ("a", "b", "s")
MISSING = ("value", "reject")


def tables(kind: Kind) -> st.SearchStrategy[Table]:
    """Tables whose quasi-identifier a and sensitive attribute s are of a kind."""
    rows = st.lists(st.tuples(*(st.sampled_from(each.pool) for each in (kind, GROUPS, kind))), min_size=1, max_size=9)
    kinds = dict(zip(NAMES, (kind, GROUPS, kind), strict=True))
    return rows.map(lambda drawn: Table(kinds, dict(zip(NAMES, zip(*drawn, strict=True), strict=True))))


def policy(missing: str) -> dict[str, Any]:
    return {
        "missing": missing,
        "attributes": {"a": "quasi-identifier", "b": "quasi-identifier", "s": "sensitive"},
        "requirements": [
            {"model": "k-anonymity", "k": 2},
            {"model": "distinct-l-diversity", "l": 2},
            {"model": "t-closeness", "t": 0.4, "ground": "equal"},
        ],
    }


Judged = list[tuple[str, Any]]


def expected(table: Table, missing: str) -> Judged:
    """The status and the number of each requirement, by their definitions."""
    rows = [
        tuple(kind.means(value) for kind, value in zip(table.kinds.values(), row, strict=True)) for row in table.rows
    ]
    if missing == "reject" and any(None in row for row in rows):
        return [("not-evaluated", None)] * 3
    classes: dict[Any, Counter[Any]] = defaultdict(Counter)
    for a, b, s in rows:
        classes[a, b][s] += 1
    whole = Counter(s for _, _, s in rows)
    k = min(each.total() for each in classes.values())
    least = min(len(each) for each in classes.values())
    t = max(
        sum(abs(Fraction(each[s], each.total()) - Fraction(whole[s], len(rows))) for s in whole) / 2
        for each in classes.values()
    )
    met = (k >= 2, least >= 2, t <= Fraction("0.4"))
    return [("pass" if each else "fail", number) for each, number in zip(met, (k, least, float(t)), strict=True)]


def judged(data: Any, missing: str, **how: Any) -> Judged:
    found = auditor.check(data, policy(missing), **how).requirements
    return [(str(each.status), each.achieved) for each in found if each.id != "identifiers"]


def same(found: Judged, wanted: Judged) -> bool:
    return [status for status, _ in found] == [status for status, _ in wanted] and all(
        ours == theirs or ours == pytest.approx(theirs, abs=1e-12)
        for (_, ours), (_, theirs) in zip(found, wanted, strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), missing=st.sampled_from(["value", "reject"]))
def test_every_format_has_the_verdict_of_plain_python(kind, data, missing):
    table = data.draw(tables(kind))
    wanted = expected(table, missing)
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMATS:
            if form.holds(table):
                found = judged(form.write(Path(folder), table), missing)
                assert same(found, wanted), (form.name, found, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [each for each in KINDS if each.postgres], ids=lambda kind: kind.name)
@settings(max_examples=3, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), missing=st.sampled_from(["value", "reject"]))
def test_every_way_to_count_a_server_has_it(kind, data, missing):
    table = data.draw(tables(kind))
    url = postgres_table(postgres.shared(), table)
    wanted = expected(table, missing)
    for engine in (None, PostgreSQL()):
        assert same(judged(url, missing, engine=engine), wanted)


SPARK_LACKS = frozenset({"half", "wide decimal", "moment of nanoseconds", "instant of nanoseconds", "clock"})
"""What Spark has no type for: Parquet files that hold it are refused."""


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("form", ["Parquet", "CSV"])
def test_spark_has_it(form, kind, tmp_path):
    """Of a random table in each format that Spark reads: as many examples as a minute holds."""
    chance = random.Random(f"{form} {kind.name}")
    rows = [tuple(chance.choice(each.pool) for each in (kind, GROUPS, kind)) for _ in range(9)]
    kinds = dict(zip(NAMES, (kind, GROUPS, kind), strict=True))
    table, missing = Table(kinds, dict(zip(NAMES, zip(*rows, strict=True), strict=True))), chance.choice(MISSING)
    if not BY_FORMAT[form].holds(table):
        pytest.skip("the format does not hold it")
    file = BY_FORMAT[form].write(tmp_path, table)
    if form == "Parquet" and kind.name in SPARK_LACKS:
        with pytest.raises(NotEvaluated):
            judged(file, missing, engine=spark.shared())
    else:
        found, wanted = judged(file, missing, engine=spark.shared()), expected(table, missing)
        assert same(found, wanted), (found, wanted)


Rows = list[tuple[Any, ...]]


def _counted_by_duckdb(folder: Path, table: Table, statement: str) -> Rows:
    with duckdb.connect() as database:
        database.register("t", table.arrow)
        return database.execute(statement).fetchall()


def _counted_by_sqlite(folder: Path, table: Table, statement: str) -> Rows:
    BY_FORMAT["SQLite"].write(folder, table)
    database = sqlite3.connect(folder / "t.sqlite")
    try:
        return database.execute(statement).fetchall()
    finally:
        database.close()


def _counted_by_postgres(folder: Path, table: Table, statement: str) -> Rows:
    postgres_table(postgres.shared(), table, "t")
    return postgres.shared().ask(statement)


BY_FORMAT = {each.name: each for each in FORMATS}
WAREHOUSES = {"duckdb": _counted_by_duckdb, "sqlite": _counted_by_sqlite, "postgres": _counted_by_postgres}
COUNTED_IN = [
    (dialect, kind)
    for kind in KINDS
    for dialect, held in (
        ("duckdb", kind.name not in BY_FORMAT["DuckDB"].lacks),
        ("sqlite", kind.name not in BY_FORMAT["SQLite"].lacks),
        ("postgres", kind.postgres is not None),
    )
    if held
]


@pytest.mark.slow
@pytest.mark.parametrize(("dialect", "kind"), COUNTED_IN, ids=lambda each: getattr(each, "name", each))
@settings(max_examples=3, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), missing=st.sampled_from(["value", "reject"]))
def test_counts_of_a_warehouse_have_it(dialect, kind, data, missing):
    table = data.draw(tables(kind))
    statement = auditor.counting_sql(policy(missing), "t", dialect)
    with tempfile.TemporaryDirectory() as folder:
        rows = WAREHOUSES[dialect](Path(folder), table, statement)
    *texts, weights = zip(*rows, strict=True)
    assert all(text is None or isinstance(text, str) for column in texts for text in column)
    counts = pa.table([*(pa.array(column, pa.string()) for column in texts), pa.array(weights)], names=[*NAMES, "n"])
    assert same(judged(counts, missing, weight="n"), expected(table, missing))
