"""Small groups that nobody published, and whose counts follow from what was.

What is searched, where n is the least count that may be told:

1. each cell of the joint table, and each union of cells that no output tells apart: its count is the same in every
   table of whole numbers that fits (exact integer programmes);
2. each published group without what is known inside it: 45 of a margin less a published 40;
3. each difference of two such groups, one inside the other, of one output or of several;
4. in a part of the system with few unknowns, each union of cells whose count is a linear combination of published
   numbers, such as two suppressed cells of one row together; in a larger part, those that have so few (`_tangle`).

Found are those with a count of 1 … n − 1. Of several, one inside the other, the smallest is listed.

In a system of sums the same groups are looked for, by 2, 3 and 4: those whose sum follows, and that have 1 … n − 1
records by counts that the caller has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array

from auditor.inference import Equations, RowSpace
from auditor.interval import Interval
from auditor.outputs.linked._reduction import Bits, Row, alike
from auditor.outputs.linked._system import System
from auditor.outputs.linked._tangle import KnownCount, Tangle, UnionQuestion

FEW = 14
"""So many unknowns of a part have 2¹⁴ unions, all of which are looked at."""
ROUNDS = 8
"""How many unions of a part of more unknowns are asked for."""


@dataclass(frozen=True)
class Derived:
    """A group of cells with its count, and the outputs that it follows from, by bits."""

    unknowns: frozenset[int]
    count: int
    rests_on: Bits


@dataclass(frozen=True)
class Search:
    """The groups found; `settled` is False where some cell was not settled in time."""

    found: tuple[Derived, ...]
    settled: bool


def derived(
    system: System, least: int, deadline: float = math.inf, *, sizes: Mapping[int, int] | None = None
) -> Search:
    """The groups of fewer than `least` records whose numbers follow.

    Args:
        system: of counts, or of sums.
        least: n.
        deadline: a time of `time.monotonic`.
        sizes: in a system of sums, how many records each cell has; in one of counts that is what is looked for.
    """
    rows = [row for row in system.reduced.exact if all(c == 1 for c in row.unknowns.values())]
    found: list[KnownCount] = [*_known(system), *_rests(rows), *_unions(system)]
    settled = True
    size = _size_by(sizes)
    differences = _differences(rows, least if sizes is None else None)
    if sizes is None:
        of_cells, settled = _cells(system, least, deadline)
        found += of_cells
    found += differences
    sized = (Derived(cells, size(cells, value), bits) for cells, value, bits in found)
    small = [each for each in sized if 0 < each.count < least]
    further, sure = _of_tangles(system, least, deadline, small, sizes)
    return Search(tuple(_smallest([*small, *further])), settled and sure)


def _of_tangles(
    system: System, least: int, deadline: float, known: list[Derived], sizes: Mapping[int, int] | None
) -> tuple[list[Derived], bool]:
    """Small unions of many cells that hang together, those left out that are known; whether there is no other."""
    found: list[Derived] = []
    sure = True
    for tangle in tangles(system):
        tangle.forget([each.unknowns for each in known])
        for _ in range(ROUNDS):
            more, settled = tangle.worst(_of_few(tangle, least, sizes), deadline)
            if more is None:
                sure &= settled
                break
            cells, value, bits = more
            count = _size_by(sizes)(cells, value)
            found += [Derived(cells, count, bits)] if 0 < count < least else []
        else:
            sure = False
    return found, sure


def _of_few(tangle: Tangle, least: int, sizes: Mapping[int, int] | None) -> UnionQuestion:
    """Which union has 1 to n − 1 records: by its number, or in a system of sums by how many each cell has."""
    columns = len(tangle.members)
    if sizes is None:
        return UnionQuestion(np.zeros(columns), most=least - 1)
    counts = np.array([sum(sizes.get(unknown, 0) for unknown in of) for of in tangle.members])
    return UnionQuestion(counts - 0.0, somebody=np.flatnonzero(counts).tolist(), below=least - 0.5)


def following(system: System) -> list[KnownCount]:
    """Every group whose number follows and that no output publishes, by 2, 3 and 4, whatever its size."""
    rows = [row for row in system.reduced.exact if all(c == 1 for c in row.unknowns.values())]
    found = {each[0]: each for each in (*_differences(rows, None), *_unions(system), *_rests(rows), *_known(system))}
    return sorted(found.values(), key=lambda each: (len(each[0]), sorted(each[0])))


def _size_by(sizes: Mapping[int, int] | None) -> Callable[[frozenset[int], Fraction], int]:
    if sizes is None:
        return lambda _, value: int(value)
    return lambda cells, _: sum(sizes.get(unknown, 0) for unknown in cells)


def _known(system: System) -> Iterator[KnownCount]:
    """Unknowns that some outputs together settle, and no output says."""
    for unknown, known in system.reduced.known.items():
        if not known.published:
            yield frozenset([unknown]), known.value, known.rests_on


def _rests(rows: Iterable[Row]) -> Iterator[KnownCount]:
    """What is left of published groups, once what is known inside them is taken out."""
    for row in rows:
        if row.derived and row.ends.low is not None:
            yield frozenset(row.unknowns), row.ends.low, row.rests_on


def _differences(rows: list[Row], least: int | None) -> Iterator[KnownCount]:
    """Differences of two groups, one inside the other; of fewer than `least` where it is given."""
    if not rows:
        return
    number = {unknown: place for place, unknown in enumerate({u for row in rows for u in row.unknowns})}
    pairs = [(at, number[unknown]) for at, row in enumerate(rows) for unknown in row.unknowns]
    places = np.array(pairs, dtype=np.int64)
    matrix = csr_array((np.ones(len(pairs), dtype=np.int32), (places[:, 0], places[:, 1])), (len(rows), len(number)))
    shared = (matrix @ matrix.T).tocoo()
    sizes = np.array([len(row.unknowns) for row in rows])
    inside = (shared.data == sizes[shared.coords[0]]) & (sizes[shared.coords[0]] < sizes[shared.coords[1]])
    for inner, outer in zip(shared.coords[0][inside].tolist(), shared.coords[1][inside].tolist(), strict=True):
        small, large = rows[inner], rows[outer]
        value = (large.ends.low or Fraction(0)) - (small.ends.low or Fraction(0))
        if least is None or 0 < value < least:
            yield frozenset(large.unknowns) - frozenset(small.unknowns), value, large.rests_on | small.rests_on


def _cells(system: System, least: int, deadline: float) -> tuple[list[KnownCount], bool]:
    """Cells, those alike together, whose count is the same in every table that fits."""
    groups: dict[int, list[int]] = {}
    for unknown, kind in alike(system.reduced.rows).items():
        groups.setdefault(kind, []).append(unknown)
    truth = system.truth or system.met
    asked = [
        Row(dict.fromkeys(unknowns, 1), Interval(), 0, "")
        for unknowns in groups.values()
        if truth is None or 0 < sum(truth.get(unknown, 0) for unknown in unknowns) < least
    ]
    bounds = system.bounds(asked, Fraction(1), deadline)
    found = [
        (frozenset(row.unknowns), count, bound.rests_on)
        for row, bound in zip(asked, bounds, strict=True)
        if bound.settled and (count := bound.point) is not None
    ]
    return found, all(bound.settled for bound in bounds)


def _unions(system: System) -> Iterator[KnownCount]:
    """Unions of cells whose indicator is in the row space, part by part where there are few cells."""
    for rows, matrix, members in _together(system):
        if len(members) <= FEW:
            yield from _unions_of(rows, matrix, members)


def tangles(system: System) -> list[Tangle]:
    """The parts of more than few cells, whose unions are looked for by what they would break."""
    return [Tangle(*each) for each in _together(system) if len(each[2]) > FEW]


def _together(system: System) -> Iterator[tuple[list[Row], csr_array, list[list[int]]]]:
    """Rows that hang together: their coefficients, and the unknowns of each column, alike in every row."""
    rows = system.reduced.exact
    kinds = alike(rows)
    members: dict[int, list[int]] = {}
    for unknown, kind in kinds.items():
        members.setdefault(kind, []).append(unknown)
    for part in _parts(rows, kinds):
        columns = sorted({kinds[unknown] for row in part for unknown in row.unknowns})
        place = {kind: at for at, kind in enumerate(columns)}
        matrix = np.zeros((len(part), len(columns)), dtype=np.int64)
        for at, row in enumerate(part):
            for unknown, coefficient in row.unknowns.items():
                matrix[at, place[kinds[unknown]]] = coefficient
        yield part, csr_array(matrix), [members[kind] for kind in columns]


def _unions_of(rows: list[Row], matrix: csr_array, members: list[list[int]]) -> Iterator[KnownCount]:
    space = RowSpace(Equations(matrix, np.ones(len(members), dtype=np.int64)), seed=0)
    null = space.null_vectors(2)
    sums = np.zeros((1, 2))
    for at in range(len(members)):  # entries are below 2⁵³ / FEW, so that the sums are exact
        sums = np.vstack([sums, sums + null.values[at]])
    for union in np.flatnonzero(~np.mod(sums, null.prime).any(axis=1)).tolist():
        chosen = [at for at in range(len(members)) if union >> at & 1]
        certificate = space.certificate(dict.fromkeys(chosen, 1)) if chosen else None
        if certificate is None:
            continue
        count = sum((y * (rows[row].ends.low or 0) for row, y in certificate.items()), Fraction(0))
        rests_on = 0
        for used in certificate:
            rests_on |= rows[used].rests_on
        yield frozenset(unknown for at in chosen for unknown in members[at]), count, rests_on


def _parts(rows: list[Row], kinds: dict[int, int]) -> Iterator[list[Row]]:
    """Rows that share unknowns, directly or through others."""
    root: dict[int, int] = {kind: kind for kind in kinds.values()}

    def find(kind: int) -> int:
        while root[kind] != kind:
            root[kind] = root[root[kind]]
            kind = root[kind]
        return kind

    for row in rows:
        first, *others = {find(kinds[unknown]) for unknown in row.unknowns}
        for other in others:
            root[other] = first
    parts: dict[int, list[Row]] = {}
    for row in rows:
        parts.setdefault(find(kinds[next(iter(row.unknowns))]), []).append(row)
    yield from parts.values()


def _smallest(found: list[Derived]) -> Iterator[Derived]:
    """The groups inside which no other is, each once; where several outputs tell of it, the earliest."""
    ordered = sorted(found, key=lambda each: (len(each.unknowns), sorted(each.unknowns), each.rests_on))
    kept: list[Derived] = []
    holding: dict[int, list[Derived]] = {}
    for each in ordered:
        near = {id(other): other for unknown in each.unknowns for other in holding.get(unknown, ())}
        if any(other.unknowns <= each.unknowns for other in near.values()):
            continue
        kept.append(each)
        for unknown in each.unknowns:
            holding.setdefault(unknown, []).append(each)
    yield from kept
