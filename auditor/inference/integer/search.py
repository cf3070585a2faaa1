"""How far each unknown of one part can go, over the points met so far and the programmes that look for further ones."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np

from auditor.inference.integer._bounds import bound, suggested
from auditor.inference.integer._branch import least
from auditor.inference.integer._large import Large
from auditor.inference.integer._solver import solution
from auditor.inference.integer._swaps import swaps
from auditor.inference.integer.parts import ProgrammePart, UnknownDomain
from auditor.inference.integer.simplex import Ends, Simplex, Termination
from auditor.interval import Interval

Status = Literal["determined", "free", "undetermined"]
Combination = Mapping[int, Fraction]
"""Rational coefficients y_t of answers, by their row."""

_MANY = 32
"""From so many atoms on moves of four totals are looked for first."""
_MOST = 2**40
"""The farthest that these are moved, in steps."""
_IDLE = 2
"""After so many rounds of moves that clear nobody, the rest are asked for one by one."""
_TRIES = 4
"""How many points are looked for in random directions before each atom is asked for."""


@dataclass(frozen=True, slots=True)
class InferredInterval(Interval[Fraction]):
    """What an unknown can be; an end is None where there is none, or it is not known.

    `status` is ``determined`` where it can have one value only, ``undetermined`` where the time or the size allowed no
    proof (never to be taken for safe).
    """

    status: Status = "undetermined"

    def discloses(self, width: Fraction) -> bool:
        """Whether it is one value, or narrower than a width."""
        return self.status == "determined" or self.width < width


@dataclass(frozen=True, slots=True)
class MemberInterval(InferredInterval):
    """What one member of an atom can be.

    Where `tight`, both ends are attained. A ``free`` interval that is not tight was not followed to its ends: those
    given are attained, so that it is at least that wide. That an end cannot be passed is proved exactly, save where
    `exact` is False: then it rests on a floating-point solver's saying so twice, and the interval may be too narrow.

    A proof of an end is the combination y with  z_A = Σ y_t b_t + Σ_B d_B z_B,  d_B the coefficient of z_B in
    z_A − Σ y_t (B z)_t: the end is what the right side comes to with each z_B at the end of its domain that its sign
    asks for (rounded to the next whole number, for whole numbers). It is None where the end is the domain's own, or
    rests on trying cases. Without other bounds used it is the linear combination of answers that gives the value.
    """

    tight: bool = False
    exact: bool = True
    low_proof: Combination | None = None
    high_proof: Combination | None = None


@dataclass(frozen=True)
class _End:
    """An end of a member's interval, and how it is known."""

    value: Fraction | None
    proof: Combination | None = None
    exact: bool = True


@dataclass
class PartSearch:
    """Programmes over one part, and the range of each total, in units, over the points met so far."""

    part: ProgrammePart
    domains: list[UnknownDomain]
    sizes: list[int]
    enough: Fraction | None
    deadline: float
    branches: int = 300
    least: list[Fraction] = field(default_factory=list)
    most: list[Fraction] = field(default_factory=list)
    simplex: Simplex | None = None
    large: Large | None = None
    known: list[Fraction] | None = None
    left_out: frozenset[int] = frozenset()
    first: list[Fraction] | None = None

    def leave_out(self, positions: Collection[int]) -> None:
        """Do not look for points for the sake of these."""
        self.left_out = frozenset(positions)

    def begin(self) -> Termination:
        """Find a first point, and a few more where there is much to clear."""
        if time.monotonic() > self.deadline:
            return Termination.UNFINISHED
        if self.part.indivisible():
            return Termination.INFEASIBLE
        if (
            self.known is None
            and self.part.large()
            and all(self.part.steps)
            and self._first_of_solver() is Termination.OPTIMAL
        ):
            self.known = self.first
        if self.known is not None and self.enough is not None and len(self.sizes) >= _MANY:
            self._swap(self.known)
            if all(self._wide_enough(position) for position in range(len(self.sizes))):
                return Termination.OPTIMAL
        if self.known is not None and Large.takes(self.part):
            self._look_far(self.known)
            return Termination.OPTIMAL
        if self.part.too_large():
            return Termination.OPTIMAL if self.least else self._first_of_solver()
        outcome = self._begin_exactly()
        asked = len(self.sizes) - len(self.left_out)
        if outcome is Termination.OPTIMAL and self.enough is not None and asked > 2 * _TRIES:
            self._scatter()
        return outcome

    def _begin_exactly(self) -> Termination:
        self.simplex = self.part.simplex()
        outcome = self.simplex.minimise({}, self.deadline)
        if outcome is Termination.OPTIMAL and not self._meet(self.simplex.point()) and not self.least:
            outcome = self._first_whole()
        return outcome

    def learn(self, totals: Sequence[Fraction]) -> None:
        """Begin with a solution that is known already; one that is none is an error."""
        point = [total * self.part.unit for total in totals]
        if not self.part.satisfied_by(point):
            raise ValueError("a known solution does not give the answers, or is outside the domains")
        self._meet(point)
        self.known = point

    def interval(self, position: int) -> MemberInterval:
        """Follow both ends of an atom, as far as they are asked for."""
        ends = []
        for sign in (1, -1):
            end = None if self._wide_enough(position) else self._end(position, sign)
            if end is None and self._wide_enough(position):
                return MemberInterval(*self._witnessed(position), status="free")
            if end is None:
                return UNDETERMINED
            ends.append(end)
        low, high = ends
        status: Status = "determined" if low.value is not None and low.value == high.value else "free"
        exact = low.exact and high.exact
        return MemberInterval(
            low.value, high.value, status=status, tight=True, exact=exact, low_proof=low.proof, high_proof=high.proof
        )

    def _end(self, position: int, sign: int) -> _End | None:
        """The low end of a member (sign 1) or the high one (−1); None where it was not found, or is far enough."""
        own = self.domains[position].low if sign > 0 else self.domains[position].high
        if not self._narrowable(position, sign) or self._reached(position, sign) == own:
            return _End(own)
        if self.large is not None and self.simplex is None:
            found = self._end_of_large(self.large, position, sign, own)
            if found is not None or self._wide_enough(position):
                return found
            if not self.part.too_large() and self._begin_exactly() is not Termination.OPTIMAL:
                return None
        if self.simplex is None:
            return self._follow(position, sign, own, None)
        outcome = self.simplex.minimise({position: sign}, self.deadline)
        if outcome is Termination.OPTIMAL:
            self._meet(self.simplex.point())
            return self._follow(position, sign, own, self._rounded(position, sign, self.simplex.value(position)))
        return _End(own) if outcome is Termination.UNBOUNDED else None

    def _swap(self, known: list[Fraction]) -> None:
        """Widen the ranges by moves of four totals, which need no programme."""
        part = self.part
        steps = [step or part.unit for step in part.steps]
        ends = list(zip(known, part.ends, steps, strict=True))
        down = np.array([_MOST if low is None else min(_MOST, (at - low) // step) for at, (low, _), step in ends])
        up = np.array([_MOST if high is None else min(_MOST, (high - at) // step) for at, (_, high), step in ends])
        if len(set(steps[: len(known)])) > 1:
            return  # a step of one total would not be a step of another
        lower, upper = swaps(part.rows, down.astype(np.float64), up.astype(np.float64))
        for position in np.flatnonzero((lower > 0) | (upper > 0)).tolist():
            at, step = known[position], steps[position]
            self.least[position] = min(self.least[position], at - int(lower[position]) * step)
            self.most[position] = max(self.most[position], at + int(upper[position]) * step)

    def _look_far(self, known: list[Fraction]) -> None:
        """Clear what moves away from a known solution clear, in random directions of those that are left."""
        enough = self.enough
        self.large = Large(self.part, known, float((enough or 0) * self.part.unit), self.deadline)
        if enough is None:
            return
        open_ = np.array([not self._wide_enough(position) for position in range(len(self.sizes))])
        idle = 0
        while open_.any() and idle < _IDLE and self.large.spread(open_):
            before = open_.sum()
            self._stretch(self.large)
            open_ &= [not (open_[position] and self._wide_enough(position)) for position in range(len(open_))]
            idle = idle + 1 if open_.sum() == before else 0

    def _stretch(self, large: Large) -> None:
        """Widen the ranges to what was proved of moves."""
        for position in range(len(self.sizes)):
            at = large.at[position]
            self.least[position] = min(self.least[position], at + Fraction(float(large.down[position])))
            self.most[position] = max(self.most[position], at + Fraction(float(large.up[position])))

    def _end_of_large(self, large: Large, position: int, sign: int, own: Fraction | None) -> _End | None:
        """An end that is met, and that the multipliers of a programme in floating point prove."""
        multipliers = large.towards(position, sign)
        if multipliers is None:
            return None
        self._stretch(large)
        if self._reached(position, sign) == own:
            return _End(own)
        for y in suggested(multipliers):
            value = bound(self.part, position, sign, y)
            if value is not None and self._rounded(position, sign, value) == self._total(position, sign):
                return _End(self._reached(position, sign), {int(self.part.answers[row]): y[row] for row in y})
        return None

    def _follow(self, position: int, sign: int, own: Fraction | None, bound: Fraction | None) -> _End | None:
        """Go on from the point met to one that nothing passes: `bound` if it is reached."""
        proof = self._proof(sign) if bound is not None else None
        further: Termination | None = Termination.OPTIMAL
        while further is Termination.OPTIMAL and self._total(position, sign) != bound:
            if self._reached(position, sign) == own:
                break
            if self._wide_enough(position):
                return None
            further = self._further(position, sign)
        if further is Termination.UNFINISHED:
            return None
        reached = self._reached(position, sign)
        proved = self._total(position, sign) == bound and reached != own
        return _End(reached, proof if proved else None, exact=further is not None)

    def _proof(self, sign: int) -> Combination:
        multipliers = self.simplex.multipliers() if self.simplex is not None else {}
        return {int(self.part.answers[row]): sign * y for row, y in multipliers.items()}

    def _further(self, position: int, sign: int) -> Termination | None:
        """Look for a point beyond the range of an atom: optimal when met, infeasible when proved, None when claimed."""
        if self.simplex is None:
            return self._solver_further(position, sign)
        found = least(
            self.part,
            self.simplex,
            {position: sign},
            below=sign * self._total(position, sign),
            first=self.enough is not None,
            branches=self.branches,
            deadline=self.deadline,
        )
        if found.point is not None:
            self._meet(found.point)
            return Termination.OPTIMAL
        return (
            self._solver_further(position, sign) if found.outcome is Termination.UNFINISHED else Termination.INFEASIBLE
        )

    def _solver_further(self, position: int, sign: int) -> Termination | None:
        """The same by HiGHS: its "none" counts only if the best it finds without being asked for more is no better."""
        step = self.part.steps[position]
        if not step:
            return Termination.UNFINISHED
        low, high = self.part.ends[position]
        total, cost = self._total(position, sign), {position: sign}
        beyond: Ends = (low, int(total) - step) if sign > 0 else (int(total) + step, high)
        found = solution(self.part, cost, within={position: beyond}, deadline=self.deadline)
        claimed = found.outcome is Termination.INFEASIBLE
        if claimed:
            found = solution(self.part, cost, deadline=self.deadline)
        if found.point is None:
            return Termination.UNFINISHED
        self._meet(found.point)
        if self._total(position, sign) != total:
            return Termination.OPTIMAL
        return None if claimed else Termination.UNFINISHED

    def _first_whole(self) -> Termination:
        assert self.simplex is not None  # noqa: S101  (begin made it)
        found = least(self.part, self.simplex, {}, first=True, branches=self.branches, deadline=self.deadline)
        if found.outcome is Termination.UNFINISHED:
            return self._first_of_solver()
        if found.point is not None:
            self._meet(found.point)
        return found.outcome

    def _first_of_solver(self) -> Termination:
        """A point, or nothing: that there is none is not the solver's to say."""
        found = solution(self.part, {}, deadline=self.deadline)
        if found.point is None:
            return Termination.UNFINISHED
        self._meet(found.point)
        return Termination.OPTIMAL

    def _scatter(self) -> None:
        """Points in random directions: a handful clears most atoms."""
        assert self.simplex is not None  # noqa: S101
        generator = np.random.default_rng(0)
        for _ in range(_TRIES):
            weights = generator.integers(-9, 10, len(self.sizes)).tolist()
            # Both ways, for what is at one end in one direction is often at the other in the opposite one.
            for sign in (1, -1):
                cost = {variable: sign * weight for variable, weight in enumerate(weights)}
                outcome = self.simplex.minimise(cost, self.deadline)
                if outcome is Termination.OPTIMAL and not self._meet(self.simplex.point()):
                    found = solution(self.part, cost, deadline=min(self.deadline, time.monotonic() + _SCATTER_SECONDS))
                    if found.point is not None:
                        self._meet(found.point)

    def _meet(self, point: list[Fraction]) -> bool:
        """Widen the ranges by a point; False where it is not whole as it should be."""
        if self.part.off_step(point) is not None:
            return False
        self.first = self.first or point
        mine = point[: len(self.sizes)]
        self.least = [min(pair) for pair in zip(self.least, mine, strict=True)] if self.least else mine
        self.most = [max(pair) for pair in zip(self.most, mine, strict=True)] if self.most else list(mine)
        return True

    def _narrowable(self, position: int, sign: int) -> bool:
        """Among several, an end narrows only where the others are bounded on the far side."""
        domain = self.domains[position]
        return self.sizes[position] == 1 or (domain.high if sign > 0 else domain.low) is not None

    def _total(self, position: int, sign: int) -> Fraction:
        return self.least[position] if sign > 0 else self.most[position]

    def _rounded(self, position: int, sign: int, bound: Fraction) -> Fraction:
        """What the linear programme says of an atom's total, to the next whole number where it must be one."""
        step = self.part.steps[position]
        return Fraction(sign * math.ceil(sign * bound / step) * step) if step else bound

    def _reached(self, position: int, sign: int) -> Fraction | None:
        return self._witnessed(position)[sign < 0]

    def _witnessed(self, position: int) -> tuple[Fraction | None, Fraction | None]:
        """The range of a member over the points met."""
        domain, size, unit = self.domains[position], self.sizes[position], self.part.unit
        return (
            domain.member_low(size, self.least[position] / unit),
            domain.member_high(size, self.most[position] / unit),
        )

    def _wide_enough(self, position: int) -> bool:
        if self.enough is None or position in self.left_out:
            return position in self.left_out
        low, high = self._witnessed(position)
        return low is None or high is None or (high - low >= self.enough and high > low)


UNDETERMINED = MemberInterval()

_SCATTER_SECONDS = 1.0
"""How long the solver may look for one point in a random direction."""
