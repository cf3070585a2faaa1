"""IPSO where the columns of `given` say nearly the same: the projection is one, and what is kept is checked."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.masking import _ipso
from auditor.masking._ipso import Regressors, simulated

EPOCH = 1.7e9


def drawn(y, x, kind="ipso-c", seed=0):
    return simulated(np.atleast_2d(y.T).T, x, kind, np.random.default_rng(seed))


def seconds(seed, records, width):
    return EPOCH + np.random.default_rng(seed).integers(0, width, records).astype(float)


PAIRS = {
    "days": lambda s: s / 86400,
    "whole days": lambda s: np.floor(s / 86400),
    "days of two decimals": lambda s: np.round(s / 86400, 2),
    "thousands": lambda s: s / 1000,
    "years and ages": lambda s: 2026 - (1970 + s / 31556952),
    "fifteen digits": lambda s: np.array([float(f"{value / 86400:.15g}") for value in s]),
    "itself": lambda s: s,
}


@pytest.mark.parametrize("kind", ["ipso-b", "ipso-c"])
@pytest.mark.parametrize("pair", PAIRS)
@settings(max_examples=15)
@given(st.integers(0, 2**32), st.sampled_from([5, 10, 200]), st.sampled_from([10**4, 10**6, 10**8]))
def test_means_are_kept_whatever_the_columns_depend_on(pair, kind, seed, records, width):
    start = seconds(seed, records, width)
    y = np.random.default_rng(seed).normal(30000, 3000, records)
    after = drawn(y, np.column_stack([start, PAIRS[pair](start)]), kind, seed)[:, 0]
    assert abs(after.mean() - y.mean()) <= 1e-9 * y.std()
    # With the constant, start alone is a regressor: its covariance with the attribute is kept.
    spread = start - start.mean()
    assert abs(spread @ (after - y)) <= 1e-8 * np.linalg.norm(spread) * np.linalg.norm(y - y.mean())


def exactly(x, y):
    """B and the sum of squared residuals by normal equations in rational numbers, constant first."""
    design = [[Fraction(1), *map(Fraction, row)] for row in x.tolist()]
    target = [Fraction(value) for value in y.tolist()]
    columns = list(zip(*design, strict=True))
    rows = [
        [sum(a * b for a, b in zip(p, q, strict=True)) for q in columns]
        + [sum(a * b for a, b in zip(p, target, strict=True))]
        for p in columns
    ]
    for i in range(len(rows)):
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(len(rows)):
            if j != i:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    b = [row[-1] for row in rows]
    residuals = [t - sum(c * v for c, v in zip(b, row, strict=True)) for t, row in zip(target, design, strict=True)]
    return [float(value) for value in b], float(sum(each * each for each in residuals))


@pytest.mark.parametrize("jitter", [1, 1e-3, 1e-5])
def test_b_and_sigma_are_those_of_rational_arithmetic(jitter):
    """Two columns that differ by `jitter` of their deviation: B by exact normal equations, before and after."""
    start = seconds(1, 12, 10**8)
    noise = np.random.default_rng(2).normal(size=12)
    x = np.column_stack([start, start / 86400 + jitter * 300 * noise])
    y = np.random.default_rng(3).normal(30000, 3000, 12)
    (before, squares), (after, after_squares) = exactly(x, y), exactly(x, drawn(y, x)[:, 0])
    np.testing.assert_allclose(after, before, rtol=1e-6)
    assert after_squares == pytest.approx(squares, rel=1e-9)


def test_the_same_column_in_four_units_is_one_regressor():
    """Of six records, two regressors with the constant leave four degrees of freedom, and five would leave one."""
    start = seconds(5, 6, 10**8)
    y = np.random.default_rng(5).normal(size=6)
    assert not np.isclose(drawn(y, np.column_stack([start, start / 60, start / 3600, start / 86400]))[:, 0], y).any()


def test_columns_that_differ_by_less_than_a_millionth_are_two():
    start = seconds(5, 50, 10**8)
    other = start + np.random.default_rng(6).normal(size=50)
    given = _ipso._standardised(np.column_stack([start, other]))
    assert given.space()[0].shape == (50, 3)


def test_a_column_far_from_zero_keeps_its_digits():
    """The attribute is 1e12 ± 1: means and deviations are kept to the digits that such a number has."""
    y = 1e12 + np.random.default_rng(8).normal(size=100)
    x = np.random.default_rng(9).normal(size=(100, 1))
    after = drawn(y, x)[:, 0] - 1e12
    assert after.mean() == pytest.approx((y - 1e12).mean(), abs=1e-4)
    assert after.std() == pytest.approx((y - 1e12).std(), rel=1e-3)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_numbers_whose_squares_leave_float64(factor):
    x, y = np.random.default_rng(1).normal(size=(30, 2)), np.random.default_rng(2).normal(size=30)
    np.testing.assert_allclose(drawn(y * factor, x / factor), drawn(y, x) * factor, rtol=1e-8)


def test_a_constant_column_comes_back_to_the_last_digit():
    y = np.column_stack([np.full(30, 0.1), np.arange(30.0)])
    assert (simulated(y, np.arange(30.0)[:, None] ** 2, "ipso-c", np.random.default_rng(0))[:, 0] == 0.1).all()


def test_a_projection_that_is_none_is_found_out(monkeypatch):
    """The singular vectors of nearly collinear columns, not made orthogonal to the constant: the mean moves."""

    def skewed(self):
        n = len(self.columns)
        left = np.linalg.svd(self.columns, full_matrices=False)[0]
        return np.hstack([np.full((n, 1), n**-0.5), left + 0.5 * n**-0.5]), 1.0

    monkeypatch.setattr(Regressors, "space", skewed)
    x, y = np.random.default_rng(1).normal(size=(30, 2)), np.random.default_rng(2).normal(size=30)
    for kind in ("ipso-b", "ipso-c"):
        with pytest.raises(DataError, match=f"rounding loses the mean, B or Σ, which {kind} keeps"):
            drawn(y, x, kind)
