"""What the original holds of a column is found in the release under another name, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.result import Verdict

MODELS = ("max-linkage-risk", "max-interval-disclosure")


def tables(seed: int, records: int = 80) -> tuple[pd.DataFrame, pd.DataFrame]:
    """An original of two columns, and numbers that have nothing to do with it."""
    draw = np.random.default_rng(seed)
    names = ["income", "tax"]
    return tuple(pd.DataFrame(draw.lognormal(8, 1, (records, 2)), columns=names) for _ in range(2))  # type: ignore[return-value]


def verdict(model: str, release: pd.DataFrame, original: pd.DataFrame, **asked: object) -> Verdict:
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {name: {"role": "sensitive", "type": "number"} for name in release.columns},
        "requirements": [{"model": model, "match": "position", "max": 0.5, **asked}],
    }
    return auditor.check(release, policy, original=original).verdict


@pytest.mark.parametrize("model", MODELS)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_column_under_another_name_is_the_column(model: str, seed: int) -> None:
    """Exchanged names, or the original's column beside a masked one: by definition every value is known."""
    original, masked = tables(seed)
    exchanged = original.rename(columns={"income": "tax", "tax": "income"})[["income", "tax"]]
    beside = masked.assign(other=original["income"])
    for asked in ({}, {"attributes": ["income"]}):
        assert verdict(model, exchanged, original, **asked) is Verdict.FAIL
    assert verdict(model, beside, original, attributes=["income"]) is Verdict.FAIL
    assert verdict(model, masked, original) is Verdict.PASS


@given(seed=st.integers(0, 2**32 - 1))
def test_columns_that_are_alike_by_chance_are_two(seed: int) -> None:
    """Columns of mostly one value agree in most rows, and tell nothing of each other."""
    draw = np.random.default_rng(seed)
    original = pd.DataFrame({"gain": np.where(draw.random(80) < 0.1, draw.integers(1, 9000, 80), 0.0)})
    release = pd.DataFrame({"gain": draw.permutation(original["gain"]) + draw.normal(0, 3000, 80), "loss": 0.0})
    alone = verdict("max-linkage-risk", release[["gain"]], original, attributes=["gain"])
    assert verdict("max-linkage-risk", release, original, attributes=["gain"]) is alone


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "written",
    [
        lambda x, _: 1.17 * x + 3,
        lambda x, draw: x + draw.normal(0, 0.003, len(x)) * x.std(),
        lambda x, _: np.log(x),
        lambda x, _: -x,
    ],
)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=3)
def test_a_column_under_another_name_is_known_in_other_units(
    written: Callable[..., Any], model: str, seed: int
) -> None:
    """Whoever sorts both files by the two columns has found nearly everybody: beside its mask, or exchanged."""
    original, masked = tables(seed)
    draw = np.random.default_rng(seed)
    other = written(original["income"], draw)
    assert verdict(model, masked.assign(other=other), original, attributes=["income"]) is Verdict.FAIL
    exchanged = pd.DataFrame({"income": original["tax"], "tax": other})
    assert verdict(model, exchanged, original, attributes=["income"]) is Verdict.FAIL
