"""Distinct whole numbers against every way to give them to records."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from auditor.inference.integer.places import distinct_ends
from auditor.interval import Interval

columns = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([1, 1, 1, 2])), min_size=1, max_size=5
)


@given(columns, st.dictionaries(st.integers(0, 5), st.sets(st.integers(0, 4), min_size=1), max_size=3))
def test_every_way_to_give_values(made: list[tuple[int, int, int]], wanted: dict[int, set[int]]) -> None:
    ends = [(min(low, high), max(low, high)) for low, high, _ in made]
    sizes = [size for *_, size in made]
    holders = {
        value: {c for c in columns if c < len(ends) and ends[c][0] <= value <= ends[c][1]}
        for value, columns in wanted.items()
    }
    records = [column for column, size in enumerate(sizes) for _ in range(size)]
    seen: list[set[int]] = [set() for _ in ends]
    for values in permutations(range(6), len(records)):
        given_ = dict(zip(values, records, strict=True))
        inside = all(ends[column][0] <= value <= ends[column][1] for value, column in given_.items())
        if inside and all(given_.get(value) in columns for value, columns in holders.items()):
            for value, column in given_.items():
                seen[column].add(value)
    found = distinct_ends([Interval(*each) for each in ends], np.array(sizes), holders)
    if not all(seen):
        assert found is None
    else:
        assert found == [Interval(min(values), max(values)) for values in seen]


def test_without_ends() -> None:
    """Nobody has an end, and 7 is held by the first: the others are anywhere."""
    up_to: Interval[int] = Interval(None, 7)
    assert distinct_ends([up_to, Interval()], np.array([1, 3]), {7: {0}}) == [Interval.at(7), Interval()]
    assert distinct_ends([up_to, up_to], np.array([1, 1]), {7: {0, 1}}) == [up_to, up_to]
