"""The row space of B over the rationals: which answers are derivable, which unknowns are determined, and the proof.

The combination y·b of the answers is known for every rational y, so a total Σ v_A z_A is known iff v = y B for some y
(Chin & Özsoyoglu 1982); `RowSpace.certificate` finds that y exactly. Rows of the earliest basis are linearly
independent, so y over them is unique. Hence a vector first enters the row space with the last row whose coefficient is
not 0: the first query that discloses is `max(certificate)`.

Nothing here depends on answers, only on what was asked: every decision made from it is simulatable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from auditor.inference.linear._lifting import Lifting
from auditor.inference.linear._sketch import times
from auditor.inference.linear.equations import Equations
from auditor.inference.linear.factors import Factors, factored, random_vectors
from auditor.inference.linear.modular import FloatArray, IntArray, centre

Certificate = dict[int, Fraction]
"""Row → its rational coefficient, never 0; the combination of these rows is the vector, exactly."""
Proof = tuple[IntArray, Certificate | None]
"""The rows that an atom's total follows from, and how; None where that was not worked out."""
_SCREENS = 4
_AT_ONCE = 32


@dataclass(frozen=True)
class NullVectors:
    """Uniformly random vectors z of the null space B z ≡ 0 modulo a random prime; `values` is float64[p, k].

    An entry is a centred residue, an integer of at most p/2 in absolute value, and 0 is exactly 0.
    """

    prime: int
    values: FloatArray


class RowSpace:
    """What the rows of some equations span, over the rationals.

    Ranks and the earliest basis are wrong with a chance of at most 2⁻⁶⁰ (`auditor.inference.linear.factors`), whatever
    the equations. A certificate is exact, verified in integers.
    """

    def __init__(self, equations: Equations, *, seed: int | None = None) -> None:
        self.equations = equations
        self._generator = np.random.default_rng(seed)
        self._factors: Factors = factored(equations.rows, self._generator)
        self._lifting = Lifting.of(equations.rows, self._factors)

    @property
    def rank(self) -> int:
        """The dimension of the row space."""
        return len(self._factors.basis)

    @property
    def basis(self) -> IntArray:
        """int64[rank]: the rows that no combination of earlier ones gives, ascending."""
        return self._factors.basis

    def exposed(self) -> IntArray:
        """int64[e]: the atoms whose total is determined, ascending.

        For an atom of one unknown, that is its value. The caller leaves out atoms of more, or of none.
        """
        return self._exposed

    def certificate(self, vector: Mapping[int, int] | int) -> Certificate | None:
        """The combination of basis rows that equals a vector; None where it is not in the row space.

        Args:
            vector: atom → coefficient, or an atom, for its unit vector.
        """
        entries = {vector: 1} if isinstance(vector, int | np.integer) else vector
        large = any(abs(int(coefficient)) >= 2**63 for coefficient in entries.values())
        dense = np.zeros(self.equations.atoms, dtype=object if large else np.int64)
        for atom, coefficient in entries.items():
            dense[atom] = int(coefficient)
        return self._lifting.solve(dense) if any(entries.values()) else {}

    def proofs(self, atoms: IntArray, effort: int) -> Iterator[Proof]:
        """Of determined atoms, in their order, the rows that each follows from, and the certificate.

        Long certificates have numbers of thousands of digits; those that take more than `effort`, about k³ steps for
        k rows, are left out, but the first is not. The rows are those whose coefficient is not a multiple of the random
        prime: one of b bits is missed with a chance of at most b/22 in 2¹⁸.
        """
        return self._lifting.solve_many(self._units(atoms), effort)

    def _units(self, atoms: IntArray) -> csr_array:
        ones = np.ones(len(atoms), dtype=np.int64)
        return csr_array((ones, atoms, np.arange(len(atoms) + 1)), shape=(len(atoms), self.equations.atoms))

    def null_vectors(self, count: int) -> NullVectors:
        """Draw null vectors: z = g − R (B R)⁻¹ B g for random g, where R is the sketch of `_sketch`.

        z_A = 0 for every determined A; for any other it is 0 with chance 1/p. More generally a vector of the row space
        is orthogonal to every z, and one outside it to a random z with chance 1/p.
        """
        prime, found = self._factors.prime, self._factors.elimination
        start = random_vectors(self.equations.atoms, count, prime, self._generator)
        short = found.solve(times(self.equations.rows, start, prime)[found.basis])
        start -= self._factors.sketch.expanded(found.columns, short, prime)
        return NullVectors(prime, centre(start, prime))

    def null_rows(self, atoms: IntArray, count: int) -> NullVectors:
        """Some atoms' rows of many null vectors, drawn a few at a time so that the other atoms' are not kept."""
        parts = [self.null_vectors(min(_AT_ONCE, count - start)).values[atoms] for start in range(0, count, _AT_ONCE)]
        return NullVectors(self._factors.prime, np.hstack(parts))

    @cached_property
    def _exposed(self) -> IntArray:
        if self.rank == self.equations.atoms:
            return np.arange(self.equations.atoms)
        candidates = np.flatnonzero(~self.null_vectors(_SCREENS).values.any(axis=1))
        return self._lifting.units(candidates, self.equations.atoms, self._generator)
