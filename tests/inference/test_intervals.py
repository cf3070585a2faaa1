"""Intervals of bounded reals: published cases, every corner of small polytopes, and what floating point gets wrong."""

import json
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.inference.integer.intervals import MemberInterval, UnknownDomain, intervals
from tests.inference.oracles import corners, equations_of, members_of

F = Fraction
SMALL = st.integers(-2, 3)


@st.composite
def systems(draw: st.DrawFn, *, unbounded: bool = False):
    """Rows, sizes, domains, and answers that some unknowns give."""
    atoms = draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(1, 2), min_size=atoms, max_size=atoms))
    rows = draw(st.lists(st.lists(st.integers(-1, 2), min_size=atoms, max_size=atoms), min_size=1, max_size=3))
    domains, totals = [], []
    for size in sizes:
        low, width = F(draw(SMALL)), F(draw(st.integers(0, 4)), draw(st.sampled_from([1, 3])))
        members = [low + width * F(draw(st.integers(0, 4)), 4) for _ in range(size)]
        missing = draw(st.sampled_from(["low", "high", "both", "none"])) if unbounded else "none"
        domains.append(
            UnknownDomain(
                None if missing in ("low", "both") else low, None if missing in ("high", "both") else low + width
            )
        )
        totals.append(sum(members))
    answers = [sum((F(a) * z for a, z in zip(row, totals, strict=True)), F(0)) for row in rows]
    return rows, sizes, domains, answers


@given(systems())
def test_an_interval_spans_the_corners_of_the_polytope_of_records(system) -> None:
    rows, sizes, domains, answers = system
    bounds = [(domain.low, domain.high) for domain, size in zip(domains, sizes, strict=True) for _ in range(size)]
    found = list(corners(members_of(rows, sizes), answers, bounds))
    result = intervals(equations_of(rows, sizes), answers, domains)
    assert result.consistent
    first = 0
    for size, interval in zip(sizes, result.of_atom, strict=True):
        assert interval.tight
        assert (interval.low, interval.high) == (min(x[first] for x in found), max(x[first] for x in found))
        assert interval.status == ("determined" if interval.low == interval.high else "free")
        first += size


def implied_end(proof, rows, answers, sizes, domains, atom: int, sign: int):
    """What a combination of answers proves: z_atom ≥ (sign 1) or ≤ (sign −1) this."""
    value = sum((y * answers[t] for t, y in proof.items()), F(0))
    for other, (size, domain) in enumerate(zip(sizes, domains, strict=True)):
        slope = F(int(other == atom)) - sum((y * rows[t][other] for t, y in proof.items()), F(0))
        if slope:
            end = domain.low if slope * sign > 0 else domain.high
            assert end is not None
            value += slope * size * end
    return value


@given(systems(unbounded=True))
def test_the_proof_of_an_end_is_a_combination_of_answers_that_gives_it(system) -> None:
    rows, sizes, domains, answers = system
    result = intervals(equations_of(rows, sizes), answers, domains)
    for atom, (size, domain, interval) in enumerate(zip(sizes, domains, result.of_atom, strict=True)):
        if interval.low_proof is None:
            assert interval.low == domain.low
        else:
            total = implied_end(interval.low_proof, rows, answers, sizes, domains, atom, 1)
            assert interval.low == domain.member_low(size, total)
        if interval.high_proof is None:
            assert interval.high == domain.high
        else:
            total = implied_end(interval.high_proof, rows, answers, sizes, domains, atom, -1)
            assert interval.high == domain.member_high(size, total)


@given(systems(), st.integers(0, 5))
def test_stopping_early_never_changes_who_is_below_the_width(system, enough: int) -> None:
    rows, sizes, domains, answers = system
    whole = intervals(equations_of(rows, sizes), answers, domains)
    early = intervals(equations_of(rows, sizes), answers, domains, enough=F(enough))
    for exact, quick in zip(whole.of_atom, early.of_atom, strict=True):
        assert (exact.high - exact.low < enough) == (quick.high - quick.low < enough)
        assert exact.low <= quick.low <= quick.high <= exact.high


def test_the_published_case_of_a_turnover_that_cannot_be_negative(shared_vectors: Path) -> None:
    cases = {case["id"]: case for case in json.loads((shared_vectors / "query_cases.json").read_text())["cases"]}
    case = cases["QA29"]
    records = [row[0] for row in case["table"]["rows"]]
    rows = [[int(record in query["ids"]) for record in records] for query in case["queries"]]
    answers = [F(query["answer"]) for query in case["queries"]]
    check = next(check for check in case["checks"] if check["mode"] == "interval")
    result = intervals(equations_of(rows, [1] * len(records)), answers, [UnknownDomain(F(0))] * len(records))
    expected = {entry["record"]: (entry["low"], entry["high"]) for entry in check["intervals"]}
    assert {r: (i.low, i.high) for r, i in zip(records, result.of_atom, strict=True)} == expected
    width = check["rules"][0]["min_width"]
    narrow = [r for r, i in zip(records, result.of_atom, strict=True) if i.high - i.low < width]
    assert narrow == check["rules"][0]["breached_records"]


def test_an_answer_at_the_end_of_the_domain_gives_everybody_away() -> None:
    result = intervals(equations_of([[1, 1]], [3, 1]), [F(400)], [UnknownDomain(F(0), F(100))] * 2)
    assert [(i.status, i.low, i.high) for i in result.of_atom] == [("determined", 100, 100)] * 2


def test_an_answer_at_the_end_is_found_in_what_is_too_large_for_a_programme() -> None:
    """A difference at its least: the first at its low end, the other at its high one; nothing is said of the third."""
    equations, domains = equations_of([[1, -1, 0], [0, 1, 1]], [2, 1, 1]), [UnknownDomain(F(0), F(10))] * 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("auditor.inference.integer.parts.MAX_TABLE", 1)
        large = intervals(equations, [F(-10), F(14)], domains)
    small = intervals(equations, [F(-10), F(14)], domains)
    assert large.consistent is None
    assert [(i.status, i.low) for i in large.of_atom] == [("determined", 0), ("determined", 10), ("undetermined", None)]
    assert [(i.status, i.low) for i in small.of_atom] == [("determined", 0), ("determined", 10), ("determined", 4)]


def test_a_gap_of_one_in_1e20_is_seen() -> None:
    top = 10**20
    domain = [UnknownDomain(F(0), F(top))] * 2
    assert intervals(equations_of([[1, 1]], [1, 1]), [F(2 * top)], domain).of_atom[0].status == "determined"
    almost = intervals(equations_of([[1, 1]], [1, 1]), [F(2 * top - 1)], domain).of_atom[0]
    assert (almost.status, almost.low, almost.high) == ("free", top - 1, top)


def test_decimals_are_what_they_say() -> None:
    tenth = [UnknownDomain(F(0), F("0.1"))] * 3
    result = intervals(equations_of([[1, 1, 1]], [1, 1, 1]), [F("0.3")], tenth)
    assert [(i.status, i.low) for i in result.of_atom] == [("determined", F(1, 10))] * 3


@pytest.mark.parametrize(("answer", "narrow"), [(F(5000), False), (F(4999), True), (F("4999.9999999999"), True)])
def test_a_width_of_exactly_the_limit_is_wide_enough(answer: Fraction, narrow: bool) -> None:
    for enough in (None, F(5000)):
        result = intervals(equations_of([[1, 1]], [1, 1]), [answer], [UnknownDomain(F(0))] * 2, enough=enough)
        assert all((i.high - i.low < 5000) == narrow for i in result.of_atom)


def test_one_value_a_billion_times_the_others() -> None:
    """A floating-point solver's tolerance, relative to the largest number, swallows the small ones."""
    rows = [[1, 1, 0], [0, 1, 1]]
    result = intervals(equations_of(rows, [1, 1, 1]), [10**18 + F(1, 10**9), F(2, 10**9)], [UnknownDomain(F(0))] * 3)
    assert [(i.low, i.high) for i in result.of_atom] == [
        (10**18 - F(1, 10**9), 10**18 + F(1, 10**9)), (0, F(2, 10**9)), (0, F(2, 10**9)),
    ]  # fmt: skip


def test_degenerate_corners_do_not_cycle() -> None:
    """Many rows meet in one point: all answers are at the end of the domain but for one unknown."""
    count = 12
    rows = [[int(i <= t) for i in range(count)] for t in range(count - 1)] + [[1] * count]
    answers = [F(0)] * (count - 1) + [F(7)]
    result = intervals(equations_of(rows, [1] * count), answers, [UnknownDomain(F(0), F(9))] * count)
    assert [i.low for i in result.of_atom] == [0] * (count - 1) + [7]
    assert all(i.status == "determined" for i in result.of_atom)


def test_answers_outside_the_domain_are_found_inconsistent() -> None:
    result = intervals(equations_of([[1, 0], [0, 1]], [1, 1]), [F(11), F(3)], [UnknownDomain(F(0), F(10))] * 2)
    assert result.consistent is False
    assert [i.status for i in result.of_atom] == ["undetermined", "determined"]


def test_a_row_of_nothing_must_be_answered_with_nothing() -> None:
    assert intervals(equations_of([[0]], [1]), [F(0)], [UnknownDomain(F(0))]).consistent
    assert intervals(equations_of([[0]], [1]), [F(1)], [UnknownDomain(F(0))]).consistent is False


def test_after_the_deadline_nothing_is_safe() -> None:
    result = intervals(equations_of([[1, 1]], [1, 1]), [F(1)], [UnknownDomain(F(0))] * 2, deadline=time.monotonic() - 1)
    assert result.consistent is None
    assert result.of_atom == (MemberInterval(),) * 2


def test_wrong_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="1 answers and 1 domains for 1 rows and 2 atoms"):
        intervals(equations_of([[1, 1]], [1, 1]), [F(1)], [UnknownDomain()])
    with pytest.raises(ValueError, match="low end"):
        UnknownDomain(F(1), F(0))
