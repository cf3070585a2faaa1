"""The sums answered so far, ready to say at once what one more would give away.

A pool of random null vectors of the answered rows stands for all of them. A further row a has the products w = a·z with
them. If all are 0 the row is derivable. Otherwise the null vectors of the rows with a are z − (w / w₀) z₀, and column c
becomes determined iff they are all 0 at c: one pass over the columns, whatever was asked before. Once a is answered the
pool has one vector less; it is filled up again from the factors of a sketch, which rows are added to one by one.

What is found modulo the prime is proved over the rationals before it is said, and so is that a row is derivable. If the
prime fails a proof, everything is set up again modulo another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from auditor.inference.linear._dependence import circuit, parallel_classes
from auditor.inference.linear._growing import Growing
from auditor.inference.linear._lifting import Lifting, common_denominator
from auditor.inference.linear._sketch import sketch_of, times
from auditor.inference.linear.equations import Equations
from auditor.inference.linear.factors import Factors, factored, random_vectors
from auditor.inference.linear.modular import FloatArray, IntArray, centre, product, random_prime, residues
from auditor.inference.linear.row_space import RowSpace

POOL = 24
"""Null vectors after filling up; one is used by every answer that tells something."""
SCREENS = 6
"""Null vectors that a decision looks at: a column is missed or suspected wrongly with a chance of p⁻⁵ at most."""
_ROOM = 256

Coefficients = NDArray[np.bool_] | IntArray
Sparse = tuple[NDArray[np.int32], NDArray[np.integer]]
"""The columns of a row's entries, and the entries."""


@dataclass(frozen=True)
class Consequences:
    """What answering a row would give away beyond what follows from the earlier answers.

    `derivable`: nothing, the answer follows from them. `determined`: int64[d], the columns whose totals become known.
    `pairs`: int64[q, 2], two columns of which a combination becomes known though neither does.
    """

    derivable: bool
    determined: IntArray
    pairs: IntArray


class AnsweredSums:
    """Sums over the unknowns behind c columns. Columns need not be atoms: those alike in every row are told apart here.

    Nothing depends on answers, only on what was asked: decisions made from it are simulatable.
    """

    def __init__(self, sizes: IntArray, answered: Iterable[Coefficients] = ()) -> None:
        """Begin with what was answered before.

        Args:
            sizes: int64[c], how many unknowns stand behind each column.
            answered: bool[c] or int64[c] each.
        """
        self._sizes = sizes
        self._generator = np.random.default_rng()
        self._rows = [_sparse(row) for row in answered]
        self._rows = [self._rows[row] for row in factored(self._matrix(), self._generator).basis]
        self._set_up()
        self._determined = np.zeros(len(sizes), dtype=np.bool_)
        self._determine()

    @property
    def rank(self) -> int:
        """How many of the answers are not derivable from earlier ones."""
        return len(self._rows)

    @property
    def determined(self) -> IntArray:
        """The columns whose totals follow from what was answered, ascending."""
        return np.flatnonzero(self._determined)

    def consequences(self, row: Coefficients, *, below: int = 2) -> Consequences:
        """Say what answering a row would give away; nothing is changed.

        Args:
            row: bool[c] or int64[c].
            below: from 3 on, pairs of columns with fewer than so many unknowns together are looked for, too.
        """
        sparse = _sparse(row)
        products = self._products(sparse, SCREENS)
        if not products.any():
            if self._derivable(sparse):
                return Consequences(True, np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64))
            return self.consequences(row, below=below)
        fresh = self._zeroed(products)
        pairs = self._paired(products, below) if below > 2 else []
        if len(fresh) or pairs:
            fresh, pairs = self._proved(sparse, fresh, pairs)
        return Consequences(False, fresh, np.array(pairs, dtype=np.int64).reshape(-1, 2))

    def answer(self, row: Coefficients) -> None:
        """Take a row as answered."""
        sparse = _sparse(row)
        products = self._products(sparse, self._live)
        if not products.any() and self._derivable(sparse):
            return
        self._rows.append(sparse)
        if not products.any() or not self._factors.add(self._sketched(sparse)):
            self._set_up()
        else:
            self._use_up(products)
        self._determine()

    def _set_up(self) -> None:
        """Factor what was answered modulo a new prime, with room for as many rows again."""
        self._column_sums = np.zeros(len(self._sizes))
        for columns, entries in self._rows:
            self._column_sums[columns] += np.abs(entries.astype(np.float64))
        prime, growth = random_prime(self._generator), 1.0
        while True:
            room = max(_ROOM, 2 * len(self._rows))
            self._sketch = sketch_of(len(self._sizes), room, self._generator, growth)
            self._factors = Growing(self._sketch.rows_of(self._matrix(), prime), prime)
            if self._factors.independent:
                break
            prime, growth = random_prime(self._generator), growth * 1.2
        self._pool = np.empty((POOL, len(self._sizes)))
        self._live = 0
        self._fill_up()

    def _fill_up(self) -> None:
        """Add null vectors z = g − R (B R)⁻¹ B g to the pool."""
        prime, found = self._factors.prime, self._factors.view()
        start = random_vectors(len(self._sizes), POOL - self._live, prime, self._generator)
        short = found.solve(times(self._matrix(), start, prime))
        start -= self._sketch.expanded(found.columns, short, prime)
        self._pool[self._live :] = centre(start, prime).T
        self._live = POOL

    def _use_up(self, products: FloatArray) -> None:
        """Make the pool orthogonal to a new row, by one of its vectors."""
        used, last = int(np.flatnonzero(products)[0]), self._live - 1
        for values in (self._pool, products):
            values[[used, last]] = values[[last, used]]
        scale = self._scaled(products[:last], products[last])
        for place, factor in enumerate(scale):
            self._pool[place] -= factor * self._pool[last]
            centre(self._pool[place], self._factors.prime)
        self._live = last
        if self._live < 2 * SCREENS:
            self._fill_up()

    def _determine(self) -> None:
        """Note the columns that are determined now; where the prime suggests one wrongly, take another."""
        fresh = np.flatnonzero(~self._pool[:SCREENS].any(axis=0) & ~self._determined)
        if len(self._lifting().units(fresh, len(self._sizes), self._generator)) < len(fresh):
            self._set_up()
            self._determine()
        self._determined[fresh] = True

    def _products(self, row: Sparse, count: int) -> FloatArray:
        columns, entries = row
        if np.abs(entries).max(initial=0) <= 2**10:  # sums of 2²⁰ products stay below 2⁵³
            found: FloatArray = self._pool[:count, columns] @ entries.astype(np.float64)
            return centre(found, self._factors.prime)
        prime = self._factors.prime
        return product(self._pool[:count, columns], residues(entries, prime)[:, None], prime)[:, 0]

    def _scaled(self, products: FloatArray, by: float) -> FloatArray:
        return centre(products * pow(int(by), -1, self._factors.prime), self._factors.prime)

    def _remaining(self, products: FloatArray, columns: IntArray | slice) -> FloatArray:
        """The null vectors of the screen once a row with these products is answered, at some columns: float64[k, …]."""
        used = int(np.flatnonzero(products)[0])
        others = np.delete(np.arange(len(products)), used)
        scale = self._scaled(products[others], products[used])
        kept = self._pool[others][:, columns]
        return centre(kept - np.outer(scale, self._pool[used, columns]), self._factors.prime)

    def _zeroed(self, products: FloatArray) -> IntArray:
        """The columns that a row with these products determines modulo the prime."""
        used = int(np.flatnonzero(products)[0])
        other = 1 if used == 0 else 0
        scale = self._scaled(products[[other]], products[used])[0]
        first = centre(self._pool[other] - scale * self._pool[used], self._factors.prime)
        candidates = np.flatnonzero((first == 0) & ~self._determined)
        return candidates[~self._remaining(products, candidates).any(axis=0)]

    def _paired(self, products: FloatArray, below: int) -> list[tuple[int, int]]:
        """Columns that become parallel: of each class, its lightest member with every other that was not before."""
        light = np.flatnonzero((self._sizes > 0) & (self._sizes < below - 1) & ~self._determined)
        prime, now, pairs = self._factors.prime, self._remaining(products, light).T, []
        for members in parallel_classes(now, prime, self._generator):
            ordered = light[members[np.argsort(self._sizes[light[members]], kind="stable")]]
            for other in ordered[1:]:
                pair = min(int(ordered[0]), int(other)), max(int(ordered[0]), int(other))
                both = self._sizes[list(pair)].sum() < below
                if both and circuit(self._pool[:SCREENS, list(pair)].T, prime) is None:
                    pairs.append(pair)
        return pairs

    def _derivable(self, row: Sparse) -> bool:
        """Whether a row is a combination of the answered ones; if the prime suggested so wrongly, take another."""
        vector = np.zeros(len(self._sizes), dtype=np.int64)
        vector[row[0]] = row[1]
        if self._lifting().solve(vector) is not None:
            return True
        self._set_up()
        return False

    def _proved(
        self, row: Sparse, fresh: IntArray, pairs: list[tuple[int, int]]
    ) -> tuple[IntArray, list[tuple[int, int]]]:
        """What holds over the rationals of what a row would disclose modulo the prime."""
        if not self._factors.add(self._sketched(row)):
            self._set_up()
            self._factors.add(self._sketched(row))
        lifting = self._lifting(row)
        fresh = lifting.units(fresh, len(self._sizes), self._generator)
        proved = [pair for pair in pairs if self._pair_holds(pair, row, lifting)]
        self._factors.remove_last()
        return fresh, proved

    def _pair_holds(self, pair: tuple[int, int], row: Sparse, lifting: Lifting) -> bool:
        """Whether some combination of two columns, neither of them determined, is in the row space."""
        products = self._products(row, SCREENS)
        found = circuit(self._remaining(products, np.array(pair)).T, self._factors.prime)
        if found is None:
            return False
        prime = self._factors.prime
        small = common_denominator([value * pow(found[0], -1, prime) for value in found], prime)
        if small is not None:
            vector = np.zeros(len(self._sizes), dtype=np.int64)
            vector[list(pair)] = small[0]
            if lifting.solve(vector) is not None:
                return True
        return self._holds_apart(pair, row)

    def _holds_apart(self, pair: tuple[int, int], row: Sparse) -> bool:
        """The same for coefficients too large for one prime: with one column left out, the other is determined."""
        hidden = np.zeros(len(self._sizes), dtype=np.int64)
        hidden[pair[1]] = self._sizes[pair[1]]
        equations = Equations(_stacked([*self._rows, row], len(self._sizes)), self._sizes).without(hidden)
        return RowSpace(equations).certificate(pair[0]) is not None

    def _sketched(self, row: Sparse) -> FloatArray:
        vector = np.zeros(len(self._sizes))
        vector[row[0]] = residues(row[1], self._factors.prime)
        return self._sketch.row_of(vector, self._factors.prime)

    def _lifting(self, *further: Sparse) -> Lifting:
        largest = float(self._column_sums.max(initial=0))
        for _, entries in further:
            largest += float(np.abs(entries.astype(np.float64)).max(initial=0))
        return Lifting([*self._rows, *further], Factors(self._sketch, self._factors.view()), largest)

    def _matrix(self) -> csr_array:
        return _stacked(self._rows, len(self._sizes))


def _sparse(row: Coefficients) -> Sparse:
    columns = np.flatnonzero(row)
    return columns.astype(np.int32), row[columns].astype(np.int8 if row.dtype == np.bool_ else np.int64)


def _stacked(rows: Sequence[Sparse], columns: int) -> csr_array:
    starts = np.concatenate([[0], np.cumsum([len(places) for places, _ in rows])]).astype(np.int64)
    indices = np.concatenate([np.zeros(0, dtype=np.int32), *(places for places, _ in rows)])
    data = np.concatenate([np.zeros(0, dtype=np.int8), *(entries for _, entries in rows)])
    return csr_array((data, indices, starts), shape=(len(rows), columns))
