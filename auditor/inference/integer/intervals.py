"""Bounded reals: the tightest interval of every unknown.

Given the answers B z = b and what everybody knows of each unknown (low ≤ x ≤ high), the totals of the atoms range over
the polytope {z : B z = b, |A|·low ≤ z_A ≤ |A|·high}, and one member of an atom of size s whose total ranges over [l, h]
ranges over

    [max(low, l − (s−1)·high), min(high, h − (s−1)·low)],

since the members of an atom are free apart from their total. So two linear programmes for each atom say everything that
follows (for two-way tables: Gusfield 1988, doi:10.1137/0217034; linear programmes of disclosure: Fischetti & Salazar
2000). They are solved in integers, so that an end which is met exactly is told from one that is missed by a hair. A
programme is left out where points that are known already show that the end is the domain's own.

Where a solution is known and a part is large, floating point looks first for moves away from that solution (`_large`).
What it finds is proved before it is said; what it does not settle is left to the programmes in integers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from auditor.inference.integer.parts import ProgrammePart, UnknownDomain, check_lengths, parts
from auditor.inference.integer.search import UNDETERMINED, Combination, MemberInterval, PartSearch, Status
from auditor.inference.integer.simplex import Termination
from auditor.inference.linear.equations import Equations

__all__ = ["AtomIntervals", "Combination", "MemberInterval", "Status", "UnknownDomain", "intervals"]


@dataclass(frozen=True)
class AtomIntervals:
    """One interval for each atom. `consistent` is None where that was not settled.

    `solution` are totals of the atoms that give the answers, where every part had one that was met.
    Where no unknowns within their domains give the answers, `consistent` is False and the atoms concerned stay
    ``undetermined``: the declared domains, or the answers, are wrong.
    """

    consistent: bool | None
    of_atom: tuple[MemberInterval, ...]
    solution: tuple[Fraction, ...] | None = None


def intervals(
    equations: Equations,
    answers: Sequence[Fraction],
    domains: Sequence[UnknownDomain],
    *,
    enough: Fraction | None = None,
    known: Sequence[Sequence[Fraction]] = (),
    of: Collection[int] | None = None,
    deadline: float = math.inf,
) -> AtomIntervals:
    """The interval of one member of each atom.

    Args:
        equations: the rows and the sizes of the atoms.
        answers: b, one for each row, exact.
        domains: what is known of one member, one for each atom; those that are `integer` are searched as whole numbers.
        enough: stop at an atom once its interval is known to be this wide, and wider than a point.
        known: solutions that the caller has, as totals of the atoms: the data itself is one. They only save the search
            for a first one, which is hard among whole numbers, and change no result that is not ``undetermined``.
        of: the atoms that are asked for, all by default; the others stay ``undetermined``.
        deadline: a time of `time.monotonic`; what is not settled by then is ``undetermined``.
    """
    check_lengths(equations, answers, domains)
    found = [UNDETERMINED] * equations.atoms
    wanted = set(range(equations.atoms) if of is None else of)
    consistent: bool | None = True
    solved: list[Fraction | None] = [None] * equations.atoms
    for part in parts(equations, answers, domains):
        search = PartSearch(
            part, [domains[a] for a in part.atoms], equations.sizes[part.atoms].tolist(), enough, deadline
        )
        search.leave_out({place for place, atom in enumerate(part.atoms.tolist()) if atom not in wanted})
        for solution in known:
            search.learn([Fraction(solution[atom]) for atom in part.atoms.tolist()])
        outcome = search.begin()
        if outcome is Termination.INFEASIBLE:
            consistent = False
            continue
        for atom, value in zip(part.atoms.tolist(), search.first or (), strict=False):
            solved[atom] = value / part.unit
        at_once = _at_an_end(part, search.domains)
        for position, atom in enumerate(part.atoms.tolist()):
            if atom not in wanted:
                continue
            if position in at_once:
                found[atom] = at_once[position]
            elif outcome is Termination.OPTIMAL:
                found[atom] = search.interval(position)
        if outcome is not Termination.OPTIMAL:
            consistent = consistent and None
    totals = tuple(value for value in solved if value is not None)
    return AtomIntervals(consistent, tuple(found), totals if len(totals) == len(solved) else None)


def _at_an_end(part: ProgrammePart, domains: Sequence[UnknownDomain]) -> dict[int, MemberInterval]:
    """Atoms, by position, in an answer that is the least or the most that the domains allow: all are at their ends.

    No programme is needed for them, so that they are found however large the part is.
    """
    found: dict[int, MemberInterval] = {}
    for row, (right, _) in enumerate(part.row_ends):
        start, stop = part.rows.indptr[row : row + 2]
        pairs = list(zip(part.rows.indices[start:stop].tolist(), part.rows.data[start:stop].tolist(), strict=True))
        for sign in (1, -1):
            ends = [part.ends[atom][sign * a < 0] for atom, a in pairs]
            known = [end * a for end, (_, a) in zip(ends, pairs, strict=True) if end is not None]
            if len(known) < len(pairs) or sum(known) != right:
                continue
            for atom, a in pairs:
                domain, proof = domains[atom], {int(part.answers[row]): Fraction(1, a)}
                end, proofs = (domain.low, (None, proof)) if sign * a > 0 else (domain.high, (proof, None))
                found[atom] = MemberInterval(
                    end, end, status="determined", tight=True, low_proof=proofs[0], high_proof=proofs[1]
                )
    return found
