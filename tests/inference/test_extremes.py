"""Maxima and minima: published cases, and every assignment of a small grid that is as good as the reals."""

import json
import time
from fractions import Fraction
from itertools import pairwise, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from auditor.inference.extrema._clauses import Clause, forced
from auditor.inference.extrema.extremes import ExtremeAnswer, RecordInterval, UnknownDomain, extremes

F = Fraction


def of(which: str, members: list[int], answer: int) -> ExtremeAnswer:
    return ExtremeAnswer(which, np.array(members, dtype=np.int64), F(answer))


def ones(count: int):
    return np.ones(count, dtype=np.int64)


@st.composite
def logs(draw: st.DrawFn, *, records: int = 4, kinds: tuple[str, ...] = ("max", "min")):
    """Questions about a few records, answered from values that exist (so that they are consistent with equal ones)."""
    values = draw(st.lists(st.integers(0, 4), min_size=records, max_size=records))
    asked = []
    for _ in range(draw(st.integers(1, 5))):
        members = sorted(draw(st.sets(st.integers(0, records - 1), min_size=1)))
        which = draw(st.sampled_from(kinds))
        asked.append((which, members, (max if which == "max" else min)(values[i] for i in members)))
    return values, asked


def databases(asked, records: int, *, distinct: bool, low=None, high=None):
    """Every database over a grid: the answers and the domain's ends, and points between and beyond them.

    The order of the values is all that maxima, minima and equality see, so points between two neighbours stand for all
    reals there as long as there are as many as records.
    """
    marks = sorted({F(answer) for _, _, answer in asked} | {end for end in (low, high) if end is not None})
    between = records if distinct else 1
    grid = set(marks)
    for left, right in [(marks[0] - 1, marks[0]), *pairwise(marks), (marks[-1], marks[-1] + 1)]:
        grid |= {left + (right - left) * F(step, between + 1) for step in range(1, between + 1)}
    grid = {value for value in grid if (low is None or low <= value) and (high is None or value <= high)}
    for x in product(sorted(grid), repeat=records):
        if distinct and len(set(x)) < records:
            continue
        if all((max if which == "max" else min)(x[i] for i in members) == answer for which, members, answer in asked):
            yield x


def agrees(result, found, records: int) -> None:
    assert result.consistent is bool(found)
    for i in range(records if found else 0):
        values, interval = {x[i] for x in found}, result.of_column[i]
        assert interval.status == ("determined" if len(values) == 1 else "free"), i
        if interval.low is not None:
            assert min(values) >= interval.low
            assert interval.low_open == (interval.low not in values)
        if interval.high is not None:
            assert max(values) <= interval.high
            assert interval.high_open == (interval.high not in values)


@given(logs())
def test_equal_values_allowed_is_what_every_database_shares(log) -> None:
    _, asked = log
    found = list(databases(asked, 4, distinct=False))
    agrees(extremes([of(*query) for query in asked], ones(4), distinct=False), found, 4)


@given(logs(records=3), st.randoms(use_true_random=False))
def test_distinct_values_is_what_every_database_shares(log, random) -> None:
    """Also where no distinct values fit the answers, as happens when the data repeats."""
    values, asked = log
    if random.random() < 0.5:
        values = random.sample(range(5), 3)
        asked = [(w, m, (max if w == "max" else min)(values[i] for i in m)) for w, m, _ in asked]
    assume(len({answer for _, _, answer in asked}) <= 3)
    found = list(databases(asked, 3, distinct=True))
    agrees(extremes([of(*query) for query in asked], ones(3), distinct=True), found, 3)


@given(logs(records=3), st.booleans(), st.integers(-1, 0), st.integers(4, 5))
def test_a_known_domain_counts_as_bounds(log, distinct, low, high) -> None:
    _, asked = log
    assume(len({answer for _, _, answer in asked}) <= 2 or not distinct)
    found = list(databases(asked, 3, distinct=distinct, low=F(low), high=F(high)))
    result = extremes([of(*q) for q in asked], ones(3), distinct=distinct, domains=[UnknownDomain(F(low), F(high))] * 3)
    agrees(result, found, 3)


@given(logs())
def test_the_proof_alone_proves_it(log) -> None:
    """Asking only the answers that a proof names determines the same value."""
    _, asked = log
    for distinct in (False, True):
        queries = [of(*query) for query in asked]
        for column, found in enumerate(extremes(queries, ones(4), distinct=distinct).of_column):
            if found.status == "determined":
                alone = extremes([queries[t] for t in found.proof], ones(4), distinct=distinct).of_column[column]
                assert (alone.status, alone.low) == ("determined", found.low)


@given(logs(records=3), st.integers(0, 2), st.booleans())
def test_a_column_of_several_records_is_as_good_as_several_columns(log, column: int, distinct: bool) -> None:
    _, asked = log
    apart = [(w, [*m, 3] if column in m else m, a) for w, m, a in asked]
    sizes = ones(3)
    sizes[column] = 2
    together = extremes([of(*q) for q in asked], sizes, distinct=distinct)
    single = extremes([of(*q) for q in apart], ones(4), distinct=distinct)
    assert together.consistent == single.consistent
    for i in range(3):
        left, right = together.of_column[i], single.of_column[i]
        assert (left.status, left.low, left.high, left.high_open) == (
            right.status, right.low, right.high, right.high_open)  # fmt: skip


@pytest.mark.parametrize("case_id", ["QA19", "QA22"])
def test_published_cases(shared_vectors: Path, case_id: str) -> None:
    cases = {case["id"]: case for case in json.loads((shared_vectors / "query_cases.json").read_text())["cases"]}
    case = cases[case_id]
    records = [row[0] for row in case["table"]["rows"]]
    asked = [
        of(query["agg"].lower(), [records.index(i) for i in query["ids"]], query["answer"]) for query in case["queries"]
    ]
    for check in case["checks"]:
        for count in range(1, len(asked) + 1):
            result = extremes(asked[:count], ones(len(records)), distinct=not check["duplicates_allowed"])
            found = {r: i.low for r, i in zip(records, result.of_column, strict=True) if i.status == "determined"}
            by_now = {
                entry["record"]: entry["value"]
                for entry in check["compromised"]
                if int(entry["first_after"][1:]) <= count
            }
            assert found == by_now


def test_the_assumption_turns_the_verdict() -> None:
    """Two sets with one largest value: distinct values leave only the record they share."""
    asked = [of("max", [0, 1], 9), of("max", [1, 2], 9)]
    assert [r.status for r in extremes(asked, ones(3), distinct=False).of_column] == ["free"] * 3
    distinct = extremes(asked, ones(3), distinct=True).of_column
    assert distinct[1] == RecordInterval(F(9), F(9), status="determined", proof=(0, 1))
    assert distinct[0] == RecordInterval(None, F(9), high_open=True, status="free")


def test_the_same_maximum_of_sets_without_a_common_record_refutes_distinct_values() -> None:
    asked = [of("max", [0, 1], 9), of("max", [2], 9)]
    assert extremes(asked, ones(3), distinct=False).consistent
    assert extremes(asked, ones(3), distinct=True).consistent is False


def test_what_only_a_search_finds() -> None:
    """Everybody is in [0, 1]; 0 must be 1, because otherwise 1 and 2 would both have to be 1 and not both."""
    asked = [
        of("max", [0, 1, 2, 3], 1), of("min", [0, 1, 2, 3], 0),
        of("max", [0, 1], 1), of("max", [0, 2], 1), of("min", [1, 2], 0), of("max", [2, 3], 1), of("min", [3, 0], 0),
    ]  # fmt: skip
    found = list(databases([(q.which, q.members.tolist(), q.answer) for q in asked], 4, distinct=False))
    agrees(extremes(asked, ones(4), distinct=False), found, 4)
    assert "determined" in {r.status for r in extremes(asked, ones(4), distinct=False).of_column}


def test_after_the_deadline_what_needs_a_search_is_not_safe() -> None:
    asked = [of("max", [0, 1], 1), of("min", [0, 1], 0), of("max", [2], 5)]
    result = extremes(asked, ones(4), distinct=False, deadline=time.monotonic() - 1)
    assert result.consistent is None
    assert [r.status for r in result.of_column] == ["undetermined", "undetermined", "determined", "free"]


@given(st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 4), min_size=1)), min_size=1, max_size=6))
def test_clauses_agree_with_trying_everything(drawn) -> None:
    clauses = [Clause(wanted, frozenset(variables)) for wanted, variables in drawn]
    used = sorted(frozenset().union(*(clause.variables for clause in clauses)))
    models = [
        model
        for model in (dict(zip(used, bits, strict=True)) for bits in product([False, True], repeat=len(used)))
        if all(any(model[v] == c.wanted for v in c.variables) for c in clauses)
    ]
    found = list(forced(clauses, time.monotonic() + 60))
    assert all(part.satisfiable for part in found) == bool(models)
    if models:
        shared = {v: models[0][v] for v in used if len({model[v] for model in models}) == 1}
        assert {v: value for part in found for v, value in part.values.items()} == shared


@given(
    st.lists(st.integers(0, 6), min_size=4, max_size=4, unique=True),
    st.lists(st.tuples(st.sampled_from(["max", "min"]), st.sets(st.integers(0, 3), min_size=1)), max_size=5),
    st.sampled_from([(0, 6), (0, 7), (-2, 8)]),
)
def test_distinct_whole_numbers_against_every_database(values, asked, ends) -> None:
    functions = {"max": max, "min": min}
    answers = [functions[which](values[i] for i in members) for which, members in asked]
    consistent = [
        x
        for x in permutations(range(ends[0], ends[1] + 1), 4)
        if all(functions[which](x[i] for i in m) == a for (which, m), a in zip(asked, answers, strict=True))
    ]
    given_ = [of(which, sorted(m), a) for (which, m), a in zip(asked, answers, strict=True)]
    domain = UnknownDomain(F(ends[0]), F(ends[1]), integer=True)
    found = extremes(given_, ones(4), distinct=True, domains=[domain] * 4)
    assert found.consistent
    for column, each in zip(zip(*consistent, strict=True), found.of_column, strict=True):
        assert (each.low, each.high) == (min(column), max(column))
        assert each.status == ("determined" if len(set(column)) == 1 else "free")


def databases_with_missing(asked, records: int, *, distinct: bool):
    """As `databases`, where a value may be missing and then takes no part; somebody answers each question."""
    marks = sorted({F(answer) for _, _, answer in asked})
    between = records if distinct else 1
    grid = set(marks)
    for left, right in [(marks[0] - 1, marks[0]), *pairwise(marks), (marks[-1], marks[-1] + 1)]:
        grid |= {left + (right - left) * F(step, between + 1) for step in range(1, between + 1)}
    for x in product([None, *sorted(grid)], repeat=records):
        there = [value for value in x if value is not None]
        if distinct and len(set(there)) < len(there):
            continue
        held = [[x[i] for i in members if x[i] is not None] for _, members, _ in asked]
        if all(
            values and (max if which == "max" else min)(values) == answer
            for (which, _, answer), values in zip(asked, held, strict=True)
        ):
            yield x


@given(logs(records=4), st.data())
def test_values_that_may_be_missing_are_what_every_database_shares(log, data) -> None:
    """Some are missing, so that bounds cross and meet; somebody may be known to be there."""
    values, asked = log
    gone = data.draw(st.sets(st.integers(0, 3), max_size=2))
    left = [(which, members, [values[i] for i in members if i not in gone]) for which, members, _ in asked]
    asked = [(which, members, (max if which == "max" else min)(kept)) for which, members, kept in left if kept]
    assume(asked)
    there = data.draw(st.sets(st.sampled_from([i for i in range(4) if i not in gone]), max_size=1))
    _agree_with_missing(asked, 4, there, distinct=False)


@given(logs(records=3), st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=3, max_size=3))
def test_distinct_values_that_may_be_missing_are_what_every_database_shares(log, values) -> None:
    _, drawn = log
    left = [(which, members, [values[i] for i in members if values[i] is not None]) for which, members, _ in drawn]
    asked = [(which, members, (max if which == "max" else min)(kept)) for which, members, kept in left if kept]
    assume(asked)
    _agree_with_missing(asked, 3, set(), distinct=True)


def _agree_with_missing(asked, records: int, there: set[int], *, distinct: bool) -> None:
    found = [
        x for x in databases_with_missing(asked, records, distinct=distinct) if all(x[i] is not None for i in there)
    ]
    missing = np.array([i not in there for i in range(records)])
    result = extremes([of(*query) for query in asked], ones(records), distinct=distinct, missing=missing)
    assert result.consistent is bool(found)
    for i in range(records if found else 0):
        held = {x[i] for x in found}
        each = result.of_column[i]
        assert each.status == ("free" if len(held) > 1 else "determined"), i
        assert each.absent == (held == {None})
        if each.status == "determined":
            assert held == {each.low}


def test_more_candidates_than_are_tried_are_not_safe(monkeypatch) -> None:
    """Record 0 is 1 or missing. Without it 1 is 1, so 3 is 0, so 2 would be 2 and 1; but for 4, who could be 2."""
    first = [of("max", [0, 1], 1), of("min", [0, 2], 1), of("min", [1, 3], 0)]
    every = np.ones(5, dtype=np.bool_)
    for last, status in (([2, 3], "determined"), ([2, 3, 4], "free")):
        asked = [*first, of("max", last, 2)]
        assert extremes(asked, ones(5), distinct=False, missing=every).of_column[0].status == status
        with monkeypatch.context() as patched:
            patched.setattr("auditor.inference.extrema.extremes.MOST_TRIED", 0)
            found = extremes(asked, ones(5), distinct=False, missing=every)
            assert found.of_column[0].status == "undetermined"
