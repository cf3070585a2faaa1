"""Values that may be missing, against every table of a small range."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.inference.extrema.extremes import ExtremeAnswer
from auditor.inference.extrema.missing import Link, with_missing
from auditor.inference.integer.intervals import UnknownDomain
from tests.inference.oracles import equations_of

F = Fraction
FUNCTIONS: dict[str, Any] = {"max": max, "min": min}


def _answer(which: str, table: tuple[int | None, ...], members: Any) -> int | None:
    there = [table[i] for i in members if table[i] is not None]
    if which == "sum":
        return sum(there)
    if which == "count":
        return len(there)
    return FUNCTIONS[which](there, default=None)


asked_of = st.lists(
    st.tuples(st.sampled_from(["sum", "sum", "count", "max", "min"]), st.sets(st.integers(0, 2), min_size=1)),
    min_size=1,
    max_size=4,
)


@given(
    st.data(), st.sampled_from([(1, 3), (0, 2), (-2, 1), (2, 2)]), st.sampled_from([(1, 1, 1), (2, 1, 1), (1, 2, 1)])
)
@settings(deadline=None)
def test_every_table(data: st.DataObject, ends: tuple[int, int], sizes: tuple[int, int, int]) -> None:
    """Three atoms of values, and three of their presence; sums and counts ask about atoms, all members alike."""
    low, high = ends
    possible: list[int | None] = [None, *range(low, high + 1)]
    atom_of = [atom for atom, size in enumerate(sizes) for _ in range(size)]
    truth = tuple(data.draw(st.sampled_from(possible)) for _ in atom_of)
    log = [(w, [i for i, atom in enumerate(atom_of) if atom in atoms], atoms) for w, atoms in data.draw(asked_of)]
    log = [each for each in log if each[0] in ("sum", "count") or _answer(each[0], truth, each[1]) is not None]
    consistent = [
        table
        for table in product(possible, repeat=len(atom_of))
        if all(_answer(which, table, members) == _answer(which, truth, members) for which, members, _ in log)
    ]
    sums = [(which, members, atoms) for which, members, atoms in log if which in ("sum", "count")]
    rows = [[int((at >= 3) == (which == "count") and at % 3 in atoms) for at in range(6)] for which, _, atoms in sums]
    extremes = [
        ExtremeAnswer(which, np.array(sorted(atoms), dtype=np.int64), F(_answer(which, truth, members) or 0))
        for which, members, atoms in log
        if which in ("max", "min")
    ]
    domain = UnknownDomain(F(low), F(high), integer=True)
    found = with_missing(
        equations_of(rows, [*sizes, *sizes]),
        [F(_answer(which, truth, members) or 0) for which, members, _ in sums],
        extremes,
        [Link(atom, atom + 3, domain) for atom in range(3)],
    )
    assert found.consistent
    for atom in range(3):
        column = [table[atom_of.index(atom)] for table in consistent]
        spans = [[0 if value is None else value for value in column], [int(value is not None) for value in column]]
        for interval, values in zip((found.of_atom[atom], found.of_atom[atom + 3]), spans, strict=True):
            assert (interval.low, interval.high) == (min(values), max(values))
            assert interval.status == ("determined" if len(set(values)) == 1 else "free")


def test_who_has_no_value_follows_from_sums_and_counts() -> None:
    """One of the first two has a value, and one of 0 and 2: 10 or 7 cannot both be that of record 0, so it has none."""
    rows = [[1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0], [0, 0, 0, 1, 0, 1]]
    links = [Link(i, i + 3, UnknownDomain(F(0), F(100))) for i in range(3)]
    found = with_missing(equations_of(rows, [1] * 6), [F(10), F(7), F(1), F(1)], [], links)
    assert [(i.low, i.high) for i in found.of_atom] == [(0, 0), (10, 10), (7, 7), (0, 0), (1, 1), (1, 1)]


@pytest.mark.parametrize("domain", [UnknownDomain(), UnknownDomain(F(0), F(9))])
def test_without_ends_or_time_nothing_is_settled(domain: UnknownDomain) -> None:
    past = time.monotonic() - 1
    found = with_missing(equations_of([[1, 0]], [2, 2]), [F(3)], [], [Link(0, 1, domain)], deadline=past)
    assert found.consistent is None
    assert {i.status for i in found.of_atom} == {"undetermined"}
