"""What sums together with maxima and minima of the same values tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from auditor.classes import IntArray
from auditor.inference import Equations, RowSpace, UnknownDomain
from auditor.inference.extrema import extremes
from auditor.inference.extrema.mixed import mixed
from auditor.inference.integer.search import InferredInterval
from auditor.inference.linear.equations import Collapsed, Row, collapse, connected
from auditor.queries._answers import answer_of, value_of
from auditor.queries._query import BoolArray, Extreme, Linear, Quantity, Query
from auditor.queries.attack.discovery import Conclusions, Discovery
from auditor.queries.attack.sums import coefficients
from auditor.queries.attack.views import View
from auditor.queries.records.records import RecordProfiles


@dataclass(frozen=True)
class SeenBoth:
    """The sums and extremes that a view got answered, by their positions in the log, with what it knows taken out.

    `right` is Σ weight · quantity over the records that it does not know, of each sum.
    """

    profiles: RecordProfiles
    view: View
    sums: Sequence[tuple[int, Linear]]
    extremes: Sequence[tuple[int, Extreme, Fraction]]
    queries: Sequence[tuple[int, Query]]

    @classmethod
    def of(cls, profiles: RecordProfiles, queries: Sequence[Query], view: View) -> SeenBoth:
        """Collect them; an extreme of nobody has no answer."""
        seen = [(i, query) for i, query in enumerate(queries) if view.sees(query.statement.user)]
        sums = [(i, query.asked) for i, query in seen if isinstance(query.asked, Linear) and query.asked.weights]
        extreme = [(i, q.asked, answer_of(q.asked, profiles)) for i, q in seen if isinstance(q.asked, Extreme)]
        found = [(i, asked, answer) for i, asked, answer in extreme if answer is not None]
        return cls(profiles, view, sums, found, seen)

    @property
    def positions(self) -> list[int]:
        """Of the sums, then of the extremes."""
        return [position for position, _ in self.sums] + [position for position, *_ in self.extremes]

    @cached_property
    def summed(self) -> set[Quantity]:
        """The quantities that stand in a sum."""
        return {quantity for _, asked in self.sums for quantity in asked.weights}

    @cached_property
    def of_extremes(self) -> set[Quantity]:
        """The quantities of which an extreme was asked."""
        return {asked.quantity for _, asked, _ in self.extremes}

    @cached_property
    def known(self) -> list[int]:
        """The records that the view knows."""
        return sorted(self.view.known)

    @cached_property
    def sizes(self) -> IntArray:
        """int64[p]: how many records of each profile the view does not know."""
        sizes = self.profiles.sizes.copy()
        np.subtract.at(sizes, self.profiles.of_record[self.known], 1)
        return sizes

    @cached_property
    def right(self) -> list[Fraction]:
        """The answers of the sums without constants, scale and what is known."""
        return [self._right(asked) for _, asked in self.sums]

    def _right(self, asked: Linear) -> Fraction:
        found = (value_of(asked, self.profiles) - asked.constant) / asked.scale
        for quantity, weights in asked.weights.items() if self.known else ():
            numbers, dense = self.profiles.numbers(quantity), weights.dense()
            for record in self.known:
                found -= int(dense[self.profiles.of_record[record]]) * numbers.fraction(record)
        return found

    def known_values(self, quantities: Sequence[Quantity]) -> list[tuple[Quantity, int, Fraction]]:
        """The values of some quantities that the view knows, where they are there."""
        return [
            (quantity, record, self.profiles.numbers(quantity).fraction(record))
            for quantity in quantities
            for record in self.known
            if not self.profiles.protected[quantity.attribute].missing[record]
        ]

    def records_of(self, profiles: IntArray) -> tuple[int, ...]:
        """The records of some profiles that the view does not know."""
        records = np.flatnonzero(np.isin(self.profiles.of_record, profiles))
        return tuple(record for record in records.tolist() if record not in self.view.known)


class Mixed:
    """The sums and extremes of a view, where some of them speak of the same values and everybody knows who has one."""

    def __init__(self, seen: SeenBoth, domains: Mapping[Quantity, UnknownDomain]) -> None:
        self._seen = seen
        self._quantities = sorted(seen.summed | seen.of_extremes)
        self._domains = domains

    @property
    def both(self) -> bool:
        """Whether some value stands in a sum and in an extreme."""
        return bool(self._seen.summed & self._seen.of_extremes)

    def judged(self, *, distinct: bool, narrow: Fraction | None, deadline: float) -> Conclusions:
        """Whose value is determined, and (with `narrow`) whose is known more closely than that."""
        seen, collapsed = self._seen, self._collapsed
        matrix = collapsed.equations.rows
        known = seen.known_values(sorted(seen.of_extremes))
        kinds = [*self._kind_of_atom.tolist(), *(self._quantities.index(quantity) for quantity, *_ in known)]
        domains = [self._domains[self._quantities[kind]] for kind in self._kind_of_atom.tolist()]
        found = mixed(
            self._with_known(len(known)),
            seen.right,
            self._asked(known),
            [*domains, *(UnknownDomain(value, value) for *_, value in known)],
            distinct=distinct,
            kinds=kinds,
            enough=Fraction(0) if narrow is None else narrow,
            deadline=deadline,
        )
        if found.consistent is False:
            return Conclusions((), open_=False, consistent=False)
        free = self._surely_free(domains) if distinct and narrow is None else np.zeros(len(domains), dtype=np.bool_)
        together = self._parts_with_both(matrix)
        narrowed, open_ = [], False
        for atom in np.flatnonzero(together >= 0).tolist():
            each = found.of_atom[atom]
            open_ = open_ or (each.status == "undetermined" and not free[atom])
            kind = kind_of(each, narrow)
            if kind is not None:
                rests_on = self._positions(matrix, together, int(together[atom]))
                narrowed.append(
                    Discovery(
                        kind=kind,
                        quantity=self._quantities[int(self._kind_of_atom[atom])],
                        records=seen.records_of(np.flatnonzero(collapsed.atom_of == atom) % len(seen.profiles)),
                        low=each.low,
                        high=each.high,
                        first=max(rests_on),
                        view=seen.view,
                        follows_from=rests_on,
                    )
                )
        return Conclusions(tuple(narrowed), open_=open_)

    @cached_property
    def _collapsed(self) -> Collapsed:
        """Atoms of unknown values, told apart by the sums, the first rows, and the extremes.

        Values of two columns are not interchangeable, whatever was asked: each has a domain of its own.
        """
        seen, count = self._seen, len(self._quantities)
        unknown = np.tile(seen.sizes > 0, count)
        sums: list[Row] = [partial(self._unknown_of, asked, unknown) for _, asked in seen.sums]
        others: list[Row] = [partial(self._members, asked, seen.sizes > 0) for _, asked, _ in seen.extremes]
        kinds = np.repeat(np.arange(count), len(seen.profiles))
        return collapse([*sums, *others], np.tile(seen.sizes, count), kinds=kinds)

    def _unknown_of(self, asked: Linear, unknown: BoolArray) -> NDArray[np.generic]:
        row = coefficients(asked, self._quantities, len(self._seen.profiles))
        return row & unknown if row.dtype == np.bool_ else np.where(unknown, row, 0)

    def _members(self, asked: Extreme, unknown: BoolArray) -> BoolArray:
        p = len(self._seen.profiles)
        row = np.zeros(p * len(self._quantities), dtype=np.bool_)
        start = self._quantities.index(asked.quantity) * p
        row[start : start + p] = asked.members.dense().astype(np.bool_) & unknown
        return row

    def _with_known(self, known: int) -> Equations:
        """The sums, with an empty column for each value that is known: only extremes speak of these."""
        equations, count = self._collapsed.equations, len(self._seen.sums)
        rows = csr_array(equations.rows[:count])
        padded = csr_array(hstack([rows, csr_array((count, known), dtype=rows.dtype)], format="csr"))
        return Equations(padded, np.append(equations.sizes, np.ones(known, dtype=np.int64)))

    def _asked(self, known: Sequence[tuple[Quantity, int, Fraction]]) -> list[extremes.ExtremeAnswer]:
        """The extremes over atoms, and the columns of what is known behind them."""
        seen, matrix, found = self._seen, self._collapsed.equations.rows, []
        for row, (_, asked, answer) in enumerate(seen.extremes, start=len(seen.sums)):
            held = asked.members.dense()
            own = [
                matrix.shape[1] + place
                for place, (quantity, record, _) in enumerate(known)
                if quantity == asked.quantity and held[seen.profiles.of_record[record]]
            ]
            members = np.array([*matrix[[row]].indices, *own], dtype=np.int64)
            found.append(extremes.ExtremeAnswer(asked.which, members, answer))
        return found

    @cached_property
    def _kind_of_atom(self) -> IntArray:
        """int64[p]: the place of each atom's quantity."""
        of_atom = np.zeros(self._collapsed.equations.atoms, dtype=np.int64)
        columns = np.flatnonzero(self._collapsed.atom_of >= 0)
        of_atom[self._collapsed.atom_of[columns]] = columns // len(self._seen.profiles)
        return of_atom

    def _surely_free(self, domains: Sequence[UnknownDomain]) -> BoolArray:
        """bool[p]: atoms whose members can have another value though no two records have the same.

        The table itself has distinct values, or else nothing is said. Two records of an atom can change places. Reals
        can be moved a little along every null vector of the sums that is 0 on those that hold an answer or are at an
        end: no order among them changes.
        """
        seen, sizes = self._seen, self._collapsed.equations.sizes
        if not all(_all_distinct(seen.profiles, quantity) for quantity in seen.summed | seen.of_extremes):
            return np.zeros(len(sizes), dtype=np.bool_)
        free = np.asarray(sizes > 1)
        if any(domain.integer for domain in domains):
            return free
        fixed = np.zeros(len(sizes), dtype=np.int64)
        for place, quantity in enumerate(self._quantities):
            numbers, domain = seen.profiles.numbers(quantity), self._domains[quantity]
            answers = {answer for _, asked, answer in seen.extremes if asked.quantity == quantity}
            start = place * len(seen.profiles)
            atoms = self._collapsed.atom_of[start : start + len(seen.profiles)][seen.profiles.of_record]
            atoms[seen.known] = -1
            for record in np.flatnonzero(atoms >= 0).tolist():
                if numbers.fraction(record) in answers | {domain.low, domain.high}:
                    fixed[atoms[record]] += 1
        sums = Equations(csr_array(self._collapsed.equations.rows[: len(seen.sums)]), sizes)
        space = RowSpace(sums.without(fixed))
        moving = np.ones(len(sizes), dtype=np.bool_)
        moving[space.exposed()] = False
        return np.asarray(free | (moving & (fixed == 0)))

    def _parts_with_both(self, matrix: csr_array) -> IntArray:
        """int64[p]: the connected part of each atom, −1 in parts that hold only sums or only extremes."""
        _, part_of = connected(matrix)
        sums = set(part_of[matrix[: len(self._seen.sums)].indices].tolist())
        others = set(part_of[matrix[len(self._seen.sums) :].indices].tolist())
        return np.where(np.isin(part_of, sorted(sums & others)), part_of, -1)

    def _positions(self, matrix: csr_array, part_of: IntArray, part: int) -> tuple[int, ...]:
        rows = np.unique(matrix.tocsc()[:, np.flatnonzero(part_of == part)].indices)
        return tuple(sorted(self._seen.positions[row] for row in rows))


def kind_of(known: InferredInterval, narrow: Fraction | None) -> str | None:
    """What an interval discloses, if anything."""
    if known.status == "determined":
        return "exact-value"
    return "interval" if known.status == "free" and narrow is not None and known.width < narrow else None


def _all_distinct(profiles: RecordProfiles, quantity: Quantity) -> bool:
    """Whether no two records have the same value."""
    there = profiles.numbers(quantity).numerators[~profiles.protected[quantity.attribute].missing]
    return len(set(there.tolist())) == len(there)
