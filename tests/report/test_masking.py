"""What the reports of a masking say, and what the public is not told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditor.report import masking, words
from auditor.report.redact import redact
from auditor.report.rendered import render
from auditor.result import Audience
from tests.report.masking_samples import MASKINGS, little_left, masked, not_met


@pytest.mark.parametrize("format_", ["text", "html", "markdown"])
def test_every_format_tells_what_was_masked_and_what_it_cost(format_):
    said = render(redact(masked(), Audience.REVIEWER), format_)
    for words_of in (
        "The masked release meets policy",
        "microaggregation",
        "34.36",
        "32.3",
        "26.28",
        "18.2",
        "mahalanobis",
    ):
        assert words_of in said


@pytest.mark.parametrize("name", MASKINGS)
def test_no_report_claims_more_than_it_measured(name):
    for format_ in ("text", "html", "markdown", "junit", "github"):
        said = render(redact(MASKINGS[name](), Audience.PUBLIC), format_).lower()
        assert not any(word in said for word in ("anonymous", "anonymised", " safe"))


def test_a_table_that_does_not_meet_the_policy_was_not_written():
    said = render(redact(not_met(), Audience.REVIEWER), "text")
    assert "The masked table does not meet policy" in said
    assert "Nothing was written." in said


def test_figures_that_tell_of_few_people_are_hidden_with_what_follows_from_them():
    document = redact(little_left(), Audience.PUBLIC).to_dict()
    figures = document["protection"]
    hidden = {path.removeprefix("protection/") for path in document["redacted"] if path.startswith("protection/")}
    assert hidden == {
        "linkage/0/percent",
        "linkage/0/rates",
        "linkage_risk",
        "disclosure_risk",
        "score",
        "same_rows",
        "group_k",
    }
    assert figures["linkage_risk"] is figures["score"] is figures["group_k"] is None
    assert figures["interval_disclosure"] == 32.3
    assert redact(little_left(), Audience.REVIEWER).to_dict()["protection"]["group_k"] == 1


def test_one_small_rate_hides_the_mean_of_the_rates():
    found = masked()
    assert found.protection is not None
    assert found.data is not None
    small = replace(found.protection.linkage[0], rates=(100 * 2 / found.data.rows, 40.0), percent=20.0)
    figures = replace(found.protection, linkage=(small, found.protection.linkage[1]))
    redacted = redact(replace(found, protection=figures), Audience.PUBLIC).to_dict()["redacted"]
    assert {"protection/linkage/0/rates", "protection/linkage/0/percent", "protection/score"} <= set(redacted)
    assert "protection/linkage/1/rates" not in redacted


def test_how_many_stayed_as_they_were_is_hidden_where_they_are_few():
    document = redact(masked(), Audience.PUBLIC).to_dict()
    assert document["masking"]["columns"][0]["changed"] is None
    assert "masking/columns/0/changed" in document["redacted"]
    assert tuple(text[: len("hidden of")] for text in masking.columns(redact(masked(), Audience.PUBLIC).result)[0]) == (
        "age",
        "numbers",
        "hidden of",
    )


def test_parameters_are_told_and_secret_ones_are_not():
    assert masking.methods(words.view(redact(masked(), Audience.PUBLIC)).result) == [
        "microaggregation (k 5): age",
        "pseudonyms (key confidential): cost",
        "pram (matrix as in the policy, flag yes): age and cost",
    ]
