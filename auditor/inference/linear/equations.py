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
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

IntArray = NDArray[np.int64]
Row = Callable[[], NDArray[np.generic]]
"""Makes one answer's coefficients: bool[c] or int64[c]. Called twice, so that rows need not be kept."""


@dataclass(frozen=True)
class Equations:
    """B z = b without its right side: `rows` is integers[m, p], `sizes` int64[p] the unknowns in each atom.

    The entries are kept in the smallest integer type that holds them all (ten thousand sums over a million atoms are
    hundreds of millions of ones), so widen them before arithmetic. Columns that no answer speaks of are not in it.
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

    def without(self, known: IntArray) -> Equations:
        """What is left for somebody who knows some of the unknowns: `known` is int64[p], how many of each atom.

        Atoms keep their numbers: one that is known entirely has size 0 and stands in no answer any more.
        """
        left = self.sizes - known
        gone = (left == 0) & (known > 0)
        rows = self.rows.copy()
        rows.data[gone[rows.indices]] = 0
        rows.eliminate_zeros()
        return Equations(rows, left)


@dataclass(frozen=True)
class Collapsed:
    """Equations over atoms, and where the columns went: `atom_of` int64[c] is −1 for a column in no answer.

    Atoms are numbered in the order of their first columns.
    """

    equations: Equations
    atom_of: IntArray


def connected(rows: csr_array) -> tuple[IntArray, IntArray]:
    """int64[m] and int64[p]: the part of each row and of each column, where no row joins two parts.

    An entry that is stored and 0 joins nothing.
    """
    entries = coo_array(rows)
    m, p = rows.shape
    stored = entries.data != 0
    edges = entries.coords[0][stored], m + entries.coords[1][stored]
    graph = csr_array((np.ones(len(edges[0]), dtype=np.int8), edges), shape=(m + p, m + p))
    labels = connected_components(graph, directed=False)[1].astype(np.int64)
    return labels[:m], labels[m:]


def collapse(rows: Sequence[Row], sizes: IntArray, *, kinds: IntArray | None = None) -> Collapsed:
    """Join the columns that no row tells apart.

    Args:
        rows: the answers, each made on demand; coefficients are integers.
        sizes: int64[c], how many unknowns stand behind each column.
        kinds: int64[c] ≥ 0, where columns of several kinds are told apart even if no row does.

    Two columns are joined iff their coefficients agree in every row, decided by 128-bit hashes (a random word for every
    row and coefficient, summed): with c columns the chance that two different ones are joined is below c²/2¹²⁸.
    """
    generator = np.random.default_rng()
    hashes = _hashes(rows, len(sizes), generator)
    if kinds is not None:
        spoken_of = hashes.any(axis=1)
        words = generator.integers(0, 2**64, (int(kinds.max(initial=0)) + 1, 2), dtype=np.uint64)
        hashes[spoken_of] += words[kinds[spoken_of]]
    atom_of, representatives = alike(hashes)
    totals = np.zeros(len(representatives), dtype=np.int64)
    np.add.at(totals, atom_of[atom_of >= 0], sizes[atom_of >= 0])
    return Collapsed(Equations(_assembled(rows, representatives, len(sizes)), totals), atom_of)


def _hashes(rows: Sequence[Row], columns: int, generator: np.random.Generator) -> NDArray[np.uint64]:
    """uint64[columns, 2]; a column in no row has the hash 0."""
    hashes = np.zeros((columns, 2), dtype=np.uint64)
    for make in rows:
        coefficients = make()
        members = np.flatnonzero(coefficients)
        if coefficients.dtype == np.bool_:
            hashes[members] += generator.integers(0, 2**64, 2, dtype=np.uint64)
        else:
            values, which = np.unique(coefficients[members], return_inverse=True)
            hashes[members] += generator.integers(0, 2**64, (len(values), 2), dtype=np.uint64)[which]
    return hashes


def alike(hashes: NDArray[np.uint64]) -> tuple[IntArray, IntArray]:
    """Number equal hashes, uint64[n, 2], in the order of their first places.

    Returns int64[n] the number of each, −1 for the hash 0, and int64[p] the first place of each number.
    """
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))  # stable: the first of equal columns comes first
    ordered = hashes[order]
    begins = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(order)]
    firsts = order[begins]
    first_of = np.empty(len(order), dtype=np.int64)
    first_of[order] = firsts[np.cumsum(begins) - 1]
    representatives = np.sort(firsts[hashes[firsts].any(axis=1)])
    number = np.full(len(order), -1, dtype=np.int64)
    number[representatives] = np.arange(len(representatives))
    return number[first_of], representatives


def _assembled(rows: Sequence[Row], representatives: IntArray, columns: int) -> csr_array:
    """Read each row at one column of every atom."""
    number = np.full(columns, -1, dtype=np.int32)
    number[representatives] = np.arange(len(representatives), dtype=np.int32)
    found: list[tuple[NDArray[np.int32], IntArray | None]] = []
    for make in rows:
        coefficients = make()
        members = np.flatnonzero(coefficients)
        members = members[number[members] >= 0]
        values = None if coefficients.dtype == np.bool_ else coefficients[members].astype(np.int64)
        found.append((number[members], values))
    starts = np.concatenate([[0], np.cumsum([len(atoms) for atoms, _ in found], dtype=np.int64)])
    weights = [values for _, values in found if values is not None]
    low = min((int(values.min(initial=0)) for values in weights), default=0)
    high = max((int(values.max(initial=1)) for values in weights), default=1)
    fitting = (np.int8, np.int16, np.int32, np.int64)
    kind = next(kind for kind in fitting if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    indices = np.empty(starts[-1], dtype=np.int32)
    data = np.ones(starts[-1], dtype=kind)
    for row in reversed(range(len(found))):
        atoms, values = found.pop()  # freed as it is copied: both at once may be too large
        indices[starts[row] : starts[row + 1]] = atoms
        if values is not None:
            data[starts[row] : starts[row + 1]] = values
    return csr_array((data, indices, starts), shape=(len(rows), len(representatives)))
