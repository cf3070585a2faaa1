"""Suppressed sums under attack: sums of several that follow, the room above one, and who knows his own part.

* A sum of suppressed cells that follows from what is published is a cell that is published: 2,318 − 1,180 − 158 = 980
  is the sum of three. It is held to every rule of cells, by the contributions of all its records.
* Nobody may come closer to x₁ from above than the rule on cells allows: with U the largest value that a suppressed cell
  can have, U − x₁ − x₂ ≥ p/100 · x₁ and x₁ + … + xₙ ≤ k · U: the protection level that the rule itself asks for.
* A contributor knows his own part, so that his cell is no less; a sole contributor knows his cell. With that, U − x₁ of
  another cell must be p/100 · x₁ or more, and a cell that no rule lets be published must not follow exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from auditor.interval import Interval
from auditor.outputs._examination import PROTECTION, Context, Examination, Violation
from auditor.outputs.checks._contributions import Contributions
from auditor.outputs.checks._sensitivity import Contributed, judge_sensitivity, violation_of
from auditor.outputs.checks._together import Joint, deadline_of, told_inside
from auditor.outputs.checks._worst_unions import of_columns, questions
from auditor.outputs.linked import ROUNDS, Contradiction, Number, following, tangles
from auditor.policy.outputs import MagnitudeTableLimits as Rule

_MOST = 100
_SENTENCE = (
    "The sum of suppressed cells follows from what is published, and no rule would let it be published as a cell."
)
_ROOM = (
    "What is published leaves too little room above a suppressed cell: its largest contributor is known too closely."
)
_INSIDER = "A contributor to one suppressed cell can come too close to the largest contributor of another."
_SOLE = "The sole contributor to one suppressed cell can work out another from what is published."
_OPEN = "it was not worked out whether a sum of many suppressed cells that breaks the limit follows"
_UNKNOWN = "the contributions to sums of suppressed cells that follow are not known; give the data"
_UNITS = "units contribute to several suppressed cells, and it was not settled what one can work out about another"
_SPREAD = "units contribute to several suppressed cells whose sums follow"
_TIME = "there was not enough time to work out what a contributor learns about other suppressed cells"


def judge_unions(found: Joint, rule: Rule, checked: Examination, context: Context, column: str) -> None:
    """Hold what follows of suppressed sums to the rules on cells."""
    unions = list(_unions(found, rule, context, column))
    _judge_as_cells(unions, rule, checked)
    _judge_tangles(found, rule, checked, context, column)
    if context.counts is not None and found.system.reduced.least == 0:
        _SuppressedCells(found, rule, checked, context, column).judge()


def _unions(found: Joint, rule: Rule, context: Context, column: str) -> Iterator[Contributed]:
    """The sums that follow: of suppressed cells; with `differencing`, of any group."""
    system, place = found.system, found.released.place
    source = None if context.counts is None else Contributions(context.counts, column)
    told = told_inside(found)
    for unknowns, value, rests_on in following(system):
        if not rests_on >> place & 1 or not (rule.differencing or told.isdisjoint(unknowns)):
            continue
        name, rows = system.described(sorted(unknowns)), system.rows_of(sorted(unknowns))
        if source is None or rows is None:
            yield Contributed(name, None, None)
        else:
            yield _of_rows(source, name, value, rows)


def _judge_tangles(found: Joint, rule: Rule, checked: Examination, context: Context, column: str) -> None:
    """Where unions are too many to be looked at one by one: those that break a limit most, unless it is broken."""
    system, told, place = found.system, told_inside(found), found.released.place
    source = None if context.counts is None else Contributions(context.counts, column)
    for tangle in tangles(system):
        columns = None if source is None else of_columns(tangle, system, source)
        left_out = [] if rule.differencing else [at for at, of in enumerate(tangle.members) if not told.isdisjoint(of)]
        if source is None or columns is None:
            if any(row.derived and row.rests_on >> place & 1 for row in tangle.rows):
                _leave_open(rule, checked, _UNKNOWN if source is None else _SPREAD)
            continue
        for limit, question in questions(columns, rule, left_out):
            if any(each.limit == limit for each in checked.violations):
                continue
            for _ in range(ROUNDS):
                union, sure = tangle.worst(question, deadline_of(context))
                if union is None:
                    break
                unknowns, value, rests_on = union
                name, rows = system.described(sorted(unknowns)), system.rows_of(sorted(unknowns))
                if rests_on >> place & 1 and rows is not None:
                    _judge_as_cells([_of_rows(source, name, value, rows)], rule, checked)
                if any(each.limit == limit for each in checked.violations):
                    sure = True
                    break
            if not sure:
                checked.open_limits[limit] = _OPEN


def _leave_open(rule: Rule, checked: Examination, reason: str) -> None:
    """The limits on contributions that a rule declares."""
    declared = {"dominance": rule.dominance, "p_percent": rule.p_percent, "pq": rule.pq, "min_cell": rule.min_cell}
    checked.open_limits.update((limit, reason) for limit, bound in declared.items() if bound)


def _of_rows(source: Contributions, name: str, value: Fraction, rows: tuple[int, ...]) -> Contributed:
    given = source.of_rows(np.array(rows, dtype=np.int64))
    sizes = np.sort(np.abs(given))[::-1]
    total = source.number(sizes.sum())
    largest = tuple(source.number(size) for size in sizes[:_MOST].tolist())
    complete = len(largest) == len(given)
    return Contributed(name, None, len(given), (total, total), largest, complete, sum=value, rows=rows)


def _judge_as_cells(unions: Sequence[Contributed], rule: Rule, checked: Examination) -> None:
    """The rules on cells, of unions; of those that break a limit, the smallest are told."""
    of_unions = Examination()
    judge_sensitivity(unions, rule, of_unions)
    least = rule.min_cell
    for each in unions if least is not None and not rule.differencing else ():
        if each.contributors and each.contributors < (least or 0):
            of_unions.violations.append(violation_of(each, "min_cell", each.contributors, least or 0))
    told: dict[str, list[frozenset[int]]] = {}
    for violation in of_unions.violations:
        rows = frozenset(violation.rows or ())
        smaller = told.setdefault(violation.limit, [])
        if not any(other <= rows for other in smaller):
            smaller.append(rows)
            checked.violations.append(_said(violation, _SENTENCE))
    checked.open_limits.update(of_unions.open_limits)
    for limit, number in of_unions.worst.items():
        checked.reach(limit, number, least=limit != "dominance")


def _said(violation: Violation, sentence: str) -> Violation:
    return replace(violation, sentence=sentence)


Seen = tuple[Fraction, Fraction | None, bool]
"""The ends of what a cell can be for somebody, and whether a sole contributor is among those who know."""


@dataclass(frozen=True)
class _HiddenCell:
    """A suppressed cell, by its place among the numbers, with the contributions to it."""

    at: int
    number: Number
    largest: tuple[Fraction, ...]
    total: Fraction

    @property
    def sole(self) -> bool:
        return len(self.largest) == 1


@dataclass(frozen=True)
class _RoomAbove:
    """What a rule asks of the room above a cell: of p %, `top` is x₁ + x₂; of (n, k), the n largest together."""

    cell: _HiddenCell
    top: Fraction
    bound: Fraction
    share: bool = False

    @property
    def least(self) -> Fraction:
        """The least that the cell's largest value may be."""
        return self.top / self.bound if self.share else self.top + self.bound * self.cell.largest[0]

    def said(self, high: Fraction) -> tuple[Fraction, Fraction]:
        """What is reached and needed, in the rule's own terms."""
        if self.share:
            return min(Fraction(1), self.top / high), self.bound
        return max(Fraction(0), 100 * (high - self.top) / self.cell.largest[0]), 100 * self.bound


class _SuppressedCells:
    """The suppressed cells of an output, and what each rule asks of the room above them."""

    def __init__(self, found: Joint, rule: Rule, checked: Examination, context: Context, column: str) -> None:
        self.found, self.rule, self.checked, self.context = found, rule, checked, context
        self.deadline = deadline_of(context)
        assert context.counts is not None  # noqa: S101  (the caller asks only with data)
        source = Contributions(context.counts, column)
        self.cells, self.spread, seen = [], False, set[int]()
        for at in found.suppressed():
            number = found.numbers[at]
            who, given = source.by_unit(context.counts.members(number.group))
            sizes = np.sort(given)[::-1]
            largest = tuple(source.number(size) for size in sizes.tolist())
            if largest and largest[-1] >= 0 and number.is_inner:
                self.spread |= not seen.isdisjoint(who.tolist())
                seen.update(who.tolist())
                self.cells.append(_HiddenCell(at, number, largest, sum(largest, Fraction(0))))

    def judge(self) -> None:
        """What an outsider sees above each cell, and what each contributor does."""
        ratios = self._ratios()
        sensitive = [cell for cell in self.cells if self._is_sensitive(cell, ratios)]
        for limit, ratio in ratios.items():
            rooms = [_RoomAbove(c, sum(c.largest[:2], Fraction(0)), ratio) for c in self.cells if c.largest[0]]
            self._narrow(limit, rooms)
        for dominance in self.rule.dominance:
            k = Fraction(repr(dominance.k))
            tops = [_RoomAbove(c, sum(c.largest[: dominance.n], Fraction(0)), k, share=True) for c in self.cells if k]
            self._narrow("dominance", tops, inclusive=dominance.inclusive)
        self._insiders(sensitive, ratios)

    def _ratios(self) -> dict[str, Fraction]:
        found = {}
        if self.rule.p_percent is not None:
            found["p_percent"] = Fraction(repr(self.rule.p_percent)) / 100
        if self.rule.pq is not None:
            found["pq"] = Fraction(repr(self.rule.pq.p)) / Fraction(repr(self.rule.pq.q))
        return found

    def _is_sensitive(self, cell: _HiddenCell, ratios: dict[str, Fraction]) -> bool:
        """Whether a rule would not let the cell be published."""
        if self.rule.min_cell is not None and len(cell.largest) < self.rule.min_cell:
            return True
        first, two = cell.largest[0], sum(cell.largest[:2], Fraction(0))
        if any(cell.total - two < ratio * first for ratio in ratios.values()):
            return True
        return any(
            sum(cell.largest[: each.n], Fraction(0)) > Fraction(repr(each.k)) * cell.total
            for each in self.rule.dominance
        )

    def _narrow(self, limit: str, rooms: Sequence[_RoomAbove], *, inclusive: bool = False) -> None:
        """Cells that cannot be as large as the rule asks for."""
        asked = [room for room in rooms if room.least > room.cell.total]
        rows = [self.found.system.of_number[room.cell.at] for room in asked]
        bounds = self.found.system.bounds(rows, None, self.deadline)
        for room, bound in zip(asked, bounds, strict=True):
            if not bound.settled:
                self.checked.open_limits[limit] = "it was not worked out in time how large a suppressed cell can be"
            elif bound.high is not None and (bound.high <= room.least if inclusive else bound.high < room.least):
                reached, needed = room.said(bound.high)
                self._tell(room.cell, limit, _ROOM, reached=reached, needed=needed)

    def _insiders(self, sensitive: list[_HiddenCell], ratios: dict[str, Fraction]) -> None:
        """What the contributors to other cells can work out of each sensitive one: first all together, then each."""
        for cell in sensitive:
            others = [other for other in self.cells if other is not cell]
            together = self._seen_by(others, cell)
            if together is None:
                continue
            # Who contributes to several cells knows no more of each than its largest part, and his own of this one.
            broken = self._comes_close(cell, together, ratios, own=len(cell.largest) > 1 and self.spread)
            if broken is not None and self.spread:
                self.checked.open_limits[broken] = _UNITS
            if broken is None or self.spread:
                continue
            for other in others:
                seen = self._seen_by([other], cell)
                close = None if seen is None else self._comes_close(cell, seen, ratios)
                if close is not None and seen is not None and seen[1] is not None:
                    alone, first = close == PROTECTION, cell.largest[0]
                    reached = Fraction(0) if alone else 100 * (seen[1] - first) / first
                    needed = None if alone else 100 * ratios[close]
                    self._tell(cell, close, _SOLE if alone else _INSIDER, reached=reached, needed=needed)
                    break

    def _seen_by(self, knowing: Sequence[_HiddenCell], cell: _HiddenCell) -> Seen | None:
        """How far a cell can go for whoever knows the largest part of others; None where nothing follows."""
        ends = {each.at: Interval(each.largest[0], each.largest[0] if each.sole else None) for each in knowing}
        system = self.found.system.knowing(ends)
        with suppress(Contradiction):
            (bound,) = system.bounds([system.of_number[cell.at]], None, self.deadline)
            if not bound.settled:
                self.checked.open_limits["protection"] = _TIME
                return None
            return bound.low or Fraction(0), bound.high, any(each.sole for each in knowing)
        return None

    def _comes_close(
        self, cell: _HiddenCell, seen: Seen, ratios: dict[str, Fraction], *, own: bool = False
    ) -> str | None:
        """The limit that is broken, where the second contributor may be who sees, without his `own`."""
        low, high, sole = seen
        if high is None:
            return None
        known = cell.largest[1] if own else Fraction(0)
        for limit, ratio in ratios.items():
            if high - known - cell.largest[0] < ratio * cell.largest[0]:
                return limit
        return PROTECTION if sole and low == high else None

    def _tell(
        self, cell: _HiddenCell, limit: str, sentence: str, *, reached: Fraction, needed: Fraction | None
    ) -> None:
        self.checked.judged.add(limit)
        self.checked.violations.append(
            Violation(
                item=cell.number.name,
                limit=limit,
                sentence=sentence,
                reached=reached,
                needed=needed,
                records_count=len(cell.largest),
                about=cell.number.group,
            )
        )
