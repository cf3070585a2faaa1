"""Coalitions against trying every set of users with elimination of fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from auditor.inference import smallest_coalitions
from tests.inference import oracle
from tests.inference.systems import equations, matrices


@given(matrices(rows=7, columns=5), st.data(), st.integers(1, 4))
def test_names_a_smallest_coalition(rows: list[list[int]], data: st.DataObject, largest: int) -> None:
    width = len(rows[0])
    owners = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    found = smallest_coalitions(equations(rows), np.array(owners), largest)
    assert found.complete
    expected: dict[int, int] = {}
    for size in range(1, largest + 1):
        for together in combinations(sorted(set(owners)), size):
            seen = [row for row, owner in zip(rows, owners, strict=True) if owner in together]
            for atom in oracle.exposed(seen, width):
                expected.setdefault(atom, size)
    assert {atom: len(coalition.owners) for atom, coalition in found.smallest.items()} == expected
    for atom, coalition in found.smallest.items():
        assert {owners[row] for row in coalition.certificate} <= set(coalition.owners)
        combination = [
            sum((y * rows[row][at] for row, y in coalition.certificate.items()), Fraction(0)) for at in range(width)
        ]
        assert combination == oracle.unit(width, atom)


def test_whoever_repeats_another_s_question_can_take_his_place() -> None:
    """User 1 asks what 0 asked: neither is necessary, and the pooled basis holds no row of his."""
    rows = [[1, 1, 1], [1, 1, 1], [0, 1, 1]]
    found = smallest_coalitions(equations(rows), np.array([0, 1, 2]), 2)
    assert found.smallest[0].owners in {(0, 2), (1, 2)}
    assert smallest_coalitions(equations(rows[1:]), np.array([1, 2]), 2).smallest[0].owners == (1, 2)
    assert smallest_coalitions(equations(rows), np.array([0, 1, 2]), 1).smallest == {}


def test_says_when_the_effort_was_not_enough() -> None:
    rows = [[1, 1, 1], [1, 1, 1], [0, 1, 1]]
    assert not smallest_coalitions(equations(rows), np.array([0, 1, 2]), 2, effort=4).complete
