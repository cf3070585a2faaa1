"""Columns read in their own scale: what keeps or reverses an order is undone, and what masks is left as it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.risk.own_scale import in_own_scale

RISING = [np.exp, np.cbrt, lambda x: x**3 + x, lambda x: np.searchsorted(np.sort(x), x).astype(float)]


@given(st.integers(8, 60), st.integers(0, 999), st.sampled_from(RISING), st.sampled_from([1, -1]))
@settings(max_examples=60)
def test_what_keeps_or_reverses_the_order_is_undone(count, seed, rising, sign):
    was = np.random.default_rng(seed).permutation(count)[:, None] / 7
    now = sign * rising(was[:, 0])[:, None]
    undone = in_own_scale(was, now)
    near = np.abs(np.sort(now, axis=0) - np.sort(was, axis=0)).max() < 1 / 7  # in its scale already
    assert near or undone == pytest.approx(was)


@given(
    st.integers(1, 20).map(lambda n: 3 * n),
    st.integers(0, 999),
    st.sampled_from(["order", "noise", "constant", "groups", "missing"]),
)
@settings(max_examples=60)
def test_what_masks_is_left_as_it_is(count, seed, how):
    chance = np.random.default_rng(seed)
    was = chance.normal(size=(count, 1))
    now = {
        "order": chance.permutation(was),
        "noise": was + chance.normal(size=was.shape),
        "constant": np.zeros_like(was),
        "groups": np.sort(was, axis=0)[np.argsort(np.argsort(was[:, 0])) // 3 * 3 + 1],
        "missing": np.full_like(was, np.nan),
    }[how]
    if how == "order" and count < 12:
        return  # of few records an order may be the reverse
    assert np.array_equal(in_own_scale(was, now), now, equal_nan=True)


def test_a_small_table_is_no_evidence():
    assert in_own_scale(np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]])).tolist() == [[1.0], [0.0]]
