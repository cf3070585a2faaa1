"""Limits on the shape of a log: found by their files, and judged alike after the answers and before them."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor import registry
from auditor.policy import demands
from auditor.policy.queries import Limits, QueryLimit
from auditor.queries import Statement, measures
from auditor.spec import limits

TABLE = pd.DataFrame({"n": range(6), "x": [3.5, 1.25, 8.0, 2.5, 9.75, 4.0]})
BOUNDS = {"query_set_size": st.just({"min": 2}), "max_overlap": st.integers(0, 3), "max_queries": st.integers(1, 4)}
SCOPES: list[Any] = ["pooled", "per-user", {"coalition": 2}]


def policy(scope: Any, bounds: dict[str, Any]) -> auditor.Policy:
    return auditor.load_policy(
        {
            "name": "p",
            "attributes": {"n": "quasi-identifier", "x": {"role": "sensitive", "type": "number"}},
            "queries": {"scope": scope, "limits": {"exact_value": "allow", **bounds}},
        }
    )


def asked(sets: list[frozenset[int]], users: list[str]) -> list[Statement]:
    return [
        Statement(i, f"SELECT sum(x) FROM data WHERE n IN ({', '.join(map(str, sorted(each)))})", user)
        for i, (each, user) in enumerate(zip(sets, users, strict=False), start=1)
    ]


def test_every_measure_is_of_a_limit_and_every_limit_on_the_shape_has_one() -> None:
    fields = {path.partition("/")[0].replace("_", "-") for path in limits(Limits)}
    found = set(registry.names(measures.__name__))
    assert found <= fields
    alone = {path for path, limit in limits(Limits).items() if set(_broken_by(limit)) == {limit.name}}
    assert {path for path in limits(Limits) if measures.is_measured(path)} == alone


def _broken_by(limit: object) -> tuple[str, ...]:
    assert isinstance(limit, QueryLimit)
    return limit.broken_by


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.frozensets(st.integers(0, 5), min_size=1), min_size=1, max_size=6, unique=True),
    st.lists(st.sampled_from("ab"), min_size=6, max_size=6),
    st.sampled_from(SCOPES),
    st.fixed_dictionaries({}, optional=BOUNDS),
)
def test_the_first_query_that_breaks_a_limit_is_the_first_that_is_denied(
    sets: list[frozenset[int]], users: list[str], scope: Any, bounds: dict[str, Any]
) -> None:
    """Nothing was denied before it, so both look at the same queries."""
    log, demanded = asked(sets, users), policy(scope, bounds)
    after = [query.violations for query in auditor.audit_queries(log, demanded, TABLE).queries]
    before = [query.violations for query in auditor.audit_queries(log, demanded, TABLE, online=True).queries]
    first = next((place for place, each in enumerate(after) if each), len(after))
    assert before[: first + 1] == after[: first + 1]


@pytest.mark.parametrize(("scope", "number"), [("pooled", 6), ("per-user", 3), ({"coalition": 2}, 5)])
def test_how_many_queries_somebody_has(scope: Any, number: int) -> None:
    """By hand: three queries of a, two of b, one of c."""
    log = asked([frozenset({i}) for i in range(6)], list("ababac"))
    found = auditor.audit_queries(log, policy(scope, {"max_queries": 2}), TABLE)
    (judged,) = found.requirements
    assert (judged.id, judged.status, judged.achieved, judged.bound) == ("queries-too-many-queries", "fail", number, 2)


def test_a_small_ally_counts_for_overlaps() -> None:
    """The third user asked once: fewer than the second, and any two may be a coalition."""
    log = asked([frozenset({0, 1}), frozenset({4}), frozenset({5}), frozenset({0, 1, 2})], list("cbba"))
    demanded = policy({"coalition": 2}, {"max_overlap": 1})
    for online in (False, True):
        found = auditor.audit_queries(log, demanded, TABLE, online=online)
        assert [query.violations for query in found.queries] == [(), (), (), ("overlap",)]
    assert [demand.id for demand in demands.of_queries(demanded)] == ["queries-overlap"]
