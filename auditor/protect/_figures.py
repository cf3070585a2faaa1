"""What a masking cost and what it left to find, measured on the table before and after, row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from auditor.engines import RunLimits
from auditor.errors import NotEvaluated
from auditor.microdata import Microdata, Numeric, side_by_side
from auditor.protect._release_columns import changed
from auditor.result.masking import LinkedBy, LostInformation, MaskedColumn, MaskingFigures
from auditor.risk import (
    IntervalDisclosure,
    LinkageRisk,
    dr,
    gamed,
    group_k,
    interval_disclosure,
    linkage_risk,
    same_rows,
    score,
)
from auditor.utility import probabilistic_loss

MOST_LINKED = 100_000
"""Linkage compares every record with many: the time grows faster than the table. Above this it is left out."""

Measured = TypeVar("Measured")


def columns_of(before: Microdata, after: Microdata, names: Sequence[str]) -> tuple[MaskedColumn, ...]:
    """The masked columns, and how much of each is changed."""
    return tuple(
        MaskedColumn(
            name=name,
            holds="numbers" if isinstance(after[name], Numeric) else "categories",
            changed=changed(before[name], after[name]),
        )
        for name in names
    )


def figures_of(
    before: Microdata, after: Microdata, names: Sequence[str], limits: RunLimits, swapped: float | None
) -> MaskingFigures:
    """The figures of one masking of the columns `names`; what has no meaning for this table says so.

    `swapped` is the largest p of rank swapping, in percent; None where nothing was swapped.
    """
    why: list[str] = []

    def measured(what: str, measure: Callable[[], Measured]) -> Measured | None:
        limits.check()
        try:
            return measure()
        except NotEvaluated as reason:
            why.append(f"{what}: {reason}")
            return None

    def of_numbers() -> tuple[LostInformation | None, IntervalDisclosure | None, LinkageRisk | None]:
        lost = measured("Information loss", lambda: _loss(before.only(numbers), after.only(numbers)))
        x, y = before.numbers(numbers), after.numbers(numbers)
        interval = measured("Interval disclosure", lambda: interval_disclosure(x, y))
        if before.records > MOST_LINKED:
            why.append(f"Linkage: it is measured on tables of at most {MOST_LINKED:,} records")
            return lost, interval, None
        return lost, interval, measured("Linkage", lambda: linkage_risk(x, y))

    numbers = [name for name in names if isinstance(before[name], Numeric) and isinstance(after[name], Numeric)]
    if not numbers:
        why.append("Information loss, interval disclosure and linkage: no masked column holds numbers before and after")
    lost, interval, linked = of_numbers() if numbers else (None, None, None)
    pairs = [side_by_side(before[name], after[name]) for name in names]
    was, now = (np.column_stack(side) for side in zip(*pairs, strict=True))
    rd = linked.percent if linked else None
    risk = None if interval is None or rd is None else dr(interval.percent, rd)
    told = None if risk is None or lost is None else score(lost.average, risk)
    same = same_rows(was, now)
    return MaskingFigures(
        numbers=tuple(numbers),
        information_loss=lost,
        interval_disclosure=interval.percent if interval else None,
        known=tuple(numbers[n] for n in linked.known) if linked else (),
        linkage=_linkage(linked) if linked else (),
        linkage_risk=rd,
        disclosure_risk=risk,
        score=told,
        same_rows=same.rows,
        group_k=group_k(now, [range(len(names))]).k,
        not_measured=tuple(why),
        gamed=gamed(swapped=swapped, same_rows=same.percent, score=told),
    )


def _loss(before: Microdata, after: Microdata) -> LostInformation:
    loss = probabilistic_loss(before, after)
    return LostInformation(
        average=float(loss.average),
        mean=float(loss.mean),
        variance=float(loss.variance),
        covariance=None if loss.covariance is None else float(loss.covariance),
        correlation=None if loss.correlation is None else float(loss.correlation),
        quantiles=float(loss.quantiles),
    )


def linkage_of(before: Microdata, after: Microdata, numbers: Sequence[str]) -> tuple[LinkedBy, ...]:
    """Linkage by each of its kinds, where an attacker may know the first half of these columns of numbers."""
    return _linkage(linkage_risk(before.numbers(numbers), after.numbers(numbers)))


def _linkage(linked: LinkageRisk) -> tuple[LinkedBy, ...]:
    return tuple(
        LinkedBy(linkage=each.method, percent=each.percent, rates=tuple((100 * each.rates).tolist()))
        for each in linked.methods
    )
