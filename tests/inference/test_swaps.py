"""Moves of four totals: none changes an answer or leaves the ends, and a grid is cleared by them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.inference.integer._swaps import swaps
from auditor.inference.integer.intervals import UnknownDomain, intervals
from auditor.inference.integer.search import PartSearch
from tests.inference.integers import integers
from tests.inference.oracles import equations_of


@given(st.integers(2, 4), st.integers(4, 9), st.integers(0, 2**32))
def test_what_is_reached_is_inside_what_whole_numbers_allow(rows: int, atoms: int, seed: int) -> None:
    """Against the exact programmes, which know nothing of moves."""
    generator = np.random.default_rng(seed)
    matrix = generator.integers(0, 2, (rows, atoms))
    values = generator.integers(0, 4, atoms)
    made = equations_of(matrix.tolist(), [1] * atoms)
    down, up = swaps(made.rows, values.astype(np.float64), (3 - values).astype(np.float64))
    domain = UnknownDomain(Fraction(0), Fraction(3), integer=True)
    exact = integers(made, [Fraction(int(b)) for b in matrix @ values], [domain] * atoms, enough=None)
    for value, lower, upper, interval in zip(values.tolist(), down, up, exact.of_atom, strict=True):
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low <= value - int(lower) <= value + int(upper) <= interval.high


def test_a_grid_of_ranges_needs_no_programme(monkeypatch: pytest.MonkeyPatch) -> None:
    """40 sums over rectangles of a grid of 30 × 30 whole numbers."""
    generator = np.random.default_rng(2)
    x, y = np.divmod(np.arange(900), 30)
    rows = []
    for _ in range(40):
        (a, b), (c, d) = np.sort(generator.integers(0, 31, (2, 2)))
        rows.append(((a <= x) & (x < b) & (c <= y) & (y < d)).astype(np.int64).tolist())
    values = generator.integers(1, 9, 900)
    made = equations_of(rows, [1] * 900)
    answers = [Fraction(int(b)) for b in np.array(rows) @ values]

    def fail(*_: object) -> None:
        raise AssertionError("a programme was begun")

    monkeypatch.setattr(PartSearch, "_look_far", fail)
    domain = UnknownDomain(Fraction(0), Fraction(9), integer=True)
    found = intervals(made, answers, [domain] * 900, enough=Fraction(0), known=[[Fraction(int(v)) for v in values]])
    assert {interval.status for interval in found.of_atom} == {"free"}
