"""Disclosed groups against trying every set of atoms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array

from auditor.inference import Equations, RowSpace, disclosed_groups
from tests.inference import oracle
from tests.inference.systems import equations, matrices


@given(st.one_of(matrices(columns=7), matrices((0, 1, 2, -3), columns=7)), st.integers(2, 6), st.data())
def test_finds_all_minimal_groups(rows: list[list[int]], below: int, data: st.DataObject) -> None:
    width = len(rows[0])
    sizes = data.draw(st.lists(st.sampled_from([1, 1, 1, 2, 3]), min_size=width, max_size=width))
    found = disclosed_groups(RowSpace(equations(rows, sizes)), below)
    expected = {group for group in oracle.minimal_groups(rows, sizes, below) if sum(sizes[at] for at in group) > 1}
    assert {tuple(sorted(group.atoms)) for group in found.found} == expected
    assert found.complete
    assert found.count == len(expected)
    for group in found.found:
        vector = [group.coefficients.get(at, 0) for at in range(width)]
        combination = [
            sum((y * rows[row][at] for row, y in group.certificate.items()), Fraction(0)) for at in range(width)
        ]
        assert combination == vector
        assert set(group.coefficients) == set(group.atoms)
        assert group.size == sum(sizes[at] for at in group.atoms)
        assert (group.functional == "total") == (set(group.coefficients.values()) == {1})


def test_coefficients_too_large_for_one_prime() -> None:
    """The one vector on the pair is (1, 5,000,011): it is found exactly although one prime cannot show it."""
    rows = [[1, 5_000_011, 1, 0], [0, 0, 1, 0]]
    (group,) = disclosed_groups(RowSpace(equations(rows)), 3).found
    assert group.coefficients == {0: 1, 1: 5_000_011}
    assert group.functional == "other"
    assert group.certificate == {0: Fraction(1), 1: Fraction(-1)}


def test_pairs_of_a_class_are_counted_though_not_listed() -> None:
    """z₀ − z_A is known for every A of 60: every pair is parallel."""
    rows = [[1] + [-int(at == other) for at in range(59)] for other in range(59)]
    found = disclosed_groups(RowSpace(equations(rows)), 3, limit=10)
    assert found.count == 60 * 59 // 2
    assert len(found.found) == 10
    assert found.complete


@pytest.mark.parametrize("extra", [2, 3])
def test_planted_groups_among_random_sums(extra: int) -> None:
    """Two of 300 sums over 5,000 unknowns differ in a few: too many sets to try, found all the same."""
    generator = np.random.default_rng(extra)
    rows = (generator.random((300, 5000)) < 0.2).astype(np.int64)
    rows[44] = rows[123]
    planted = np.sort(generator.choice(np.flatnonzero(rows[44]), extra, replace=False))
    rows[44, planted] = 0
    found = disclosed_groups(RowSpace(Equations(csr_array(rows), np.ones(5000, dtype=np.int64))), 5)
    assert [group.atoms for group in found.found] == [tuple(planted.tolist())]
    assert [group.functional for group in found.found] == ["total"]
    assert found.found[0].certificate == {44: Fraction(-1), 123: Fraction(1)}
    assert not found.complete


def test_light_atoms_without_a_vector_are_no_group_of_any_size() -> None:
    """An elimination of the light atoms alone proves it, without trying sets."""
    rows = np.zeros((40, 200), dtype=np.int64)
    for row in range(40):
        rows[row, row] = 1
        rows[row, 40 + 4 * row : 44 + 4 * row] = 1
    sizes = np.array([1] * 40 + [9] * 160)
    found = disclosed_groups(RowSpace(Equations(csr_array(rows), sizes)), 9, effort=0)
    assert found.complete
    assert found.found == ()


@pytest.mark.slow
def test_searches_component_by_component() -> None:
    """Three departments of 900 that share no answer: each is small enough to be searched completely, together not."""
    generator = np.random.default_rng(8)
    blocks = []
    for _ in range(3):
        block = (generator.random((60, 900)) < 0.3).astype(np.int64)
        block[50] = block[10]
        block[50, np.flatnonzero(block[10])[[3, 40, 99]]] = 0
        blocks.append(block)
    rows = block_diag(blocks, format="csr")
    found = disclosed_groups(RowSpace(Equations(csr_array(rows), np.ones(2700, dtype=np.int64))), 4, effort=0)
    assert found.complete is False  # the vectors found inside a component are still to be combined with one another
    expected = [900 * at + np.flatnonzero(block[10])[[3, 40, 99]] for at, block in enumerate(blocks)]
    assert sorted(group.atoms for group in found.found) == [tuple(atoms.tolist()) for atoms in expected]
