"""The joint table of published numbers, and how far each of its sums can go."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from auditor.classes import BoolArray, IntArray
from auditor.inference import Equations, UnknownDomain
from auditor.inference.integer.intervals import Combination, MemberInterval, intervals
from auditor.interval import Interval
from auditor.outputs.linked._atoms import Atoms
from auditor.outputs.linked._classes import NO_VALUE, OTHER_VALUE, Column, ColumnClasses, masks
from auditor.outputs.linked._cliques import Clique, cliques, largest, pairs, tree
from auditor.outputs.linked._combination import known_of
from auditor.outputs.linked._nesting import NOTHING_NESTED, Nesting, columns_of
from auditor.outputs.linked._numbers import Number
from auditor.outputs.linked._placed import TableUnknowns, codes_of_people, codes_of_records
from auditor.outputs.linked._reduction import Bits, Contradiction, Reduction, Row, alike
from auditor.outputs.published.conditions import Condition
from auditor.outputs.published.counts import Counts


@dataclass(frozen=True, slots=True)
class SumInterval(Interval[Fraction]):
    """How far a sum can go, in every database that fits; `settled` is False where that was not worked out in time.

    `rests_on` are the outputs that this follows from, by bits.
    """

    settled: bool = False
    rests_on: Bits = 0


class System:
    """Published numbers as sums of the cells of a joint table, which is kept by the cliques of its columns.

    Args:
        numbers: what is published, in the order of release.
        full: columns of which every record has a value that some number names, as far as is known without data.
        lacking: those of these columns of which records may have no value: no table by them counts such a record.
        counts: the data, where it is given: it says which values there are, and is a solution.
        relaxed: look only at the tables of the largest column sets and the margins that they share, not at a joint
            table of them. What follows so follows; what does not may still do.
        whole: whether the numbers are counts; else sums of any numbers, or of none below 0 where `least` is 0.
        least: the least that a cell can be; None where there is none.
        nesting: which values of the columns may be nested in which.

    Raises:
        Contradiction: no database fits the numbers.
        NotEvaluated: the joint table is too large.
    """

    def __init__(
        self,
        numbers: Sequence[Number],
        *,
        full: frozenset[str],
        lacking: frozenset[str] = frozenset(),
        counts: Counts | None = None,
        relaxed: bool = False,
        whole: bool = True,
        least: Fraction | None = Fraction(0),
        nesting: Nesting = NOTHING_NESTED,
    ) -> None:
        self.counts = counts
        groups = [number.group for number in numbers]
        published = frozenset(condition for number in numbers if not number.suppressed for condition in number.group)
        self.classes: dict[Column, ColumnClasses] = columns_of(
            groups, full, counts, nesting, lacking=lacking, published=published
        )
        known: dict[Condition, BoolArray] = {}
        allowed = [masks(group, self.classes, known) for group in groups]
        edges = [frozenset(each) for each in allowed]
        asked = frozenset[Column]().union(*edges)
        self.known = known_of({c: each for c, each in self.classes.items() if c in asked}, nesting, counts)
        edges += self.known.edges
        joint, parts = cliques(edges), largest(edges)
        self.relaxed = relaxed and set(joint) != set(parts)
        self.cyclic = set(joint) != set(parts)
        self._tables = self._laid_out(parts if self.relaxed else joint)
        rows = [
            Row(dict.fromkeys(self._unknowns(each).tolist(), 1), n.ends, 1 << n.output, n.name)
            for n, each in zip(numbers, allowed, strict=True)
        ]
        self.of_number = rows
        self.met: dict[int, int] | None = None
        self._of_records: dict[int, IntArray] = {}
        self.reduced = Reduction([*rows, *self._separators()], least, whole)
        try:
            self.reduced.follow()
        except Contradiction as error:
            error.nested = self.is_nested
            raise

    @property
    def is_nested(self) -> bool:
        """Whether values of some columns were found to be nested."""
        told = (isinstance(each, Atoms) or bool(each.unions) for each in self.classes.values())
        return bool(self.known.edges) or any(told)

    def _laid_out(self, found: list[Clique]) -> list[TableUnknowns]:
        """The cells of each clique."""
        tables: list[TableUnknowns] = []
        first = 0
        for clique in found:
            tables.append(TableUnknowns.of(sorted(clique), self.classes, self.counts, first, self.known))
            first += len(tables[-1].codes)
        return tables

    def _unknowns(self, allowed: dict[Column, BoolArray]) -> IntArray:
        """The cells that a number adds up, in the smallest table that has all its columns."""
        near = min((self._of_column[column] for column in allowed), key=len, default=self._tables)
        fitting = [table for table in near if allowed.keys() <= set(table.columns)]
        return min(fitting, key=lambda table: len(table.codes)).where(allowed)

    @cached_property
    def _of_column(self) -> dict[Column, list[TableUnknowns]]:
        """The tables that have a column."""
        found: dict[Column, list[TableUnknowns]] = {}
        for table in self._tables:
            for column in table.columns:
                found.setdefault(column, []).append(table)
        return found

    def _separators(self) -> Iterator[Row]:
        """Neighbouring tables agree on the columns that they share."""
        nodes = [frozenset(table.columns) for table in self._tables]
        for one, other, shared in pairs(nodes) if self.relaxed else tree(nodes):
            sides = []
            for table in (self._tables[one], self._tables[other]):
                at = [place for place, column in enumerate(table.columns) if column in shared]
                groups: dict[tuple[int, ...], list[int]] = {}
                for number, cell in enumerate(table.cells[:, at].tolist()):
                    groups.setdefault(tuple(cell), []).append(table.first + number)
                sides.append(groups)
            for cell in sorted(sides[0].keys() | sides[1].keys()):
                unknowns = dict.fromkeys(sides[0].get(cell, ()), 1) | dict.fromkeys(sides[1].get(cell, ()), -1)
                yield Row(unknowns, Interval.at(Fraction(0)), 0, "")

    def members(self, unknown: int) -> tuple[tuple[Column, ...], tuple[int, ...]]:
        """The columns of an unknown's cell, and its classes of them."""
        table = self._tables[self._at(unknown)]
        return table.columns, tuple(table.cells[unknown - table.first].tolist())

    def is_left_out(self, unknown: int, by: frozenset[str]) -> bool:
        """Whether a cell has a value in each of these columns, and in one of them a value that no output names."""
        columns, cell = self.members(unknown)
        labels = {self.classes[c].label(v) for c, v in zip(columns, cell, strict=True) if c in by}
        return OTHER_VALUE in labels and NO_VALUE not in labels

    def described(self, unknowns: Sequence[int]) -> str:
        """Some cells in words: the first few, and how many more."""
        texts = []
        for unknown in sorted(unknowns)[:_NAMED]:
            columns, cell = self.members(unknown)
            labels = [(c.removeprefix("\0"), self.classes[c].label(v)) for c, v in zip(columns, cell, strict=True)]
            texts.append(", ".join(f"{column}={label}" for column, label in labels) or "everybody")
        more = len(unknowns) - len(texts)
        return " or ".join(texts) + (f" or {more:,} more" if more else "")

    @cached_property
    def truth(self) -> dict[int, int] | None:
        """The cells' counts in the data, where these are the published numbers: a solution known beforehand."""
        found = self.sizes if self.reduced.whole else None
        if found is None:
            return None
        fits = all(found.get(unknown, 0) == known.value for unknown, known in self.reduced.known.items())
        return found if fits and all(_within(row, found) for row in self.reduced.rows) else None

    @cached_property
    def sizes(self) -> dict[int, int] | None:
        """How many records, or units, of the data each cell has; None without data, or where it lacks a column."""
        if self.counts is None or any(c not in self.counts.names for c in self.classes):
            return None
        found: dict[int, int] = {}
        for table in self._tables:
            codes, sizes = np.unique(codes_of_people(self.counts, table, self.classes), return_counts=True)
            found.update(zip(table.unknowns(codes).tolist(), sizes.tolist(), strict=True))
        return found

    def rows_of(self, unknowns: Sequence[int]) -> tuple[int, ...] | None:
        """The records of the data in some cells; None without data, or where it lacks a column."""
        if self.counts is None or any(c not in self.counts.names for c in self.classes):
            return None
        inside = np.zeros(self.counts.records, dtype=np.bool_)
        for at in range(len(self._tables)):
            mine = [unknown for unknown in unknowns if self._at(unknown) == at]
            if mine:
                inside |= np.isin(self._unknown_of_record(at), mine)
        return tuple(np.flatnonzero(inside).tolist())

    def _at(self, unknown: int) -> int:
        return max(at for at, table in enumerate(self._tables) if table.first <= unknown)

    def _unknown_of_record(self, at: int) -> IntArray:
        """int64[records]: the cell of one of the tables that each record is in."""
        if at not in self._of_records and self.counts is not None:
            codes = codes_of_records(self.counts, self._tables[at], self.classes)
            self._of_records[at] = self._tables[at].unknowns(codes)
        return self._of_records[at]

    def knowing(self, ends: Mapping[int, Interval[Fraction]]) -> System:
        """The system of somebody who knows more: the two ends of some numbers, by their places."""
        other = copy(self)
        changed = {}
        for at, told in ends.items():
            row = self.of_number[at]
            changed[id(row)] = replace(row, ends=told.moved(-row.taken))
        other.of_number = [changed.get(id(row), row) for row in self.of_number]
        kept = [changed.pop(id(row), row) for row in self.reduced.rows]
        other.reduced = replace(self.reduced, rows=[*kept, *(row for row in changed.values() if row.unknowns)])
        other.met = None
        return other

    def check(self, deadline: float = math.inf) -> None:
        """Raise `Contradiction` where it can be shown that no database fits the numbers."""
        try:
            self.bounds([], Fraction(1), deadline)
        except Contradiction as error:
            error.nested = self.is_nested
            raise

    def bounds(self, wanted: Sequence[Row], enough: Fraction | None, deadline: float = math.inf) -> list[SumInterval]:
        """How far each of some sums can go.

        Args:
            wanted: rows of this system, or others over its unknowns that are left.
            enough: stop once a sum is known to go this far, and further than a point.
            deadline: a time of `time.monotonic`.
        """
        programme = _SystemProgramme(self, wanted)
        return programme.solve(enough, deadline)


_NAMED = 3


class _SystemProgramme:
    """The equations of a system's rows, with one more unknown for each sum that is asked for or not known exactly."""

    def __init__(self, system: System, wanted: Sequence[Row]) -> None:
        self.system, self.wanted = system, wanted
        exact = system.reduced.exact
        others = (row for row in system.reduced.rows if row.ends.point is None)
        loose = [row for row in others if row.ends.low or row.ends.high is not None]
        chosen = {id(row) for row in loose}
        asked = [row for row in wanted if row.unknowns and id(row) not in chosen]
        self.sums = [*loose, *asked]
        self.rows = [*exact, *self.sums]
        self.kind = alike(self.rows)
        self.kinds = max(self.kind.values(), default=-1) + 1

    def solve(self, enough: Fraction | None, deadline: float) -> list[SumInterval]:
        """The bounds of the sums that are wanted."""
        if not self.rows:
            return [self._bound(row, {}) for row in self.wanted]
        equations, answers, domains = self._equations()
        position = {id(row): self.kinds + place for place, row in enumerate(self.sums)}
        asked = [position[id(row)] for row in self.wanted if row.unknowns]
        found = intervals(
            equations, answers, domains, enough=enough, known=self._solutions(), of=asked, deadline=deadline
        )
        if found.consistent is False:
            raise Contradiction
        if found.solution is not None and self.system.met is None and self.system.reduced.whole:
            self.system.met = self._spread(found.solution)
        of_row = {id(row): found.of_atom[position[id(row)]] for row in self.wanted if row.unknowns}
        return [self._bound(row, of_row) for row in self.wanted]

    def _equations(self) -> tuple[Equations, list[Fraction], list[UnknownDomain]]:
        reduced, exact = self.system.reduced, len(self.rows) - len(self.sums)
        entries: dict[tuple[int, int], int] = {}
        for at, row in enumerate(self.rows):
            entries.update(((at, self.kind[unknown]), coefficient) for unknown, coefficient in row.unknowns.items())
            if at >= exact:
                entries[at, self.kinds + at - exact] = -1
        columns = self.kinds + len(self.sums)
        places_ = np.array(list(entries), dtype=np.int64).reshape(-1, 2)
        data = np.array(list(entries.values()), dtype=np.int64)
        rows = csr_array((data, (places_[:, 0], places_[:, 1])), shape=(len(self.rows), columns))
        answers = [*(row.ends.low or Fraction(0) for row in self.rows[:exact]), *[Fraction(0)] * len(self.sums)]
        cell = UnknownDomain(reduced.least, integer=reduced.whole)
        domains = [cell] * self.kinds + [self._domain(row) for row in self.sums]
        return Equations(rows, np.ones(columns, dtype=np.int64)), answers, domains

    def _domain(self, row: Row) -> UnknownDomain:
        """What is said of a sum itself; of one without negative terms, that it is none."""
        least = self.system.reduced.least
        positive = least == 0 and all(coefficient > 0 for coefficient in row.unknowns.values())
        low = row.ends.low if not positive or (row.ends.low is not None and row.ends.low > 0) else Fraction(0)
        return UnknownDomain(low, row.ends.high, integer=self.system.reduced.whole)

    def _spread(self, solution: Sequence[Fraction]) -> dict[int, int]:
        """A solution of the equations as one of the cells: of those alike, the first has all."""
        first: dict[int, int] = {}
        for unknown, kind in self.kind.items():
            first.setdefault(kind, unknown)
        return {unknown: int(solution[kind]) for kind, unknown in first.items() if solution[kind]}

    def _solutions(self) -> list[list[Fraction]]:
        truth = self.system.truth or self.system.met
        if truth is None or not self.system.reduced.whole:
            return []
        totals = [Fraction(0)] * (self.kinds + len(self.sums))
        for unknown, kind in self.kind.items():
            totals[kind] += truth.get(unknown, 0)
        for place, row in enumerate(self.sums):
            totals[self.kinds + place] = _sum(row, truth)
        return [totals]

    def _bound(self, row: Row, found: dict[int, MemberInterval]) -> SumInterval:
        if not row.unknowns:
            return SumInterval(row.taken, row.taken, settled=True, rests_on=row.rests_on)
        interval = found[id(row)]
        if interval.status == "undetermined":
            return SumInterval(rests_on=row.rests_on)
        own, rests_on = self._domain(row), row.rests_on
        for end, of_domain, proof in (
            (interval.low, own.low, interval.low_proof),
            (interval.high, own.high, interval.high_proof),
        ):
            if end is not None and end != of_domain:
                rests_on |= self._outputs(proof)
        whole = interval.moved(row.taken)
        return SumInterval(whole.low, whole.high, settled=True, rests_on=rests_on)

    def _outputs(self, proof: Combination | None) -> Bits:
        """The outputs that a proof uses; without one, all that there are."""
        found = 0
        for at, row in enumerate(self.rows):
            if proof is None or at in proof:
                found |= row.rests_on
        return found


def _sum(row: Row, truth: dict[int, int]) -> Fraction:
    return Fraction(sum(coefficient * truth.get(unknown, 0) for unknown, coefficient in row.unknowns.items()))


def _within(row: Row, truth: dict[int, int]) -> bool:
    return row.ends.holds(Interval.at(_sum(row, truth)))
