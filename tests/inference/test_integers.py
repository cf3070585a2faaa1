"""Whole numbers, booleans and categories against trying every database."""

import time
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.inference.integer import search
from auditor.inference.integer._branch import Optimum
from auditor.inference.integer.intervals import UnknownDomain, intervals
from auditor.inference.integer.simplex import Termination
from tests.inference.integers import integers
from tests.inference.oracles import equations_of, members_of

F = Fraction
BOOLEAN = UnknownDomain(F(0), F(1))
ODD_CYCLE = [[1, 1, 0, 1], [0, 1, 1, 1], [1, 0, 1, 1]]


def databases(rows, sizes, answers, domains):
    """Every assignment of whole numbers to records that gives the answers."""
    choices = [
        range(int(domain.low), int(domain.high) + 1)
        for domain, size in zip(domains, sizes, strict=True)
        for _ in range(size)
    ]
    of_members = members_of(rows, sizes)
    for x in product(*choices):
        if all(
            sum(a * v for a, v in zip(row, x, strict=True)) == b for row, b in zip(of_members, answers, strict=True)
        ):
            yield x


@st.composite
def systems(draw: st.DrawFn, *, atoms: int = 4, most: int = 2):
    sizes = draw(st.lists(st.integers(1, 2), min_size=atoms, max_size=atoms))
    rows = draw(st.lists(st.lists(st.integers(0, 2), min_size=atoms, max_size=atoms), min_size=1, max_size=4))
    domains, totals = [], []
    for size in sizes:
        low = draw(st.integers(-1, 1))
        high = low + draw(st.integers(0, most))
        domains.append(UnknownDomain(F(low), F(high), integer=True))
        totals.append(sum(draw(st.integers(low, high)) for _ in range(size)))
    answers = [F(sum(a * z for a, z in zip(row, totals, strict=True))) for row in rows]
    return rows, sizes, domains, answers


def agrees(result, found, sizes, *, tight: bool) -> None:
    assert result.consistent
    first = 0
    for size, interval in zip(sizes, result.of_atom, strict=True):
        values = {x[first] for x in found}
        assert interval.status == ("determined" if len(values) == 1 else "free")
        if tight or len(values) == 1:
            assert (interval.low, interval.high) == (min(values), max(values))
        first += size


@given(systems())
def test_an_interval_spans_every_database(system) -> None:
    rows, sizes, domains, answers = system
    found = list(databases(rows, sizes, answers, domains))
    agrees(integers(equations_of(rows, sizes), answers, domains, enough=None), found, sizes, tight=True)
    agrees(integers(equations_of(rows, sizes), answers, domains), found, sizes, tight=False)


@given(systems())
def test_the_solver_alone_never_says_more_than_is_true(system) -> None:
    rows, sizes, domains, answers = system
    found = list(databases(rows, sizes, answers, domains))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "least", lambda *_, **__: Optimum(Termination.UNFINISHED))
        patch.setattr("auditor.inference.integer.parts.MAX_TABLE", 1)
        cut = integers(equations_of(rows, sizes), answers, domains)
    first = 0
    for size, interval in zip(sizes, cut.of_atom, strict=True):
        values = {x[first] for x in found}
        assert interval.status in ("undetermined", "determined" if len(values) == 1 else "free")
        first += size


def test_the_solver_alone_settles_what_is_easy() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("auditor.inference.integer.parts.MAX_TABLE", 1)
        result = integers(equations_of(ODD_CYCLE, [1] * 4), [F(1)] * 3, [BOOLEAN] * 4)
    assert [(i.status, i.low) for i in result.of_atom] == [("determined", v) for v in (0, 0, 0, 1)]
    assert not any(interval.exact for interval in result.of_atom)


@given(systems())
def test_a_known_solution_changes_nothing(system) -> None:
    rows, sizes, domains, answers = system
    found = list(databases(rows, sizes, answers, domains))
    starts = [sum(sizes[:atom]) for atom in range(len(sizes))]
    totals = [F(sum(found[0][start : start + size])) for start, size in zip(starts, sizes, strict=True)]
    result = integers(equations_of(rows, sizes), answers, domains, enough=None, known=[totals])
    agrees(result, found, sizes, tight=True)


def test_what_is_no_solution_is_refused_as_one() -> None:
    for wrong in ([F(1), F(1)], [F(2), F(-1)], [F(1, 2), F(1, 2)]):
        with pytest.raises(ValueError, match="known solution"):
            integers(equations_of([[1, 1]], [1, 1]), [F(1)], [BOOLEAN] * 2, known=[wrong])


@given(systems(), st.integers(0, 3), st.integers(-3, 3))
def test_answers_that_no_database_gives_are_inconsistent(system, row: int, shift: int) -> None:
    rows, sizes, domains, answers = system
    answers[row % len(rows)] += shift
    found = list(databases(rows, sizes, answers, domains))
    assert integers(equations_of(rows, sizes), answers, domains).consistent is bool(found)


def test_a_value_that_the_linear_programme_leaves_free_and_whole_numbers_determine() -> None:
    """a + b + s = b + c + s = a + c + s = 1: were s = 0, each two of three would have one 1 between them."""
    right = [F(1)] * 3
    linear = intervals(equations_of(ODD_CYCLE, [1] * 4), right, [BOOLEAN] * 4).of_atom[3]
    assert (linear.status, linear.low, linear.high) == ("free", 0, 1)
    whole = integers(equations_of(ODD_CYCLE, [1] * 4), right, [BOOLEAN] * 4)
    assert [(i.status, i.low, i.exact) for i in whole.of_atom] == [("determined", v, True) for v in (0, 0, 0, 1)]


def test_large_atoms_are_given_away_whole() -> None:
    result = integers(equations_of([[1, 0], [1, 1]], [1000, 1000]), [F(1000), F(1500)], [BOOLEAN] * 2)
    assert [interval.status for interval in result.of_atom] == ["determined", "free"]


def test_categories_as_unknowns_of_zero_and_one() -> None:
    """Three records and three values: two are not a, nobody is b, so that two are c and one is a, but not who."""
    one_hot = [[1, 1, 1]]
    result = integers(equations_of([*one_hot, [0, 1, 1], [0, 1, 0]], [3] * 3), [F(3), F(2), F(0)], [BOOLEAN] * 3)
    assert [i.status for i in result.of_atom] == ["free", "determined", "free"]
    assert result.of_atom[1].low == 0


def test_numbers_beyond_what_floating_point_can_hold() -> None:
    """2x + 2y = 2·10²⁰ + 1 has no whole solution, and x + y = 2·10²⁰ − 1 below 10²⁰ has two."""
    big = 10**20
    domain = [UnknownDomain(F(0), F(big))] * 2
    assert integers(equations_of([[2, 2]], [1, 1]), [F(2 * big + 1)], domain).consistent is False
    result = integers(equations_of([[1, 1]], [1, 1]), [F(2 * big - 1)], domain, enough=None)
    assert [(i.status, i.low, i.high) for i in result.of_atom] == [("free", big - 1, big)] * 2


def test_ends_of_a_domain_move_to_whole_numbers() -> None:
    domain = UnknownDomain(F("0.5"), F("1.5"), integer=True)
    assert (domain.low, domain.high) == (1, 1)
    assert integers(equations_of([[1]], [3]), [F(3)], [UnknownDomain(F("0.5"), F("1.5"))]).of_atom[0].low == 1


def test_after_the_deadline_nothing_is_safe() -> None:
    result = integers(equations_of([[1, 1]], [1, 1]), [F(1)], [BOOLEAN] * 2, deadline=time.monotonic() - 1)
    assert result.consistent is None
    assert [i.status for i in result.of_atom] == ["undetermined"] * 2


def test_a_search_that_is_cut_off_is_not_a_proof() -> None:
    """Without branches, and with numbers that HiGHS is not trusted with, nothing is claimed."""
    big = 10**9
    rows, answers = [[2, 2, 2, 0], [0, 3, 3, 3]], [F(4 * big), F(6 * big)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "least", lambda *_, **__: Optimum(Termination.UNFINISHED))
        patch.setattr(search, "solution", lambda *_, **__: Optimum(Termination.UNFINISHED))
        result = integers(equations_of(rows, [1] * 4), answers, [UnknownDomain(F(0), F(big))] * 4, enough=F(2 * big))
    whole = integers(equations_of(rows, [1] * 4), answers, [UnknownDomain(F(0), F(big))] * 4, enough=None)
    for cut, full in zip(result.of_atom, whole.of_atom, strict=True):
        assert cut.status == "undetermined" or (cut.low, cut.high) == (full.low, full.high)
