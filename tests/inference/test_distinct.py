"""Distinct whole numbers under sums and extremes, against every way to give values."""

from __future__ import annotations

import time
from itertools import product
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.inference.integer.distinct import DistinctSearch, DistinctSystem, EffortSpent

N = 5
FUNCTIONS: dict[str, Any] = {"max": max, "min": min}
Asked = list[tuple[Literal["max", "min"], set[int]]]

weights = st.dictionaries(st.integers(0, N - 1), st.sampled_from([1, 1, 1, 2, -1]), min_size=1)
sets = st.sets(st.integers(0, N - 1), min_size=1)


@given(
    st.lists(st.integers(0, 6), min_size=N, max_size=N),
    st.lists(weights, max_size=3),
    st.lists(st.tuples(st.sampled_from(["max", "min"]), sets), max_size=3),
    st.lists(st.integers(0, 1), min_size=N, max_size=N),
)
def test_every_way_to_give_values(truth: list[int], sums: list[dict[int, int]], asked: Asked, kinds: list[int]) -> None:
    made = DistinctSystem(
        ends=[(0, 6)] * N,
        kinds=kinds,
        sums=[(each, sum(w * truth[i] for i, w in each.items())) for each in sums],
        extremes=[(which, sorted(of), FUNCTIONS[which](truth[i] for i in of)) for which, of in asked],
    )
    possible = [
        x
        for x in product(range(7), repeat=N)
        if len(set(zip(kinds, x, strict=True))) == N
        and all(sum(w * x[i] for i, w in each.items()) == total for each, total in made.sums)
        and all(FUNCTIONS[which](x[i] for i in of) == answer for which, of, answer in made.extremes)
    ]
    found = DistinctSearch(made, truth)
    assert found.begin() == bool(possible)
    for unknown, column in enumerate(zip(*possible, strict=True)):
        assert found.span(unknown, wide=100) == (min(column), max(column))
        assert (found.span(unknown)[0] == found.span(unknown)[1]) == (len(set(column)) == 1)


def test_what_takes_too_long_is_not_said() -> None:
    made = DistinctSystem([(0, 10**6)] * 12, [0] * 12, [(dict.fromkeys(range(12), 1), 3_000_001)], [])
    near = list(range(12))
    with pytest.raises(EffortSpent):
        DistinctSearch(made, near, effort=1).begin()
    with pytest.raises(EffortSpent):
        DistinctSearch(made, near, deadline=time.monotonic() - 1).begin()
    assert DistinctSearch(made, near).begin()
