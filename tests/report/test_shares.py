"""The picture of page one: what it counts, and what it does not tell."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import check
from auditor.report import redact
from auditor.report.html._shares import WIDTH, Shares, shares
from auditor.result import Audience
from tests.report.every import EVERY


def table(ages: list[int]) -> dict[str, list[int]]:
    return {"age": ages}


def policy(k: int) -> dict[str, object]:
    return {
        "name": "clinic",
        "attributes": {"age": "quasi-identifier"},
        "requirements": [{"model": "k-anonymity", "k": k}],
    }


def picture(ages: list[int], k: int, audience: Audience = Audience.INTERNAL) -> Shares:
    import pandas as pd

    found = shares(redact(check(pd.DataFrame(table(ages)), policy(k)), audience).result)
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


def test_the_public_sees_no_bar_of_a_few() -> None:
    """Four records of forty stand out: their number, and so the length of every part, is hidden."""
    seen = picture([30] * 36 + [40, 41, 50, 50], 10, Audience.PUBLIC)
    assert seen.sentence == "Some of these numbers are hidden from this audience."
    assert {part.length for bar in seen.bars for part in bar.parts} == {0}
    assert not {"2", "4", "2 (5.0 %)"} & {part.text for bar in seen.bars for part in bar.parts}


def test_a_release_has_a_bar_before_and_one_after() -> None:
    found = shares(redact(EVERY["remediated"](), Audience.REVIEWER).result)
    assert found is not None
    assert [bar.name for bar in found.bars] == ["Before", "After"]


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
