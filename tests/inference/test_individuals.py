"""Persons with several unknowns, against elimination of fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from auditor.inference import RowSpace, disclosed_individuals
from tests.inference import oracle
from tests.inference.systems import equations, matrices

WEIGHTS = (0, 0, 1, 2, -3, 5_000_011)


@given(st.one_of(matrices(columns=8), matrices(WEIGHTS, columns=8)), st.data())
def test_finds_everybody_and_what_was_known_first(rows: list[list[int]], data: st.DataObject) -> None:
    width = len(rows[0])
    owners = data.draw(st.lists(st.integers(-1, 3), min_size=width, max_size=width))
    found = disclosed_individuals(RowSpace(equations(rows)), np.array(owners))
    belongings = {
        owner: [at for at in range(width) if owners[at] == owner] for owner in sorted(set(owners)) if owner >= 0
    }
    inside = {owner: atoms for owner, atoms in belongings.items() if oracle.supports_inside(rows, width, atoms)}
    assert [individual.owner for individual in found] == list(inside)
    for individual in found:
        vector = [individual.coefficients.get(at, 0) for at in range(width)]
        combination = [
            sum((y * rows[row][at] for row, y in individual.certificate.items()), Fraction(0)) for at in range(width)
        ]
        assert combination == vector
        assert set(individual.coefficients) <= set(inside[individual.owner])
        first = next(
            t for t in range(len(rows)) if oracle.supports_inside(rows[: t + 1], width, inside[individual.owner])
        )
        assert max(individual.certificate) == first


def test_a_difference_of_two_queries_over_one_person() -> None:
    """Two stays of a patient stand in the first sum and not in the second; neither stay's cost follows."""
    rows = [[1, 1, 1, 1], [0, 0, 1, 1], [0, 1, 1, 0]]
    (found,) = disclosed_individuals(RowSpace(equations(rows)), np.array([0, 0, 1, 2]))
    assert (found.owner, found.coefficients) == (0, {0: 1, 1: 1})
    assert found.certificate == {0: Fraction(1), 1: Fraction(-1)}
