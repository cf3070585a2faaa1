"""Exact rational solutions of y B = v from factors modulo one prime: Dixon's p-adic lifting.

The digits of y in base p are found one after the other: with e₀ = v, solve d_k B ≡ e_k (mod p) and set
e_{k+1} = (e_k − d_k B) / p. Then y_k = Σ d_i pⁱ satisfies v − y_k B = pᵏ e_k exactly. Either the division leaves a
remainder, and then v is not in the row space (a solution would be unique and have no p in its denominator); or y is
recovered from y_k by rational reconstruction as n / D, and n B = D v is proved in integers by
(D y_k − n) / pᵏ · B + D e_k = 0.

Source: J. D. Dixon, Exact solution of linear equations using p-adic expansions, Numerische Mathematik 40 (1982).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, isqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from auditor.inference.linear._sketch import batches
from auditor.inference.linear.factors import Factors
from auditor.inference.linear.modular import FloatArray, IntArray, centre

Exact = NDArray[Any]
"""Integers of any size: int64 where sums cannot overflow, else Python's."""


Solution = tuple[IntArray, dict[int, Fraction] | None]
"""The rows whose coefficient is not 0 modulo the prime, hence not 0; and the coefficient of each row."""
_AT_ONCE = 256
_FEW_ROWS = 64


class SparseRows(Protocol):
    """Rows by number: the columns of a row's entries, each once, and the entries."""

    def __getitem__(self, row: int, /) -> tuple[NDArray[np.integer], NDArray[np.integer]]: ...


class CsrRows:
    """The rows of a sparse matrix."""

    def __init__(self, matrix: csr_array) -> None:
        self._matrix = matrix

    def __getitem__(self, row: int) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        part = slice(self._matrix.indptr[row], self._matrix.indptr[row + 1])
        return self._matrix.indices[part], self._matrix.data[part]


class Lifting:
    """Solves y B = v over the rationals for the basis rows of B.

    `largest_sum` is the largest sum of absolute values of a column of B, or more.
    """

    def __init__(self, rows: SparseRows, factors: Factors, largest_sum: float) -> None:
        self._rows = rows
        self._factors = factors
        self._largest_sum = ceil(largest_sum)  # an integer, because it is compared with ones beyond any float

    @classmethod
    def of(cls, matrix: csr_array, factors: Factors) -> Lifting:
        """Lift over the rows of a sparse matrix."""
        sums = np.zeros(matrix.shape[1])
        for start, stop in batches(matrix):  # as floats all entries at once take twice what the matrix does
            part = slice(matrix.indptr[start], matrix.indptr[stop])
            sums += np.bincount(matrix.indices[part], np.abs(matrix.data[part].astype(np.float64)), matrix.shape[1])
        return cls(CsrRows(matrix), factors, float(sums.max(initial=0)))

    def solve_many(self, vectors: csr_array, effort: int | None = None) -> Iterator[Solution]:
        """Solve for each row of int64[n, p]; much faster where the coefficients are few and small.

        Lifting k coefficients takes about k³ steps. With `effort`, what would take more steps than that together is not
        lifted; but the first always is.
        """
        spent = 0
        prime, found = self._factors.prime, self._factors.elimination
        for start in range(0, vectors.shape[0], _AT_ONCE):
            part = csr_array(vectors[start : start + _AT_ONCE])
            short = self._factors.sketch.rows_of(part, prime)[:, found.columns]
            for row, residues in enumerate(found.solve_left(short)):
                columns = slice(part.indptr[row], part.indptr[row + 1])
                sought = dict(zip(part.indices[columns].tolist(), part.data[columns].tolist(), strict=True))
                rows = self._factors.basis[np.flatnonzero(residues)]
                solution = self._small(residues, sought)
                if solution is None and (effort is None or not spent or spent + len(rows) ** 3 <= effort):
                    dense = np.zeros(vectors.shape[1], dtype=np.int64)
                    dense[part.indices[columns]] = part.data[columns]
                    solution = self.solve(dense)
                    spent += len(rows) ** 3
                yield rows, solution

    def _small(self, residues: FloatArray, sought: dict[int, int]) -> dict[int, Fraction] | None:
        """A solution that a few rows give with coefficients that one prime shows; checked in integers."""
        places = np.flatnonzero(residues)
        if not 0 < len(places) <= _FEW_ROWS or self._largest_sum > 2**40:
            return None
        small = common_denominator([int(value) for value in residues[places]], self._factors.prime)
        if small is None:
            return None
        rows = [self._rows[self._factors.basis[place]] for place in places]
        columns, where = np.unique(np.concatenate([row for row, _ in rows]), return_inverse=True)
        sums = np.zeros(len(columns), dtype=np.int64)
        entries = [each.astype(np.int64) * numerator for (_, each), numerator in zip(rows, small[0], strict=True)]
        np.add.at(sums, where, np.concatenate(entries))
        left = {int(columns[at]): int(sums[at]) for at in np.flatnonzero(sums)[: len(sought) + 1]}
        if left != {column: small[1] * value for column, value in sought.items()}:
            return None
        return {
            int(self._factors.basis[place]): Fraction(n, small[1]) for place, n in zip(places, small[0], strict=True)
        }

    def solve(self, vector: Exact) -> dict[int, Fraction] | None:
        """The coefficient of each basis row with one other than 0; None where v is not in the row space.

        `vector` is int64[p] or object[p] of Python integers.
        """
        prime = self._factors.prime
        safe = self._largest_sum * prime < 2**61 and all(abs(int(v)) < 2**61 for v in (vector.min(), vector.max()))
        residual = vector.astype(np.int64 if safe else object)
        digits: list[IntArray] = []
        attempt = 1
        while True:
            digit = self._digit(residual)
            self._subtract(residual, digit)
            quotient = residual // prime
            if (residual - quotient * prime).any():
                return None
            residual = quotient
            digits.append(digit)
            if len(digits) < attempt and residual.any():
                continue
            attempt = len(digits) + max(1, len(digits) // 2)
            found = self._reconstructed(digits, residual)
            if found is not None:
                return found

    def units(self, candidates: IntArray, columns: int, generator: np.random.Generator) -> IntArray:
        """Those candidates whose unit vectors, of so many columns, are in the row space over the rationals.

        One random combination is proved for all: where a unit vector is not in the space, at most one of 2⁶⁰ choices of
        its coefficient gives a combination that is.
        """
        if not len(candidates):
            return candidates
        combined = np.zeros(columns, dtype=np.int64)
        combined[candidates] = generator.integers(1, 2**60, len(candidates))
        if self.solve(combined) is not None:
            return candidates
        if len(candidates) == 1:
            return candidates[:0]
        half = len(candidates) // 2
        parts = candidates[:half], candidates[half:]
        return np.concatenate([self.units(part, columns, generator) for part in parts])

    def _digit(self, residual: Exact) -> IntArray:
        found, prime = self._factors.elimination, self._factors.prime
        short = self._factors.sketch.row_of(centre((residual % prime).astype(np.float64), prime), prime)
        digit: IntArray = found.solve_left(short[None, found.columns])[0].astype(np.int64)
        return digit

    def _subtract(self, target: Exact, coefficients: Exact) -> None:
        """Set target to target − coefficients · B, over the basis rows."""
        for place in np.flatnonzero(coefficients):
            columns, entries = self._rows[self._factors.basis[place]]
            target[columns] -= entries.astype(target.dtype) * coefficients[place]

    def _reconstructed(self, digits: list[IntArray], residual: Exact) -> dict[int, Fraction] | None:
        """Recover y from its digits, if they are enough, and prove it."""
        modulus = self._factors.prime ** len(digits)
        places = np.flatnonzero(np.any(digits, axis=0))
        lifted = [_from_digits([int(digit[place]) for digit in digits], self._factors.prime) for place in places]
        if not residual.any():
            return {int(self._factors.basis[at]): Fraction(y) for at, y in zip(places, lifted, strict=True)}
        scaled = common_denominator(lifted, modulus)
        if scaled is None:
            return None
        numerators, denominator = scaled
        carries = np.zeros(len(self._factors.basis), dtype=object)
        carries[places] = [(denominator * y - n) // modulus for y, n in zip(lifted, numerators, strict=True)]
        if not self._balances(carries, residual, denominator):
            return None
        return {
            int(self._factors.basis[at]): Fraction(n, denominator)
            for at, n in zip(places, numerators, strict=True)
            if n
        }

    def _balances(self, carries: Exact, residual: Exact, denominator: int) -> bool:
        """Whether carries · B + D e = 0, in integers."""
        largest = max([denominator, *(abs(c) for c in carries)])
        safe = residual.dtype == np.int64 and largest * (self._largest_sum + int(np.abs(residual).max())) < 2**61
        total = (residual if safe else residual.astype(object)) * -denominator
        self._subtract(total, carries.astype(np.int64) if safe else carries)
        return not total.any()


def _from_digits(digits: list[int], prime: int) -> int:
    value = 0
    for digit in reversed(digits):
        value = value * prime + digit
    return value


def common_denominator(residues: list[int], modulus: int) -> tuple[list[int], int] | None:
    """Find numerators n and one denominator D, all at most √(modulus / 2), with n ≡ D y; None where there are none."""
    bound = isqrt(modulus // 2)
    denominator = 1
    for residue in residues:
        scaled = _centred(residue * denominator, modulus)
        if abs(scaled) > bound:
            denominator *= _denominator_of(scaled, modulus, bound)
            if denominator > bound:
                return None
    numerators = [_centred(residue * denominator, modulus) for residue in residues]
    return (numerators, denominator) if all(abs(n) <= bound for n in numerators) else None


def _centred(value: int, modulus: int) -> int:
    value %= modulus
    return value - modulus if 2 * value > modulus else value


def _denominator_of(residue: int, modulus: int, bound: int) -> int:
    """The d of the first n / d ≡ residue with |n| ≤ bound, by Euclid's algorithm (Wang 1981)."""
    before, now = modulus, residue % modulus
    denominator_before, denominator = 0, 1
    while now > bound:
        quotient = before // now
        before, now = now, before - quotient * now
        denominator_before, denominator = denominator, denominator_before - quotient * denominator
    return abs(denominator)
