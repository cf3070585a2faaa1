"""Values written in other units are read in their own, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.risk.lines import in_units

RECORDS = 200
WRITTEN = {
    "thousands": lambda x: x / 1000,
    "dollars": lambda x: 1.0847 * x + 13,
    "whole dollars": lambda x: np.round(1.0847 * x),
    "reversed": lambda x: 90_000.5 - x,
    "logarithms": np.log,
    "a power": lambda x: x**0.7,
}


def incomes(seed: int) -> tuple[np.random.Generator, np.ndarray]:
    draw = np.random.default_rng(seed)
    return draw, np.round(draw.lognormal(10, 0.6, RECORDS))


@pytest.mark.parametrize("way", WRITTEN)
@given(seed=st.integers(0, 2**32 - 1), kept=st.integers(10, 60))
@settings(max_examples=4)
def test_what_some_values_are_written_in_is_undone(way: str, seed: int, kept: int) -> None:
    """Of some records the values stand in other units, the others have noise of three standard deviations."""
    draw, was = incomes(seed)
    now = was + draw.normal(0, 3, RECORDS) * was.std()
    now[:kept] = WRITTEN[way](was[:kept])
    read = in_units(was[:, None], now[:, None])[:, 0]
    assert (read[:kept] == was[:kept]).all()
    assert (read[kept:] == was[kept:]).sum() <= 1


MASKED = {
    "noise": lambda was, draw: was + draw.normal(0, 0.1, len(was)) * was.std(),
    "whole noise": lambda was, draw: np.round(was + draw.normal(0, 0.001, len(was)) * was.std()),
    "rounding": lambda was, draw: np.round(was / 500) * 500,
    "exchange": lambda was, draw: draw.permutation(was),
    "means": lambda was, draw: np.repeat(np.sort(was).reshape(-1, 5).mean(1), 5)[np.argsort(np.argsort(was))],
    "top": lambda was, draw: np.minimum(was, np.median(was)),
}


@pytest.mark.parametrize("method", MASKED)
@given(seed=st.integers(0, 2**32 - 1), ages=st.booleans())
@settings(max_examples=4)
def test_masked_values_stay_as_they_are(method: str, seed: int, ages: bool) -> None:
    draw, was = incomes(seed)
    was = np.round(np.minimum(was / 1000, 99)) if ages else was
    now = MASKED[method](was, draw)
    assert np.array_equal(in_units(was[:, None], now[:, None])[:, 0], now)


def test_missing_values_and_short_tables_are_left() -> None:
    was = np.array([[1.0], [np.nan], [3.0]])
    now = np.array([[10.0], [20.0], [np.nan]])
    assert np.array_equal(in_units(was, now), now, equal_nan=True)


@given(seed=st.integers(0, 2**32 - 1), kept=st.integers(5, 9))
@settings(max_examples=20)
def test_the_order_of_rows_does_not_matter(seed: int, kept: int) -> None:
    """Few of 600 are on a line, so that it depends on the records that lines are drawn through whether it is found."""
    draw = np.random.default_rng(seed)
    was = np.round(draw.lognormal(10, 0.6, 600))
    now = was + draw.normal(0, 3, 600) * was.std()
    now[:kept] = 1.0847 * was[:kept] + 13
    order = draw.permutation(600)
    read = in_units(was[:, None], now[:, None])
    assert np.array_equal(in_units(was[order, None], now[order, None]), read[order])
