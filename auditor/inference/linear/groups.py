"""Groups of fewer unknowns than a bound about which something follows, though perhaps about none of them alone.

A group is disclosed when the row space holds a vector other than 0 that is supported on it: some combination of its
members' values is known. Vectors of the row space are constant on atoms, so a minimal group is a union of atoms, and
its vector is unique up to a factor.

Finding the lightest vector of a row space is NP-hard in general. What is done here (n unknowns in the group):

* n ≤ 2, exactly: atoms of one or two unknowns whose null row is 0, and pairs of parallel null rows, found by hashing;
* above, sets of atoms are tried up to an effort, first those that two similar answers, or an elimination of the light
  atoms of a component alone, bring up; `Groups.complete` says whether all were. An elimination that finds no vector on
  all light atoms of a component together is a proof that there is no group of any size in it.

Every group comes with a certificate that is exact.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice, pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from auditor.inference.linear._components import components
from auditor.inference.linear._dependence import circuit, parallel_classes, project_away, supported_inside
from auditor.inference.linear._inside import known_inside
from auditor.inference.linear._sketch import batches
from auditor.inference.linear.equations import Equations, alike
from auditor.inference.linear.modular import FloatArray, IntArray
from auditor.inference.linear.row_space import Certificate, NullVectors, RowSpace

LIGHT_AT_ONCE = 1_500
LIGHT_WORK = 20_000_000_000
"""So many atoms of less than `below` unknowns are eliminated together, which takes as many null vectors, within so many
multiplications to draw these."""
LISTED_BITS = 2**20
"""Once the certificates of the groups that are listed have so many bits, no more are: more long ones prove no more."""
_SLACK = 4


@dataclass(frozen=True)
class Group:
    """A minimal group about which something follows.

    `coefficients` is atom → integer, without common factor: that combination of the atoms' totals is known.
    `functional` is "total" where all are 1, else "other".
    """

    atoms: tuple[int, ...]
    size: int
    coefficients: dict[int, int]
    functional: Literal["total", "other"]
    certificate: Certificate

    @property
    def bits(self) -> int:
        """The length of the certificate's numbers."""
        return sum(y.numerator.bit_length() + y.denominator.bit_length() for y in self.certificate.values())


@dataclass(frozen=True)
class Groups:
    """The minimal groups of two unknowns or more.

    `count` is how many there are of those that were looked for: pairs out of one class are counted, even where only the
    first are listed. `complete` says that every set of atoms below the bound was looked at, `tried` how many atoms
    beyond the exact part were.
    """

    found: tuple[Group, ...]
    count: int
    complete: bool
    tried: int


def disclosed_groups(
    space: RowSpace,
    below: int,
    *,
    effort: int = 100_000,
    limit: int = 1_000,
    among: NDArray[np.bool_] | None = None,
    weights: IntArray | None = None,
    deadline: float = math.inf,
) -> Groups:
    """Find the minimal disclosed groups of 2 … below − 1 unknowns.

    Args:
        space: the row space of the answers.
        below: the bound, the policy's `min_group`.
        effort: how many sets are tried beyond pairs, where all that share all but two atoms count as one for each atom
            that could be one of the two.
        limit: how many groups are listed at most.
        among: bool[p], the atoms that a group may consist of; all by default.
        weights: int64[p], how many each atom counts as; its unknowns by default.
        deadline: a time of `time.monotonic`; what was not looked at by then makes the search incomplete.
    """
    unknowns = space.equations.sizes
    sizes = unknowns if weights is None else weights
    null = space.null_vectors(max(2, below) + _SLACK)
    spoken_of = np.bincount(space.equations.rows.indices, minlength=len(sizes)) > 0
    light = np.flatnonzero((sizes > 0) & (sizes < below) & spoken_of & (True if among is None else among))
    moving = null.values[light].any(axis=1)
    alone = [(int(atom),) for atom in light[~moving] if unknowns[atom] > 1]
    rest = _Rest(space, null, light[moving], sizes, below=below, deadline=deadline)
    pairs = rest.pairs()
    larger = rest.larger(effort)
    sets = [*alone, *islice(pairs, limit), *larger.sets]
    proved: list[Group] = []
    effort_left = LISTED_BITS
    for atoms in sets[:limit]:
        if proved and (effort_left < 0 or time.monotonic() > deadline):
            break
        group = _proved(space, null, atoms)
        proved += [] if group is None else [group]
        effort_left -= 0 if group is None else group.bits
    count = len(alone) + rest.count_pairs() + len(larger.sets)
    return Groups(tuple(proved), count, larger.complete, larger.tried)


def group_of(space: RowSpace, coefficients: dict[int, int], certificate: Certificate) -> Group:
    """The group of a vector of the row space."""
    return Group(
        atoms=tuple(sorted(coefficients)),
        size=int(space.equations.sizes[list(coefficients)].sum()),
        coefficients=coefficients,
        functional="total" if set(coefficients.values()) == {1} else "other",
        certificate=certificate,
    )


def _proved(space: RowSpace, null: NullVectors, atoms: tuple[int, ...]) -> Group | None:
    """The group with its exact vector; None where its dependence holds modulo the prime only, or is not minimal."""
    known = known_inside(space, null.values[list(atoms)], null.prime, atoms)
    if len(known) != 1 or len(known[0].coefficients) != len(atoms):
        return None
    return group_of(space, known[0].coefficients, known[0].certificate)


@dataclass(frozen=True)
class _Larger:
    sets: list[tuple[int, ...]]
    complete: bool
    tried: int


class _Rest:
    """The light atoms that are not determined, and the search among them."""

    def __init__(
        self, space: RowSpace, null: NullVectors, atoms: IntArray, sizes: IntArray, *, below: int, deadline: float
    ) -> None:
        self._space = space
        self._null = null
        self._atoms = atoms
        self._values = null.values[atoms]
        self._below = below
        self._sizes = sizes[atoms]
        self._deadline = deadline
        self._generator = np.random.default_rng(0)
        self._classes = [
            members[np.argsort(self._sizes[members], kind="stable")]
            for members in parallel_classes(self._values, null.prime, self._generator)
        ]

    def pairs(self) -> Iterator[tuple[int, ...]]:
        """All pairs of parallel atoms that together stay below the bound."""
        for members in self._classes:
            for place, one in enumerate(members):
                for other in members[place + 1 :]:
                    if self._sizes[one] + self._sizes[other] >= self._below:
                        break
                    yield tuple(sorted((int(self._atoms[one]), int(self._atoms[other]))))

    def count_pairs(self) -> int:
        """How many pairs there are, without listing them."""
        total = 0
        for members in self._classes:
            by_size = Counter(self._sizes[members].tolist())
            for one, many in by_size.items():
                for other, others in by_size.items():
                    if one + other < self._below:
                        total += many * others if one < other else many * (many - 1) // 2 if one == other else 0
        return total

    def larger(self, effort: int) -> _Larger:
        """Sets of three atoms or more, component by component, the smallest first."""
        light = np.flatnonzero(self._sizes < self._below - 2)
        parts = _parts(light, components(self._space.equations.rows)[self._atoms[light]])
        found: dict[tuple[int, ...], None] = {}
        together = [part for part in parts if len(part) <= self._affordable()]
        rest = self._in_vectors(together, found) + parts[len(together) :]
        if parts:
            self._similar_answers(light, found)
        search = _DependentSets(
            self._values, self._null.prime, self._sizes, below=self._below, effort=effort, deadline=self._deadline
        )
        complete = all(search.run(part, self._generator) for part in rest)
        for places in search.found:
            found[tuple(int(self._atoms[place]) for place in places)] = None
        return _Larger(list(found), complete, search.tried)

    def _affordable(self) -> int:
        """How many null vectors may be drawn to eliminate as many light atoms together."""
        each = self._space.equations.rows.nnz + 2 * self._space.rank**2 + 1
        return min(LIGHT_AT_ONCE, LIGHT_WORK // each)

    def _in_vectors(self, parts: list[IntArray], found: dict[tuple[int, ...], None]) -> list[IntArray]:
        """Of each part the atoms on which a vector of the row space, supported on the part, is not 0."""
        if not parts:
            return []
        places = np.concatenate(parts)
        null = self._space.null_rows(self._atoms[places], max(map(len, parts)) + _SLACK)
        left, start = [], 0
        for part in parts:
            vectors = supported_inside(null.values[start : start + len(part)], null.prime)
            start += len(part)
            for vector in vectors:
                self._offer(part[np.flatnonzero(vector)], found)
            left.append(part[vectors.any(axis=0)])
        return left

    def _similar_answers(self, light: IntArray, found: dict[tuple[int, ...], None]) -> None:
        """Answers that differ in fewer than `below` atoms agree in one of `below` random parts of the atoms."""
        place_of = np.full(self._space.equations.atoms, -1, dtype=np.int64)
        place_of[self._atoms[light]] = light
        for atoms in _near_differences(self._space.equations, self._below, self._generator):
            places = place_of[atoms]
            if (places >= 0).all():
                self._offer(places, found)

    def _offer(self, places: IntArray, found: dict[tuple[int, ...], None]) -> None:
        """Look for minimal groups in the support of a vector, if it is light."""
        if len(places) < 3 or self._sizes[places].sum() >= self._below:
            return
        every = 2 ** len(places) * len(places)
        search = _DependentSets(self._values, self._null.prime, self._sizes, below=self._below, effort=every)
        search.run(np.sort(places), self._generator)
        for group in search.found:
            found[tuple(int(self._atoms[place]) for place in group)] = None


def _parts(places: IntArray, label: IntArray) -> list[IntArray]:
    """The places of each label, if they are three or more; the fewest first."""
    order = np.argsort(label, kind="stable")
    cuts = np.flatnonzero(np.diff(label[order])) + 1
    return sorted((part for part in np.split(places[order], cuts) if len(part) > 2), key=len)


class _DependentSets:
    """Minimal dependent sets of three null rows or more, by the number of their atoms.

    A set of s atoms is found from its first s − 2: modulo these, the other two are parallel.
    """

    def __init__(
        self,
        rows: FloatArray,
        prime: int,
        sizes: IntArray,
        *,
        below: int,
        effort: int,
        deadline: float = math.inf,
    ) -> None:
        self._rows = rows
        self._prime = prime
        self._sizes = sizes
        self._below = below
        self._effort = effort
        self._deadline = deadline
        self.tried = 0
        self.found: list[tuple[int, ...]] = []

    def run(self, places: IntArray, generator: np.random.Generator) -> bool:
        """Search among these places, ascending; whether the effort was enough."""
        least = np.sort(self._sizes[places])
        for count in range(3, len(places) + 1):
            if least[:count].sum() >= self._below:
                break
            if not self._extend((), places, self._rows[places], count - 2, generator):
                return False
        return True

    def _extend(
        self, prefix: tuple[int, ...], places: IntArray, rows: FloatArray, more: int, generator: np.random.Generator
    ) -> bool:
        if self.tried + len(places) > self._effort or time.monotonic() > self._deadline:
            return False
        self.tried += len(places)
        spent = int(self._sizes[list(prefix)].sum()) if prefix else 0
        if more == 0:
            self._close(prefix, places, rows, spent, generator)
            return True
        for at in range(len(places) - more - 1):
            row, others = rows[at], slice(at + 1, None)
            if spent + self._sizes[places[at]] >= self._below or not row.any():
                continue
            rest = project_away(rows[others], row, self._prime)
            if not self._extend((*prefix, int(places[at])), places[others], rest, more - 1, generator):
                return False
        return True

    def _close(
        self, prefix: tuple[int, ...], places: IntArray, rows: FloatArray, spent: int, generator: np.random.Generator
    ) -> None:
        for members in parallel_classes(rows, self._prime, generator):
            for one, other in combinations(places[members].tolist(), 2):
                if spent + self._sizes[one] + self._sizes[other] < self._below:
                    group = (*prefix, one, other)
                    if circuit(self._rows[list(group)], self._prime) is not None:
                        self.found.append(group)


def _near_differences(equations: Equations, below: int, generator: np.random.Generator) -> Iterable[IntArray]:
    """The atoms in which two answers differ, for pairs that differ in few; and those of light answers themselves."""
    rows, atoms = equations.rows, equations.atoms
    part_of = generator.integers(0, below, atoms)
    words = generator.integers(0, 2**64, (atoms, 2), dtype=np.uint64)
    seen: set[tuple[int, int]] = set()
    for part in range(below):
        kept = np.where((part_of == part)[:, None], words, 0).astype(np.uint64)
        number, _ = alike(_hashes(rows, kept))
        order = np.argsort(number, kind="stable")
        for one, other in pairwise(order):
            pair = (int(one), int(other))
            if number[one] == number[other] >= 0 and pair not in seen:
                seen.add(pair)
                difference = (rows[[pair[0]]].astype(np.int64) - rows[[pair[1]]].astype(np.int64)).tocoo()
                support = np.unique(difference.coords[1][difference.data != 0])
                if len(support) < below:
                    yield support


def _hashes(rows: csr_array, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Sum the words of each row's atoms, times the coefficients."""
    hashes = np.zeros((rows.shape[0], words.shape[1]), dtype=np.uint64)
    for start, stop in batches(rows):
        hashes[start:stop] = rows[start:stop].astype(np.uint64) @ words
    return hashes
