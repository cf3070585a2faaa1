"""Groups of persons with several unknowns, against elimination of fractions for every person and every pair."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from auditor.inference import Equations, Group, RowSpace
from auditor.inference.linear.persons import Holdings, disclosed_groups_of_persons
from tests.inference import oracle
from tests.inference.systems import equations, matrices

WEIGHTS = (0, 0, 0, 1, 1, 2, -3, 5_000_011)


def _held(persons_of: Sequence[Sequence[int]]) -> Holdings:
    pairs = [(atom, person) for atom, persons in enumerate(persons_of) for person in persons]
    return Holdings(*np.array(pairs, dtype=np.int64).reshape(-1, 2).T)


def _dimension(rows: list[list[int]], inside: Sequence[int]) -> int:
    """How many independent combinations of the rows vanish outside some columns."""
    others = [at for at in range(len(rows[0])) if at not in set(inside)]
    return oracle.rank(rows) - oracle.rank([[row[at] for at in others] for row in rows])


def _check(rows: list[list[int]], group: Group) -> None:
    vector = [group.coefficients.get(at, 0) for at in range(len(rows[0]))]
    columns = range(len(rows[0]))
    assert vector == [sum((y * rows[t][at] for t, y in group.certificate.items()), Fraction(0)) for at in columns]
    assert set(group.coefficients) == set(group.atoms)


@given(st.one_of(matrices(columns=9), matrices((0, 0, 0, 0, 1, 1), columns=9), matrices(WEIGHTS, columns=9)), st.data())
def test_finds_every_person_and_every_pair(rows: list[list[int]], data: st.DataObject) -> None:
    width = len(rows[0])
    some = st.sets(st.integers(0, 4), min_size=1, max_size=3)
    persons_of = [sorted(data.draw(some)) for _ in range(width)]
    sizes = [len(persons) + data.draw(st.integers(0, 1)) for persons in persons_of]
    found = disclosed_groups_of_persons(RowSpace(equations(rows, sizes)), _held(persons_of), 3)
    assert found.complete
    told = {frozenset(person for atom in group.atoms for person in persons_of[atom]) for group in found.found}
    for group in found.found:
        _check(rows, group)
        assert group.size == sum(sizes[atom] for atom in group.atoms) > 1

    def of(*persons: int) -> int:
        return _dimension(rows, [at for at in range(width) if set(persons_of[at]) <= set(persons)])

    for person in range(5):
        atoms = [at for at in range(width) if persons_of[at] == [person]]
        one_value = any(sizes[at] == 1 and _dimension(rows, [at]) for at in atoms)
        assert (frozenset([person]) in told) <= (of(person) > 0)
        assert (of(person) > 0) <= (frozenset([person]) in told or one_value)
    for one, other in combinations(range(5), 2):
        assert (frozenset([one, other]) in told) == (of(one, other) > of(one) + of(other))


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 2), st.integers(0, 2**32))
def test_pairs_of_many_unknowns(mine: int, others: int, shared: int, seed: int) -> None:
    """Random answers about 12 persons; one vector on two of them is made to follow."""
    generator = np.random.default_rng(seed)
    persons_of = [[0]] * mine + [[1]] * others + [[0, 1]] * shared
    persons_of += [[person] for person in range(2, 12) for _ in range(generator.integers(1, 4))]
    width = len(persons_of)
    rows = generator.integers(-2, 3, (width // 2, width))
    planted = np.zeros(width, dtype=np.int64)
    planted[: mine + others + shared] = generator.choice([-3, -1, 1, 2], mine + others + shared)
    rows[-1] = rows[0] + planted if len(rows) > 1 else planted
    space = RowSpace(equations(rows.tolist(), [len(persons) for persons in persons_of]))
    found = disclosed_groups_of_persons(space, _held(persons_of), 3)
    told = {frozenset(person for atom in group.atoms for person in persons_of[atom]) for group in found.found}
    assert frozenset([0, 1]) in told
    for group in found.found:
        _check(rows.tolist(), group)


def _random_versions(persons: int, queries: int) -> tuple[Equations, Holdings]:
    """Random sums over two unknowns of everybody; two answers differ in one unknown of each of two persons."""
    generator = np.random.default_rng(5)
    rows = generator.integers(0, 2, (queries, 2 * persons))
    rows[1] = rows[0]
    rows[1, [3, 2 * 40 + 1]] = 1 - rows[1, [3, 2 * 40 + 1]]
    held = Holdings(np.arange(2 * persons), np.arange(2 * persons) // 2)
    return Equations(csr_array(rows), np.ones(2 * persons, dtype=np.int64)), held


def test_thousands_of_persons_are_compared_two_by_two() -> None:
    made, held = _random_versions(2_000, 100)
    found = disclosed_groups_of_persons(RowSpace(made), held, 3)
    assert found.complete
    assert [group.atoms for group in found.found] == [(3, 81)]
    assert found.found[0].certificate in ({0: Fraction(1), 1: Fraction(-1)}, {0: Fraction(-1), 1: Fraction(1)})


@pytest.mark.parametrize("bound", [{"meetings": 1_000}, {"deadline": -inf}])
def test_a_bound_that_is_reached_is_said(bound: dict[str, float]) -> None:
    made, held = _random_versions(100, 40)
    assert not disclosed_groups_of_persons(RowSpace(made), held, 3, **bound).complete  # type: ignore[arg-type]


def test_components_where_nobody_has_two_unknowns_are_searched_as_if_everybody_had_one() -> None:
    """Two columns that are never added: each is a component of its own, and groups of three are found in it."""
    one = [[1, 1, 1, 0, 1, 1], [0, 0, 0, 1, 1, 1], [1, 1, 1, 1, 0, 0]]
    rows = [[*row, *[0] * 6] for row in one] + [[*[0] * 6, *row] for row in one]
    held = Holdings(np.arange(12), np.arange(12) % 6)
    found = disclosed_groups_of_persons(RowSpace(equations(rows)), held, 4)
    assert found.complete
    expected = oracle.minimal_groups(rows, [1] * 12, 4)
    assert {group.atoms for group in found.found} == {group for group in expected if len(group) > 1}
