"""Bounded reals: the tightest interval of every unknown.

Given the answers B z = b and what everybody knows of each unknown (low ≤ x ≤ high), the totals of the atoms range over
the polytope {z : B z = b, |A|·low ≤ z_A ≤ |A|·high}, and one member of an atom of size s whose total ranges over [l, h]
ranges over

    [max(low, l − (s−1)·high), min(high, h − (s−1)·low)],

since the members of an atom are free apart from their total. So two linear programmes for each atom say everything that
follows (for two-way tables: Gusfield 1988, doi:10.1137/0217034; linear programmes of disclosure: Fischetti & Salazar
2000). They are solved in integers, so that an end which is met exactly is told from one that is missed by a hair. A
programme is left out where points that are known already show that the end is the domain's own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from auditor.inference._parts import Domain, Part, check_lengths, parts
from auditor.inference._simplex import Outcome, Simplex
from auditor.inference.equations import Equations

Status = Literal["determined", "free", "undetermined"]
Combination = Mapping[int, Fraction]
"""Rational coefficients y_t of answers, by their row."""


@dataclass(frozen=True)
class Interval:
    """What one member of an atom can be.

    `status` is ``determined`` where it can have one value only, ``undetermined`` where the time or the size allowed no
    proof (never to be taken for safe). `low` and `high` are its ends, None where there is none or it is not known.

    Where `tight`, both ends are attained. A ``free`` interval that is not tight was not followed to its ends: those
    given are attained, so that it is at least that wide.

    A proof of an end is the combination y with  z_A = Σ y_t b_t + Σ_B d_B z_B,  d_B the coefficient of z_B in
    z_A − Σ y_t (B z)_t: the end is what the right side comes to with each z_B at the end of its domain that its sign
    asks for. It is None where the end is the domain's own. Without other bounds used it is the linear combination of
    answers that gives the value.
    """

    status: Status
    low: Fraction | None = None
    high: Fraction | None = None
    tight: bool = False
    low_proof: Combination | None = None
    high_proof: Combination | None = None


@dataclass(frozen=True)
class Intervals:
    """One interval for each atom. `consistent` is None where that was not settled.

    Where no unknowns within their domains give the answers, `consistent` is False and the atoms concerned stay
    ``undetermined``: the declared domains, or the answers, are wrong.
    """

    consistent: bool | None
    of_atom: tuple[Interval, ...]


def intervals(
    equations: Equations,
    answers: Sequence[Fraction],
    domains: Sequence[Domain],
    *,
    enough: Fraction | None = None,
    deadline: float = math.inf,
) -> Intervals:
    """The interval of one member of each atom.

    Args:
        equations: the rows and the sizes of the atoms.
        answers: b, one for each row, exact.
        domains: what is known of one member, one for each atom; `integer` is not used.
        enough: stop at an atom once its interval is known to be this wide.
        deadline: a time of `time.monotonic`; what is not settled by then is ``undetermined``.
    """
    check_lengths(equations, answers, domains)
    found = [Interval("undetermined")] * equations.atoms
    consistent: bool | None = True
    for part in parts(equations, answers, domains):
        search = _Search(part, [domains[a] for a in part.atoms], equations.sizes[part.atoms].tolist(), enough, deadline)
        outcome = search.begin()
        if outcome is not Outcome.OPTIMAL:
            consistent = False if outcome is Outcome.INFEASIBLE or consistent is False else None
            continue
        for position, atom in enumerate(part.atoms.tolist()):
            found[atom] = search.interval(position)
    return Intervals(consistent, tuple(found))


@dataclass
class _Search:
    """Programmes over one part, and the range of each total over the points met so far."""

    part: Part
    domains: list[Domain]
    sizes: list[int]
    enough: Fraction | None
    deadline: float
    least: list[Fraction] = field(default_factory=list)
    most: list[Fraction] = field(default_factory=list)
    simplex: Simplex | None = None

    def begin(self) -> Outcome:
        """Find a first point."""
        if self.part.too_large() or time.monotonic() > self.deadline:
            return Outcome.UNFINISHED
        self.simplex = self.part.simplex()
        outcome = self.simplex.minimise({}, self.deadline)
        if outcome is Outcome.OPTIMAL:
            self.least = self._point()
            self.most = list(self.least)
        return outcome

    def interval(self, position: int) -> Interval:
        """Follow both ends of an atom, as far as they are asked for."""
        ends: list[Fraction | None] = []
        proofs: list[Combination | None] = []
        for sign in (1, -1):
            if self._wide_enough(position):
                return Interval("free", *self._witnessed(position))
            end, proof = self._own_end(position, sign), None
            if self._narrowable(position, sign) and self._witnessed(position)[sign < 0] != end:
                outcome = self._optimise(position, sign)
                if outcome is Outcome.UNFINISHED:
                    return Interval("undetermined")
                if outcome is Outcome.OPTIMAL and self._witnessed(position)[sign < 0] != end:
                    end, proof = self._witnessed(position)[sign < 0], self._proof(sign)
            ends.append(end)
            proofs.append(proof)
        status: Status = "determined" if ends[0] is not None and ends[0] == ends[1] else "free"
        return Interval(status, ends[0], ends[1], tight=True, low_proof=proofs[0], high_proof=proofs[1])

    def _own_end(self, position: int, sign: int) -> Fraction | None:
        domain = self.domains[position]
        return domain.low if sign > 0 else domain.high

    def _narrowable(self, position: int, sign: int) -> bool:
        """Among several, an end narrows only where the others are bounded on the far side."""
        return self.sizes[position] == 1 or self._own_end(position, -sign) is not None

    def _witnessed(self, position: int) -> tuple[Fraction | None, Fraction | None]:
        """The range of a member over the points met."""
        domain, size = self.domains[position], self.sizes[position]
        return domain.member_low(size, self.least[position]), domain.member_high(size, self.most[position])

    def _wide_enough(self, position: int) -> bool:
        low, high = self._witnessed(position)
        return self.enough is not None and (low is None or high is None or high - low >= self.enough)

    def _optimise(self, position: int, sign: int) -> Outcome:
        assert self.simplex is not None  # noqa: S101  (begin was called)
        outcome = self.simplex.minimise({position: sign}, self.deadline)
        if outcome is not Outcome.UNFINISHED:
            point = self._point()
            self.least = [min(pair) for pair in zip(self.least, point, strict=True)]
            self.most = [max(pair) for pair in zip(self.most, point, strict=True)]
        return outcome

    def _point(self) -> list[Fraction]:
        assert self.simplex is not None  # noqa: S101
        return [value / self.part.unit for value in self.simplex.point()]

    def _proof(self, sign: int) -> Combination:
        assert self.simplex is not None  # noqa: S101
        return {int(self.part.answers[row]): sign * y for row, y in self.simplex.multipliers().items()}
