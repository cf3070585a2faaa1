"""The sums of a log as linear equations about the records, and what follows from them over the reals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from auditor.classes import IntArray
from auditor.inference import Certificate, RowSpace
from auditor.inference.linear.equations import Collapsed, collapse
from auditor.inference.linear.groups import Group, disclosed_groups
from auditor.inference.linear.individuals import disclosed_individuals
from auditor.inference.linear.persons import Holdings, disclosed_groups_of_persons
from auditor.inference.linear.restrict import restricted
from auditor.queries._query import BoolArray, Linear, Quantity, Query, Weights
from auditor.queries.attack.discovery import Discovery
from auditor.queries.attack.views import View
from auditor.queries.records.records import RecordProfiles
from auditor.queries.values.exact import Exact

PROOF_EFFORT = 10**9
"""Certificates are written out as long as they take so many steps together: some seconds."""


@dataclass(frozen=True)
class Sums:
    """All linear answers of a log: row `row_of[i]` of the equations is the query at `positions[i]` of the log.

    A column stands for one quantity of one profile's records. Queries with the same coefficients share a row: whoever
    has an answer learns nothing from the same sum again. Where `exclusive`, everybody has one value of a category: if
    each was asked about, the last one is what the others leave, and no quantity; `offsets[r]` is what row r asks
    besides for that.
    """

    profiles: RecordProfiles
    queries: Sequence[Query]
    positions: IntArray
    row_of: IntArray
    quantities: tuple[Quantity, ...]
    collapsed: Collapsed
    offsets: tuple[int, ...]
    exclusive: bool = False

    @classmethod
    def of(cls, profiles: RecordProfiles, queries: Sequence[Query], *, exclusive: bool = False) -> Sums:
        """The equations of the linear queries among those given."""
        seen = [(i, query.asked) for i, query in enumerate(queries) if isinstance(query.asked, Linear)]
        positions = [i for i, asked in seen if asked.weights]
        linear = [asked for _, asked in seen if asked.weights]
        asked = {quantity for each in linear for quantity in each.weights}
        implied = _implied(asked, profiles) if exclusive else {}
        quantities = tuple(sorted(asked - implied.keys()))
        sizes = np.tile(profiles.sizes, len(quantities))
        number: dict[tuple[tuple[Quantity, int], ...], int] = {}  # by the weights themselves, which readers share
        row_of = [number.setdefault(_identity(each), len(number)) for each in linear]
        distinct = [linear[i] for i in np.unique(row_of, return_index=True)[1]]
        without = [_without_implied(each, implied, profiles) for each in distinct]
        rows = [partial(coefficients, each, quantities, len(profiles)) for each, _ in without]
        return cls(
            profiles,
            queries,
            np.array(positions, dtype=np.int64),
            np.array(row_of, dtype=np.int64),
            quantities,
            collapse(rows, sizes),
            tuple(offset for _, offset in without),
            exclusive,
        )

    def seen_by(self, view: View) -> SeenSums:
        """The equations that the users of a view can set up, without what they know."""
        users = [self.queries[position].statement.user for position in self.positions]
        seen = np.array([place for place, user in enumerate(users) if view.sees(user)], dtype=np.int64)
        seen = seen[np.sort(np.unique(self.row_of[seen], return_index=True)[1])]  # the first of each row
        rows = self.row_of[seen]
        sizes = self.collapsed.equations.sizes.copy()
        for record in view.known:
            np.subtract.at(sizes, self.atoms_of_record(record), 1)
        return SeenSums(self, view, rows, self.positions[seen], restricted(self.collapsed.equations, rows, sizes))

    @cached_property
    def numbers(self) -> dict[Quantity, Exact]:
        """Each record's number of every quantity."""
        return {quantity: self.profiles.numbers(quantity) for quantity in self.quantities}

    def atoms_of_record(self, record: int) -> IntArray:
        """The atoms that hold a record's quantities."""
        columns = self.profiles.of_record[record] + len(self.profiles) * np.arange(len(self.quantities))
        atoms: IntArray = self.collapsed.atom_of[columns]
        return atoms[atoms >= 0]


def _identity(linear: Linear) -> tuple[tuple[Quantity, int], ...]:
    return tuple(sorted((quantity, id(weights)) for quantity, weights in linear.weights.items()))


def _implied(asked: set[Quantity], profiles: RecordProfiles) -> dict[Quantity, list[Quantity]]:
    """The last value of each category of which every value was asked about, and the others.

    Everybody has one of them, unless it may be missing.
    """
    found: dict[Quantity, list[Quantity]] = {}
    for attribute in {quantity.attribute for quantity in asked if quantity.value is not None}:
        every = [Quantity(attribute, value) for value in profiles.protected[attribute].values]
        if profiles.schema.null_is_public and len(every) > 1 and asked.issuperset(every):
            found[every[-1]] = every[:-1]
    return found


def _without_implied(
    linear: Linear, implied: Mapping[Quantity, Sequence[Quantity]], profiles: RecordProfiles
) -> tuple[Linear, int]:
    """What is asked with 1 − Σ others in the place of each implied value; and the constant that this gives."""
    weights, offset = dict(linear.weights), 0
    for last in implied.keys() & weights.keys():
        present = np.where(profiles.missing[last.attribute], 0, weights.pop(last).dense().astype(np.int64))
        offset += int((present.astype(object) * profiles.sizes).sum())
        for other in implied[last]:
            own = weights[other].dense().astype(np.int64) if other in weights else 0
            weights[other] = Weights.of(own - present)
    return Linear(weights, linear.scale, linear.constant), offset


def coefficients(linear: Linear, quantities: Sequence[Quantity], profiles: int) -> BoolArray | IntArray:
    """One answer's coefficients, of every profile's records for each quantity."""
    if len(quantities) == 1:
        return linear.weights[quantities[0]].dense()
    nothing = np.zeros(profiles, dtype=np.bool_)
    return np.concatenate([linear.weights[q].dense() if q in linear.weights else nothing for q in quantities])


@dataclass(frozen=True)
class SeenSums:
    """The equations of one view: its row r is row `rows[r]` of all sums, first asked at `positions[r]` of the log."""

    sums: Sums
    view: View
    rows: IntArray
    positions: IntArray
    collapsed: Collapsed

    @cached_property
    def space(self) -> RowSpace:
        """What the answers span."""
        return RowSpace(self.collapsed.equations)

    def exact(self) -> Iterator[Discovery]:
        """Every record of which a quantity follows: its unit vector lies in the row space (Chin & Özsoyoglu 1982)."""
        exposed = self.space.exposed()
        exposed = exposed[self.collapsed.equations.sizes[exposed] == 1]
        for atom, (rows, certificate) in zip(exposed.tolist(), self.space.proofs(exposed, PROOF_EFFORT), strict=True):
            quantity, records = self.members(atom)
            value = self.sums.numbers[quantity].fraction(int(records[0]))
            found = self.found("exact-value", quantity, records, certificate or {}, low=value, high=value)
            if certificate is None:
                follows_from = tuple(np.sort(self.positions[rows]).tolist())
                found = replace(found, follows_from=follows_from, first=follows_from[-1])
            yield found

    def members(self, atom: int) -> tuple[Quantity, IntArray]:
        """The quantity of an atom's first unknown, and the records that it holds and nobody in the view knows."""
        unknowns = self._unknowns(atom)
        return unknowns[0][0], np.unique([record for _, record in unknowns])

    def _unknowns(self, atom: int) -> list[tuple[Quantity, int]]:
        """The unknowns of an atom, which may be of several quantities."""
        of_unknown = self.atom_of_unknown.reshape(-1)
        inside = slice(*np.searchsorted(of_unknown[self._by_atom], [atom, atom + 1]))
        pairs = (divmod(unknown, self.sums.profiles.records) for unknown in self._by_atom[inside].tolist())
        return [(self.sums.quantities[quantity], record) for quantity, record in pairs]

    @cached_property
    def atom_of_unknown(self) -> IntArray:
        """int64[q, n]: the atom of each record's quantity, −1 where the view knows it or no answer speaks of it."""
        sums = self.sums
        of_column = np.full(len(sums.collapsed.atom_of), -1, dtype=np.int64)
        spoken_of = sums.collapsed.atom_of >= 0
        of_column[spoken_of] = self.collapsed.atom_of[sums.collapsed.atom_of[spoken_of]]
        of_unknown = of_column.reshape(len(sums.quantities), len(sums.profiles))[:, sums.profiles.of_record]
        of_unknown[:, sorted(self.view.known)] = -1
        return of_unknown

    @cached_property
    def _by_atom(self) -> IntArray:
        """The unknowns (quantity · n + record) in the order of their atoms."""
        return np.argsort(self.atom_of_unknown, axis=None, kind="stable")

    def individuals(self) -> Iterator[Discovery]:
        """Every person of several records about whom some combination tells something, though no single value follows.

        The person is known by the policy's unit.
        """
        units = self.sums.profiles.units
        if units is None:
            return
        for each in disclosed_individuals(self.space, self._owners(units)):
            sizes = self.collapsed.equations.sizes[list(each.coefficients)]
            if sizes.sum() > 1:
                total = set(each.coefficients.values()) == {1}
                functional = "total" if total else "other"
                yield self._combined("individual", each.coefficients, each.certificate, functional)

    def _owners(self, units: NDArray[np.int32]) -> IntArray:
        """int64[p]: the unit of all records of an atom, −1 where they are of several."""
        least = np.full(self.collapsed.equations.atoms, np.iinfo(np.int64).max)
        most = np.full(self.collapsed.equations.atoms, -1)
        for of_record in self.atom_of_unknown:
            inside = np.flatnonzero(of_record >= 0)
            np.minimum.at(least, of_record[inside], units[inside])
            np.maximum.at(most, of_record[inside], units[inside])
        return np.where(least == most, most, -1)

    def groups(self, below: int, effort: int, deadline: float = math.inf) -> tuple[list[Discovery], bool]:
        """Groups of fewer than `below` records about which some combination tells something; whether all were tried.

        A record with all its versions is one, however many unknowns it has.
        """
        sums = self.sums
        if not sums.exclusive and _implied(set(sums.quantities), sums.profiles):
            without = Sums.of(sums.profiles, sums.queries, exclusive=True).seen_by(self.view)
            groups, complete = without.groups(below, effort, deadline)
            return [*without.exact(), *groups], complete
        if self.unknowns_of_a_record <= 1 or below < 2:
            searched = disclosed_groups(self.space, below, effort=effort, deadline=deadline)
        else:
            searched = disclosed_groups_of_persons(self.space, self._held, below, effort=effort, deadline=deadline)
        return [self._group(each) for each in searched.found], searched.complete

    def _group(self, group: Group) -> Discovery:
        return self._combined("group", group.coefficients, group.certificate, group.functional)

    @cached_property
    def unknowns_of_a_record(self) -> int:
        """The most unknowns that one record has: a value for each quantity that was asked about, and each version."""
        profiles = self.sums.profiles
        versions = 1 if profiles.validity is None else int(np.bincount(self._person).max())
        return len(self.sums.quantities) * versions

    @cached_property
    def _person(self) -> IntArray:
        """int64[n]: the record that each version is one of."""
        profiles = self.sums.profiles
        if profiles.validity is None:
            return np.arange(profiles.records)
        return np.unique(np.array(profiles.keys, dtype=str), return_inverse=True)[1]

    @cached_property
    def _held(self) -> Holdings:
        """Which records' unknowns each atom holds."""
        persons = int(self._person.max()) + 1
        held = [np.unique(of[of >= 0] * persons + self._person[of >= 0]) for of in self.atom_of_unknown]
        atoms, of_atom = np.divmod(np.unique(np.concatenate(held)), persons)
        return Holdings(atoms, of_atom)

    def _combined(
        self, kind: str, coefficients: Mapping[int, int], certificate: Certificate, functional: str
    ) -> Discovery:
        """A combination of several records' values that follows: of each atom's total so many times."""
        value = Fraction(0)
        of_record: dict[int, Fraction] = {}
        spoken_of: set[Quantity] = set()
        for atom, times in coefficients.items():
            for quantity, record in self._unknowns(atom):
                value += times * self.sums.numbers[quantity].fraction(record)
                of_record[record] = of_record.get(record, Fraction(0)) + times
                spoken_of.add(quantity)
        quantity = min(spoken_of)
        if len(spoken_of) > 1:
            names = sorted({each.attribute for each in spoken_of})
            quantity = quantity if len(names) == 1 else Quantity(" + ".join(names))
        records = np.array(sorted(of_record), dtype=np.int64)
        found = self.found(kind, quantity, records, certificate, low=value, high=value, functional=functional)
        return found if functional == "total" else replace(found, coefficients=of_record)

    def found(
        self,
        kind: str,
        quantity: Quantity,
        records: IntArray,
        certificate: Certificate,
        *,
        low: Fraction,
        high: Fraction,
        functional: str | None = None,
    ) -> Discovery:
        """A disclosure with its proof in terms of the answers as logged.

        An answer is c + s·(row · x), so a row's coefficient y is y/s of the answer, and −y·c/s is added.
        """
        proof: dict[int, Fraction] = {}
        constant = Fraction(0)
        for row, coefficient in certificate.items():
            position = int(self.positions[row])
            asked = self.sums.queries[position].asked
            assert isinstance(asked, Linear)  # noqa: S101  (only linear queries have rows)
            proof[position] = coefficient / asked.scale
            constant -= coefficient * (asked.constant / asked.scale + self.sums.offsets[int(self.rows[row])])
        return Discovery(
            kind=kind,
            quantity=quantity,
            records=tuple(int(record) for record in records),
            low=low,
            high=high,
            functional=functional,
            proof=proof,
            constant=constant,
            known=self._known(certificate),
            first=max(proof, default=0),
            view=self.view,
        )

    def _known(self, certificate: Certificate) -> dict[int, Fraction]:
        """For each record that the view knows, how often its value is subtracted."""
        rows = self.sums.collapsed.equations.rows
        subtracted: dict[int, Fraction] = {}
        for record in sorted(self.view.known):
            atoms = self.sums.atoms_of_record(record)
            weight = sum((-y * int(rows[self.rows[r], atoms].sum()) for r, y in certificate.items()), Fraction(0))
            if weight:
                subtracted[record] = weight
        return subtracted
