"""Groups of few persons who have several unknowns each: of several columns, categories or versions.

A group is disclosed when the row space holds a vector other than 0 that is supported on atoms whose unknowns are all of
its persons. A minimal such vector stays within one component of the equations, so components are looked at one by one.
Where nobody has two atoms in a component, it is searched as if every atom were of as many unknowns as it has persons
(`groups`). In the others

* one person, exactly: the null rows of the atoms that are his alone are dependent (`individuals`);
* two persons, exactly: independent null rows of the atoms of the one, of the atoms of the other, and those of the atoms
  that hold unknowns of just these two, are dependent together. Pairs that share an atom are tried one by one; of all
  other pairs it says that the spans of their null rows meet (`_meeting`);
* above, sets of atoms are tried up to an effort.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from auditor.inference.linear._components import components
from auditor.inference.linear._dependence import parallel_classes, redundant
from auditor.inference.linear._inside import known_inside
from auditor.inference.linear._meeting import MEETINGS, Meetings, Spans
from auditor.inference.linear.groups import LISTED_BITS, Group, Groups, disclosed_groups, group_of
from auditor.inference.linear.individuals import disclosed_individuals, sets_by_count
from auditor.inference.linear.modular import IntArray
from auditor.inference.linear.row_space import RowSpace

_SLACK = 4


@dataclass(frozen=True)
class Holdings:
    """Whose unknowns the atoms hold: `atoms[e]` holds some of the person `persons[e]`; every such pair once."""

    atoms: IntArray
    persons: IntArray

    def of(self, chosen: NDArray[np.bool_]) -> Holdings:
        """Those in some atoms only, bool[p]."""
        kept = chosen[self.atoms]
        return Holdings(self.atoms[kept], self.persons[kept])


def disclosed_groups_of_persons(
    space: RowSpace,
    held: Holdings,
    below: int,
    *,
    effort: int = 100_000,
    meetings: int = MEETINGS,
    limit: int = 1_000,
    deadline: float = math.inf,
) -> Groups:
    """Find the disclosed groups of 1 … below − 1 persons; of one person, and of two, one for each that there is.

    Args:
        space: the row space of the answers.
        held: whose the unknowns of each atom are.
        below: the bound, the policy's `min_group`.
        effort: how many sets are tried for groups of three and more; see `disclosed_groups`.
        meetings: how many residues may be computed to compare pairs of persons.
        limit: how many groups are listed at most, and after how many no more are looked for.
        deadline: a time of `time.monotonic`; what was not looked at by then makes the search incomplete.
    """
    atoms = space.equations.atoms
    counts = np.bincount(held.atoms, minlength=atoms)
    component = components(space.equations.rows)
    light = (counts > 0) & (counts < below) & (component >= 0)
    several = light & np.isin(component, _with_several(held.of(light), component))
    found = [
        disclosed_groups(
            space, below, effort=effort, limit=limit, among=light & ~several, weights=counts, deadline=deadline
        )
    ]
    if several.any():
        found.append(_of_one(space, held.of(several & (counts == 1))))
        if below > 2:
            pairs = _Pairs(space, held.of(several & (counts <= 2)), component, deadline, meetings)
            found.append(pairs.found(limit))
        if below > 3:
            found.append(
                _of_three(space, held.of(several), below, among=several, effort=effort, limit=limit, deadline=deadline)
            )
    return Groups(
        found=tuple(group for each in found for group in each.found)[:limit],
        count=sum(each.count for each in found),
        complete=all(each.complete for each in found),
        tried=sum(each.tried for each in found),
    )


def _with_several(held: Holdings, component: IntArray) -> IntArray:
    """The components in which some person has two atoms."""
    persons = int(held.persons.max(initial=0)) + 1
    keys, times = np.unique(component[held.atoms] * persons + held.persons, return_counts=True)
    return np.unique(keys[times > 1] // persons)


def _of_one(space: RowSpace, held: Holdings) -> Groups:
    """Persons about whom a combination is known; of a single unknown it is not called a group."""
    owner_of = np.full(space.equations.atoms, -1)
    owner_of[held.atoms] = held.persons
    known = (group_of(space, each.coefficients, each.certificate) for each in disclosed_individuals(space, owner_of))
    found = tuple(group for group in known if group.size > 1)
    return Groups(found, len(found), True, 0)


def _of_three(
    space: RowSpace,
    held: Holdings,
    below: int,
    *,
    among: NDArray[np.bool_],
    effort: int,
    limit: int,
    deadline: float,
) -> Groups:
    """Groups of three persons and more: sets of so many atoms that no more unknowns can be meant, and then counted."""
    most = int(np.bincount(held.persons, space.equations.sizes[held.atoms]).max(initial=1))
    searched = disclosed_groups(
        space, most * (below - 1) + 1, effort=effort, limit=limit, among=among, deadline=deadline
    )
    persons_of: dict[int, set[int]] = {}
    for atom, person in zip(held.atoms.tolist(), held.persons.tolist(), strict=True):
        persons_of.setdefault(atom, set()).add(person)
    persons = [frozenset().union(*(persons_of[atom] for atom in group.atoms)) for group in searched.found]
    found = tuple(group for group, of in zip(searched.found, persons, strict=True) if 2 < len(of) < below)
    complete = searched.complete and searched.count <= len(searched.found)
    return Groups(found, len(found), complete, searched.tried)


class _Pairs:
    """The pairs of persons in components where some have several atoms.

    A *block* are the atoms of a component that hold unknowns of one person alone, without those whose null rows depend
    on the others': they tell something of that person alone.
    """

    def __init__(self, space: RowSpace, held: Holdings, component: IntArray, deadline: float, effort: int) -> None:
        self._space, self._deadline, self._effort = space, deadline, effort
        self._generator = np.random.default_rng(0)
        counts = np.bincount(held.atoms, minlength=space.equations.atoms)
        self._shared = _shared(held.of(counts == 2), component)
        alone = held.of(counts == 1)
        self._persons = int(held.persons.max(initial=0)) + 1
        keys = component[alone.atoms] * self._persons + alone.persons
        most = int(np.unique(keys, return_counts=True)[1].max(initial=0)) * 2 + int(
            np.unique(self._shared[:, 1:], axis=0, return_counts=True)[1].max(initial=0)
        )
        self._places = np.full(space.equations.atoms, -1)
        every = np.unique(held.atoms)
        self._places[every] = np.arange(len(every))
        null = space.null_rows(every, most + _SLACK)
        self._values, self._prime = null.values, null.prime
        self._keys, self._blocks = self._independent(keys, alone.atoms)

    def _independent(self, keys: IntArray, atoms: IntArray) -> tuple[IntArray, IntArray]:
        """The blocks: the key of each atom, ascending, and the atom."""
        kept = [np.zeros(0, dtype=np.int64)]
        owners = [np.zeros(0, dtype=np.int64)]
        for own, sets in sets_by_count(keys, atoms):
            needed = ~redundant(self._values[self._places[sets]], self._prime)
            kept.append(sets[needed])
            owners.append(np.broadcast_to(own[:, None], sets.shape)[needed])
        found = np.concatenate(owners)
        order = np.argsort(found, kind="stable")
        return found[order], np.concatenate(kept)[order]

    def found(self, limit: int) -> Groups:
        """One vector of each pair, proved."""
        proved: dict[tuple[int, ...], Group] = {}
        count, left, self._complete = 0, LISTED_BITS, True
        for atoms in self._candidates():
            group = self._proved(atoms)
            if group is not None and group.atoms not in proved:
                proved[group.atoms] = group
                count, left = count + 1, left - group.bits
            if len(proved) >= limit or left < 0 or (proved and time.monotonic() > self._deadline):
                break
        return Groups(tuple(proved.values()), count, self._complete, 0)

    def _candidates(self) -> Iterator[list[int]]:
        """Sets of atoms of two persons that are dependent modulo the prime."""
        yield from self._sharing()
        spans, places = [], []
        for owners, sets in sets_by_count(self._keys, self._blocks):
            spans.append(Spans(self._values[self._places[sets]], owners // self._persons))
            places.append(sets)
            if sets.shape[1] == 1:
                rows = spans[-1].rows[:, 0]
                for members in parallel_classes(rows, self._prime, self._generator):
                    for one, other in combinations(members.tolist(), 2):
                        yield [int(sets[one, 0]), int(sets[other, 0])]
        meetings = Meetings(spans, self._prime, self._generator, self._deadline, self._effort)
        for one, other, pairs in meetings.pairs():
            for first, second in pairs.tolist():
                yield [*places[one][first].tolist(), *places[other][second].tolist()]
        self._complete = meetings.complete

    def _sharing(self) -> Iterator[list[int]]:
        """Of pairs that share atoms: these, and both blocks."""
        pairs, number = np.unique(self._shared[:, 1:], axis=0, return_inverse=True)
        atoms, owners = [self._shared[:, 0]], [number.reshape(-1)]
        for persons in pairs[:, 1:].T:
            own = pairs[:, 0] * self._persons + persons
            starts, stops = (np.searchsorted(self._keys, own, side=side) for side in ("left", "right"))
            lengths = stops - starts
            within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            atoms.append(self._blocks[np.repeat(starts, lengths) + within])
            owners.append(np.repeat(np.arange(len(pairs)), lengths))
        for _, sets in sets_by_count(np.concatenate(owners), np.concatenate(atoms)):
            yield from sets[redundant(self._values[self._places[sets]], self._prime).any(axis=1)].tolist()

    def _proved(self, atoms: Sequence[int]) -> Group | None:
        """A vector on the atoms, exactly; None where they are dependent modulo the prime only."""
        known = known_inside(self._space, self._values[self._places[list(atoms)]], self._prime, atoms)
        return group_of(self._space, known[0].coefficients, known[0].certificate) if known else None


def _shared(held: Holdings, component: IntArray) -> IntArray:
    """int64[s, 4]: each atom of two persons, its component, and the two, the lower first."""
    order = np.lexsort((held.persons, held.atoms))
    atoms, persons = held.atoms[order][::2], held.persons[order]
    return np.stack([atoms, component[atoms], persons[::2], persons[1::2]], axis=1)
