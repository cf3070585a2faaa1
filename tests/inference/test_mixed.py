"""Sums and extremes together: every holder tried, and every database of whole numbers."""

import time
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.inference.extrema.extremes import ExtremeAnswer
from auditor.inference.extrema.mixed import mixed
from auditor.inference.integer.intervals import UnknownDomain
from tests.inference.oracles import corners, equations_of, members_of

F = Fraction


def of(which: str, members, answer) -> ExtremeAnswer:
    return ExtremeAnswer(which, np.array(sorted(members), dtype=np.int64), F(answer))


@st.composite
def logs(draw: st.DrawFn, *, integer: bool):
    """Sizes, one sum or two, one to three extremes of atoms, and the domain; answered from values that exist."""
    sizes = draw(st.lists(st.integers(1, 2), min_size=2, max_size=3))
    low, high = 0, draw(st.integers(2, 4))
    step = 1 if integer else draw(st.sampled_from([1, 2]))
    value = st.integers(low * step, high * step).map(lambda v: F(v, step))
    values = [[draw(value) for _ in range(size)] for size in sizes]
    rows = draw(st.lists(st.lists(st.integers(0, 2), min_size=len(sizes), max_size=len(sizes)), min_size=1, max_size=2))
    answers = [sum((a * sum(x) for a, x in zip(row, values, strict=True)), F(0)) for row in rows]
    asked = []
    for _ in range(draw(st.integers(1, 3))):
        members = draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1))
        which = draw(st.sampled_from(["max", "min"]))
        asked.append((which, members, (max if which == "max" else min)(v for a in members for v in values[a])))
    return rows, sizes, answers, asked, UnknownDomain(F(low), F(high), integer=integer)


def records(sizes, members) -> list[int]:
    starts = np.cumsum([0, *sizes])
    return [i for atom in members for i in range(starts[atom], starts[atom + 1])]


def check(result, sizes, spans) -> None:
    assert result.consistent
    first = 0
    for size, interval in zip(sizes, result.of_atom, strict=True):
        low, high = spans[first]
        assert interval.status == ("determined" if low == high else "free")
        assert (interval.low, interval.high) == (low, high)
        first += size


@given(logs(integer=True))
def test_whole_numbers_against_every_database(log) -> None:
    rows, sizes, answers, asked, domain = log
    of_members = members_of(rows, sizes)
    found = [
        x
        for x in product(range(int(domain.low), int(domain.high) + 1), repeat=sum(sizes))
        if all(sum(a * v for a, v in zip(row, x, strict=True)) == b for row, b in zip(of_members, answers, strict=True))
        and all((max if w == "max" else min)(x[i] for i in records(sizes, m)) == a for w, m, a in asked)
    ]
    result = mixed(equations_of(rows, sizes), answers, [of(*q) for q in asked], [domain] * len(sizes))
    check(result, sizes, [(min(column), max(column)) for column in zip(*found, strict=True)])


@pytest.mark.slow
@given(logs(integer=False))
def test_reals_against_every_choice_of_holders(log) -> None:
    """Once it is chosen who attains each answer, what is left is a polytope, whose corners are listed."""
    rows, sizes, answers, asked, domain = log
    count = sum(sizes)
    bounds = [[domain.low, domain.high] for _ in range(count)]
    for which, members, answer in asked:
        for i in records(sizes, members):
            end = 1 if which == "max" else 0
            bounds[i][end] = (min if which == "max" else max)(bounds[i][end], answer)
    found = []
    for holders in product(*(records(sizes, members) for _, members, _ in asked)):
        held = [list(pair) for pair in bounds]
        for i, (_, _, answer) in zip(holders, asked, strict=True):
            held[i] = [max(held[i][0], answer), min(held[i][1], answer)]
        if all(low <= high for low, high in held):
            found.extend(corners(members_of(rows, sizes), answers, [tuple(pair) for pair in held]))
    result = mixed(equations_of(rows, sizes), answers, [of(*q) for q in asked], [domain] * len(sizes))
    check(result, sizes, [(min(column), max(column)) for column in zip(*found, strict=True)])


def test_an_average_and_a_maximum_give_a_second_value_away() -> None:
    """Of two records the largest is 10 and the sum is 14: one is 10 and the other 4, but not who is who."""
    asked = [of("max", [0, 1], 10)]
    for domain in (UnknownDomain(F(0), F(100)), UnknownDomain()):
        result = mixed(equations_of([[1, 1]], [1, 1]), [F(14)], asked, [domain] * 2)
        assert [(i.status, i.low, i.high) for i in result.of_atom] == [("free", 4, 10)] * 2
        together = mixed(equations_of([[1]], [2]), [F(14)], [of("max", [0], 10)], [domain])
        assert [(i.low, i.high) for i in together.of_atom] == [(4, 10)]
    with_another = [*asked, of("max", [0], 4)]
    result = mixed(equations_of([[1, 1]], [1, 1]), [F(14)], with_another, [UnknownDomain()] * 2)
    assert [(i.status, i.low) for i in result.of_atom] == [("determined", 4), ("determined", 10)]


def test_neither_kind_alone_discloses_and_both_do() -> None:
    """x + y = 20 with the larger of both at most 10: each is 10."""
    equations, answers = equations_of([[1, 1, 0]], [1, 1, 1]), [F(20)]
    asked = [of("max", [0, 1, 2], 10)]
    result = mixed(equations, answers, asked, [UnknownDomain(F(0), F(100))] * 3)
    assert [i.status for i in result.of_atom] == ["determined", "determined", "free"]
    assert (result.of_atom[2].low, result.of_atom[2].high) == (0, 10)


def test_without_bounds_a_part_of_both_kinds_is_not_settled() -> None:
    result = mixed(equations_of([[1, 1, 1]], [1, 1, 1]), [F(5)], [of("max", [0, 1], 9)], [UnknownDomain()] * 3)
    assert result.consistent is None
    assert [i.status for i in result.of_atom] == ["undetermined"] * 3


def test_parts_of_one_kind_are_told_apart() -> None:
    equations = equations_of([[1, 1, 0, 0]], [1, 1, 1, 1])
    result = mixed(equations, [F(3)], [of("min", [2, 3], 7)], [UnknownDomain(F(0), F(9))] * 4)
    assert [(i.low, i.high) for i in result.of_atom] == [(0, 3), (0, 3), (7, 9), (7, 9)]


def test_a_billion_apart() -> None:
    """With M = 10¹⁸ a floating-point indicator of 10⁻⁹ would pay for a whole 10⁹."""
    big = 10**18
    asked = [of("max", [0, 1], big), of("max", [1, 2], 1)]
    result = mixed(equations_of([[1, 1, 1]], [1, 1, 1]), [F(big + 1)], asked, [UnknownDomain(F(0), F(2 * big))] * 3)
    assert [(i.status, i.low, i.high) for i in result.of_atom] == [
        ("determined", big, big), ("free", 0, 1), ("free", 0, 1)]  # fmt: skip


def test_distinct_values_with_sums_are_settled_only_where_they_are_determined() -> None:
    asked = [of("max", [0, 1], 9), of("max", [1, 2], 9)]
    result = mixed(equations_of([[1, 1, 1]], [1, 1, 1]), [F(15)], asked, [UnknownDomain(F(0), F(9))] * 3, distinct=True)
    assert [i.status for i in result.of_atom] == ["undetermined", "determined", "undetermined"]


@pytest.mark.parametrize("answer", [5, 30])
def test_answers_that_fit_no_data(answer: int) -> None:
    result = mixed(
        equations_of([[1, 1]], [1, 1]), [F(answer)], [of("max", [0, 1], 10)], [UnknownDomain(F(0), F(100))] * 2
    )
    assert result.consistent is False


def test_after_the_deadline_nothing_is_safe() -> None:
    result = mixed(
        equations_of([[1, 1]], [1, 1]), [F(14)], [of("max", [0, 1], 10)], [UnknownDomain(F(0), F(100))] * 2,
        deadline=time.monotonic() - 1,
    )  # fmt: skip
    assert [i.status for i in result.of_atom] == ["undetermined"] * 2
