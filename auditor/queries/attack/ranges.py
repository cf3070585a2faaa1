"""What the sums of a log tell about values of which everybody knows more: a range, whole numbers, a category.

The equations are those of `sums`, with a domain for every atom; categories add a row for each group of records,
because each of them has exactly one value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

import numpy as np
from scipy.sparse import csr_array, hstack, vstack

from auditor.classes import IntArray
from auditor.inference import Equations, RowSpace, UnknownDomain
from auditor.inference.integer.intervals import MemberInterval, intervals
from auditor.inference.integer.parts import BIT
from auditor.inference.linear.equations import connected
from auditor.policy.attributes import Attribute
from auditor.queries._query import Quantity
from auditor.queries.attack.discovery import Conclusions, Discovery
from auditor.queries.attack.sums import SeenSums
from auditor.queries.records.records import RecordProfiles, group_sums, grouped
from auditor.queries.values.exact import WORD, Exact, largest


def _or_missing(there: UnknownDomain, profiles: RecordProfiles) -> UnknownDomain:
    return there if profiles.schema.null_is_public else there.or_nothing()


def domain_where_present(
    quantity: Quantity, attributes: Mapping[str, Attribute], profiles: RecordProfiles
) -> UnknownDomain:
    """What everybody knows of a value that is there: 0 or 1 for what is counted, else the policy's type and range."""
    column = profiles.protected[quantity.attribute]
    if quantity.value is not None or quantity.presence or column.kind == "boolean":
        return BIT
    attribute = attributes.get(quantity.attribute)
    if attribute is None:
        return UnknownDomain()
    low, high = (None if end is None else Fraction(end) for end in attribute.range or (None, None))
    return UnknownDomain(low, high, integer=attribute.type == "integer")


class Domains(dict[Quantity, UnknownDomain]):
    """The domain of each quantity, found when it is first asked for; `inferred` are those of some columns."""

    def __init__(
        self,
        profiles: RecordProfiles,
        roles: Mapping[str, Attribute],
        inferred: Mapping[str, UnknownDomain] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self._profiles = profiles
        self._roles = roles
        self._inferred = inferred

    def where_present(self, quantity: Quantity) -> UnknownDomain:
        """The domain of a value that is there, where some may be missing."""
        inferred = self._inferred.get(quantity.attribute)
        if inferred is not None and quantity.value is None and not quantity.presence:
            return inferred
        return domain_where_present(quantity, self._roles, self._profiles)

    def __missing__(self, quantity: Quantity) -> UnknownDomain:
        self[quantity] = _or_missing(self.where_present(quantity), self._profiles)
        return self[quantity]


@dataclass(frozen=True)
class _RecordGroup:
    """A quantity of a group of records that no answer tells apart.

    With no atom it is what is left of a category: all values that were not asked about, or (with a quantity) the one.
    """

    attribute: str
    group: int
    size: int
    quantity: Quantity | None = None
    atom: int = -1


@dataclass(frozen=True)
class BoundedSums:
    """The sums of a view with domains."""

    seen: SeenSums
    domains: Mapping[Quantity, UnknownDomain]

    def narrow(self, width: Fraction | None, deadline: float) -> Conclusions:
        """Who has one possible value only, and (with `width`) whose interval is narrower than that."""
        if not any(domain.ends for domain in self.domains.values()):
            return Conclusions((), open_=False)
        wanted = self._wanted() if width is None else self._unknown()
        if not len(wanted):
            return Conclusions((), open_=False)
        found = intervals(
            self.equations,
            self.answers_of(range(self.equations.answers)),
            self.of_column,
            enough=Fraction(0) if width is None else width,
            known=[self.totals],
            deadline=deadline,
        )
        judged = [(int(column), found.of_atom[column]) for column in wanted]
        open_ = any(each.status == "undetermined" for _, each in judged)
        return Conclusions(tuple(self._disclosures(judged, width)), open_=open_)

    def _disclosures(self, judged: Sequence[tuple[int, MemberInterval]], width: Fraction | None) -> Iterator[Discovery]:
        for column, each in judged:
            if each.status == "determined":
                kind = "finite-domain" if self.of_column[column].integer else "exact-value"
            elif width is not None and each.width < width:
                kind = "interval"
            else:
                continue
            quantity = self.columns[column].quantity
            if quantity is None or self._says_little(column, each):
                continue
            rests_on = self._rests_on(column, each)
            yield Discovery(
                kind=kind,
                quantity=quantity,
                records=tuple(self.members(column).tolist()),
                low=each.low,
                high=each.high,
                first=max(rests_on, default=0),
                view=self.seen.view,
                follows_from=rests_on,
            )

    def _says_little(self, column: int, interval: MemberInterval) -> bool:
        """Whether it only follows that somebody does not have one of three categories or more."""
        quantity = self.columns[column].quantity
        if quantity is None or quantity.value is None:
            return False
        profiles = self.seen.sums.profiles
        others = len(profiles.protected[quantity.attribute].values) + (not profiles.schema.null_is_public)
        return interval.high == 0 and others > 2

    def _rests_on(self, column: int, interval: MemberInterval) -> tuple[int, ...]:
        """The queries of the proofs of both ends; of the whole part of the log that speaks of it, where it has none."""
        answered = len(self.seen.rows)
        proofs = (interval.low_proof or {}, interval.high_proof or {})
        rows = {row for proof in proofs for row in proof if row < answered}
        if not rows:
            mine = np.flatnonzero(self._part_of == self._part_of[column])
            rows = {int(row) for row in np.unique(self.equations.rows.tocsc()[:, mine].indices) if row < answered}
        return tuple(sorted(int(self.seen.positions[row]) for row in rows))

    @cached_property
    def _part_of(self) -> IntArray:
        """int64[c]: columns of the same part of the log, about which no other part says anything."""
        return connected(self.equations.rows)[1]

    # The equations

    @cached_property
    def _groups(self) -> dict[str, IntArray]:
        """For each attribute int64[n]: records of one group are in the same atom for each of its quantities."""
        sums, of_unknown = self.seen.sums, self.seen.atom_of_unknown
        found = {}
        for attribute in dict.fromkeys(quantity.attribute for quantity in sums.quantities):
            own = [of_unknown[i] + 1 for i, q in enumerate(sums.quantities) if q.attribute == attribute]
            atoms = self.seen.collapsed.equations.atoms + 1
            found[attribute] = grouped([(each.astype(np.int32), atoms) for each in own], sums.profiles.records)[1]
        return found

    @cached_property
    def columns(self) -> list[_RecordGroup]:
        """The unknowns of the equations: each quantity of each group, and what is left of a category."""
        sums, of_unknown = self.seen.sums, self.seen.atom_of_unknown
        found: list[_RecordGroup] = []
        for attribute, group in self._groups.items():
            sizes = np.bincount(group)
            _, first = np.unique(group, return_index=True)
            own = [(i, q) for i, q in enumerate(sums.quantities) if q.attribute == attribute]
            exclusive = len(own) > 1 and all(q.value is not None for _, q in own)
            listed = sums.profiles.protected[attribute].values
            for number, record in enumerate(first):
                asked = [(q, int(of_unknown[i, record])) for i, q in own if of_unknown[i, record] >= 0]
                size = int(sizes[number])
                found += [_RecordGroup(attribute, number, size, q, atom) for q, atom in asked]
                left = [value for value in listed if value not in {q.value for q, _ in asked}]
                missing = not sums.profiles.schema.null_is_public
                if exclusive and asked and (left or missing):
                    only = Quantity(attribute, left[0]) if len(left) == 1 and not missing else None
                    found.append(_RecordGroup(attribute, number, size, only))
        return found

    @cached_property
    def equations(self) -> Equations:
        """The rows of the answers, then one for each group of records of which several categories were asked about."""
        atoms = np.array([column.atom for column in self.columns])
        answers = self.seen.collapsed.equations.rows
        padded = csr_array(hstack([answers, csr_array((answers.shape[0], 1), dtype=np.int64)]))
        rows = csr_array(padded[:, atoms]).astype(np.int64)
        sizes = np.array([column.size for column in self.columns], dtype=np.int64)
        return Equations(csr_array(vstack([rows, self._one_each()])), sizes)

    @cached_property
    def _exclusive(self) -> list[list[int]]:
        """The columns of each group of which every record has exactly one."""
        together: dict[tuple[str, int], list[int]] = {}
        for i, column in enumerate(self.columns):
            if column.quantity is None or column.quantity.value is not None:
                together.setdefault((column.attribute, column.group), []).append(i)
        complete = []
        for (attribute, _), columns in together.items():
            rest = any(self.columns[i].atom < 0 for i in columns)
            if len(columns) > 1 and (rest or len(columns) == len(self.seen.sums.profiles.protected[attribute].values)):
                complete.append(columns)
        return complete

    def _one_each(self) -> csr_array:
        """A row of ones for each group of records that has exactly one of its columns."""
        columns = np.array([column for together in self._exclusive for column in together], dtype=np.int64)
        ends = np.cumsum([0, *(len(together) for together in self._exclusive)])
        shape = (len(self._exclusive), len(self.columns))
        return csr_array((np.ones(len(columns), dtype=np.int64), columns, ends), shape=shape)

    @cached_property
    def of_column(self) -> list[UnknownDomain]:
        """The domain of each column's unknowns."""
        return [self.domains[c.quantity] if c.quantity is not None and c.atom >= 0 else BIT for c in self.columns]

    def members(self, column: int) -> IntArray:
        """The records of a column."""
        each = self.columns[column]
        order, ends = self._in_order[each.attribute]
        found: IntArray = order[ends[each.group] : ends[each.group + 1]]
        return found

    @cached_property
    def _in_order(self) -> dict[str, tuple[IntArray, IntArray]]:
        """For each attribute the records in the order of their groups, and where each group begins and ends."""
        return {
            attribute: (np.argsort(group, kind="stable"), np.append(0, np.cumsum(np.bincount(group))))
            for attribute, group in self._groups.items()
        }

    @cached_property
    def totals(self) -> list[Fraction]:
        """The true total of each column: one solution of the equations."""
        asked: dict[tuple[str, int], Fraction] = {}
        found: dict[int, Fraction] = {}
        of_group = {quantity: self._of_groups(quantity) for quantity in self.seen.sums.quantities}
        for i, column in enumerate(self.columns):
            if column.quantity is not None and column.atom >= 0:
                found[i] = of_group[column.quantity].fraction(column.group)
                group = (column.attribute, column.group)
                asked[group] = asked.get(group, Fraction(0)) + found[i]
        rest = {i: c.size - asked[c.attribute, c.group] for i, c in enumerate(self.columns) if c.atom < 0}
        return [found[i] if i in found else rest[i] for i in range(len(self.columns))]

    def _of_groups(self, quantity: Quantity) -> Exact:
        """The total of each group's records."""
        numbers, group = self.seen.sums.numbers[quantity], self._groups[quantity.attribute]
        return Exact(group_sums(numbers.numerators, group, int(group.max()) + 1), numbers.denominator)

    def answers_of(self, rows: Iterable[int]) -> list[Fraction]:
        """What some rows come to without what the view knows: computed from the table, exactly."""
        matrix, totals = self.equations.rows, Exact.of(self.totals)
        found = []
        for row in rows:
            inside = slice(matrix.indptr[row], matrix.indptr[row + 1])
            weights, values = matrix.data[inside].astype(np.int64), totals.numerators[matrix.indices[inside]]
            short = largest(weights) * largest(values) * max(len(values), 1) < WORD
            total = weights @ values if short else (weights.astype(object) * values).sum()
            found.append(Fraction(int(total), totals.denominator))
        return found

    # Which of them bounds could determine

    def _unknown(self) -> IntArray:
        """The columns that the equations alone do not determine."""
        exposed = set(self.seen.space.exposed().tolist())
        sizes = self.seen.collapsed.equations.sizes
        unknown = [i for i, c in enumerate(self.columns) if c.atom not in exposed or sizes[c.atom] > 1]
        return np.array([i for i in unknown if self.columns[i].quantity is not None], dtype=np.int64)

    def _wanted(self) -> IntArray:
        """The columns that bounds could determine beyond what the equations do.

        The true totals solve the equations. Where they lie strictly between an atom's ends, every null vector that is 0
        on the columns at an end can be followed a little either way. So of real values besides those at an end only
        those can be determined that would be exposed if the values of those at an end were known. Whole numbers cannot
        be followed a little, so none of them is left out.
        """
        if any(domain.integer for domain in self.of_column):
            return self._unknown()
        ends = [domain.times(int(size)) for domain, size in zip(self.of_column, self.equations.sizes, strict=True)]
        at_end = np.array([total in each.ends for total, each in zip(self.totals, ends, strict=True)], dtype=np.bool_)
        if not at_end.any():
            return np.zeros(0, dtype=np.int64)
        rest = self.equations.without(np.where(at_end, self.equations.sizes, 0))
        would_be = RowSpace(rest).exposed()
        both = np.union1d(np.flatnonzero(at_end), would_be[rest.sizes[would_be] > 0])
        return np.intersect1d(both, self._unknown())
