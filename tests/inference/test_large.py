"""Large parts: moves from a known solution against corners, closed forms, and numbers of very different sizes."""

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from auditor.inference import Equations
from auditor.inference.integer._large import Large
from auditor.inference.integer.intervals import UnknownDomain, intervals
from auditor.inference.integer.parts import parts
from tests.inference import test_integers, test_intervals
from tests.inference.integers import integers
from tests.inference.oracles import corners, equations_of, members_of

F = Fraction


@pytest.mark.slow
@pytest.mark.parametrize("table", [True, False])
@given(test_intervals.systems(), st.integers(0, 3), st.integers(0, 4))
def test_moves_never_say_more_than_the_corners(table: bool, system, enough: int, share: int) -> None:
    """From a corner, from the middle of all corners, and from between."""
    rows, sizes, domains, answers = system
    bounds = [(domain.low, domain.high) for domain, size in zip(domains, sizes, strict=True) for _ in range(size)]
    found = list(corners(members_of(rows, sizes), answers, bounds))
    known = [
        x * F(share, 4) + sum(values, F(0)) / len(found) * F(4 - share, 4)
        for x, values in zip(found[0], zip(*found, strict=True), strict=True)
    ]
    starts = [sum(sizes[:atom]) for atom in range(len(sizes))]
    totals = [sum(known[start : start + size], F(0)) for start, size in zip(starts, sizes, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("auditor.inference.integer.parts.LARGE_TABLE", -1)
        if not table:
            patch.setattr("auditor.inference.integer.parts.MAX_TABLE", 1)
        result = intervals(equations_of(rows, sizes), answers, domains, enough=F(enough), known=[totals])
    for start, interval in zip(starts, result.of_atom, strict=True):
        low, high = min(x[start] for x in found), max(x[start] for x in found)
        if interval.status == "undetermined":
            assert not table
            continue
        assert interval.status == ("determined" if low == high else "free")
        assert low <= interval.low <= interval.high <= high
        assert (high - low < enough) == (interval.high - interval.low < enough)
        if interval.tight:
            assert (interval.low, interval.high) == (low, high)


@pytest.mark.slow
@pytest.mark.parametrize("table", [True, False])
@given(test_integers.systems())
def test_moves_of_whole_numbers_never_say_more_than_every_database(table: bool, system) -> None:
    rows, sizes, domains, answers = system
    found = list(test_integers.databases(rows, sizes, answers, domains))
    starts = [sum(sizes[:atom]) for atom in range(len(sizes))]
    totals = [F(sum(found[-1][start : start + size])) for start, size in zip(starts, sizes, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("auditor.inference.integer.parts.LARGE_TABLE", -1)
        if not table:
            patch.setattr("auditor.inference.integer.parts.MAX_TABLE", 1)
        result = integers(equations_of(rows, sizes), answers, domains, known=[totals])
    for start, interval in zip(starts, result.of_atom, strict=True):
        values = {x[start] for x in found}
        if interval.status == "undetermined":
            assert not table
            continue
        assert interval.status == ("determined" if len(values) == 1 else "free")
        assert min(values) <= interval.low <= interval.high <= max(values)


def two_way(table: np.ndarray) -> tuple[Equations, list[Fraction], list[Fraction]]:
    """A table's row and column sums, and its cells."""
    height, width = table.shape
    cells = np.arange(height * width).reshape(height, width)
    rows = np.zeros((height + width, height * width), dtype=np.int64)
    for i in range(height):
        rows[i, cells[i]] = 1
    for j in range(width):
        rows[height + j, cells[:, j]] = 1
    known = [F(int(v)) for v in table.reshape(-1)]
    right = [F(int(v)) for v in (*table.sum(axis=1), *table.sum(axis=0))]
    return Equations(csr_array(rows), np.ones(height * width, dtype=np.int64)), right, known


@pytest.mark.slow
@pytest.mark.parametrize("integer", [True, False])
@pytest.mark.parametrize("scale", [1, 10**9])
def test_a_two_way_table_has_the_bounds_of_frechet(integer: bool, scale: int) -> None:
    """A cell of a table with known margins ranges over max(0, r + c − n) to min(r, c) (Fréchet 1940), ends attained.

    Most of the sum is in one cell, so that its own bounds and those beside it are narrow.
    """
    generator = np.random.default_rng(5)
    table = generator.integers(0, 4, (12, 15)) * scale
    table[3] = 0
    table[3, 4] = 50 * scale
    equations, right, known = two_way(table)
    domains = [UnknownDomain(F(0), integer=integer)] * equations.atoms
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("auditor.inference.integer.parts.LARGE_TABLE", 1000)
        patch.setattr("auditor.inference.integer.parts.MAX_TABLE", 1000)
        result = intervals(equations, right, domains, enough=F(30 * scale), known=[known])
    total = int(table.sum())
    expected = [
        (max(0, int(table[i].sum() + table[:, j].sum()) - total), int(min(table[i].sum(), table[:, j].sum())))
        for i in range(12)
        for j in range(15)
    ]
    for interval, (low, high) in zip(result.of_atom, expected, strict=True):
        assert interval.status == ("determined" if low == high else "free")
        assert interval.exact
        if high - low < 30 * scale:
            assert (interval.low, interval.high) == (low, high)
        else:
            assert low <= interval.low <= interval.high - 30 * scale <= high - 30 * scale


@pytest.mark.parametrize("spread", [1, 10**9, 10**20])
def test_a_tracker_in_a_dense_log_is_found_and_nobody_else(spread: int) -> None:
    """Of 30 random sums over 400 values one is asked again without a record; answers have up to 23 digits."""
    generator = np.random.default_rng(spread % 97)
    rows = generator.integers(0, 2, (30, 400))
    rows[0, 17] = 1
    without = rows[0].copy()
    without[17] = 0
    matrix = np.vstack([rows, without])
    known = [F(int(v) * (spread if j % 2 else 1), 100) for j, v in enumerate(generator.integers(1, 9999, 400))]
    right = [sum((known[j] for j in np.flatnonzero(row)), F(0)) for row in matrix]
    domains = [UnknownDomain(F(0), F(100 * (spread if j % 2 else 1))) for j in range(400)]
    equations = Equations(csr_array(matrix), np.ones(400, dtype=np.int64))
    result = intervals(equations, right, domains, enough=F(1, 10**6), known=[known])
    assert [j for j, i in enumerate(result.of_atom) if i.status != "free"] == [17]
    assert (result.of_atom[17].status, result.of_atom[17].low) == ("determined", known[17])


def test_what_is_said_of_a_move_is_within_what_the_programme_in_integers_allows() -> None:
    generator = np.random.default_rng(11)
    rows = generator.integers(0, 3, (4, 60))
    known = [F(int(v), 7) for v in generator.integers(0, 71, 60)]
    right = [sum((int(a) * x for a, x in zip(row, known, strict=True)), F(0)) for row in rows]
    equations = Equations(csr_array(rows), np.ones(60, dtype=np.int64))
    (part,) = parts(equations, right, [UnknownDomain(F(0), F(10))] * 60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("auditor.inference.integer.parts.LARGE_TABLE", -1)
        assert Large.takes(part)
    large = Large(part, [x * part.unit for x in known], 0.0, time.monotonic() + 60)
    assert large.spread(np.ones(60, dtype=np.bool_))
    assert (large.up > large.down).all()
    simplex = part.simplex()
    for position, x in enumerate(large.at):
        simplex.minimise({position: 1})
        assert simplex.value(position) <= x + F(large.down[position])
        simplex.minimise({position: -1})
        assert simplex.value(position) >= x + F(large.up[position])


def test_after_the_deadline_a_large_part_is_undetermined() -> None:
    generator = np.random.default_rng(2)
    rows = generator.integers(0, 2, (40, 400))
    known = [F(int(v), 3) for v in generator.integers(0, 30, 400)]
    right = [sum((known[j] for j in np.flatnonzero(row)), F(0)) for row in rows]
    equations = Equations(csr_array(rows), np.ones(400, dtype=np.int64))
    late = intervals(equations, right, [UnknownDomain(F(0), F(10))] * 400, enough=F(0), known=[known], deadline=0.0)
    assert {interval.status for interval in late.of_atom} == {"undetermined"}
