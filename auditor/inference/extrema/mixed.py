"""Sums and extremes of the same unknowns together.

To decide what they determine is NP-hard (Chin 1986, doi:10.1145/5925.5928), and is put as an integer programme. The
extremes alone give each unknown its bounds lb ≤ x ≤ ub (see `extremes`). An answered maximum v asks that somebody among
those with ub = v attains it: with g_A = M or 0 for "A does" or "does not", over the atoms A of s records each,

    z_A ≥ (s − 1)·lb + L + g_A,   Σ_A g_A ≥ M,   M = v − L,   L the least lb among them,

where g_A = M leaves room for one record at v and the others at lb or above. A minimum is the same upside down. So every
coefficient stays 1, however far apart the numbers are. An atom that can hold an answer is taken apart into one record,
whose interval is asked for, and the others.

L needs a bound from below. Where the domain has none, the one that the sums imply is used; where they imply none
either, the part is ``undetermined``, save for what the extremes alone determine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from auditor.inference.extrema.extremes import ExtremeAnswer, Extremes, RecordInterval, extremes
from auditor.inference.integer.holders import HolderDemand, programme
from auditor.inference.integer.intervals import AtomIntervals, intervals
from auditor.inference.integer.parts import UnknownDomain, check_lengths
from auditor.inference.integer.search import UNDETERMINED, MemberInterval, PartSearch
from auditor.inference.integer.simplex import Termination
from auditor.inference.linear.equations import Equations, IntArray


def mixed(
    equations: Equations,
    answers: Sequence[Fraction],
    asked: Sequence[ExtremeAnswer],
    domains: Sequence[UnknownDomain],
    *,
    distinct: bool = False,
    kinds: Sequence[int] | None = None,
    enough: Fraction | None = None,
    deadline: float = math.inf,
) -> AtomIntervals:
    """The interval of one member of each atom, from sums and extremes.

    Args:
        equations: the sums. Its atoms must be such that the extremes do not tell their records apart either; an atom
            that only extremes speak of has an empty column.
        answers: those of the sums, exact.
        asked: the answered extremes; their `members` are atoms of the equations.
        domains: what is known of one member, one for each atom.
        distinct: whether no two records have the same value. It is used of extremes; where sums join in, what the two
            together do not determine without it is ``undetermined``.
        kinds: of each atom, where values are of several kinds: extremes ask of one, and values of one are distinct.
        enough: stop at an atom once its interval is known to be this wide, and wider than a point.
        deadline: a time of `time.monotonic`; what is not settled by then is ``undetermined``.

    Proofs are given of intervals that follow from sums alone, or from the extremes that `extremes` names; none here.
    """
    check_lengths(equations, answers, domains)
    alone = _alone(
        equations.sizes, asked, domains, kinds or [0] * equations.atoms, distinct=distinct, deadline=deadline
    )
    narrowed = _narrowed(domains, alone)
    if narrowed is None:
        return AtomIntervals(False, (UNDETERMINED,) * equations.atoms)
    found = [MemberInterval(known.low, known.high, status=known.status, tight=True) for known in alone.of_column]
    consistent = alone.consistent
    for piece in _pieces(equations, answers, asked, narrowed):
        if not len(piece.right):
            continue
        of_piece = _together(piece, enough, deadline) if piece.asked else piece.sums_only(enough, deadline)
        if of_piece.consistent is not True:
            consistent = False if of_piece.consistent is False else consistent and None
        for atom, interval in zip(piece.atoms, of_piece.of_atom, strict=True):
            unsure = distinct and piece.asked and interval.status == "free"
            if found[atom].status != "determined":
                found[atom] = UNDETERMINED if unsure else interval
    return AtomIntervals(consistent, tuple(found))


def _alone(
    sizes: IntArray,
    asked: Sequence[ExtremeAnswer],
    domains: Sequence[UnknownDomain],
    kinds: Sequence[int],
    *,
    distinct: bool,
    deadline: float,
) -> Extremes:
    """What the extremes tell, of each kind for itself."""
    of_column = [RecordInterval()] * len(domains)
    consistent: bool | None = True
    place = np.zeros(len(domains), dtype=np.int64)
    for kind in sorted(set(kinds)):
        columns = np.flatnonzero(np.array(kinds) == kind)
        place[columns] = np.arange(len(columns))
        own = [each for each in asked if kinds[int(each.members[0])] == kind]
        found = extremes(
            [replace(each, members=place[each.members]) for each in own],
            sizes[columns],
            distinct=distinct,
            domains=[domains[column] for column in columns.tolist()],
            deadline=deadline,
        )
        consistent = False if found.consistent is False else consistent and found.consistent
        for column, each in zip(columns.tolist(), found.of_column, strict=True):
            of_column[column] = each
    return Extremes(consistent, tuple(of_column))


@dataclass(frozen=True)
class _MixedPiece:
    """Atoms, and the sums and extremes that speak of them alone."""

    atoms: list[int]
    equations: Equations
    right: list[Fraction]
    asked: list[ExtremeAnswer]
    domains: list[UnknownDomain]

    def sums_only(self, enough: Fraction | None, deadline: float) -> AtomIntervals:
        """The intervals where no extreme joins in."""
        return intervals(self.equations, self.right, self.domains, enough=enough, deadline=deadline)

    def demands(self) -> list[HolderDemand]:
        """Who can hold each answer, save those that somebody surely holds."""
        place = {atom: position for position, atom in enumerate(self.atoms)}
        found = []
        for extreme in self.asked:
            members = [(place[atom], self.domains[place[atom]]) for atom in extreme.members.tolist()]
            if any(domain.point == extreme.answer for _, domain in members):
                continue
            ends = [(atom, domain.high if extreme.which == "max" else domain.low) for atom, domain in members]
            able = frozenset(atom for atom, end in ends if end == extreme.answer)
            found.append(HolderDemand(extreme.which, extreme.answer, able))
        return found


def _narrowed(domains: Sequence[UnknownDomain], alone: Extremes) -> list[UnknownDomain] | None:
    """Each domain within the bounds that the extremes give; None where one is empty."""
    if alone.consistent is False:
        return None
    try:
        known = zip(domains, alone.of_column, strict=True)
        return [replace(domain, low=bounds.low, high=bounds.high) for domain, bounds in known]
    except ValueError:  # whole numbers between two ends that leave none
        return None


def _pieces(
    equations: Equations, answers: Sequence[Fraction], asked: Sequence[ExtremeAnswer], domains: list[UnknownDomain]
) -> Iterator[_MixedPiece]:
    m, p, t = equations.answers, equations.atoms, len(asked)
    members = [extreme.members for extreme in asked]
    rows = csr_array(equations.rows, copy=True)
    rows.eliminate_zeros()
    indices = np.concatenate([rows.indices, *members]) + m + t
    lengths = [*np.diff(rows.indptr).tolist(), *(len(each) for each in members), *([0] * p)]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    graph = csr_array((np.ones(len(indices), dtype=np.int8), indices, starts), shape=(m + t + p,) * 2)
    _, labels = connected_components(graph, directed=False)
    order = np.argsort(labels, kind="stable")
    for nodes in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        of_rows, atoms = nodes[nodes < m], nodes[nodes >= m + t] - m - t
        yield _MixedPiece(
            atoms.tolist(),
            Equations(rows[of_rows][:, atoms], equations.sizes[atoms]),
            [answers[row] for row in of_rows.tolist()],
            [asked[node - m] for node in nodes[(nodes >= m) & (nodes < m + t)].tolist()],
            [domains[atom] for atom in atoms.tolist()],
        )


def _together(piece: _MixedPiece, enough: Fraction | None, deadline: float) -> AtomIntervals:
    """The intervals where sums and extremes meet."""
    count = len(piece.atoms)
    built = programme(piece.equations, piece.right, piece.domains, piece.demands(), deadline)
    if built is None:
        return AtomIntervals(None, (UNDETERMINED,) * count)
    part, sizes = built
    search = PartSearch(part, piece.domains, sizes, enough, deadline, branches=BRANCHES)
    outcome = search.begin()
    if outcome is not Termination.OPTIMAL:
        return AtomIntervals(False if outcome is Termination.INFEASIBLE else None, (UNDETERMINED,) * count)
    # The multipliers are of rows that nobody published.
    found = (search.interval(position) for position in range(count))
    return AtomIntervals(True, tuple(replace(interval, low_proof=None, high_proof=None) for interval in found))


BRANCHES = 3000
"""How many linear programmes one end may take."""
