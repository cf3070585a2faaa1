"""No page that the public reads of a masking, or of a sweep, depends on a small group that alone was masked."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import auditor
from auditor.report import redact, render
from auditor.report.stored import parse
from auditor.result import Audience
from tests.report.test_kinds import K, numbers_of

ALONE = {
    "top-bottom-coding": {"attributes": ["age"], "top": 60},
    "local-suppression": {"attributes": ["age"], "k": 5},
    "microaggregation": {"attributes": ["age", "pay"], "k": 3},
}
"""Methods that change the few of the table below, and a few others at most; none draws anything."""
SIZES = (1, 2, 3)


def table(small: int, rows: int) -> pd.DataFrame:
    """A few of an age of their own, who alone earn much; all others are in groups of a third."""
    third = rows // 3
    age = [90.0] * small + [30.0] * (third - small) + [40.0] * third + [50.0] * (rows - 2 * third)
    return pd.DataFrame(
        {"age": age, "pay": [999.0] * small + [100.0] * (rows - small), "ward": ["a", "b"] * (rows // 2)}
    )


def policy(protection: list[dict[str, Any]]) -> dict[str, Any]:
    number = {"role": "sensitive", "type": "number"}
    return {
        "version": 1,
        "name": "p",
        "attributes": {"age": number, "pay": number, "ward": "quasi-identifier"},
        "requirements": [{"model": "k-anonymity", "k": K}],
        "protection": protection,
    }


def page(result: Any) -> dict[str, float]:
    """The numbers that the public reads, now and of the stored result."""
    shown = redact(result, Audience.PUBLIC).to_dict()
    stored = parse(render(redact(result, Audience.INTERNAL), "json")).document_for(Audience.PUBLIC).to_dict()
    assert numbers_of(stored) == numbers_of(shown)
    return numbers_of(shown)


@cache
def pages(command: str, method: str, rows: int) -> tuple[dict[str, float], ...]:
    asked = policy([{"method": method, **ALONE[method]}])
    if command == "mask":
        return tuple(page(auditor.mask(table(small, rows), asked, seed=1).result) for small in SIZES)
    return tuple(page(auditor.tradeoff(table(small, rows), asked, seeds=1, processes=1)) for small in SIZES)


CASES = [(command, method) for method in ALONE for command in ("mask", "tradeoff")]
CASES.remove(("tradeoff", "local-suppression"))  # what is missing after it has no Score


@pytest.mark.parametrize("rows", [40, 900])
@pytest.mark.parametrize(("command", "method"), CASES)
def test_no_number_depends_on_the_few_that_were_masked(command: str, method: str, rows: int) -> None:
    """A number that several pages show is the same in all; the largest group, of more than K, is public."""
    seen = pages(command, method, rows)
    for place in set().union(*seen):
        if not place.endswith("classes/largest"):
            assert len({round(each[place], 9) for each in seen if place in each}) <= 1, place


def test_methods_that_hold_one_that_changes_few_hide_it_too() -> None:
    draws = {"method": "noise", "attributes": ["pay"], "kind": "uncorrelated", "p": 10}
    many = table(2, 900).assign(pay=np.random.default_rng(0).normal(1000, 100, 900))
    found = auditor.tradeoff(
        many, policy([{"method": "top-bottom-coding", **ALONE["top-bottom-coding"]}, draws]), seeds=2
    )
    shown = {each["name"]: each for each in redact(found, Audience.PUBLIC).to_dict()["methods"]}
    for name, line in shown.items():
        assert (line["apil"] is None) == (line["score"] is None) == ("top" in name), name


KEPT: dict[str, Any] = {"id": "kept", "model": "min-utility", "min": 1, "attributes": ["age", "pay"]}


def kept(masked: pd.DataFrame, original: pd.DataFrame) -> tuple[Any, float]:
    """What the public, and what those inside, read of how much information a release keeps."""
    asked = {**policy([]), "requirements": [{"model": "k-anonymity", "k": 2}, KEPT]}
    result = auditor.check(masked, asked, original=original)
    public, internal = (
        redact(result, each).to_dict()["requirements"][1] for each in (Audience.PUBLIC, Audience.INTERNAL)
    )
    return public["achieved"], internal["achieved"]


def test_what_a_demand_finds_kept_does_not_depend_on_the_few_that_were_masked() -> None:
    """Of one record of 900 whose value is another one, of two that changed theirs, and of a whole column."""
    whole = table(9, 900)
    whole["pay"] += np.arange(900)
    one, swapped, shifted = whole.copy(), whole.copy(), whole.copy()
    one.loc[0, "age"] = 60.0
    swapped.loc[[0, 899], "pay"] = whole.loc[[899, 0], "pay"].to_numpy()
    shifted["pay"] += np.arange(900) % 7 / 10
    assert kept(one, whole)[0] is None
    assert kept(swapped, whole)[0] is None
    assert len({kept(each, whole)[1] for each in (one, swapped, shifted)}) == 3
    assert kept(shifted, whole)[0] == kept(shifted, whole)[1]


def test_nor_does_it_on_the_page_of_the_masking() -> None:
    asked = policy([{"method": "top-bottom-coding", **ALONE["top-bottom-coding"]}])
    asked["requirements"] = [*asked["requirements"], KEPT]
    shown = [page(auditor.mask(table(small, 900), asked, seed=1).result) for small in SIZES]
    assert not [place for each in shown for place in each if place.endswith("requirements/1/achieved")]
