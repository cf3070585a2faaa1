"""Sums, counts and extremes of values that may be missing, where nobody knows whose are.

A value x counts as 0 in a sum where it is missing; its presence p is an unknown of 0 or 1, and counts of values are
sums of these. So L·p ≤ x ≤ U·p, where L and U are the ends of what is there, narrowed by the answered extremes of sets
that hold the record; where these leave nothing, the value is missing. s records that no answer tells apart can have the
totals X and P iff P is a whole number from 0 to s and L·P ≤ X ≤ U·P.

An answered maximum v asks that somebody is there with x = v among those with U = v (see `mixed`): with g = M or 0 for
"one of these does" or "none does",

    X ≥ L·(P − 1) + L₀ + g,   M·P ≥ g,   Σ g ≥ M,   M = v − L₀,   L₀ the least L among them.

A minimum is the same upside down. From every atom one record is taken apart, whose interval is asked for. Values
without both ends stay ``undetermined``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array, vstack

from auditor.inference.extrema.extremes import ExtremeAnswer
from auditor.inference.extrema.mixed import BRANCHES
from auditor.inference.integer.holders import Draft, Which
from auditor.inference.integer.intervals import AtomIntervals
from auditor.inference.integer.parts import BIT, ProgrammePart, UnknownDomain, check_lengths
from auditor.inference.integer.search import UNDETERMINED, MemberInterval, PartSearch
from auditor.inference.integer.simplex import Termination
from auditor.inference.linear.equations import Equations, IntArray, connected
from auditor.interval import Interval

_ONE = Fraction(1)


@dataclass(frozen=True)
class Link:
    """The values of the records of an atom, and their presence, another atom of as many; both by number.

    A value that is there is within `domain`; one that is missing is 0.
    """

    value: int
    presence: int
    domain: UnknownDomain


def with_missing(
    equations: Equations,
    answers: Sequence[Fraction],
    asked: Sequence[ExtremeAnswer],
    links: Sequence[Link],
    *,
    somebody: Sequence[IntArray] = (),
    enough: Fraction | None = None,
    deadline: float = math.inf,
) -> AtomIntervals:
    """The interval of one member of each atom: of its value, 0 where that is missing, or of its presence.

    Args:
        equations: the sums of values and of presences; every atom is in one of the links.
        answers: theirs, exact.
        asked: the answered extremes; their `members` are atoms of values.
        links: which atoms are values, and which their presence.
        somebody: sets of atoms of presence, in each of which somebody is there: a sum over nobody is no number.
        enough: stop at an atom once its interval is known to be this wide, and wider than a point.
        deadline: a time of `time.monotonic`; what is not settled by then is ``undetermined``.
    """
    check_lengths(equations, answers, [BIT] * equations.atoms)
    found = [UNDETERMINED] * equations.atoms
    consistent: bool | None = True
    for piece in _pieces(equations, answers, asked, [_narrowed(link, asked) for link in links], somebody):
        of_piece = piece.intervals(enough, deadline)
        if of_piece is None or isinstance(of_piece, Termination):
            consistent = False if of_piece is Termination.INFEASIBLE else consistent and None
            continue
        for atom, interval in zip(piece.atoms, of_piece, strict=True):
            found[atom] = interval
    return AtomIntervals(consistent, tuple(found))


@dataclass(frozen=True)
class _Narrowed:
    """A link with the ends that the extremes leave; None where they leave nothing, so that the values are missing."""

    value: int
    presence: int
    domain: UnknownDomain | None


def _narrowed(link: Link, asked: Sequence[ExtremeAnswer]) -> _Narrowed:
    domain = link.domain
    try:
        for extreme in asked:
            if link.value in extreme.members:
                answer = extreme.answer
                domain = domain.intersection(Interval(high=answer) if extreme.which == "max" else Interval(answer))
    except ValueError:  # nothing, or no whole number, between the ends
        return _Narrowed(link.value, link.presence, None)
    return _Narrowed(link.value, link.presence, domain)


def _pieces(
    equations: Equations,
    answers: Sequence[Fraction],
    asked: Sequence[ExtremeAnswer],
    links: Sequence[_Narrowed],
    somebody: Sequence[IntArray],
) -> Iterator[_MissingPiece]:
    """What shares no atom with anything else."""
    sets = [extreme.members for extreme in asked] + [np.array([link.value, link.presence]) for link in links]
    sets += somebody
    starts = np.cumsum([0, *(len(members) for members in sets)])
    joined = np.concatenate([*sets, np.array([], dtype=np.int64)])  # counts that say that nobody is there join nothing
    joins = csr_array((np.ones(starts[-1], dtype=np.int64), joined, starts), shape=(len(sets), equations.atoms))
    of_row, of_atom = connected(csr_array(vstack([equations.rows, joins], format="csr")))
    m, t = equations.answers, len(asked)
    for label in np.unique(of_atom).tolist():
        rows = np.flatnonzero(of_row == label)
        atoms = np.flatnonzero(of_atom == label)
        inside = rows[rows < m]
        yield _MissingPiece(
            atoms.tolist(),
            Equations(csr_array(equations.rows[inside][:, atoms]), equations.sizes[atoms]),
            [answers[row] for row in inside.tolist()],
            [asked[row - m] for row in rows[(rows >= m) & (rows < m + t)].tolist()],
            [links[row - m - t] for row in rows[(rows >= m + t) & (rows < m + t + len(links))].tolist()],
            [somebody[row - m - t - len(links)] for row in rows[rows >= m + t + len(links)].tolist()],
        )


@dataclass(frozen=True)
class _Share:
    """The variables of some records of a link."""

    value: int
    presence: int
    link: _Narrowed


@dataclass(frozen=True)
class _MissingPiece:
    atoms: list[int]
    equations: Equations
    right: list[Fraction]
    asked: list[ExtremeAnswer]
    links: list[_Narrowed]
    somebody: list[IntArray]

    def intervals(self, enough: Fraction | None, deadline: float) -> list[MemberInterval] | Termination | None:
        """Of one record of each atom; None where an end is missing."""
        if any(link.domain is not None and len(link.domain.ends) < 2 for link in self.links):
            return None
        part, domains = self._programme()
        search = PartSearch(part, domains, [1] * len(self.atoms), enough, deadline, branches=BRANCHES)
        outcome = search.begin()
        if outcome is not Termination.OPTIMAL:
            return outcome
        found = (search.interval(position) for position in range(len(self.atoms)))
        return [replace(interval, low_proof=None, high_proof=None) for interval in found]

    def _programme(self) -> tuple[ProgrammePart, list[UnknownDomain]]:
        draft = Draft()
        domains = self._domains()
        ones = [draft.variable(domain, domain.step) for domain in domains]
        sizes = self.equations.sizes.tolist()
        rest = {
            at: draft.variable(domains[at].times(size - 1), domains[at].step)
            for at, size in enumerate(sizes)
            if size > 1
        }
        dense = self.equations.rows.toarray()
        for row, answer in zip(dense.tolist(), self.right, strict=True):
            inside = {at: int(weight) for at, weight in enumerate(row) if weight}
            shares = {ones[at]: weight for at, weight in inside.items()}
            draft.row(shares | {rest[at]: weight for at, weight in inside.items() if at in rest}, Interval.at(answer))
        place = {atom: position for position, atom in enumerate(self.atoms)}
        shares_of: dict[int, list[_Share]] = {}
        for link in self.links:
            value, presence = place[link.value], place[link.presence]
            own = [_Share(ones[value], ones[presence], link)]
            own += [_Share(rest[value], rest[presence], link)] if value in rest else []
            shares_of[link.value] = own
            for share in own:
                _tie(draft, share)
        _hold(draft, self.asked, shares_of)
        for members in self.somebody:
            there = [place[atom] for atom in members.tolist()]
            draft.row(
                dict.fromkeys([ones[at] for at in there] + [rest[at] for at in there if at in rest], 1), Interval(_ONE)
            )
        return draft.part(), domains

    def _domains(self) -> list[UnknownDomain]:
        """What one record of each atom can be: a value 0, where it is missing."""
        place = {atom: position for position, atom in enumerate(self.atoms)}
        found = [BIT] * len(self.atoms)
        for link in self.links:
            if link.domain is None:
                found[place[link.value]] = UnknownDomain.at(Fraction(0))
                found[place[link.presence]] = UnknownDomain(Fraction(0), Fraction(0), integer=True)
            else:
                found[place[link.value]] = link.domain.or_nothing()
        return found


def _tie(draft: Draft, share: _Share) -> None:
    """L·P ≤ X ≤ U·P."""
    if share.link.domain is not None:
        low, high = share.link.domain.ends
        _row(draft, {share.value: Fraction(1), share.presence: -low}, Interval(Fraction(0)))
        _row(draft, {share.value: Fraction(1), share.presence: -high}, Interval(high=Fraction(0)))


def _row(draft: Draft, coefficients: dict[int, Fraction], ends: Interval[Fraction]) -> None:
    """Add a row times the least number that makes its coefficients whole."""
    times = math.lcm(*(value.denominator for value in coefficients.values()))
    draft.row({variable: int(value * times) for variable, value in coefficients.items()}, ends.times(times))


def _hold(draft: Draft, asked: Sequence[ExtremeAnswer], shares_of: dict[int, list[_Share]]) -> None:
    """Ask for a holder of every answer, with one indicator for each who can hold the value."""
    groups: dict[tuple[Which, Fraction], list[ExtremeAnswer]] = {}
    for extreme in asked:
        groups.setdefault((extreme.which, extreme.answer), []).append(extreme)
    for (which, answer), group in groups.items():
        members = sorted({atom for extreme in group for atom in extreme.members.tolist()})
        able = {atom: shares_of[atom] for atom in members if _end(shares_of[atom][0], which) == answer}
        far = [_end(shares[0], "min" if which == "max" else "max") for shares in able.values()]
        known = [end for end in far if end is not None]
        furthest = (min if which == "max" else max)(known, default=answer)
        holds = {atom: [_indicator(draft, share, which, answer, furthest) for share in able[atom]] for atom in able}
        for extreme in group:
            chosen = [variable for atom in extreme.members.tolist() for variable in holds.get(atom, [])]
            least = abs(answer - furthest) or Fraction(1)
            draft.row(dict.fromkeys(chosen, 1), Interval(least))


def _end(share: _Share, which: Which) -> Fraction | None:
    domain = share.link.domain
    return None if domain is None else domain.high if which == "max" else domain.low


def _indicator(draft: Draft, share: _Share, which: Which, answer: Fraction, furthest: Fraction) -> int:
    """The variable that says that one of these records has the answer."""
    span = abs(answer - furthest)
    if not span:  # whoever can hold the value has no other
        return share.presence
    holds = draft.variable(Interval(Fraction(0), span), span)
    assert share.link.domain is not None  # noqa: S101  (who can hold an answer can be there)
    low, high = share.link.domain.ends
    if which == "max":
        _row(draft, {share.value: _ONE, share.presence: -low, holds: -_ONE}, Interval(furthest - low))
    else:
        _row(draft, {share.value: _ONE, share.presence: -high, holds: _ONE}, Interval(high=furthest - high))
    _row(draft, {share.presence: span, holds: Fraction(-1)}, Interval(Fraction(0)))
    return holds
