"""The words and numbers that every readable format shares."""

from __future__ import annotations

import doctest
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.report import redact, words
from auditor.result import HIDDEN, Audience, ColumnFacts, RequirementResult
from tests.report import samples


def requirement(**changes: Any) -> RequirementResult:
    found: RequirementResult = replace(samples.failing().requirements[0], also=(), **changes)
    return found


def test_the_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(words).failed == 0


@pytest.mark.parametrize(
    ("achieved", "bound", "comparison", "margin"),
    [
        (1, 11, ">=", "−10"),
        (11, 11, ">=", "±0"),
        (24, 11, ">=", "+13"),
        (0.2871, 0.2, "<=", "−0.0871"),
        (0.1, 0.2, "<=", "+0.1"),
        (0.3, 0.1, "<=", "−0.2"),
        (math.inf, 4.0, "<", "−∞"),
        (math.inf, 3, ">=", "+∞"),
        (None, 3, ">=", "–"),
        (3, "confidential", ">=", "–"),
        (HIDDEN, 3, ">=", "hidden"),
    ],
)
def test_the_margin_is_negative_on_the_wrong_side(achieved: Any, bound: Any, comparison: str, margin: str) -> None:
    assert words.margin(requirement(achieved=achieved, bound=bound, comparison=comparison)) == margin


@given(st.floats(1e-6, 1e6), st.floats(-1e-9, 1e-9))
def test_a_number_never_looks_like_a_bound_that_it_is_not(bound: float, step: float) -> None:
    value = bound * (1 + step)
    shown = words.number(value, against=bound)
    if value != bound:
        assert float(shown.replace(",", "")) != bound


@given(st.floats(0, 1))
def test_a_percentage_never_rounds_to_none_or_all(share: float) -> None:
    shown = words.percent(share)
    assert (shown == "0 %") == (share == 0)
    assert (shown == "100 %") == (share == 1)


@given(st.text(max_size=60), st.integers(5, 40))
def test_a_shortened_text_keeps_to_its_width_and_its_ends(text: str, width: int) -> None:
    shown = words.shortened(text, width)
    assert words.columns(shown) <= width
    assert shown == text or "…" in shown


@pytest.mark.parametrize(
    ("name", "width", "shown"),
    [
        ("distinct-l-diversity-salary-class", 26, "distinct-l-…class"),
        ("frequency-table-differencing", 26, "frequency-…differencing"),
        ("association-rules-min-antecedent-count", 34, "association-rules-min-…count"),
        ("frequency-table-protection", 24, "frequency-…protection"),
        ("releases/2026/clinic_north.csv", 20, "releases/2026….csv"),
        ("Donaudampfschifffahrt", 12, "Donauda…ahrt"),
    ],
)
def test_a_name_of_several_words_is_cut_between_them(name: str, width: int, shown: str) -> None:
    assert words.shortened(name, width) == shown


def test_nothing_that_can_command_a_terminal_or_turn_the_text_stays() -> None:
    names = ["\x1b[31m", "a\u202eb", "c\r\n::error::d", "\udcff", "\u2066e", "\ufefff"]
    shown = words.view(
        redact(samples.result_of((samples.k_anonymity([3], columns=tuple(names)),), [3]), Audience.PUBLIC)
    ).result
    columns = shown.requirements[0].columns
    assert columns == ("\\u001b[31m", "a\\u202eb", "c\\u000d\\u000a::error::d", "\\udcff", "\\u2066e", "\\ufefff")


def test_the_policys_text_keeps_its_lines() -> None:
    assert words.view(redact(samples.failing(), Audience.PUBLIC)).result.policy.text == samples.POLICY_TEXT


@pytest.mark.parametrize(("name", "needle"), [("failing", "requirements not met"), ("passing", "every one met")])
def test_the_sentence_why_counts_what_stands_in_the_way(name: str, needle: str) -> None:
    assert needle in words.why(redact(samples.SAMPLES[name](), Audience.REVIEWER).result)


def test_a_result_without_requirements_says_that_nothing_was_judged() -> None:
    assert words.why(redact(samples.result_of(()), Audience.REVIEWER).result) == "Nothing was judged."


@pytest.mark.parametrize("name", samples.SAMPLES)
@pytest.mark.parametrize("audience", Audience)
def test_no_words_promise_more_than_was_judged(name: str, audience: Audience) -> None:
    document = redact(samples.SAMPLES[name](), audience).result
    said = f"{words.headline(document)} {words.why(document)} {words.attacker(document)} {words.unit(document)}".lower()
    assert not any(promise in said for promise in ("anonymous", "safe", "compliant"))


def test_infinity_is_a_sign() -> None:
    assert words.number(math.inf) == words.number("inf") == "∞"


@pytest.mark.parametrize(
    ("engines", "read"),
    [
        ("varchar", "text"),
        ("bigint", "whole number"),
        ("utinyint", "whole number"),
        ("decimal(18,3)", "number"),
        ("boolean", "true or false"),
        ("date", "date"),
        ("varchar[]", "varchar[]"),
    ],
)
def test_types_of_columns_are_words(engines: str, read: str) -> None:
    assert words.type_of(ColumnFacts(name="pay", role="sensitive", type=engines)) == read
