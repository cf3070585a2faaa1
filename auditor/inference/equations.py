"""Linear equations over groups of unknowns that no equation tells apart.

Notation of the room: unknowns x₁ … xₙ, one per record (and protected column); m answers, each a linear combination of
them with integer coefficients. Unknowns with the same coefficient in every answer form an *atom*; the answers then only
speak of the totals z_A = Σ_{i ∈ A} xᵢ, and the equations shrink to B z = b with one column per atom.

Over unbounded reals (Chin & Özsoyoglu 1982):

* a vector of the row space is constant on every atom, so only an atom of one unknown can be determined exactly, and
  any group about which something follows is a union of atoms;
* xᵢ is determined iff the unit vector of its atom lies in the row space of B.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

IntArray = NDArray[np.int64]
Row = Callable[[], NDArray[np.generic]]
"""Makes one answer's coefficients: bool[c] or int64[c]. Called twice, so that rows need not be kept."""


@dataclass(frozen=True)
class Equations:
    """B z = b without its right side: `rows` is int64[m, p], `sizes` int64[p] the unknowns in each atom.

    Columns that no answer speaks of are not in it.
    """

    rows: csr_array
    sizes: IntArray

    @property
    def answers(self) -> int:
        """m, how many answers there are."""
        return int(self.rows.shape[0])

    @property
    def atoms(self) -> int:
        """p, how many atoms there are."""
        return int(self.rows.shape[1])


@dataclass(frozen=True)
class Collapsed:
    """Equations over atoms, and where the columns went: `atom_of` int64[c] is −1 for a column in no answer."""

    equations: Equations
    atom_of: IntArray


def collapse(rows: Sequence[Row], sizes: IntArray, *, seed: int | None = None) -> Collapsed:
    """Join the columns that no row tells apart.

    Args:
        rows: the answers, each made on demand; coefficients are integers.
        sizes: int64[c], how many unknowns stand behind each column.
        seed: of the random words that columns are hashed with; from the system where not given.

    Two columns are joined iff their coefficients agree in every row, decided by 128-bit hashes: with c columns the
    chance that two different ones are joined is below c²/2¹²⁸.
    """
    generator = np.random.default_rng(seed)
    hashes = np.zeros((2, len(sizes)), dtype=np.uint64)
    for make in rows:
        coefficients = make().astype(np.uint64)
        for half in (0, 1):
            hashes[half] += coefficients * generator.integers(0, 2**64, dtype=np.uint64)
    _, first, atom_of = np.unique(hashes, axis=1, return_index=True, return_inverse=True)
    atom_of = atom_of.reshape(-1).astype(np.int64)
    totals = np.zeros(len(first), dtype=np.int64)
    np.add.at(totals, atom_of, sizes)
    spoken_of = hashes[:, first].any(axis=0)
    position = np.where(spoken_of, np.cumsum(spoken_of) - 1, -1)
    return Collapsed(_assembled(rows, first[spoken_of], totals[spoken_of]), position[atom_of])


def _assembled(rows: Sequence[Row], representatives: IntArray, sizes: IntArray) -> Equations:
    """Read each row at one column of every atom."""
    kept = [make()[representatives].astype(np.int64) for make in rows]
    columns = [np.flatnonzero(row) for row in kept]
    starts = np.concatenate([[0], np.cumsum([len(c) for c in columns])])
    indices = np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
    values = np.concatenate([row[c] for row, c in zip(kept, columns, strict=True)]) if kept else np.zeros(0, np.int64)
    shape = (len(rows), len(representatives))
    return Equations(csr_array((values, indices, starts), shape=shape, dtype=np.int64), sizes.astype(np.int64))
