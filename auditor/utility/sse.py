r"""SSE/SST: which share of the variance within the data is lost, in percent; the measure of microaggregation.

Every variable is standardised by the original's mean and standard deviation; then::

    SSE = Σ (x − x')²,   SST = Σ (x − x̄)²,   loss = 100 SSE/SST

0 where nothing moved, 100 where every number became its column's mean. It has no upper bound: noise can lose more.

Source: J. Domingo-Ferrer, J. M. Mateo-Sanz, Practical data-oriented microaggregation for statistical disclosure
control, IEEE Transactions on Knowledge and Data Engineering 14 (2002) 189-201, doi:10.1109/69.979982.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auditor.utility._numbers import Floats, Numbers, both


@dataclass(frozen=True)
class SquaredLoss:
    """The sums of squares on standardised data and their ratio in percent.

    `percent` and a variable's entry of `each` are None where nothing varies in the original; such variables are in
    neither sum.
    """

    sse: float
    sst: float
    percent: float | None
    each: dict[str, float | None]


def squared_loss(original: Numbers, masked: Numbers) -> SquaredLoss:
    """SSE/SST of a masked table, row i the record of row i.

    A missing value of the original is in no sum. One that only the masked table lacks counts as the original's mean of
    its variable, which is the best guess that is left.

    >>> squared_loss(np.array([[1.0], [2.0], [6.0]]), np.array([[3.0], [3.0], [3.0]])).percent
    100.0

    Raises:
        DataError: no records, no variable of numbers, other variables, another number of records, infinite values.
    """
    names, x, y = both(original, masked)
    sums = {name: _sums(before, after) for name, before, after in zip(names, x.T, y.T, strict=True)}
    sse, sst = (sum(part[side] for part in sums.values()) for side in (0, 1))
    return SquaredLoss(sse, sst, _percent(sse, sst), {name: _percent(*part) for name, part in sums.items()})


def _sums(before: Floats, after: Floats) -> tuple[float, float]:
    """SSE and SST of one variable in standard deviations; (0, 0) where it does not vary."""
    known = ~np.isnan(before)
    x, y = before[known], after[known]
    if not len(x) or x.min() == x.max():
        return 0.0, 0.0
    mean, deviation = x.mean(), x.std()
    moved = (x - np.where(np.isnan(y), mean, y)) / deviation
    return float((moved**2).sum()), float((((x - mean) / deviation) ** 2).sum())


def _percent(sse: float, sst: float) -> float | None:
    return 100 * sse / sst if sst else None
