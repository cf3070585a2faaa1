"""Limits on the shape of a log, and the names of trackers."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import auditor
from auditor.queries.attack import _structure
from auditor.queries.attack._trackers import tracker
from auditor.queries.measures import max_overlap


@pytest.mark.parametrize(
    ("both_ends", "broken"),
    [(True, [0, 1, 2, 8, 9, 10]), (False, [0, 1, 2])],
)
def test_both_ends_of_the_query_set_size(both_ends: bool, broken: list[int]) -> None:
    policy = {
        "name": "p",
        "attributes": {"n": "quasi-identifier", "x": {"role": "sensitive", "type": "number"}},
        "queries": {"limits": {"exact_value": "allow", "query_set_size": {"min": 3, "both_ends": both_ends}}},
    }
    log = [f"SELECT sum(x) FROM data WHERE n < {size}" for size in range(11)]
    found = auditor.audit_queries(log, policy, pd.DataFrame({"n": range(10), "x": range(10)}))
    assert [size for size, query in enumerate(found.queries) if query.violations] == broken


@given(
    st.lists(st.frozensets(st.integers(0, 5), min_size=1), min_size=1, max_size=7),
    st.lists(st.integers(1, 4), min_size=6, max_size=6),
)
def test_overlaps_are_those_of_the_sets(sets: list[frozenset[int]], sizes: list[int]) -> None:
    matrix = csr_array(np.array([[atom in each for atom in range(6)] for each in sets]))
    expected = [
        max((sum(sizes[a] for a in s & earlier) for earlier in sets[:t] if earlier != s), default=0)
        for t, s in enumerate(sets)
    ]
    assert max_overlap.largest_overlaps(matrix, np.array(sizes)).tolist() == expected


@given(
    st.lists(st.frozensets(st.integers(0, 5), min_size=1), min_size=1, max_size=7),
    st.lists(st.integers(1, 4), min_size=6, max_size=6),
)
def test_the_largest_overlap_is_found_without_comparing_all(sets: list[frozenset[int]], sizes: list[int]) -> None:
    expected = max((sum(sizes[a] for a in s & t) for s, t in combinations(sets, 2) if s != t), default=0)
    by_size = sorted(sets, key=lambda each: -sum(sizes[a] for a in each))
    places = [np.array(sorted(each)) for each in by_size]
    assert _structure.largest_overlap(places, np.array(sizes)) == expected
    assert _structure.largest_overlap(places, np.array(sizes), effort=0) in (expected, None)


def test_an_overlap_that_takes_too_long_to_find_is_not_known() -> None:
    sets = [np.array([0, 1, 2]), np.array([2, 3, 4])]
    assert _structure.largest_overlap(sets, np.ones(5, dtype=np.int64), effort=2) is None


@pytest.mark.parametrize(
    ("k", "r", "known", "needed"),
    [(2, 1, 0, 3), (3, 1, 0, 5), (5, 2, 0, 5), (5, 2, 3, 3), (5, 2, 4, 1), (3, 0, 0, None)],
)
def test_dobkin_jones_lipton(k: int, r: int, known: int, needed: int | None) -> None:
    assert _structure.queries_needed(k, r, known) == needed


@given(st.integers(3, 8), st.data())
def test_trackers_are_named(n: int, data: st.DataObject) -> None:
    everybody = np.ones(n, dtype=bool)
    target = np.arange(n) == data.draw(st.integers(0, n - 1))
    t = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    u = t | np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    one, other = Fraction(1), Fraction(-1)

    def named(coefficients: list[Fraction], sets: list[np.ndarray]) -> str | None:
        return tracker(coefficients, sets, target, everybody)

    assert named([one, other], [t | target, t & ~target]) == "individual"
    assert named([one, one, other, other], [target | t, target | ~t, t, ~t]) == "general"
    assert named([other, one, one], [everybody, target | t, target | ~t]) == "general"
    double = named([one, one, other, other], [target | t, u, u & ~(target & t), t])
    assert double == "double" or (double == "general" and (u | target).all())
    assert named([one, Fraction(-1, 2)], [t | target, t & ~target]) is None
