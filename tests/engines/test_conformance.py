"""Every engine gives the same document, but for what names the engine, and times."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import auditor
from auditor.audit._persons import NOT_LOOKED_AT
from auditor.engines import BYTES_PER_COMBINATION
from auditor.engines.duckdb import connection
from auditor.engines.postgres import PostgreSQL
from auditor.models import ClassModel, ColumnRequirement, TableModel, registry
from auditor.policy import load_policy
from tests import postgres, spark

UNIT = "person"
Opened = Callable[[pa.Table], tuple[Any, Any]]
"""From a table to what `check` takes as data and as engine."""


@dataclass(frozen=True)
class Way:
    """A way to count: what it makes of a table, and how small its batches or partitions are."""

    name: str
    make: Callable[[pa.Table], tuple[Any, Any]]
    batch: int | None = None


def _duckdb(table: pa.Table) -> tuple[Any, Any]:
    return table, None


def _spark(table: pa.Table) -> tuple[Any, Any]:
    return table, spark.shared()


def _copied(table: pa.Table) -> tuple[Any, Any]:
    return postgres.shared().keep("conformance", table), None


def _pushed(table: pa.Table) -> tuple[Any, Any]:
    return _copied(table)[0], PostgreSQL()


WAYS = [
    Way("duckdb, in batches of 40 combinations", _duckdb, 40),
    Way("duckdb, in batches of 7", _duckdb, 7),
    pytest.param(Way("spark, one partition", _spark), marks=spark.GROUP),
    pytest.param(Way("spark, partitions of 7", _spark, 7), marks=spark.GROUP),
    Way("postgresql, copied", _copied),
    Way("postgresql, counted in the server", _pushed),
    Way("postgresql, counted in the server, batches of 7", _pushed, 7),
]


@contextmanager
def batches_of(combinations: int | None) -> Iterator[None]:
    """Batches and partitions of about so many combinations, however small the table is."""
    from auditor.engines.duckdb import _counted

    if combinations is None:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_counted, "FEW_COMBINATIONS", 0)
        patch.setattr(_counted, "FEW_ROWS", 0)
        size = connection.RunLimits.of().batch_memory // combinations
        patch.setattr(_counted, "BYTES_PER_COMBINATION", size)
        if spark_is_here():
            from auditor.engines.spark import _combining

            patch.setattr(_combining, "PARTITION_BYTES", BYTES_PER_COMBINATION * combinations)
            # No row is taken for a repetition of another: the rows are combined where their classes are.
            patch.setattr(_combining, "FEW", 0)
            patch.setattr(_combining, "PROBED", 1)
        yield


def spark_is_here() -> bool:
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return False
    return True


def document(data: Any, engine: Any, policy: dict[str, Any]) -> dict[str, Any]:
    """The result without what names the engine, and without times and the name of the data."""
    found = auditor.check(data, policy, engine=engine, expose=True).to_dict()
    found.pop("work")
    # a server sends no rows to be looked at, and its document says so
    found["assumptions"] = [said for said in found["assumptions"] if said != NOT_LOOKED_AT]
    for name in ("source", "format", "sha256", "guessable", "files"):
        found["data"].pop(name, None)
    return found


def same(way: Way, table: pa.Table, policy: dict[str, Any]) -> dict[str, Any]:
    """The document of a way to count, which must be the plain one's."""
    expected = document(table, None, policy)
    with batches_of(way.batch):
        data, engine = way.make(table)
        assert document(data, engine, policy) == expected
    return expected


SAMPLED = {
    "k-map": {"k": 2},
    "delta-presence": {"min": 0, "max": 0.9},
    "estimated-k-map": {"k": 2, "fraction": 0.5},
    "safepub": {"epsilon": 1, "delta": 0.1, "fraction": 0.1},
}
"""Models that read the population, or suppose a random sample of it, where every row is a person."""


def requirements(sensitive: list[str], *, knows: bool) -> list[dict[str, Any]]:
    """Every model of the registry that reads classes, tables or columns, but for what is known of the population."""
    written = {
        "allowed-values": {"attribute": "zip", "pattern": "[0-9]*", "missing": "forbidden"},
        "minimum-level": {"attribute": "age", "level": 1},
        "alpha-k-anonymity": {"alpha": 0.5, "k": 3},
        "confidence": {"max": 0.5},
        "p-sensitive-k-anonymity": {"p": 2, "k": 3},
        "recursive-l-diversity": {"c": 3, "l": 2},
        "average-risk": {"max": 0.05},
        "uniqueness": {"max": 0.1},
        "max-risk": {"max": 0.3},
        "k-anonymity": {"k": 3},
        "distinct-l-diversity": {"l": 2},
        "entropy-l-diversity": {"l": 1.7},
        "basic-beta-likeness": {"beta": 1.5},
        "enhanced-beta-likeness": {"beta": 1.5},
        "delta-disclosure": {"delta": 1.2},
        "t-closeness": {"t": 0.3},
    }
    models = {n: m for n, m in registry().items() if issubclass(m, ClassModel | TableModel | ColumnRequirement)}
    assert set(models) == {*written, *SAMPLED}, "a model is not held to the same document on every engine"
    models = {name: model for name, model in models.items() if name not in SAMPLED}
    found: list[dict[str, Any]] = []
    for name, model in models.items():
        reads = "sensitive" in model.model_fields
        found += [{"model": name, **written[name], **({"sensitive": sensitive} if reads else {})}]
    distances = [{"distance": each} for each in ("variational", "kl", "js")]
    grounds = [{"ground": each} for each in ("equal", "ordered")]
    numbers = [name for name in sensitive if name != "sick"]
    found += [{"model": "t-closeness", "t": 0.3, "sensitive": sensitive, **each} for each in (*distances, grounds[0])]
    found += [{"model": "t-closeness", "t": 0.3, "sensitive": numbers, **grounds[1]}]
    found += [{"model": "k-anonymity", "k": 2, "quasi_identifiers": ["zip", "sex"], "id": "two"}]
    found += [{"model": "k-anonymity", "k": 9, "knows": {"columns": 2}, "id": "known"}] if knows else []
    return [{**each, "id": each.get("id", f"r{place}")} for place, each in enumerate(found)]


def policy(missing: str = "value", *, unit: bool = False, **more: Any) -> dict[str, Any]:
    attributes = {
        "zip": {"role": "quasi-identifier", "missing_values": ["NA", "-9"]},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [5, 10], "start": 0, "top": 90}}},
        "sex": "quasi-identifier",
        "sick": "sensitive",
        "cost": {"role": "sensitive", "type": "number"},
        UNIT: "identifier",
    }
    counted = {"unit": {"column": UNIT}} if unit else {}
    return {
        "version": 1,
        "name": "conformance",
        "attributes": attributes,
        "missing": missing,
        "undeclared": "insensitive",
        "requirements": requirements(["sick", "cost"], knows=missing == "value"),
        **counted,
        **more,
    }


def people(rows: int = 400, *, complete: bool = False) -> pa.Table:
    """Texts with what engines may read differently; the same every time."""
    statement = f"""
        SELECT ['01234', '1234', '1234.0', 'NA', {"'x'" if complete else "NULL"}, '-9', 'ä'][1 + h % 7] AS zip,
               CAST(18 + h // 7 % 30 AS VARCHAR) AS age,
               ['f', 'F', 'm ', 'm'][1 + h // 211 % 4] AS sex,
               ['flu', 'hiv', 'none'][1 + g % 3] AS sick,
               ['1', '1.0', '2.5', '1e3', '-7'][1 + g // 3 % 5] AS cost,
               'p' || (g // 15 % 150) AS {UNIT}
        FROM (SELECT CAST(hash(range) % 1000003 AS BIGINT) AS h, CAST(hash(range + 9) % 999983 AS BIGINT) AS g
              FROM range({rows}))"""
    return duckdb.connect().sql(statement).to_arrow_table()


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
@pytest.mark.parametrize("unit", [False, True], ids=["rows", "units"])
@pytest.mark.parametrize("missing", ["value", "wildcard", "reject"])
def test_the_same_document_for_every_model(way, missing, unit):
    if way.batch == 40 and missing != "value":
        pytest.skip("one size of batches is enough for what does not depend on them")
    if missing == "wildcard" and way.batch:
        pytest.skip("wildcards need the classes in one batch")
    found = same(way, people(complete=missing == "reject"), policy(missing, unit=unit))
    assert found["data"]["rows"] == 400


@pytest.mark.slow
@pytest.mark.parametrize("way", [WAYS[1], WAYS[2], WAYS[5]], ids=["duckdb", "spark", "postgresql"])
def test_the_same_document_beside_a_population_and_of_few_records(way, tmp_path):
    rows = [{"zip": str(i * i % 7), "age": str(20 + i % 9), "sex": "fm"[i % 2], UNIT: f"p{i % 60}"} for i in range(240)]
    register = [",".join([row["zip"], row["age"], row["sex"]]) for row in rows for _ in range(3)]
    (tmp_path / "register.csv").write_text("\n".join(["zip,age,sex", *register]) + "\n")
    told = {
        "version": 1, "name": "sampled",
        "attributes": {**dict.fromkeys(("zip", "age", "sex"), "quasi-identifier"), UNIT: "pseudonym"},
    }  # fmt: skip
    sampled = [{"model": name, **each} for name, each in SAMPLED.items()]
    of_units = [
        {"id": str(m), "model": "k-anonymity", "k": 3, "knows": {"events": m}} for m in (1, 2)
    ] + [{"model": "uniqueness", "max": 0.1, "knows": {"events": 2}}]  # fmt: skip
    for more in (
        {"sample": {"population": "register.csv"}, "requirements": sampled},
        {"unit": UNIT, "requirements": of_units},
    ):
        (tmp_path / "p.yaml").write_text(json.dumps({**told, **more}))
        found = same(way, pa.Table.from_pylist(rows), load_policy(tmp_path / "p.yaml"))
        assert {each["status"] for each in found["requirements"]} <= {"pass", "fail"}


@pytest.mark.parametrize("way", WAYS[1:4:2], ids=["duckdb", "spark"])
def test_the_same_document_for_typed_columns(way):
    """Numbers, decimals, booleans, dates and times: what their texts are, and what is missing."""
    moments = ["2026-03-29T01:59:59.25", "2026-11-01T06:30:00", None]
    rows = range(240)
    table = pa.table(
        {
            "zip": pa.array([None if i % 11 == 0 else i % 5 * 1000 - 9 for i in rows], pa.int32()),
            "age": pa.array([18 + i % 40 for i in rows], pa.int8()),
            "sex": pa.array([None if i % 7 == 0 else i % 2 == 0 for i in rows]),
            "sick": pa.array([Decimal(i % 4) / 2 for i in rows], pa.decimal128(6, 2)),
            "cost": pa.array([[0.1, -0.0, 0.0, 1e20, float("nan"), 3.0, None][i % 7] for i in rows], pa.float64()),
            "day": pa.array([dt.date(1999, 12, 1 + i % 28) for i in rows]),
            "moment": pa.array([moments[i % 3] for i in rows]).cast(pa.timestamp("us")),
            "instant": pa.array([moments[i % 3] for i in rows])
            .cast(pa.timestamp("us"))
            .cast(pa.timestamp("us", "UTC")),
            "small": pa.array([i % 3 / 3 for i in rows], pa.float32()),
            UNIT: pa.array([i // 2 for i in rows], pa.int64()),
        }
    )
    told = policy(unit=True)
    told["attributes"] |= dict.fromkeys(("day", "small"), "quasi-identifier")
    told["attributes"] |= {"moment": "quasi-identifier", "instant": "sensitive"}
    told["requirements"] += [
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "instant", "quasi_identifiers": ["sex"]},
        {"model": "k-anonymity", "k": 3, "quasi_identifiers": ["moment", "sex"], "id": "moments"},
        {"model": "k-anonymity", "k": 3, "quasi_identifiers": ["small", "day"], "id": "small"},
    ]
    same(way, table, told)


VALUES = st.sampled_from(
    [*["", "0", "00", "0.0", "a", "A", "ä", "NA", "-9", " a", "a ", "NaN", "1e1", "10", "\n", "é"], None]
)
ROWS = st.tuples(VALUES, VALUES, VALUES, st.sampled_from("uvwxyz"))
TABLES = st.lists(ROWS, min_size=1, max_size=40)


def _small(rows: list[tuple[str | None, ...]]) -> tuple[pa.Table, dict[str, Any]]:
    names = ("zip", "age", "sick", UNIT)
    columns = {name: pa.array(column, pa.string()) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    roles = {"zip": {"role": "quasi-identifier", "missing_values": ["NA", "-9"]}, "age": "quasi-identifier"}
    told = {
        "version": 1,
        "name": "small",
        "attributes": {**roles, "sick": "sensitive", UNIT: "identifier"},
        "unit": {"column": UNIT},
        "requirements": [
            {"model": "k-anonymity", "k": 2},
            {"model": "distinct-l-diversity", "l": 2, "sensitive": "sick"},
            {"model": "t-closeness", "t": 0.3, "sensitive": "sick", "ground": "equal"},
            {"model": "average-risk", "max": 0.1, "quasi_identifiers": ["zip"]},
            {"model": "allowed-values", "attribute": "age", "pattern": "(?i)[a-zé]*", "missing": "forbidden"},
        ],
    }
    return pa.table(columns), told


@pytest.mark.slow
@given(rows=TABLES)
def test_small_tables_in_batches_of_one_or_two_combinations(rows):
    same(Way("duckdb", _duckdb, 2), *_small(rows))


@pytest.mark.slow
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(rows=TABLES)
def test_small_tables_counted_in_a_server(rows):
    same(Way("postgresql", _pushed, 2), *_small(rows))


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.xdist_group("spark")
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(rows=st.lists(ROWS, min_size=1, max_size=14))
def test_small_tables_in_partitions_of_one_or_two_combinations(rows):
    same(Way("spark", _spark, 2), *_small(rows))
