"""Linear dependence of the null rows of a few atoms, modulo a prime.

A vector v lies in the row space iff it is orthogonal to the null space, Σ_A v_A N_A = 0 where N_A is the row of atom A
in a basis of null vectors. So a set of atoms carries a vector of the row space iff its null rows are dependent. Here k
random null vectors stand for all: s ≤ k rows that are independent stay so but for a chance of about p^(s − k − 1).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from auditor.inference.linear._elimination import eliminate
from auditor.inference.linear.equations import alike
from auditor.inference.linear.modular import FloatArray, IntArray, centre


def circuit(null_rows: FloatArray, prime: int) -> list[int] | None:
    """The residues v with Σ v_A N_A ≡ 0, where they are unique up to a factor and none is 0: a minimal dependence."""
    found = eliminate(null_rows.copy(), prime)
    if len(found.dependent) != 1:
        return None
    values = np.zeros(len(null_rows))
    values[found.dependent[0]] = -1
    values[found.basis] = found.combinations()[0]
    return [int(value) for value in values] if values.all() else None


def redundant(sets: FloatArray, prime: int) -> NDArray[np.bool_]:
    """bool[n, s]: in n sets of null rows, float64[n, s, k], the rows that depend on those before them."""
    left, found = sets.copy(), np.zeros(sets.shape[:2], dtype=np.bool_)
    every = np.arange(len(sets))
    for at in range(sets.shape[1]):
        found[:, at] = ~left[:, at].any(axis=1)
        pivot = (left[:, at] != 0).argmax(axis=1)
        scale = inverses(left[every, at, pivot], prime)
        row = centre(left[:, at] * scale[:, None], prime)
        for below in range(at + 1, sets.shape[1]):
            left[:, below] = centre(left[:, below] - left[every, below, pivot][:, None] * row, prime)
    return found


def parallel_classes(null_rows: FloatArray, prime: int, generator: np.random.Generator) -> Iterator[IntArray]:
    """The classes, of two places or more, of rows that are multiples of each other; rows of 0 are in none."""
    hashes = _directions(null_rows, prime, generator)
    places = _repeated(hashes[:, 0])
    number, firsts = alike(hashes[places])
    order = np.argsort(number, kind="stable")
    order = order[np.searchsorted(number[order], 0) :]
    sizes = np.bincount(number[order], minlength=len(firsts))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for which in np.flatnonzero(sizes > 1):
        yield places[order[starts[which] : starts[which + 1]]]


def _repeated(words: NDArray[np.uint64]) -> IntArray:
    """The places of words that occur more than once, ascending: nearly always few, which saves sorting two words."""
    order = np.argsort(words)
    same = words[order[1:]] == words[order[:-1]]
    return np.union1d(order[1:][same], order[:-1][same])


def project_away(null_rows: FloatArray, row: FloatArray, prime: int) -> FloatArray:
    """The rows modulo a multiple of one row: what becomes 0 is parallel to it."""
    pivot = int(np.flatnonzero(row)[0])
    scaled = centre(row * pow(int(row[pivot]), -1, prime), prime)
    return centre(null_rows - np.outer(null_rows[:, pivot], scaled), prime)


def supported_inside(null_rows: FloatArray, prime: int) -> FloatArray:
    """Residues[d, n]: a basis of all v with Σ v_A N_A ≡ 0."""
    found = eliminate(null_rows.copy(), prime)
    basis = np.zeros((len(found.dependent), len(null_rows)))
    basis[np.arange(len(found.dependent)), found.dependent] = -1
    basis[:, found.basis] = found.combinations()
    return basis


def _directions(rows: FloatArray, prime: int, generator: np.random.Generator) -> NDArray[np.uint64]:
    """uint64[n, 2]: hashes that agree for parallel rows; 0 for rows of 0."""
    if not rows.size:
        return np.zeros((len(rows), 2), dtype=np.uint64)
    leading = rows[np.arange(len(rows)), (rows != 0).argmax(axis=1)]
    scaled = centre(rows * inverses(leading, prime)[:, None], prime)
    canonical = (scaled.astype(np.int64) % prime).astype(np.uint64)
    return canonical @ generator.integers(0, 2**64, (rows.shape[1], 2), dtype=np.uint64)


def inverses(values: FloatArray, prime: int) -> FloatArray:
    """x^(p − 2), the inverse of each residue modulo the prime; 0 for 0."""
    power, square, exponent = np.ones_like(values), values.copy(), prime - 2
    while exponent:
        if exponent & 1:
            power = centre(power * square, prime)
        square = centre(square * square, prime)
        exponent >>= 1
    return power
