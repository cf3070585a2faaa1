"""Decisions made with a pool of null vectors against elimination of fractions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from auditor.inference import AnsweredSums
from auditor.inference.linear import answered as module
from tests.inference import oracle
from tests.inference.systems import matrices

WEIGHTS = (0, 0, 1, 2, -3, 5_000_011, 2**40)


@given(st.one_of(matrices(rows=12, columns=9), matrices(WEIGHTS)), st.integers(0, 4))
def test_every_decision_in_a_row(rows: list[list[int]], begun: int) -> None:
    width = len(rows[0])
    sums = AnsweredSums(np.ones(width, dtype=np.int64), [np.array(row, dtype=np.int64) for row in rows[:begun]])
    for at in range(begun, len(rows)):
        before, after = rows[:at], rows[: at + 1]
        row = np.array(rows[at], dtype=np.int64)
        known = oracle.exposed(before, width)
        told = sums.consequences(row, below=3)
        assert told.derivable == oracle.spans(before, rows[at])
        assert told.determined.tolist() == sorted(set(oracle.exposed(after, width)) - set(known))
        assert sums.determined.tolist() == known
        pairs = set(map(tuple, told.pairs.tolist()))
        fresh = _pairs(after, width) - _pairs(before, width)
        assert pairs <= fresh  # of the pairs of a class, those with one of its columns
        assert bool(pairs) == bool(fresh)
        sums.answer(row)
        assert sums.rank == oracle.rank(after)


def _pairs(rows: list[list[int]], width: int) -> set[tuple[int, ...]]:
    return {group for group in oracle.minimal_groups(rows, [1] * width, 3) if len(group) == 2} if rows else set()


def test_a_pool_that_is_used_up_and_factors_that_grow() -> None:
    """400 random sums over 700 unknowns need more room and new vectors; then one difference discloses."""
    generator = np.random.default_rng(1)
    rows = generator.random((400, 700)) < 0.3
    sums = AnsweredSums(np.ones(700, dtype=np.int64), rows[:20])
    for row in rows[20:]:
        assert not len(sums.consequences(row).determined)
        sums.answer(row)
    assert sums.rank == 400 > module.POOL
    again = sums.consequences(rows[3] ^ rows[5] ^ rows[3])
    assert again.derivable
    tracker = rows[200].copy()
    victim = int(np.flatnonzero(tracker)[7])
    tracker[victim] = False
    assert sums.consequences(tracker).determined.tolist() == [victim]
    assert sums.determined.tolist() == []
    sums.answer(tracker)
    assert sums.determined.tolist() == [victim]
