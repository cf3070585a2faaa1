r"""Losses without an upper bound: how far numbers, covariances and correlations have moved.

With the n × p numbers x and x', the covariances v (divisor n) and the correlations r of every pair of variables::

                  numbers               covariances, i ≤ j              correlations, i < j
    MSE           Σ (x−x')² / np        Σ (v−v')² / (p(p+1)/2)          Σ (r−r')² / (p(p−1)/2)
    MAE           Σ |x−x'| / np         Σ |v−v'| / (p(p+1)/2)           Σ |r−r'| / (p(p−1)/2)
    mean variation  Σ |x−x'|/|x| / np   Σ |v−v'|/|v| / (p(p+1)/2)       Σ |r−r'|/|r| / (p(p−1)/2)
    IL1s          Σ |x−x'| / (√2 s_j) / np

MSE and MAE are in the data's units, so a variable of large numbers drowns the others; mean variation explodes beside 0
and is undefined at it; IL1s has neither fault: s_j is the standard deviation of variable j (divisor n − 1), and √2 s_j
that of the difference of two independent draws.

Sources: J. M. Mateo-Sanz, J. Domingo-Ferrer, F. Sebé, Probabilistic information loss measures in confidentiality
protection of continuous microdata, Data Mining and Knowledge Discovery 11 (2005) 181-193,
doi:10.1007/s10618-005-0011-9; V. Torra, Privacy in Data Mining, 2010, section on information loss. IL1s: W. E. Yancey,
W. E. Winkler, R. H. Creecy, Disclosure risk assessment in perturbative microdata protection, in: Inference Control in
Statistical Databases, LNCS 2316, 2002, 135-152.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from auditor.errors import UsageError, nearest
from auditor.utility._numbers import Floats, Numbers, both
from auditor.utility._pairs import pairs


@dataclass(frozen=True)
class Moved:
    """How far some quantities moved; None where none could be compared.

    `compared` quantities are averaged; of them `zeros` are 0 in the original, and left out of the mean variation.
    """

    mse: float | None
    mae: float | None
    mean_variation: float | None
    compared: int
    zeros: int


@dataclass(frozen=True)
class UnboundedLoss:
    """How far the numbers themselves, their covariances and their correlations moved; 0 where nothing did.

    Cells that a table lacks are not compared: `suppressed` says how many only the masked one lacks. Covariances and
    correlations are of the records that have both values; those of a constant column are 0. `il1s` leaves out the
    columns that are `constant` in the original, and is None where all are.
    """

    data: Moved
    covariance: Moved
    correlation: Moved
    il1s: float | None
    suppressed: int
    constant: tuple[str, ...]

    @property
    def figures(self) -> dict[str, float | None]:
        """Every loss by its name: ``data-mse`` … ``correlation-mean-variation``, ``il1s``."""
        found: dict[str, float | None] = {}
        for name, moved in (("data", self.data), ("covariance", self.covariance), ("correlation", self.correlation)):
            found |= {
                f"{name}-mse": moved.mse,
                f"{name}-mae": moved.mae,
                f"{name}-mean-variation": moved.mean_variation,
            }
        return {**found, "il1s": self.il1s}

    def scaled(self, maxima: Mapping[str, float]) -> dict[str, float | None]:
        """Losses from 0 to 100: 100 min(loss, maximum)/maximum, for each declared maximum; None where undefined.

        A maximum is what counts as the whole loss; none follows from the data, so it has to be declared.

        Raises:
            UsageError: a maximum that is no positive number, or of a loss that there is not.
        """
        figures = self.figures
        for name, maximum in maxima.items():
            if name not in figures:
                raise UsageError(f"there is no loss {name!r}{nearest(name, [*figures])}; it is one of {list(figures)}")
            if not 0 < maximum < math.inf:
                raise UsageError(f"the maximum of {name!r} is {maximum}; it must be a positive number")
        return {name: _capped(figures[name], maximum) for name, maximum in maxima.items()}


def unbounded_loss(original: Numbers, masked: Numbers) -> UnboundedLoss:
    """How far a masked table, row i the record of row i, has moved.

    >>> loss = unbounded_loss(np.array([[1.0], [2.0], [0.0]]), np.array([[2.0], [2.0], [2.0]]))
    >>> loss.data
    Moved(mse=1.6666666666666667, mae=1.0, mean_variation=0.5, compared=3, zeros=1)

    Raises:
        DataError: no records, no variable of numbers, other variables, another number of records, infinite values.
    """
    names, x, y = both(original, masked)
    present = ~np.isnan(x) & ~np.isnan(y)
    before, after, p = pairs(x), pairs(y), len(names)
    diagonal, above = np.triu_indices(p), np.triu_indices(p, 1)
    il1s, constant = _il1s(x, y)
    return UnboundedLoss(
        data=_moved(x[present], y[present]),
        covariance=_moved(before.covariance[diagonal], after.covariance[diagonal]),
        correlation=_moved(before.correlation[above], after.correlation[above]),
        il1s=il1s,
        suppressed=int((~np.isnan(x) & np.isnan(y)).sum()),
        constant=tuple(name for name, flat in zip(names, constant, strict=True) if flat),
    )


def _moved(before: Floats, after: Floats) -> Moved:
    distance, size = np.abs(before - after), np.abs(before)
    some, relative = len(distance) > 0, size > 0
    return Moved(
        mse=float((distance**2).mean()) if some else None,
        mae=float(distance.mean()) if some else None,
        mean_variation=float((distance[relative] / size[relative]).mean()) if relative.any() else None,
        compared=len(distance),
        zeros=int((~relative).sum()),
    )


def _il1s(x: Floats, y: Floats) -> tuple[float | None, list[bool]]:
    """IL1s over the present cells of the columns that vary, and which do not."""
    total, cells, constant = 0.0, 0, []
    for before, after in zip(x.T, y.T, strict=True):
        known = before[~np.isnan(before)]
        constant.append(not len(known) or bool(known.min() == known.max()))
        if not constant[-1]:
            distance = np.abs(before - after)
            distance = distance[~np.isnan(distance)]
            total += float(distance.sum()) / (math.sqrt(2) * float(known.std(ddof=1)))
            cells += len(distance)
    return (total / cells if cells else None), constant


def _capped(loss: float | None, maximum: float) -> float | None:
    return None if loss is None else 100 * min(loss, maximum) / maximum
