"""The picture of page one: what it counts, and what it does not tell."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import check, check_outputs, mask
from auditor.report import redact, words
from auditor.report.html._shares import WIDTH, Shares, shares
from auditor.result import Audience
from tests.report.every import EVERY


def policy(k: int) -> dict[str, object]:
    return {
        "name": "clinic",
        "attributes": {"age": "quasi-identifier"},
        "requirements": [{"model": "k-anonymity", "k": k}],
    }


def picture(ages: list[int], k: int, audience: Audience = Audience.INTERNAL) -> Shares:
    found = shares(redact(check(pd.DataFrame({"age": ages}), policy(k)), audience).result)
    assert found is not None
    return found


@given(st.lists(st.integers(1, 6), min_size=1, max_size=40), st.integers(1, 12))
def test_a_bar_is_cut_where_the_classes_are(ages: list[int], k: int) -> None:
    """Counted here one record after the other."""
    size, k = Counter(ages), max(k, 2)
    places = [0 if size[age] == 1 else 1 if size[age] < k else 2 for age in ages]
    expected = [places.count(place) for place in ((0, 2) if k == 2 else (0, 1, 2))]
    (bar,) = picture(ages, k).bars
    assert [int(part.text.split(" ")[0]) for part in bar.parts] == expected
    assert [part.length for part in bar.parts] == pytest.approx([WIDTH * n / len(ages) for n in expected], abs=0.02)
    assert [part.begin for part in bar.parts] == pytest.approx(
        [0, *map(sum, ([p.length for p in bar.parts[:i]] for i in range(1, len(bar.parts))))], abs=0.05
    )


@pytest.mark.parametrize(
    ("ages", "k", "said"),
    [
        ([30] * 5, 5, "Nobody: in what the attacker knows, each record is like at least 4 others."),
        ([30] * 5, 2, "Nobody: in what the attacker knows, each record is like at least 1 other."),
        ([30, 31, 31, 31], 4, "25.0 % of the records are like no other in what the attacker knows."),
        ([30, 30, 31, 31, 31, 31], 4, "33.3 % of the records are like fewer than 3 others in what the attacker knows."),
    ],
)
def test_the_sentence_says_what_the_last_bar_shows(ages: list[int], k: int, said: str) -> None:
    assert picture(ages, k).sentence == said


def test_of_an_attacker_who_knows_several_records_it_speaks_of_one() -> None:
    """Both wards hold three persons; who was in both, and when, is alone with two records, and with one is not."""
    rows = [("a", w) for w in "xy"] + [("b", "x"), ("c", "x"), ("d", "y"), ("e", "y")]
    rules = {
        "version": 1, "name": "p", "unit": "who", "attributes": {"who": "pseudonym", "ward": "quasi-identifier"},
        "requirements": [{"model": "k-anonymity", "k": 3, "knows": {"events": 2}}],
    }  # fmt: skip
    result = check(pd.DataFrame(rows, columns=["who", "ward"]), rules)
    assert result.requirements[0].achieved == 1
    told = shares(redact(result, Audience.REVIEWER).result)
    assert told is not None
    assert told.sentence == "Nobody: in what one record of a person tells, each record is like at least 2 others."
    assert words.attacker(result).startswith("Someone who knows ward of up to 2 records of a person, ")


@pytest.mark.parametrize(("few", "seen"), [([91, 92, 93, 93], False), ([], True)])
def test_the_public_sees_no_bar_of_a_few(few: list[int], seen: bool) -> None:
    """Besides twenty classes of sixty, four records stand out: what would tell their number is hidden."""
    ages = [age for age in range(20) for _ in range(60)]
    result = check(pd.DataFrame({"age": ages + few}), policy(10))
    assert (shares(redact(result, Audience.PUBLIC).result) is not None) == seen


@pytest.mark.parametrize(("column", "seen"), [("age", False), ("pay", True)])
def test_of_masked_values_that_the_attacker_knows_nothing_is_drawn(column: str, seen: bool) -> None:
    """Masked ages are nobody's: that one is like no other says nothing of who knows the true one."""
    attributes = {"age": {"role": "quasi-identifier", "type": "number"}, "pay": {"role": "sensitive", "type": "number"}}
    rounding = {"method": "rounding", "attributes": [column], "base": 7}
    rules = {**policy(2), "attributes": attributes, "protection": [rounding]}
    result = mask(pd.DataFrame({"age": [30, 30, 40, 40], "pay": [1, 22, 33, 44]}), rules).result
    assert (shares(redact(result, Audience.INTERNAL).result) is not None) == seen


def test_a_release_has_a_bar_before_and_one_after() -> None:
    found = shares(redact(EVERY["remediated"](), Audience.REVIEWER).result)
    assert found is not None
    assert [bar.name for bar in found.bars] == ["Before", "After"]


def test_of_outputs_that_could_not_be_judged_nothing_is_drawn_as_allowed(tmp_path: Path) -> None:
    """A sum without a count of its contributors."""
    cells = [{"key": ["a"], "sum": 100}, {"key": ["b"], "sum": 90}]
    file = tmp_path / "t.json"
    file.write_text(json.dumps({"type": "magnitude-table", "by": ["age"], "of": "cost", "cells": cells}), "utf-8")
    rules = {"attributes": {"age": "quasi-identifier", "cost": "sensitive"}}
    limits = {"type": "magnitude-table", "min_cell": 3}
    found = check_outputs(str(file), {"name": "m", **rules, "outputs": [limits]})
    assert found.verdict == "not-evaluated"
    assert shares(redact(found, Audience.INTERNAL).result) is None


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("audience", Audience)
def test_every_part_has_its_place(name: str, audience: Audience) -> None:
    found = shares(redact(EVERY[name](), audience).result)
    for bar in found.bars if found else ():
        assert found is not None
        assert len(bar.parts) == len(found.cuts)
        assert sum(part.length for part in bar.parts) == pytest.approx(WIDTH, abs=0.05) or not any(
            part.length for part in bar.parts
        )
