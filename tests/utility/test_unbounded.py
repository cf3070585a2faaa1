"""Unbounded losses against loops, hand-made figures and their laws."""

import itertools
import math
from statistics import fmean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, UsageError
from auditor.utility import unbounded_loss
from tests.utility import reference


def files(seed, n=12, p=3):
    generator = np.random.default_rng(seed)
    original = generator.normal(size=(n, p)).round(1)
    return original, original + generator.normal(scale=0.5, size=(n, p))


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_they_are_what_loops_find(seed, p):
    original, masked = files(seed, p=p)
    loss = unbounded_loss(original, masked)
    cells = [(x, y) for row, other in zip(original, masked, strict=True) for x, y in zip(row, other, strict=True)]
    check(loss.data, cells)
    x, y = original.T, masked.T
    ordered = itertools.combinations_with_replacement(range(p), 2)
    check(
        loss.covariance,
        [(reference.central(x[i], 1, x[j], 1), reference.central(y[i], 1, y[j], 1)) for i, j in ordered],
    )
    pairs = itertools.combinations(range(p), 2)
    check(loss.correlation, [(reference.correlation(x[i], x[j]), reference.correlation(y[i], y[j])) for i, j in pairs])
    il1s = fmean(
        abs(a - b) / (math.sqrt(2) * stdev(map(float, x[j]))) for j in range(p) for a, b in zip(x[j], y[j], strict=True)
    )
    assert loss.il1s == pytest.approx(il1s)


def check(moved, quantities):
    assert moved.compared == len(quantities)
    assert moved.mse == (pytest.approx(fmean((a - b) ** 2 for a, b in quantities)) if quantities else None)
    assert moved.mae == (pytest.approx(fmean(abs(a - b) for a, b in quantities)) if quantities else None)
    # A covariance of about 1 that cancels to 1e-17 is 0; the data of these tests has no others as small.
    relative = [abs(a - b) / abs(a) for a, b in quantities if abs(a) > 1e-12]
    assert moved.mean_variation == (pytest.approx(fmean(relative), rel=1e-6) if relative else None)
    assert moved.zeros == len(quantities) - len(relative)


@given(st.integers(0, 10**6), st.floats(1e-3, 1e3), st.randoms())
def test_units_and_the_order_of_records(seed, unit, random):
    original, masked = files(seed)
    order = random.sample(range(12), 12)
    once, again = unbounded_loss(original, masked), unbounded_loss(unit * original[order], unit * masked[order])
    assert again.data.mse == pytest.approx(unit**2 * once.data.mse)
    assert again.covariance.mae == pytest.approx(unit**2 * once.covariance.mae)
    assert again.correlation.mse == pytest.approx(once.correlation.mse)
    assert again.data.mean_variation == pytest.approx(once.data.mean_variation)
    assert again.il1s == pytest.approx(once.il1s)


def test_il1s_of_the_difference_of_two_draws():
    """Σ|x−x'|/(√2 s) of independent normal draws is the mean of |Z|, √(2/π)."""
    x, y = np.random.default_rng(4).normal(3, 5, size=(2, 100_000, 1))
    assert unbounded_loss(x, y).il1s == pytest.approx(math.sqrt(2 / math.pi), rel=0.01)


def test_a_covariance_of_0_is_no_divisor_also_where_it_rounds():
    """The sums of this sample cancel to about 2e-17, in another order of the records to something else."""
    x = np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.3])
    original = np.column_stack([x, [0.1, 0.7, 0.1, 0.1, 0.7, 0.1]])
    loss = unbounded_loss(original, original + np.column_stack([x, x]))
    assert (original[:, 0] - 0.2) @ (original[:, 1] - 0.3) != 0
    assert (loss.covariance.zeros, loss.correlation.zeros) == (1, 1)
    assert loss.correlation.mean_variation is None


def test_nothing_moved():
    original, _ = files(1)
    assert set(unbounded_loss(original, original).figures.values()) == {0}


def test_missing_values_are_not_compared():
    original = np.array([[1.0, 5], [np.nan, 6], [2, 7], [4, np.nan]])
    masked = np.array([[2.0, 5], [9, 6], [np.nan, 7], [4, 3]])
    loss = unbounded_loss(original, masked)
    assert loss.data.compared == 5
    assert loss.suppressed == 1
    assert loss.data.mae == 1 / 5
    variances = [
        reference.central([1, 2, 4], 2),
        reference.central([2, 9, 4], 2),
        2 / 3,
        reference.central([5, 6, 7, 3], 2),
    ]
    pairs = [reference.central([1, 2], 1, [5, 7], 1), reference.central([2, 9, 4], 1, [5, 6, 3], 1)]
    quantities = [*variances, *pairs]
    assert loss.covariance.mae == pytest.approx(
        fmean(abs(a - b) for a, b in zip(quantities[::2], quantities[1::2], strict=True))
    )


def test_what_cannot_be_compared_has_no_loss():
    loss = unbounded_loss(np.zeros((2, 1)), np.array([[1.0], [1.0]]))
    assert (loss.data.mse, loss.data.mean_variation, loss.data.zeros) == (1, None, 2)
    assert (loss.correlation.mse, loss.correlation.compared) == (None, 0)
    assert (loss.il1s, loss.constant) == (None, ("1",))
    assert unbounded_loss(np.zeros((1, 1)), np.full((1, 1), np.nan)).data.mae is None


def test_a_loss_is_capped_at_a_declared_maximum():
    loss = unbounded_loss(np.array([[1.0], [3.0]]), np.array([[2.0], [4.0]]))
    scaled = loss.scaled({"data-mse": 4, "data-mae": 0.5, "correlation-mae": 1})
    assert scaled == {"data-mse": 25, "data-mae": 100, "correlation-mae": None}
    for maxima, message in (
        ({"data-mze": 1}, "no loss 'data-mze' .did you mean 'data-mse'"),
        ({"il1s": 0}, "the maximum of 'il1s' is 0"),
        ({"il1s": math.nan}, "must be a positive number"),
    ):
        with pytest.raises(UsageError, match=message):
            loss.scaled(maxima)


def test_rows_must_be_the_same_records():
    with pytest.raises(DataError, match="the masked table has 1 records and the original 2"):
        unbounded_loss(np.zeros((2, 1)), np.zeros((1, 1)))
