"""Decisions before an answer: published cases, and every answer that a small database could give."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.inference.extrema._joined import joined
from auditor.inference.extrema.extremes import ExtremeAnswer
from auditor.inference.extrema.worst_case import (
    DISCLOSES,
    INCONSISTENT,
    SAFE,
    UNSURE,
    may_answer_extreme,
    may_answer_sum,
)
from auditor.inference.integer.intervals import UnknownDomain, intervals
from tests.inference.oracles import corners, equations_of
from tests.inference.test_extremes import databases, logs, of, ones

F = Fraction


def disclosed(found, records: int) -> set[int]:
    return {i for i in range(records) if len({x[i] for x in found}) == 1}


@given(logs(records=3), st.sampled_from(["max", "min"]), st.sets(st.integers(0, 2), min_size=1))
def test_extremes_are_denied_iff_an_answer_of_some_database_discloses(log, which: str, members: set[int]) -> None:
    """The databases are those of `databases`; each gives one answer, and the answers are judged by enumeration too."""
    _, asked = log
    asked = asked[:3]
    everybody = list(databases(asked, 3, distinct=False))
    before = disclosed(everybody, 3)
    grid = {(max if which == "max" else min)(x[i] for i in members) for x in everybody}
    pending = [(which, sorted(members), answer) for answer in grid]
    expected = any(disclosed(list(databases([*asked, query], 3, distinct=False)), 3) - before for query in pending)
    members_array = np.array(sorted(members), dtype=np.int64)
    found = may_answer_extreme([of(*query) for query in asked], which, members_array, ones(3), distinct=False)
    assert found == (DISCLOSES if expected else SAFE)


def test_the_denial_that_gave_the_third_value_away() -> None:
    """Kenthapadi, Mishra & Nissim 2005: MAX of three is 9; MAX of two of them is denied whatever it is."""
    asked = [of("max", [0, 1, 2], 9)]
    pair = np.array([0, 1])
    assert may_answer_extreme(asked, "max", pair, ones(3), distinct=True) == DISCLOSES
    assert may_answer_extreme(asked, "max", np.array([0, 1, 2]), ones(3), distinct=True) == SAFE
    assert may_answer_extreme([], "max", pair, ones(3), distinct=True) == SAFE
    assert may_answer_extreme([], "max", np.array([0]), ones(3), distinct=True) == DISCLOSES


def test_records_that_nothing_connects_do_not_matter() -> None:
    asked = [of("max", [3, 4, 5], 9), of("max", [3, 4], 5), of("max", [0, 1, 2], 9)]
    assert may_answer_extreme(asked, "min", np.array([0, 1, 2]), ones(6), distinct=False) == DISCLOSES
    assert may_answer_extreme(asked[:2], "min", np.array([0, 1, 2]), ones(6), distinct=False) == SAFE
    refuted = [of("max", [0], 9), of("max", [1, 2], 9)]
    assert may_answer_extreme(refuted, "max", np.array([0, 1]), ones(6), distinct=True) == INCONSISTENT


def test_whole_numbers_between_neighbours() -> None:
    """Nothing lies between 3 and 4; everybody at the end of a domain of 0 and 1 is found out by an answer of 0."""
    domains = [UnknownDomain(F(0), F(1), integer=True)] * 3
    assert may_answer_extreme([], "max", np.array([0, 1, 2]), ones(3), distinct=False, domains=domains) == DISCLOSES


def test_the_published_online_case(shared_vectors: Path) -> None:
    cases = {case["id"]: case for case in json.loads((shared_vectors / "query_cases.json").read_text())["cases"]}
    case = cases["QA32"]
    records = [row[0] for row in case["table"]["rows"]]
    rows: list[list[int]] = []
    answers: list[Fraction] = []
    decisions = []
    for query in case["queries"]:
        row = [int(record in query["ids"]) for record in records]
        given_so_far = equations_of(rows, [1] * len(records))
        found = may_answer_sum(given_so_far, answers, np.array(row), [UnknownDomain()] * len(records))
        decisions.append("answer" if found.answer else "deny")
        if found.answer:
            rows.append(row)
            answers.append(F(query["answer"]))
    assert decisions == next(check for check in case["checks"] if check["mode"] == "online")["decisions"]


@st.composite
def sums(draw: st.DrawFn, *, integer: bool):
    count = 3
    high = draw(st.integers(1, 3))
    values = draw(st.lists(st.integers(0, high), min_size=count, max_size=count))
    coefficients = st.lists(st.integers(0, 1 if integer else 2), min_size=count, max_size=count)
    rows = draw(st.lists(coefficients, max_size=2))
    answers = [F(sum(a * v for a, v in zip(row, values, strict=True))) for row in rows]
    return rows, answers, draw(coefficients), UnknownDomain(F(0), F(high), integer=integer)


@given(sums(integer=True))
def test_sums_of_whole_numbers_against_every_database(drawn) -> None:
    rows, answers, pending, domain = drawn
    everybody = [
        x
        for x in product(range(int(domain.high) + 1), repeat=3)
        if all(sum(a * v for a, v in zip(row, x, strict=True)) == b for row, b in zip(rows, answers, strict=True))
    ]
    by_answer: dict[int, list] = {}
    for x in everybody:
        by_answer.setdefault(sum(a * v for a, v in zip(pending, x, strict=True)), []).append(x)
    before = disclosed(everybody, 3)
    expected = any(disclosed(found, 3) - before for found in by_answer.values())
    found = may_answer_sum(equations_of(rows, [1] * 3), answers, np.array(pending), [domain] * 3)
    assert found == (DISCLOSES if expected else SAFE)


@given(sums(integer=False), st.sampled_from([0, 1, 2]), st.integers(0, 6))
def test_sums_of_reals_against_the_corners_at_many_answers(drawn, min_width: int, step: int) -> None:
    """The two ends say what any answer between them can do."""
    rows, answers, pending, domain = drawn
    bounds = [(domain.low, domain.high)] * 3

    def narrow(rows, answers) -> set[int]:
        found = list(corners(rows, answers, bounds))
        spans = [max(x[i] for x in found) - min(x[i] for x in found) for i in range(3)]
        return {i for i, width in enumerate(spans) if width == 0 or width < min_width}

    possible = [sum(F(a) * v for a, v in zip(pending, x, strict=True)) for x in corners(rows, answers, bounds)]
    low, high = min(possible), max(possible)
    before = narrow(rows, answers)
    worst = any(narrow([*rows, pending], [*answers, end]) - before for end in (low, high))
    inside = low + (high - low) * F(step, 6)
    if narrow([*rows, pending], [*answers, inside]) - before:
        assert worst
    found = may_answer_sum(
        equations_of(rows, [1] * 3), answers, np.array(pending), [domain] * 3, min_width=F(min_width)
    )
    assert found == (DISCLOSES if worst else SAFE)


def test_a_sum_with_an_open_end_is_judged_at_the_other() -> None:
    """Non-negative values: a sum of 0 gives everybody away, and no answer is too large."""
    domain = [UnknownDomain(F(0))] * 2
    assert may_answer_sum(equations_of([], [5, 1]), [], np.array([1, 0]), domain) == DISCLOSES
    assert may_answer_sum(equations_of([], [5, 1]), [], np.array([1, 0]), [UnknownDomain()] * 2) == SAFE


def test_a_sum_that_follows_is_answered_and_one_of_nobody_too() -> None:
    domain = [UnknownDomain(F(0), F(10))] * 3
    equations = equations_of([[1, 1, 0], [0, 0, 1]], [2, 2, 2])
    assert may_answer_sum(equations, [F(9), F(7)], np.array([1, 1, 1]), domain) == SAFE
    assert may_answer_sum(equations, [F(9), F(7)], np.array([0, 0, 0]), domain) == SAFE


def test_what_cannot_be_excluded_is_denied() -> None:
    mixture = [UnknownDomain(F(0), F(9)), UnknownDomain(F(0), F(1), integer=True)]
    assert may_answer_sum(equations_of([], [3, 3]), [], np.array([1, 1]), mixture) == UNSURE
    whole = [UnknownDomain(None, None, integer=True)]
    assert may_answer_sum(equations_of([], [3]), [], np.array([1]), whole) == UNSURE
    late = may_answer_sum(equations_of([], [3]), [], np.array([1]), [UnknownDomain(F(0), F(9))], deadline=0.0)
    assert late == UNSURE
    wrong = may_answer_sum(equations_of([[1]], [1]), [F(11)], np.array([2]), [UnknownDomain(F(0), F(9))])
    assert wrong == INCONSISTENT


@pytest.mark.parametrize("truth", [[3, 5, 9], [9, 5, 3], [1, 8, 9], [9, 9, 9]])
def test_no_decision_depends_on_the_value_that_is_asked_for(truth: list[int]) -> None:
    """All these give the same first answer, so that they must get the same decisions, and learn nothing from them."""
    asked = [of("max", [0, 1, 2], max(truth))]
    assert max(truth) == 9
    assert may_answer_extreme(asked, "max", np.array([0, 1]), ones(3), distinct=False) == DISCLOSES


def test_a_disclosure_that_happened_does_not_deny_everything_after() -> None:
    asked: list[ExtremeAnswer] = [of("max", [0], 4)]
    assert may_answer_extreme(asked, "max", np.array([0]), ones(4), distinct=False) == SAFE
    equations = equations_of([[1, 0]], [1, 3])
    assert may_answer_sum(equations, [F(4)], np.array([1, 0]), [UnknownDomain()] * 2) == SAFE
    assert may_answer_sum(equations, [F(4)], np.array([1, 1]), [UnknownDomain()] * 2) == SAFE
    assert intervals(equations, [F(4)], [UnknownDomain()] * 2).of_atom[0].status == "determined"


def test_members_of_an_atom_are_judged_one_by_one() -> None:
    """The sum of two of three records leaves the third; the sum of two of four leaves a pair."""
    pending, domains = np.array([1, 0]), [UnknownDomain()] * 2
    for sizes, expected in (([2, 1], DISCLOSES), ([2, 2], SAFE)):
        found = may_answer_sum(equations_of([[1, 1]], sizes), [F(12)], pending, domains, min_width=F(5))
        assert found == expected


@given(
    logs(records=4),
    st.sampled_from(["max", "min"]),
    st.sets(st.integers(0, 3), min_size=1),
    st.booleans(),
    st.sampled_from([0, 2, 5]),
)
def test_to_join_columns_changes_no_decision(log, which: str, members: set[int], distinct: bool, width: int) -> None:
    _, asked = log
    earlier = [of(*query) for query in asked]
    domains = [UnknownDomain(F(0), F(9))] * 2 + [UnknownDomain()] * 2
    wanted = np.array(sorted(members), dtype=np.int64)

    def decided():
        return may_answer_extreme(
            earlier, which, wanted, ones(4), distinct=distinct, domains=domains, min_width=F(width)
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("auditor.inference.extrema.worst_case.joined", lambda *unchanged: unchanged)
        if not distinct:  # then the log is consistent, in what nothing connects to the question too
            everybody = lambda earlier, _, count: (list(earlier), np.arange(count))  # noqa: E731
            patch.setattr("auditor.inference.extrema.worst_case._near", everybody)
        apart = decided()
    assert decided() == apart


def test_records_of_one_kind_are_joined() -> None:
    """The first answer says nothing more of those whom the second bounds closer: two kinds of records remain."""
    asked = [of("max", [0, 1, 2, 3], 9), of("max", [2, 3], 5)]
    kept, members, sizes, domains = joined(asked, np.array([0, 1, 2, 3]), ones(4), [UnknownDomain()] * 4)
    assert [extreme.members.tolist() for extreme in kept] == [[0], [1]]
    assert (members.tolist(), sizes.tolist(), len(domains)) == ([0, 1], [2, 2], 2)
