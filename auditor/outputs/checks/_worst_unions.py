"""Which unions of many suppressed cells that hang together break a rule on contributions most.

p % and prior-posterior (r = p/100, p/q): X − x₁ − x₂ < r · x₁, so that X − (1 + r) x₁ − x₂ is to be least. Dominance:
x₁ + … + xₙ > k · X, so that k · X − x₁ − … − xₙ is. X is the sum of the cells' totals, and the contributions are picked
(`auditor.outputs.linked`). To stay clear of a solver's tolerance x₁ is looked for decade by decade: a cell with more
than what x₁ and the others can hold is in no union that breaks the rule with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from auditor.outputs.checks._contributions import Contributions
from auditor.outputs.linked import Pick, System, Tangle, UnionQuestion
from auditor.policy.outputs import MagnitudeTableLimits as Rule


@dataclass(frozen=True)
class _Contributors:
    """The contributions to the cells of a column, descending, by who they are."""

    who: tuple[int, ...]
    sizes: tuple[float, ...]

    @property
    def total(self) -> float:
        return sum(self.sizes)


def of_columns(tangle: Tangle, system: System, source: Contributions) -> list[_Contributors] | None:
    """The contributions to each column; None where somebody contributes to several of them, or the rows are unknown."""
    found, seen = [], set[int]()
    for members in tangle.members:
        rows = system.rows_of(members)
        if rows is None:
            return None
        who, values = source.by_unit(np.array(rows, dtype=np.int64))
        sizes = np.abs(values)
        order = np.argsort(sizes, kind="stable")[::-1]
        names = who[order].tolist()
        if not seen.isdisjoint(names):
            return None
        seen.update(names)
        found.append(_Contributors(tuple(names), tuple(float(source.number(size)) for size in sizes[order].tolist())))
    return found


def questions(columns: list[_Contributors], rule: Rule, left_out: list[int]) -> Iterator[tuple[str, UnionQuestion]]:
    """What is asked for, by the limit that it is for."""
    for dominance in rule.dominance:
        yield from (("dominance", each) for each in _largest(columns, dominance.k, 1.0, dominance.n, left_out))
    if rule.p_percent is not None:
        first = 1 + float(Fraction(repr(rule.p_percent)) / 100)
        yield from (("p_percent", each) for each in _largest(columns, 1.0, first, 2, left_out))
    if rule.pq is not None:
        first = 1 + float(Fraction(repr(rule.pq.p)) / Fraction(repr(rule.pq.q)))
        yield from (("pq", each) for each in _largest(columns, 1.0, first, 2, left_out))
    if rule.min_cell is not None and not rule.differencing:
        counts = np.array([float(len(each.who)) for each in columns])
        somebody = np.flatnonzero(counts).tolist()
        if somebody:
            yield "min_cell", UnionQuestion(counts, somebody=somebody, left_out=left_out, below=rule.min_cell - 0.5)


def _largest(
    columns: list[_Contributors], of_sum: float, first: float, n: int, left_out: list[int]
) -> Iterator[UnionQuestion]:
    """The union of least of_sum · X − first · x₁ − x₂ − … − xₙ, for x₁ of each decade."""
    cost = np.array([of_sum * each.total for each in columns])
    tops = sorted({each.sizes[0] for each in columns if each.sizes and each.sizes[0] > 0}, reverse=True)
    while tops:
        high, low = tops[0], tops[0] / 10
        tops = [top for top in tops if top < low]
        too_large = np.flatnonzero(
            (cost > 1.001 * (first + n - 1) * high) | [each.sizes[:1] > (high,) for each in columns]
        )
        out = sorted({*left_out, *too_large.tolist()})
        gone = set(out)
        picks = [
            Pick(slot, who, at, size * (1.0 if slot else first))
            for at, each in enumerate(columns)
            if at not in gone
            for who, size in zip(each.who[:n], each.sizes[:n], strict=True)
            for slot in ((0, 1) if n > 1 else (0,))
            if size > 0 and (slot or size >= low)
        ]
        if any(pick.slot == 0 for pick in picks):
            yield UnionQuestion(
                np.where(np.isin(np.arange(len(cost)), out), 0.0, cost), picks, (1, n - 1), left_out=out
            )
