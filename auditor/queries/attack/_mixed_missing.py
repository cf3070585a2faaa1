"""What sums, counts of who has a value, and extremes tell together where nobody knows whose values are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from auditor.classes import BoolArray, IntArray
from auditor.inference import Equations, UnknownDomain
from auditor.inference.extrema import extremes
from auditor.inference.extrema.missing import Link, with_missing
from auditor.inference.integer.intervals import MemberInterval
from auditor.inference.linear.equations import collapse
from auditor.queries._query import Extreme, Quantity, Weights
from auditor.queries.attack._mixed import SeenBoth, kind_of
from auditor.queries.attack.discovery import Conclusions, Discovery
from auditor.queries.attack.null import values_asked
from auditor.queries.attack.ranges import Domains

MOST_ENTRIES = 40_000
"""Programmes with more rows × (rows + unknowns) than this are not begun: they could take hours."""


@dataclass(frozen=True)
class _Atom:
    """A quantity of records that nothing tells apart: `profiles` of them, or one record that the view knows."""

    quantity: Quantity
    profiles: IntArray
    known: Fraction | None = None


@dataclass(frozen=True)
class _Set:
    """The profiles, bool[p], that a query at a position of the log asked about a column; whether none has a value."""

    position: int
    attribute: str
    profiles: BoolArray
    nobody: bool


class MixedMissing:
    """The sums and extremes of a view as equations about values and their presence."""

    def __init__(self, seen: SeenBoth, domains: Domains) -> None:
        self._seen = seen
        self._domains = domains

    @property
    def tells(self) -> bool:
        """Whether more may follow than from sums over the reals and from extremes, each for itself."""
        summed = {quantity for quantity in self._seen.summed if not quantity.presence}
        present = {quantity.attribute for quantity in self._seen.summed if quantity.presence}
        asked = {quantity.attribute for quantity in summed | self._seen.of_extremes}
        asked |= {each.attribute for each in self._sets}  # with the weight 0, too
        nobody = {each.attribute for each in self._sets if each.nobody}
        both = summed & self._seen.of_extremes
        bounded = any(self._domains.where_present(quantity).ends for quantity in summed)
        return bool(both or (present | nobody) & asked) or bounded

    def judged(self, *, distinct: bool, narrow: Fraction | None, deadline: float) -> Conclusions:
        """Whose value, or presence, is determined, and (with `narrow`) whose value is known more closely than that.

        That values are distinct is not used: where sums join extremes, it is left open.
        """
        if distinct and self._seen.summed & self._seen.of_extremes:
            return Conclusions((), open_=True)
        m, p = len(self._seen.sums), len(self._atoms)
        if not p:
            return Conclusions((), open_=False)
        if m * (m + p) > MOST_ENTRIES:
            return Conclusions((), open_=True)
        found = with_missing(
            self._equations,
            [*self._seen.right, *(Fraction(1) for _ in self._known), *(Fraction(0) for _ in self._nobody)],
            [
                extremes.ExtremeAnswer(asked.which, self._members(asked), answer)
                for _, asked, answer in self._seen.extremes
            ],
            self._links,
            somebody=self._somebody,
            enough=Fraction(0) if narrow is None else narrow,
            deadline=deadline,
        )
        if found.consistent is False:
            return Conclusions((), open_=False, consistent=False)
        spoken_of = np.bincount(self._equations.rows.indices, minlength=p) > 0
        touched = {self._atoms[atom].quantity.attribute for atom in np.flatnonzero(spoken_of).tolist()}
        judged = [
            (atom, each)
            for atom, each in enumerate(found.of_atom)
            if self._atoms[atom].known is None and self._atoms[atom].quantity.attribute in touched
        ]
        open_ = any(each.status == "undetermined" for _, each in judged)
        return Conclusions(tuple(self._disclosures(judged, narrow)), open_=open_)

    def _disclosures(
        self, judged: Sequence[tuple[int, MemberInterval]], narrow: Fraction | None
    ) -> Iterator[Discovery]:
        missing = {
            (self._atoms[atom].quantity.attribute, self._atoms[atom].profiles.tobytes())
            for atom, each in judged
            if self._atoms[atom].quantity.presence and each.status == "determined" and each.high == 0
        }
        for at, each in judged:
            atom = self._atoms[at]
            presence = atom.quantity.presence
            kind = kind_of(each, None if presence else narrow)
            gone = not presence and (atom.quantity.attribute, atom.profiles.tobytes()) in missing
            if kind is None or gone:  # of a value that is missing its absence is what is disclosed
                continue
            rests_on = self._rests_on(atom.quantity.attribute)
            yield Discovery(
                kind="finite-domain" if presence else kind,
                quantity=atom.quantity,
                records=self._seen.records_of(atom.profiles),
                low=each.low,
                high=each.high,
                first=max(rests_on),
                view=self._seen.view,
                follows_from=rests_on,
            )

    def _rests_on(self, attribute: str) -> tuple[int, ...]:
        """The queries about a column."""
        sums = {i for i, asked in self._seen.sums if any(q.attribute == attribute for q in asked.weights)}
        extreme = {i for i, asked, _ in self._seen.extremes if asked.quantity.attribute == attribute}
        return tuple(sorted(sums | extreme | {each.position for each in self._sets if each.attribute == attribute}))

    # The unknowns

    @cached_property
    def _atoms(self) -> list[_Atom]:
        """Of every column the groups of records that nothing tells apart, with each quantity and the presence."""
        found = []
        for attribute, quantities in self._quantities_of.items():
            for profiles in self._groups(attribute):
                found += [_Atom(quantity, profiles) for quantity in quantities]
        return found + [_Atom(each, np.array([record]), value) for each, record, value in self._known_pairs]

    @cached_property
    def _quantities_of(self) -> dict[str, list[Quantity]]:
        """The quantities of each column, its presence last."""
        asked = self._seen.summed | self._seen.of_extremes
        found: dict[str, list[Quantity]] = {}
        for quantity in sorted(each for each in asked if not each.presence):
            found.setdefault(quantity.attribute, []).append(quantity)
        for attribute in sorted({quantity.attribute for quantity in asked}):
            found.setdefault(attribute, []).append(Quantity(attribute, presence=True))
        return found

    def _groups(self, attribute: str) -> list[IntArray]:
        """The profiles of each group of records that no answer about a column tells apart."""
        rows = [w for _, asked in self._seen.sums for q, w in asked.weights.items() if q.attribute == attribute]
        rows += [asked.members for _, asked, _ in self._seen.extremes if asked.quantity.attribute == attribute]
        rows += [Weights.of(each.profiles) for each in self._sets if each.attribute == attribute]
        collapsed = collapse([partial(self._unknown_of, each) for each in rows], self._seen.sizes)
        return [np.flatnonzero(collapsed.atom_of == group) for group in range(collapsed.equations.atoms)]

    def _unknown_of(self, weights: Weights) -> NDArray[np.generic]:
        """The coefficients of profiles with records that the view does not know."""
        return np.where(self._seen.sizes > 0, weights.dense(), 0)

    @cached_property
    def _sets(self) -> list[_Set]:
        """Who a sum or an extreme was asked of: its answer is NULL where none of them has a value."""
        found = []
        for position, query in self._seen.queries:
            for attribute, profiles in values_asked(query):
                missing = self._seen.profiles.protected[attribute].missing
                records = profiles[self._seen.profiles.of_record]
                found.append(_Set(position, attribute, profiles, bool(missing[records].all())))
        return found

    def _of_set(self, each: _Set) -> IntArray:
        """The atoms of presence of those whom the view does not know."""
        presence = Quantity(each.attribute, presence=True)
        chosen = [
            at
            for at, atom in enumerate(self._atoms)
            if atom.quantity == presence and atom.known is None and each.profiles[atom.profiles[0]]
        ]
        return np.array(chosen, dtype=np.int64)

    @cached_property
    def _nobody(self) -> list[IntArray]:
        """The atoms of presence of each set of which nobody has a value."""
        return [self._of_set(each) for each in self._sets if each.nobody]

    @cached_property
    def _somebody(self) -> list[IntArray]:
        """The same of sets of which somebody has one whom the view does not know to have it."""
        profiles, found = self._seen.profiles, []
        for each in self._sets:
            there = ~profiles.protected[each.attribute].missing
            if not each.nobody and not any(
                there[record] and each.profiles[profiles.of_record[record]] for record in self._seen.known
            ):
                found.append(self._of_set(each))
        return found

    @cached_property
    def _known(self) -> list[tuple[Quantity, int, Fraction]]:
        """The values that the view knows of which an extreme may speak."""
        return self._seen.known_values(sorted(self._seen.of_extremes))

    @property
    def _known_pairs(self) -> Iterator[tuple[Quantity, int, Fraction]]:
        for quantity, record, value in self._known:
            yield quantity, record, value
            yield Quantity(quantity.attribute, presence=True), record, Fraction(1)

    @cached_property
    def _links(self) -> list[Link]:
        found = []
        presence: int = -1
        for at in reversed(range(len(self._atoms))):  # the presence of a group comes after its quantities
            atom = self._atoms[at]
            if atom.quantity.presence:
                presence = at
                continue
            domain = self._domains.where_present(atom.quantity)
            if atom.known is not None:
                domain = UnknownDomain(atom.known, atom.known)
            found.append(Link(at, presence, domain))
        return found

    @cached_property
    def _equations(self) -> Equations:
        """The sums; then that each value which is known is there; then that nobody is in sets without an answer."""
        rows = np.zeros((len(self._seen.sums) + len(self._known) + len(self._nobody), len(self._atoms)), dtype=np.int64)
        for row, (_, asked) in enumerate(self._seen.sums):
            dense = {quantity: weights.dense() for quantity, weights in asked.weights.items()}
            for at, atom in enumerate(self._atoms):
                if atom.known is None and atom.quantity in dense:
                    rows[row, at] = int(dense[atom.quantity][atom.profiles[0]])
        known = [at for at, atom in enumerate(self._atoms) if atom.known is not None and atom.quantity.presence]
        for row, at in enumerate(known, start=len(self._seen.sums)):
            rows[row, at] = 1
        for row, atoms in enumerate(self._nobody, start=len(self._seen.sums) + len(self._known)):
            rows[row, atoms] = 1
        sizes = [1 if a.known is not None else int(self._seen.sizes[a.profiles].sum()) for a in self._atoms]
        return Equations(csr_array(rows), np.array(sizes, dtype=np.int64))

    def _members(self, asked: Extreme) -> IntArray:
        held = asked.members.dense().astype(np.bool_)
        of_record = self._seen.profiles.of_record
        chosen = [
            at
            for at, atom in enumerate(self._atoms)
            if atom.quantity == asked.quantity
            and held[of_record[atom.profiles[0]] if atom.known is not None else atom.profiles[0]]
        ]
        return np.array(chosen, dtype=np.int64)
