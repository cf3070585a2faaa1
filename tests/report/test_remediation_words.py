"""What the readable formats say of a remediation."""

from __future__ import annotations

import html
from dataclasses import replace

import pytest

from auditor.remediate._losses import METRICS
from auditor.report import redact, remediation, render, words
from auditor.report.rendered import FORMATS
from auditor.result import Audience
from auditor.result.remediation import LadderChoice, RemediationResult, Solution
from tests.report import samples

every_sample = pytest.mark.parametrize("name", samples.REMEDIATIONS)
every_audience = pytest.mark.parametrize("audience", Audience)


def view(result: RemediationResult, audience: Audience = Audience.REVIEWER) -> RemediationResult:
    return words.view(redact(result, audience)).result


def solved(result: RemediationResult) -> Solution:
    """The solution for the eye."""
    solution = view(result).solution
    assert solution is not None
    return solution


@pytest.mark.parametrize(
    ("name", "headline", "why"),
    [
        ("remediated", "The release meets policy", "every one met. The original table did not meet k and t-closeness"),
        ("planned", "A release was planned that meets policy", "Nothing was written."),
        (
            "release-fails",
            "The release does not meet policy",
            "requirements not met (t-closeness-diagnosis). Nothing was",
        ),
        (
            "infeasible",
            "No release was found that meets policy",
            "Nothing was written: t-closeness-diagnosis cannot be met within the policy's levels and suppression",
        ),
    ],
)
def test_the_verdict_is_one_of_the_release(name: str, headline: str, why: str) -> None:
    document = view(samples.REMEDIATIONS[name]())
    assert words.headline(document) == headline
    assert why in words.why(document)


def test_a_result_of_check_is_no_remediation() -> None:
    document = words.view(redact(samples.passing(), Audience.REVIEWER)).result
    assert not remediation.is_one(document)
    assert words.headline(document) == "Meets policy"


def test_every_requirement_stands_beside_itself() -> None:
    rows = [
        (pair.requirement.id, pair.before, pair.after, pair.words)
        for pair in remediation.pairs(view(samples.remediated()))
    ]
    assert rows == [
        ("k", "1, not met", "24", "met"),
        ("t-closeness-diagnosis", "0.2871, not met", "0.1", "met"),
        ("average-risk", "0.04179", "0.01576", "met"),
    ]


def test_a_requirement_that_only_one_audit_has_is_kept() -> None:
    result = samples.remediated()
    assert result.after is not None
    fewer = replace(result.after, requirements=result.after.requirements[1:])
    pairs = {p.requirement.id: (p.before, p.after) for p in remediation.pairs(view(replace(result, after=fewer)))}
    assert pairs["k"] == ("1, not met", "–")


def test_what_stands_in_the_way_comes_with_what_would_be_enough() -> None:
    obstacle, nearest, enough, short = remediation.lacking(view(samples.infeasible()))
    assert obstacle.startswith("t-closeness-diagnosis: at the coarsest levels the number is still 0.24 (0.2 required)")
    assert obstacle.endswith("420 records would have to be suppressed.")
    assert nearest == (
        "The nearest release: levels age 3, sex 1, zip 2; 391 records would have to be suppressed there."
    )
    assert "a single value for zip, everything else at its coarsest" in enough
    assert short == "A coarser ladder alone would not be enough for age, not even one up to a single value."


def test_suppressed_records_come_with_their_share() -> None:
    assert (
        remediation.suppressed(solved(samples.remediated()), remediation.rows_before(samples.remediated()))
        == "340 of 4,020 records (8.5 %)"
    )


@pytest.mark.parametrize(
    ("level", "labels", "reads", "coarser"),
    [
        (0, ("[0, 5)", "*"), "as it was", "[0, 5), then *"),
        (1, ("[0, 5)", "*"), "such as [0, 5)", "*"),
        (2, ("*",), "* (nothing of the value is left)", "nothing coarser"),
        (5, ("*****",), "***** (nothing of the value is left)", "nothing coarser"),
        (1, (None, "Any"), "see the policy", "Any"),
        (0, (), "as it was", "nothing coarser"),
    ],
)
def test_a_ladder_is_told_by_its_labels(level: int, labels: tuple[str | None, ...], reads: str, coarser: str) -> None:
    ladder = LadderChoice(attribute="age", level=level, height=2, labels=labels)
    (shown,) = solved(replace(samples.remediated(), solution=samples.solution_of(ladders=(ladder,)))).ladders
    assert remediation.reads_like(shown) == reads
    assert remediation.coarser(shown) == coarser


def test_every_loss_metric_has_its_sentence() -> None:
    assert set(remediation.METRICS) == set(METRICS)
    assert all(meaning.endswith(".") for meaning in remediation.METRICS.values())


def test_the_search_is_told_in_sentences() -> None:
    assert remediation.found(solved(samples.remediated())) == [
        "Of 32 ways to generalize, 20 meet the policy, 6 of them minimal: nothing finer meets it.",
        "2 share the least loss (0.3812); the first of them was chosen.",
    ]


@pytest.mark.parametrize(
    ("search", "sentence", "lost"),
    [
        (
            "samarati",
            "2 share the least height (3); the first of them was chosen.",
            "height 3, the least that meets the policy",
        ),
    ],
)
def test_a_search_that_minimizes_no_loss_claims_none(search: str, sentence: str, lost: str) -> None:
    solution = samples.solution_of(search=search, loss=None, costs=())
    shown = solved(replace(samples.remediated(), solution=solution))
    assert remediation.found(shown)[-1] == sentence
    assert remediation.lost(shown) == lost
    assert "least loss" not in render(
        redact(replace(samples.remediated(), solution=solution), Audience.REVIEWER), "html"
    )


def test_a_search_that_did_not_end_says_so() -> None:
    first, *_, last = remediation.found(solved(samples.vast()))
    assert "not all of the others were decided" in first
    assert last.endswith("one that loses less may exist, but none that loses less than 0.29.")


@every_sample
@every_audience
@pytest.mark.parametrize("format_", FORMATS)
def test_no_format_promises_more_than_was_judged(name: str, audience: Audience, format_: str) -> None:
    said = render(redact(samples.REMEDIATIONS[name](), audience), format_).lower()
    for promise in ("anonymous", "anonymised", "anonymized", "safe", "compliant"):
        assert promise not in said


@every_sample
@every_audience
def test_text_keeps_to_its_width(name: str, audience: Audience) -> None:
    from auditor.report import text

    for width in (40, 80, 100):
        lines = text.document(redact(samples.REMEDIATIONS[name](), audience), width).splitlines()
        assert max(map(words.columns, lines)) <= width


def test_text_and_markdown_show_before_and_after() -> None:
    document = redact(samples.remediated(), Audience.REVIEWER)
    header = ["Requirement", "Required", "Before", "After", "Status", "Policy"]
    assert any(line.split() == header for line in render(document, "text").splitlines())
    assert f"| | {' | '.join(header)} |" in render(document, "markdown")
    assert "left out: 340 of 4,020 records (8.5 &#37;)" in render(document, "markdown")


def test_hidden_numbers_stay_hidden() -> None:
    solution = samples.solution_of(suppressed_records=4)
    result = replace(samples.remediated(), solution=solution)
    for format_ in ("text", "markdown", "html"):
        said = render(redact(result, Audience.PUBLIC), format_)
        assert "hidden of hidden records" in said
        assert "0.3812" not in said


def test_records_that_stay_as_stars_are_not_said_to_be_left_out() -> None:
    result = samples.REMEDIATIONS["remediated"]()
    assert result.solution is not None
    starred = replace(result, solution=replace(result.solution, suppress="star"))
    for format_ in ("text", "markdown", "html"):
        assert "left out" in render(redact(result, Audience.REVIEWER), format_).lower()
        shown = render(redact(starred, Audience.REVIEWER), format_).lower()
        assert "made *" in html.unescape(shown)
        assert "left out" not in shown
