"""Row spaces against elimination of fractions, and against systems built to deceive."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from auditor.inference import Equations, RowSpace
from tests.inference import oracle
from tests.inference.systems import chain, equations, matrices

WEIGHTS = (0, 0, 1, 2, 3, -7, 1000, 2**40 + 1)


def combined(rows: list[list[int]], certificate: dict[int, Fraction]) -> list[Fraction]:
    return [sum((c * rows[row][at] for row, c in certificate.items()), Fraction(0)) for at in range(len(rows[0]))]


@given(st.one_of(matrices(), matrices(WEIGHTS)))
def test_agrees_with_fractions(rows: list[list[int]]) -> None:
    space = RowSpace(equations(rows))
    assert space.basis.tolist() == oracle.earliest_basis(rows)
    assert space.rank == oracle.rank(rows)
    assert space.exposed().tolist() == oracle.exposed(rows, len(rows[0]))


@given(st.one_of(matrices(), matrices(WEIGHTS)))
def test_certificate_is_the_unit_vector_and_ends_at_the_first_row_that_discloses(rows: list[list[int]]) -> None:
    space = RowSpace(equations(rows))
    for atom in space.exposed().tolist():
        certificate = space.certificate(atom)
        assert certificate is not None
        assert combined(rows, certificate) == oracle.unit(len(rows[0]), atom)
        assert max(certificate) == oracle.first_spanned(rows, oracle.unit(len(rows[0]), atom))
    proofs = space.proofs(space.exposed(), 10**9)
    assert [certificate for _, certificate in proofs] == [space.certificate(int(atom)) for atom in space.exposed()]


@pytest.mark.slow
def test_what_is_too_long_to_write_out_is_named_by_its_rows() -> None:
    rows = np.random.default_rng(1).integers(0, 2, (90, 90)).tolist()
    space, every = RowSpace(equations(rows)), np.arange(90)
    assert oracle.rank(rows) == space.rank == 90
    (first, certificate), *others = space.proofs(every, 0)
    assert certificate is not None
    assert combined(rows, certificate) == oracle.unit(90, 0)
    assert first.tolist() == sorted(certificate)
    assert all(written is None for _, written in others)
    assert [found.tolist() for found, _ in others] == [sorted(space.certificate(atom) or ()) for atom in range(1, 90)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_rows_that_hang_together_by_large_fractions_among_many_others(seed: int) -> None:
    generator = np.random.default_rng(seed)
    few = generator.integers(0, 5, (6, 6))
    rows = np.zeros((40, 44), dtype=np.int64)
    rows[np.arange(40), 4 + np.arange(40)] = 1
    apart = np.sort(generator.choice(40, 10, replace=False))
    rows[apart] = 0
    rows[apart[:6], :6] = few
    rows[apart[6:], :6] = generator.integers(0, 1000, (4, 6))
    assert RowSpace(equations(rows.tolist())).basis.tolist() == oracle.earliest_basis(rows.tolist())


@given(matrices(), st.data())
def test_certificate_of_any_vector(rows: list[list[int]], data: st.DataObject) -> None:
    vector = data.draw(st.lists(st.integers(-2, 2), min_size=len(rows[0]), max_size=len(rows[0])))
    certificate = RowSpace(equations(rows)).certificate({at: entry for at, entry in enumerate(vector) if entry})
    if oracle.spans(rows, vector):
        assert certificate is not None
        assert combined(rows, certificate) == vector
    else:
        assert certificate is None


@given(matrices())
def test_null_vectors_are_orthogonal_to_every_row(rows: list[list[int]]) -> None:
    null = RowSpace(equations(rows)).null_vectors(3)
    assert not (np.array(rows) @ null.values.astype(np.int64) % null.prime).any()


def test_a_null_vector_over_sixteen_orders_of_magnitude_is_not_taken_for_zero() -> None:
    rows = chain(100)
    space = RowSpace(equations(rows))
    assert space.rank == 100
    assert space.exposed().tolist() == []
    rows.append(oracle.unit(101, 100))
    space = RowSpace(equations(rows))
    assert space.exposed().tolist() == list(range(101))
    certificate = space.certificate(0)
    assert certificate is not None
    assert combined(rows, certificate) == oracle.unit(101, 0)
    assert max(abs(c.denominator) for c in certificate.values()) > 10**15


@pytest.mark.parametrize("prime", [2, 3, 5])
def test_systems_that_break_modulo_a_small_prime(prime: int) -> None:
    """Circulants of runs of `prime` ones have the determinant `prime`: singular modulo it alone."""
    size = prime * prime + 1
    rows = [[int((at - row) % size < prime) for at in range(size)] for row in range(size)]
    assert RowSpace(equations(rows)).exposed().tolist() == oracle.exposed(rows, size) == list(range(size))


def test_half_of_a_sum_of_three() -> None:
    """(q₁ + q₃ − q₂) / 2, which no difference of two queries finds."""
    rows = [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    assert RowSpace(equations(rows)).certificate(0) == {0: Fraction(1, 2), 1: Fraction(-1, 2), 2: Fraction(1, 2)}


def test_weights_that_no_machine_word_multiplies() -> None:
    rows = [[2**61 + 1, 2**60], [2**60, 2**61 - 1]]
    space = RowSpace(equations(rows))
    certificate = space.certificate(1)
    assert certificate is not None
    assert combined(rows, certificate) == [0, 1]


def test_zero_and_repeated_rows_follow_from_others() -> None:
    space = RowSpace(equations([[0, 0, 0], [1, 1, 0], [2, 2, 0], [1, 1, 0], [0, 1, 1]]))
    assert space.basis.tolist() == [1, 4]


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (3, 0)])
def test_nothing_asked_or_nothing_there(shape: tuple[int, int]) -> None:
    space = RowSpace(Equations(csr_array(shape, dtype=np.int64), np.ones(shape[1], dtype=np.int64)))
    assert space.rank == 0
    assert space.exposed().tolist() == []
    assert space.null_vectors(2).values.shape == (shape[1], 2)


def test_planted_trackers_among_random_sums() -> None:
    """400 random sums over 6,000 unknowns disclose nobody; each planted pair of sums differs by one unknown."""
    generator = np.random.default_rng(4)
    rows = (generator.random((400, 6000)) < 0.2).astype(np.int64)
    planted = {}
    for first, second in ((17, 301), (5, 222), (90, 399)):
        members = np.flatnonzero(rows[first])
        victim = int(generator.choice(members))
        rows[second] = rows[first]
        rows[second, victim] = 0
        planted[victim] = {first: Fraction(1), second: Fraction(-1)}
    space = RowSpace(Equations(csr_array(rows), np.ones(6000, dtype=np.int64)))
    assert space.exposed().tolist() == sorted(planted)
    assert {atom: space.certificate(atom) for atom in planted} == planted


def test_coefficients_beyond_any_float() -> None:
    """The inverse of a random 0/1 matrix of 480 columns has denominators that no float64 holds."""
    rows = (np.random.default_rng(3).random((480, 480)) < 0.3).astype(np.int64)
    certificate = RowSpace(Equations(csr_array(rows), np.ones(480, dtype=np.int64))).certificate(7)
    assert certificate is not None
    denominator = max(c.denominator for c in certificate.values())
    assert denominator > 10**308
    numerators = np.array([int(certificate.get(row, 0) * denominator) for row in range(480)], dtype=object)
    expected = [denominator * int(at == 7) for at in range(480)]
    assert (numerators @ rows.astype(object)).tolist() == expected
