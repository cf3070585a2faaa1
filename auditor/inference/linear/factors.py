"""The earliest basis of the rows of B, factored modulo a random prime, and known to be the one over the rationals.

Let r_p be the rank modulo p and r that over the rationals; r_p ≤ r always. Rows that are independent modulo p are so
over the rationals, because one of their minors is not 0 modulo p. What has to be shown is that every other row depends
on the basis rows before it:

* its combination of them, found modulo p, is small integers over a small denominator, and holds for random vectors
  modulo several other primes: certain but for chance of less than 2⁻⁶⁰;
* or it stands behind the last basis row and the rank is the number of columns: certain;
* or else further random primes are drawn, as many as make 2⁻⁶⁰ of the chance that all divide the same non-zero minor:
  a minor of at most H bits (Hadamard) has at most H / 22 prime factors among the 268,216 primes.

If r_p = r, a unit vector of the rational row space also lies in the row space modulo p (the solution's denominator
divides a minor that is not 0 modulo p), so what is screened modulo p misses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from auditor.inference.linear._elimination import Elimination, eliminate
from auditor.inference.linear._sketch import Sketch, sketch_of, times
from auditor.inference.linear.modular import PRIMES, FloatArray, IntArray, centre, product, random_prime

ERROR_BITS = 60
"""Everything said about rows is wrong with a chance of at most 2 to the power of minus this."""
_PROBES = 4
_SMALL = 2**10
_DENOMINATORS = 16


@dataclass(frozen=True)
class Factors:
    """A sketch of B and its elimination."""

    sketch: Sketch
    elimination: Elimination

    @property
    def prime(self) -> int:
        """The prime modulo which B was factored."""
        return self.elimination.prime

    @property
    def basis(self) -> IntArray:
        """int64[r], the rows that depend on no earlier ones, ascending."""
        return self.elimination.basis


def factored(rows: csr_array, generator: np.random.Generator) -> Factors:
    """Factor B; its basis is the earliest one over the rationals, but for a chance of 2⁻⁶⁰."""
    best = _attempt(rows, generator)
    needed, drawn = None, 1
    while not _certain(rows, best, generator):
        needed = needed or _primes_needed(rows)
        if drawn >= needed:
            break
        other = _attempt(rows, generator)
        drawn += 1
        if _earlier(other.basis, best.basis):
            best = other
    return best


def _attempt(rows: csr_array, generator: np.random.Generator) -> Factors:
    """Factor modulo one prime, with sketches that grow until none of the rank modulo the prime is lost."""
    prime, growth = random_prime(generator), 1.0
    while True:
        sketch = sketch_of(rows.shape[1], min(rows.shape), generator, growth)
        elimination = eliminate(sketch.rows_of(rows, prime), prime)
        if sketch.places is None or _lossless(rows, elimination, generator):
            return Factors(sketch, elimination)
        growth *= 1.5


def _lossless(rows: csr_array, found: Elimination, generator: np.random.Generator) -> bool:
    """Whether the combinations of the sketch hold in B itself, for random vectors modulo the prime."""
    if not len(found.dependent):
        return True
    at = times(rows, random_vectors(rows.shape[1], 3, found.prime, generator), found.prime)
    return not centre(
        product(found.combinations(), at[found.basis], found.prime) - at[found.dependent], found.prime
    ).any()


def random_vectors(length: int, count: int, prime: int, generator: np.random.Generator) -> FloatArray:
    """Uniform centred residues, length × count."""
    return centre(generator.integers(0, prime, (length, count)).astype(np.float64), prime)


def _certain(rows: csr_array, factors: Factors, generator: np.random.Generator) -> bool:
    """Whether every row outside the basis is shown to depend on the basis rows before it."""
    found = factors.elimination
    open_ = np.ones(len(found.dependent), dtype=bool)
    if found.rank == rows.shape[1]:
        open_ = found.dependent < (found.basis[-1] if found.rank else -1)
    if not open_.any():
        return True
    combinations = found.combinations()[open_]
    denominators = _clear_denominators(combinations, found.prime)
    dependent = found.dependent[open_]
    hard = denominators == 0
    if hard.any() and not _certain_apart(rows, found.basis, combinations[hard], dependent[hard], generator):
        return False
    combinations, denominators, dependent = combinations[~hard], denominators[~hard], dependent[~hard]
    for _ in range(_PROBES):
        prime = random_prime(generator)
        at = times(rows, random_vectors(rows.shape[1], 1, prime, generator), prime)
        expressed = product(combinations, at[found.basis], prime)
        if centre(expressed - denominators[:, None] * at[dependent], prime).any():
            return False
    return True


def _certain_apart(
    rows: csr_array, basis: IntArray, combinations: FloatArray, dependent: IntArray, generator: np.random.Generator
) -> bool:
    """Whether rows depend on those that they are combinations of, shown by factoring only these, if they are few."""
    apart = np.union1d(basis[combinations.any(axis=0)], dependent)
    if 2 * len(apart) > rows.shape[0]:
        return False
    return np.array_equal(apart[factored(csr_array(rows[apart]), generator).elimination.dependent], dependent)


def _clear_denominators(combinations: FloatArray, prime: int) -> FloatArray:
    """Multiply each row, in place, by the least number that makes all its residues small; 0 where none does."""
    denominators = np.zeros(len(combinations))
    for factor in range(1, _DENOMINATORS + 1):
        left = np.flatnonzero(denominators == 0)
        if not len(left):
            break
        scaled = centre(combinations[left] * factor, prime)
        small = np.abs(scaled).max(axis=1, initial=0) <= _SMALL
        combinations[left[small]] = scaled[small]
        denominators[left[small]] = factor
    return denominators


def _primes_needed(rows: csr_array) -> int:
    """How many primes are to be drawn so that all of them divide one non-zero minor with a chance below 2⁻⁶⁰."""
    squares = rows.data.astype(np.float64) ** 2
    of_rows = np.bincount(np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), squares, rows.shape[0])
    of_columns = np.bincount(rows.indices, squares, rows.shape[1])
    bits = min(_largest_minor(of_rows, min(rows.shape)), _largest_minor(of_columns, min(rows.shape)))
    share = min(0.5, max(1.0, bits / 22) / PRIMES)
    return ceil(ERROR_BITS / -log2(share))


def _largest_minor(squared_norms: NDArray[np.number], rank: int) -> float:
    """Hadamard's bound in bits for a minor of at most `rank` of these rows, or columns."""
    largest = np.sort(squared_norms[squared_norms > 1])[-rank:]
    return float(np.log2(largest).sum() / 2)


def _earlier(one: IntArray, other: IntArray) -> bool:
    """Whether a basis found modulo one prime shows more independent rows, or earlier ones, than another."""
    for mine, theirs in zip(one.tolist(), other.tolist(), strict=False):
        if mine != theirs:
            return bool(mine < theirs)
    return len(one) > len(other)
