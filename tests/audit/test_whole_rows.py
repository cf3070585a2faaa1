"""A record of the original that a release holds whole is found, wherever it stands and whatever became of others."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.result import RequirementResult, Status

ROWS = 100


def drawn(seed: int) -> tuple[np.random.Generator, pd.DataFrame]:
    """Numbers of which no two are equal, others that go with them, and a code of three values."""
    draw = np.random.default_rng(seed)
    income = draw.choice(90_000, ROWS, replace=False) + 10_000.0
    age = np.round(income / 1500 + draw.normal(0, 9, ROWS))
    return draw, pd.DataFrame({"income": income, "age": age, "area": draw.integers(0, 3, ROWS).astype(float)})


def judged(release: pd.DataFrame, original: pd.DataFrame, **asked: object) -> RequirementResult:
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {name: {"role": "quasi-identifier", "type": "number"} for name in release.columns},
        "requirements": [
            {"model": "max-linkage-risk", "match": "position", "max": 0.05, "attributes": ["income"], **asked}
        ],
    }
    return auditor.check(release, policy, original=original).requirements[0]


def masked_but(draw: np.random.Generator, original: pd.DataFrame, whole: int) -> pd.DataFrame:
    """Every record but the first `whole` is moved by three standard deviations."""
    noise = draw.normal(0, 3, original.shape) * original.std().to_numpy()
    noise[:whole] = 0
    return original + noise


@given(st.integers(0, 2**32 - 1), st.integers(10, ROWS), st.sampled_from([("income",), ("income", "age")]))
@settings(max_examples=8)
def test_rows_in_another_order_lower_no_risk(seed: int, whole: int, looked: tuple[str, ...]) -> None:
    """10 of 100 records are left as they are, or more: whoever looks for their values finds these, in any order."""
    draw, original = drawn(seed)
    release = masked_but(draw, original, whole)
    in_place = judged(release, original, attributes=looked)
    assert in_place.status is Status.FAIL
    assert in_place.achieved is not None
    assert in_place.achieved >= 0.05
    moved = release.iloc[draw.permutation(ROWS)].reset_index(drop=True)
    found = judged(moved, original, attributes=looked)
    assert found.status in (Status.FAIL, Status.NOT_EVALUATED)
    assert found.status is Status.FAIL or "rows of the original in other places" in (found.reason or "")


def test_the_share_of_whole_records_decides() -> None:
    """45 of 100 stand elsewhere: a bound of 0.4 is not believed to be met, one of 0.7 is met whoever they are."""
    draw, original = drawn(1)
    release = masked_but(draw, original, 45).iloc[np.roll(np.arange(ROWS), 7)].reset_index(drop=True)
    found = judged(release, original, max=0.4)
    assert found.status is Status.NOT_EVALUATED
    assert "45 % of the rows of the release are rows of the original in other places" in (found.reason or "")
    assert judged(release, original, max=0.7).status is Status.PASS


def test_one_column_of_numbers_is_looked_at_too() -> None:
    draw, original = drawn(2)
    release = masked_but(draw, original, 45).iloc[np.roll(np.arange(ROWS), 7)].reset_index(drop=True)
    assert judged(release[["income"]], original[["income"]]).status is Status.NOT_EVALUATED


def test_values_that_were_not_changed_are_found_beside_others_that_were() -> None:
    """The release's own deviation is a thousand times the original's: values that stand as they were are no less so."""
    _, original = drawn(3)
    release = original.copy()
    release.loc[90:, "income"] = 1e8 + 1e6 * np.arange(10)
    found = judged(release, original)
    assert (found.status, found.achieved) == (Status.FAIL, 0.9)


def exchanged(values: pd.Series[float], draw: np.random.Generator, within: int) -> np.ndarray:
    """Each value exchanged with one of a rank at most so far away."""
    order, out, free = np.argsort(values.to_numpy()), values.to_numpy().copy(), list(range(len(values)))
    while len(free) > 1:
        one, other = free.pop(0), free.pop(int(draw.integers(0, min(within, len(free)))))
        out[order[[one, other]]] = out[order[[other, one]]]
    return out


@pytest.mark.parametrize("within", [5, 20, 50])
def test_masking_column_by_column_is_believed(within: int) -> None:
    """Values exchanged in one column, or in each on its own, make rows of the original by chance alone."""
    told = Counter()
    for seed in range(4):
        draw, original = drawn(seed)
        all_columns = original.apply(exchanged, draw=draw, within=within)
        told[judged(all_columns, original).status] += 1
        told[judged(original.assign(income=all_columns["income"]), original).status] += 1
    assert told == {Status.PASS: 8}


@pytest.mark.parametrize(("whole", "records"), [(3, 100), (3, 200), (4, 20), (6, 20)])
def test_so_few_whole_records_elsewhere_are_found(whole: int, records: int) -> None:
    draw = np.random.default_rng(whole + records)
    income = draw.choice(90_000, records, replace=False) + 10_000.0
    age = np.round(income / 1500 + draw.normal(0, 9, records))
    original = pd.DataFrame({"income": income, "age": age, "area": draw.integers(0, 3, records).astype(float)})
    release = masked_but(draw, original, whole).iloc[np.roll(np.arange(records), 7)].reset_index(drop=True)
    found = judged(release, original, max=0.9 * whole / records)
    assert found.status is not Status.PASS
    assert found.status is Status.FAIL or "rows of the original in other places" in (found.reason or "")


def test_a_unique_number_and_a_coarse_code_tell_a_record_that_stands_elsewhere() -> None:
    """40 incomes stand elsewhere with their codes, which chance does of every third; 40 codes alone tell nothing."""
    draw, original = drawn(4)
    original = original[["income", "area"]]
    release = original.assign(income=masked_but(draw, original, 0)["income"])
    release.loc[:39, "income"] = original.loc[:39, "income"]
    moved = release.iloc[np.roll(np.arange(ROWS), 7)].reset_index(drop=True)
    assert judged(moved, original).status is Status.NOT_EVALUATED
    codes = moved.assign(area=draw.permutation(original["area"]))
    assert judged(codes, original).status is Status.PASS


@pytest.mark.parametrize("looked", [["income"], ["income", "age", "area"]])
def test_other_units_hide_no_records_beside_masked_ones(looked: list[str]) -> None:
    """40 of 100 are in other units, in place; noise of three standard deviations is on the others."""
    draw, original = drawn(6)
    release = masked_but(draw, original, 0)
    release.loc[:39, :] = 0.92 * original.loc[:39, :] + 13
    found = judged(release, original, attributes=looked)
    assert found.status is Status.FAIL
    assert (found.achieved or 0) >= 0.35


def test_noise_in_another_column_hides_no_unique_number() -> None:
    draw, original = drawn(7)
    release = masked_but(draw, original, 0).assign(income=original["income"])
    found = judged(release, original, attributes=["income", "age"], max=0.9)
    assert (found.status, found.achieved) == (Status.FAIL, 1.0)
