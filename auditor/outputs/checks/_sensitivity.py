"""Which sums are sensitive, by the contributions to them: dominance, p %, prior-posterior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from auditor.outputs._examination import Examination, Violation
from auditor.outputs.published.conditions import Group
from auditor.outputs.published.outputs import Cell
from auditor.policy.outputs import Dominance
from auditor.policy.outputs import MagnitudeTableLimits as Rule

EMPTY = Cell(key=())


@dataclass(frozen=True)
class Contributed:
    """A cell, or a union of cells: its contributors, the ends of the sum X of their sizes, and the largest of these.

    `largest` are the largest contributions, descending: all of them where `complete`. With data, `sum` is the sum, and
    `slack` how far one of floats may be from it.
    """

    name: str
    group: Group | None
    contributors: int | None
    total: tuple[Fraction, Fraction] | None = None
    largest: tuple[Fraction, ...] = ()
    complete: bool = False
    sum: Fraction | None = None
    cell: Cell = EMPTY
    slack: Fraction = Fraction(0)
    rows: tuple[int, ...] | None = None

    def top(self, n: int) -> Fraction | None:
        """The sum of the n largest contributions; None where they are not known."""
        if len(self.largest) < n and not self.complete:
            return None
        return sum(self.largest[:n], Fraction(0))


def judge_sensitivity(sums: Sequence[Contributed], rule: Rule, checked: Examination) -> None:
    """Dominance, p % and prior-posterior, of everything whose sum is published or follows."""
    for dominance in rule.dominance:
        _dominance(sums, dominance, checked)
    if rule.p_percent is not None:
        p = Fraction(repr(rule.p_percent)) / 100
        _closeness(sums, "p_percent", p, checked)
    if rule.pq is not None:
        ratio = Fraction(repr(rule.pq.p)) / Fraction(repr(rule.pq.q))
        _closeness(sums, "pq", ratio, checked)


def _dominance(found: Sequence[Contributed], rule: Dominance, checked: Examination) -> None:
    """Whether the n largest contributors hold more than k of a cell; a cell of zeros is dominated by nobody."""
    limit, k = "dominance", Fraction(repr(rule.k))
    checked.judged.add(limit)
    for each in found:
        top = each.top(rule.n)
        if top is None or each.total is None:
            checked.open_limits[limit] = _OPEN
            continue
        low, high = each.total
        # A share is below top/low and above top/high; where the sum was rounded, one may violate and the other not.
        certain = high > 0 and (top >= k * high if rule.inclusive else top > k * high)
        possible = high > 0 and (top >= k * low if rule.inclusive else top > k * low)
        if high > 0:
            checked.reach(limit, min(Fraction(1), top / high), least=False)
        if certain:
            checked.violations.append(violation_of(each, limit, min(Fraction(1), top / high), k))
        elif possible:
            checked.open_limits[limit] = _ROUNDED


def _closeness(found: Sequence[Contributed], limit: str, ratio: Fraction, checked: Examination) -> None:
    """Whether the second contributor knows the first too closely: X − x₁ − x₂ < ratio · x₁."""
    checked.judged.add(limit)
    for each in found:
        two = each.top(2)
        if two is None or each.total is None:
            checked.open_limits[limit] = _OPEN
            continue
        first = each.top(1) or Fraction(0)
        rest = each.total[0] - two, each.total[1] - two
        certain = rest[1] < ratio * first
        if first:  # where a sum is rounded, what is certain: at most so much that violates, else at least so much
            reached = max(Fraction(0), 100 * rest[certain] / first)
            checked.reach(limit, reached, least=True)
            if certain:
                checked.violations.append(violation_of(each, limit, reached, 100 * ratio))
        if not certain and rest[0] < ratio * first:
            checked.open_limits[limit] = _ROUNDED


_OPEN = "the contributions to a cell are not known; give the data, or the largest contributions in the file"
_ROUNDED = "a sum is rounded, so that it may be on either side of the bound; give the data"
_CLOSE = "The second contributor can subtract its own part and come too close to the first."
_SENTENCES = {
    "min_cell": "A published sum has fewer contributors than the policy allows.",
    "dominance": "A few contributors hold nearly all of the sum, which nearly reveals their contributions.",
    "p_percent": _CLOSE,
    "pq": _CLOSE,
}


def violation_of(each: Contributed, limit: str, reached: int | Fraction, needed: int | Fraction) -> Violation:
    """What breaks a limit, of one cell or union."""
    return Violation(
        item=each.name,
        limit=limit,
        sentence=_SENTENCES[limit],
        reached=reached,
        needed=needed,
        records_count=each.contributors,
        about=each.group,
        rows=each.rows,
    )
