"""The pictures of a masking: what is drawn, what is told of the rest, and what no audience may read off a bar."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import auditor
from auditor.report import masking, redact, render
from auditor.report.html import _masked
from auditor.report.stored import parse
from auditor.result import Audience
from tests.report.masking_samples import little_left, many_pictured, masked, pictured
from tests.report.test_kinds import K, numbers_of

COUNTS = ("before", "after", "missing_before", "missing_after")


def test_bars_are_as_high_as_their_shares_and_the_line_before_is_as_high_as_its_own():
    """1,000 records; of 400 before, 380 are left in the middle bin, the highest."""
    found = replace(pictured(), masking=replace(pictured().masking, records=1000))
    first = _masked.distributions(found)[0]
    heights = [box.height for box in first.boxes]
    assert [round(height / heights[1], 2) for height in heights] == [0.79, 1.0, 0.74, 0.11]
    floor = first.outline[0][1]
    tops = [floor - y for _, y in first.outline[1:-1:2]]
    assert [round(top / tops[1], 3) for top in tops] == [0.75, 1.0, 0.75, 0.0]
    assert first.table[1] == ("10 to below 20", "400 (40.0 %)", "380 (38.0 %)")
    assert first.table[-1] == ("missing", "0 (0 %)", "40 (4.0 %)")
    assert [tick.label for tick in first.x_ticks] == ["10", "20", "missing"]


def test_categories_are_pairs_of_bars():
    found = replace(pictured(), masking=replace(pictured().masking, records=1000))
    pairs = _masked.distributions(found)[2]
    assert [box.kind for box in pairs.boxes[:4]] == ["empty", "right"] * 2
    dashed, full = pairs.boxes[0].width, pairs.boxes[1].width
    assert full / dashed == pytest.approx(100 / 110, abs=0.01)
    assert [row[0] for row in pairs.table][-2:] == ["all others", "missing"]


def test_a_page_draws_twelve_columns_and_says_how_many_it_does_not():
    assert len(_masked.distributions(many_pictured())) == 12
    assert masking.not_drawn(many_pictured()) == ["3 columns not drawn: only 12 are."]
    one = many_pictured().masking.distributions[0]
    alone = replace(many_pictured(), masking=replace(many_pictured().masking, distributions=(one,)))
    assert masking.not_drawn(alone)[0].startswith("14 columns not drawn: too few records share a value")
    html = render(redact(many_pictured(), Audience.REVIEWER), "html")
    assert len(re.findall(r'id="change-\d+-title"', html)) == 12
    assert "3 columns not drawn" in html


def test_who_is_found_is_drawn_by_what_is_known_of_the_linkage_that_finds_most():
    first, otherwise = _masked.linkage(pictured())
    assert [bar.value for bar in first.bars] == ["2.2 %", "6.0 %"]
    assert [bar.length / first.whole for bar in first.bars] == pytest.approx([0.022, 0.06], abs=1e-3)
    assert [bar.label for bar in first.bars] == ["age", "and cost"]
    assert "euclidean" in first.description
    assert [row[0] for row in otherwise.table] == ["ward", "and x"]
    assert [bar.value for bar in otherwise.bars] == ["13.0 %", "60.0 %"]


def test_an_attacker_who_knows_much_is_drawn_in_ten_bars():
    found = pictured()
    rates = tuple(float(n) for n in range(30))
    linked = replace(found.protection.linkage[0], rates=rates, percent=14.5)
    names = tuple(f"v{n}" for n in range(30))
    figures = replace(found.protection, linkage=(linked,), known=names)
    (figure, _) = _masked.linkage(replace(found, protection=figures))
    assert [bar.label for bar in figure.bars][::9] == ["v0", "and v29"]
    assert len(figure.bars) == 10
    assert len(figure.table) == 30


def test_nothing_is_drawn_of_what_is_hidden_or_was_not_measured():
    assert _masked.linkage(redact(little_left(), Audience.PUBLIC).result) == []
    assert _masked.distributions(masked()) == []
    html = render(redact(masked(), Audience.REVIEWER), "html")
    assert "Who can still be found" in html
    assert "Masked columns before and after" in html
    assert "2 columns not drawn" in html


def test_labels_are_for_the_inside_and_edges_not_for_the_public():
    for audience, edges, labels in (
        (Audience.INTERNAL, True, True),
        (Audience.REVIEWER, True, False),
        (Audience.PUBLIC, False, False),
    ):
        document = redact(pictured(), audience).to_dict()["masking"]["distributions"]
        assert (document[1]["edges"] is not None) is edges
        assert (document[2]["labels"] is not None) is labels
        html = render(redact(pictured(), audience), "html")
        assert ("20,000,000" in html) is edges
        assert ("a very long category" in html) is labels
        assert "all others" in html


def test_the_public_reads_multiples_and_no_column_of_which_few_were_masked():
    found = pictured()
    assert found.masking is not None
    columns = [*found.masking.columns]
    columns[0] = replace(columns[0], changed=3)
    columns[1:] = [replace(each, changed=500) for each in columns[1:]]
    uneven = replace(found.masking.distributions[1], before=(57,) * 17, after=(64,) * 17)
    missing = replace(found.masking.distributions[2], missing_after=4)
    distributions = (found.masking.distributions[0], uneven, missing)
    planted = replace(found, masking=replace(found.masking, columns=tuple(columns), distributions=distributions))
    k = planted.policy.protection_threshold
    assert k is not None
    seen = redact(planted, Audience.PUBLIC).to_dict()["masking"]["distributions"]
    assert [seen[0][name] for name in COUNTS] == [None] * 4, "3 values were changed"
    assert [seen[2][name] for name in COUNTS] == [None] * 4, "4 values were lost"
    assert {*seen[1]["before"], *seen[1]["after"]} == {k * round(57 / k), k * round(64 / k)}
    reviewed = redact(planted, Audience.REVIEWER).to_dict()["masking"]["distributions"]
    assert reviewed[1]["before"] == [57] * 17
    html = render(redact(planted, Audience.PUBLIC), "html")
    assert "2 columns not drawn: few values were masked or lost" in html


@pytest.mark.parametrize("audience", Audience)
def test_a_stored_masking_shows_the_same_pictures(audience):
    written = render(redact(pictured(), audience), "json")
    again = parse(written).document_for(audience)
    assert render(again, "html") == render(redact(pictured(), audience), "html")
    assert render(parse(written).document_for(Audience.PUBLIC), "json") == render(
        redact(pictured(), Audience.PUBLIC), "json"
    )


def test_a_stored_document_that_does_not_fit_is_not_drawn():
    found = pictured()
    assert found.masking is not None
    for wrong in ({"edges": (1.0,)}, {"after": (1, 2)}, {"before": (), "after": ()}):
        first = replace(found.masking.distributions[0], **wrong)
        bent = replace(found, masking=replace(found.masking, distributions=(first,)))
        render(redact(bent, Audience.INTERNAL), "html")


def table(small: int, rows: int = 892) -> pd.DataFrame:
    """A few of an age and a town of their own, and far richer than the others, who are in thirds.

    A third is a multiple of K and less than half of K more with the few: who knows all others to a person, and that
    one more would be rounded up, learns that there is none.
    """
    third = rows // 3
    parts = (small, third - small, third, rows - 2 * third)
    return pd.DataFrame(
        {
            "age": np.repeat([90.0, 30.0, 40.0, 50.0], parts),
            "pay": np.repeat([99_999.0, 100.0, 200.0, 300.0], parts),
            "town": np.repeat(["rareville", "north", "south", "west"], parts),
            "ward": ["a", "b"] * (rows // 2),
        }
    )


@cache
def found(small: int) -> Any:
    """All numbers are rounded, and some towns are exchanged."""
    number = {"role": "sensitive", "type": "number"}
    asked = {
        "version": 1,
        "name": "p",
        "attributes": {"age": number, "pay": number, "town": "sensitive", "ward": "quasi-identifier"},
        "requirements": [{"model": "k-anonymity", "k": K}],
        "protection": [
            {"method": "rounding", "attributes": ["age", "pay"], "base": 7},
            {"method": "pram", "attributes": ["town"], "matrix": "invariant", "theta": 0.9},
        ],
    }
    return auditor.mask(table(small), asked, seed=1).result


@pytest.mark.parametrize("small", range(1, 10))
def test_no_bar_singles_out_a_few(small: int) -> None:
    """Whoever reads it: each bin holds nobody, or at least K; no edge lies beyond the others, no label is theirs."""
    drawn = found(small).masking.distributions
    assert [each.name for each in drawn] == ["age", "pay", "town"]
    for each in drawn:
        assert all(count == 0 or count >= K for count in (*each.before, *each.after))
        assert max(each.edges or (0,)) < 400
        assert each.labels is None or "rareville" not in each.labels
    for audience in Audience:
        assert "rareville" not in render(redact(found(small), audience), "html")


def test_no_number_of_a_public_picture_depends_on_how_few_they_are() -> None:
    pages = [numbers_of(redact(found(small), Audience.PUBLIC).to_dict()) for small in (1, 2, 3)]
    drawn = re.compile("/masking/distributions/[01]/(before|after)/")  # towns are drawn at random
    places = {place for page in pages for place in page if drawn.match(place)}
    assert len(places) > 10
    for place in places:
        assert len({page.get(place) for page in pages}) == 1, place
    inside = [numbers_of(redact(found(small), Audience.REVIEWER).to_dict()) for small in (1, 2, 3)]
    assert any(len({page[place] for page in inside}) > 1 for place in places), "the tables differ"
