"""Columns of the original that the release has under another name: exchanged with each other, or beside their masks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.audit._microdata import microdata
from auditor.audit._other_match import BEYOND_CHANCE, RELEASED
from auditor.audit._run import AuditRun
from auditor.microdata import Microdata, Numeric, Variable

Rows = NDArray[np.float64]
CLOSE = 0.02
"""Ranks that differ by this share of the records at most, or by one, are about the same."""


def under_other_names(run: AuditRun, original: Microdata, released: Microdata, key: str | None) -> Microdata | None:
    """The release with each column of numbers that another one holds in its place; None where none does.

    Row i of both is one record. A column holds another one where more rows are equal, or have about the same rank from
    below or from above (`CLOSE`), than in the column that has its name, and so many that chance, which is a column in
    another order, leaves less than half of the others. The key, and what counts the rows up, have no ranks of anybody.
    """
    numbers = [each for each in original.variables if isinstance(each, Numeric)]
    names = tuple(name for name in run.binding.with_role(*RELEASED) if name != key)
    if not numbers or not names:
        return None
    every = microdata(run.source, run.binding, names, run.limits)
    columns = [each for each in every.variables if isinstance(each, Numeric)]
    found = {each.name: other for each in numbers if (other := _holder(each, released[each.name], columns)) is not None}
    if not found:
        return None
    return Microdata(tuple(found.get(each.name, each) for each in released.variables))


def _holder(column: Numeric, now: Variable, columns: list[Numeric]) -> Numeric | None:
    """The column of the release that holds this one of the original, under this one's name."""
    from auditor.risk.own_scale import beyond_chance

    others = [each for each in columns if each.name != column.name]
    for alike in (_equal, _close, _reversed):
        if alike is not _equal:
            others = [each for each in others if not (np.diff(each.values) > 0).all()]
        own = alike(column.values, now.values) if isinstance(now, Numeric) else 0.0
        shares = [alike(column.values, each.values) for each in others]
        if not shares or max(shares) <= own:
            continue
        other = others[int(np.argmax(shares))].values
        chance = alike(column.values, np.random.default_rng(0).permutation(other))
        told = alike is _equal or beyond_chance(max(shares), max(chance, 1 / len(other)), len(other))
        if told and max(shares) - chance > BEYOND_CHANCE * (1 - chance):
            return Numeric(column.name, other)
    return None


def _equal(was: Rows, now: Rows) -> float:
    """In which share of the rows a number of the one is that of the other."""
    return float((was == now).mean()) if len(was) else 0.0


def _close(was: Rows, now: Rows) -> float:
    """In which share of the rows numbers that are there have about the same rank: other units, or slight noise."""
    from auditor.risk.own_scale import ranks

    there = ~np.isnan(was) & ~np.isnan(now)
    if not there.any():
        return 0.0
    apart = np.abs(ranks(was[there]) - ranks(now[there]))
    return float((apart <= max(1.0, CLOSE * there.sum())).sum() / len(was))


def _reversed(was: Rows, now: Rows) -> float:
    return _close(was, -now)
