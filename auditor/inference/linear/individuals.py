"""Persons with several unknowns, about whom something follows though perhaps about no single unknown.

A vector of the row space is constant on atoms. So what is known about one person's unknowns alone is a vector supported
on the atoms that are entirely his, and there is one iff the null rows of these atoms are dependent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from auditor.inference.linear._dependence import redundant
from auditor.inference.linear._inside import earliest, known_inside
from auditor.inference.linear.modular import IntArray
from auditor.inference.linear.row_space import Certificate, RowSpace

_SLACK = 4


@dataclass(frozen=True)
class Individual:
    """A person about whose unknowns alone a combination is known; the first one that was.

    `coefficients` is atom → integer, without common factor.
    """

    owner: int
    coefficients: dict[int, int]
    certificate: Certificate


def disclosed_individuals(space: RowSpace, owner_of: IntArray) -> tuple[Individual, ...]:
    """Find the owners about whom something follows, each with what was known first.

    Args:
        space: the row space of the answers.
        owner_of: int64[p], the owner of all unknowns of an atom; −1 where they belong to several, or to nobody.
    """
    owned = np.flatnonzero(owner_of >= 0)
    sets = sets_by_count(owner_of[owned], owned)
    found = [individual for _, atoms in sets for individual in _disclosed(space, owner_of, atoms)]
    return tuple(sorted(found, key=lambda individual: individual.owner))


def sets_by_count(labels: IntArray, values: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """The values of each label, int64[n, s] with the n labels ascending, for every number s of values that one has."""
    order = np.argsort(labels, kind="stable")
    found, starts, counts = np.unique(labels[order], return_index=True, return_counts=True)
    for count in np.unique(counts):
        chosen = counts == count
        yield found[chosen], values[order[starts[chosen][:, None] + np.arange(count)]]


def _disclosed(space: RowSpace, owner_of: IntArray, atoms: IntArray) -> Iterator[Individual]:
    null = space.null_rows(np.unique(atoms), atoms.shape[1] + _SLACK)
    place = np.zeros(space.equations.atoms, dtype=np.int64)
    place[np.unique(atoms)] = np.arange(atoms.size)
    for owned in atoms[redundant(null.values[place[atoms]], null.prime).any(axis=1)]:
        known = known_inside(space, null.values[place[owned]], null.prime, owned.tolist())
        if known:
            first = earliest(known)
            yield Individual(int(owner_of[owned[0]]), first.coefficients, first.certificate)
