"""Which users have to put their answers together for an unknown to follow.

Whatever some users can compute, all of them together can. So only unknowns that follow from all answers are looked at,
and if there are none every coalition is safe. An owner is *necessary* for an unknown that does not follow from the
answers of all others; every coalition that discloses the unknown contains its necessary owners.

Note that an owner without a row in the pooled basis is not without power: his answers may repeat those of somebody who
is not in the coalition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.sparse import csr_array

from auditor.inference._modular import IntArray
from auditor.inference.equations import Equations
from auditor.inference.row_space import Certificate, RowSpace


@dataclass(frozen=True)
class Coalition:
    """Owners whose answers together determine an atom, and the proof; no fewer owners do."""

    owners: tuple[int, ...]
    certificate: Certificate


@dataclass(frozen=True)
class Coalitions:
    """For each atom that some coalition determines a smallest one.

    `complete` says that every coalition that could determine one of the other atoms was tried.
    """

    smallest: Mapping[int, Coalition]
    complete: bool


def smallest_coalitions(
    equations: Equations, owner_of: IntArray, largest: int, *, atoms: IntArray | None = None, effort: int = 1_000
) -> Coalitions:
    """Find, for each atom that can be determined, the fewest owners that determine it.

    Args:
        equations: everybody's answers.
        owner_of: int64[m], who got each answer.
        largest: how many owners may put their answers together.
        atoms: the atoms of interest; by default those of one unknown.
        effort: how many coalitions are tried at most, those with all but one owner included.
    """
    wanted = np.flatnonzero(equations.sizes == 1) if atoms is None else atoms
    open_ = set(np.intersect1d(RowSpace(equations).exposed(), wanted).tolist())
    owners = np.unique(owner_of).tolist()
    necessary = _necessary(equations, owner_of, owners, open_) if open_ and len(owners) <= effort else {}
    tried, found = len(owners), dict[int, Coalition]()
    for size in range(1, min(largest, len(owners)) + 1):
        for together in _candidates(owners, size, open_, necessary):
            if tried >= effort:
                return Coalitions(found, complete=False)
            tried += 1
            rows = np.flatnonzero(np.isin(owner_of, together))
            space = RowSpace(_only(equations, rows))
            for atom in sorted(open_.intersection(space.exposed().tolist())):
                certificate = space.certificate(atom) or {}
                found[atom] = Coalition(together, {int(rows[row]): y for row, y in certificate.items()})
            open_ -= found.keys()
    return Coalitions(found, complete=True)


def _necessary(
    equations: Equations, owner_of: IntArray, owners: list[int], atoms: set[int]
) -> dict[int, frozenset[int]]:
    """For each atom the owners without whom all others do not determine it."""
    necessary: dict[int, set[int]] = {atom: set() for atom in atoms}
    for owner in owners:
        others = RowSpace(_only(equations, np.flatnonzero(owner_of != owner)))
        for atom in atoms.difference(others.exposed().tolist()):
            necessary[atom].add(owner)
    return {atom: frozenset(needed) for atom, needed in necessary.items()}


def _candidates(
    owners: list[int], size: int, atoms: set[int], necessary: Mapping[int, frozenset[int]]
) -> Iterator[tuple[int, ...]]:
    """The coalitions of a size that contain the necessary owners of an atom that is still open, each once."""
    seen: set[tuple[int, ...]] = set()
    for needed in sorted({necessary.get(atom, frozenset()) for atom in atoms}, key=sorted):
        if len(needed) > size:
            continue
        rest = [owner for owner in owners if owner not in needed]
        for further in combinations(rest, size - len(needed)):
            together = tuple(sorted((*needed, *further)))
            if together not in seen:
                seen.add(together)
                yield together


def _only(equations: Equations, rows: IntArray) -> Equations:
    """Some of the answers. Atoms keep their numbers, though some may now be alike."""
    return Equations(csr_array(equations.rows[rows]), equations.sizes)
