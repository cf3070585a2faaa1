"""Covariance and correlation of every pair of variables, and how much they vary from sample to sample.

Moments have the divisor n. A pair's moments are of the records that have both values; with none missing, all pairs are
a few products of matrices. A constant variable has covariance and correlation 0 with every other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.utility._numbers import Floats

ROUNDING = 1e-12
"""A variance below this share of the terms that it is the sum of is 0 that was not computed exactly, and so is a
correlation below it."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Per pair of variables, each float64[p, p] and symmetric: how they vary together; on the diagonal, each alone."""

    records: Floats
    """How many records have both values."""
    covariance: Floats
    correlation: Floats


@dataclass(frozen=True, eq=False)
class Spread:
    """Large-sample variances, times n, of the covariance and of the correlation of every pair: float64[p, p]."""

    covariance: Floats
    correlation: Floats


def pairs(x: Floats) -> Pairs:
    """Covariances and correlations of the columns of x: float64[n, p], NaN is missing."""
    if not np.isnan(x).any():
        return _complete(x)
    found = Pairs(*(np.zeros((x.shape[1],) * 2) for _ in range(3)))
    for column, values in enumerate(x.T):
        alone = _complete(values[~np.isnan(values), None])
        for matrix, part in zip(_matrices(found), _matrices(alone), strict=True):
            matrix[column, column] = part[0, 0]
    for i, j, both in _each_pair(x):
        pair = _complete(both)
        for matrix, part in zip(_matrices(found), _matrices(pair), strict=True):
            matrix[i, j] = matrix[j, i] = part[0, 1]
    return found


def spread(x: Floats) -> Spread:
    r"""How much covariances and correlations of samples of n records vary, estimated from the sample x itself.

    With the central product moments mu_rs = mean((x−x̄)^r (y−ȳ)^s) and rho = mu11/√(mu20 mu02)::

        n Var(cov) = mu22 − mu11²
        n Var(rho) = mu22/(mu20 mu02) + rho²/4 (mu40/mu20² + mu04/mu02² + 2 mu22/(mu20 mu02))
                     − rho/√(mu20 mu02) (mu31/mu20 + mu13/mu02)

    The second is the textbook's with rho² multiplied into the brackets, so that it is defined where mu11 = 0. It is 0
    where |rho| = 1. Source: M. Kendall, A. Stuart, The Advanced Theory of Statistics, vol. 1, sections 10.6 and 10.9.
    """
    if not np.isnan(x).any():
        return _spread(x)
    found = Spread(*(np.zeros((x.shape[1],) * 2) for _ in range(2)))
    for i, j, both in _each_pair(x):
        pair = _spread(both)
        found.covariance[i, j] = found.covariance[j, i] = pair.covariance[0, 1]
        found.correlation[i, j] = found.correlation[j, i] = pair.correlation[0, 1]
    return found


def _matrices(found: Pairs) -> tuple[Floats, Floats, Floats]:
    return found.records, found.covariance, found.correlation


def _each_pair(x: Floats) -> list[tuple[int, int, Floats]]:
    """Every pair i < j with the values of the records that have both; pairs that no record has are left out."""
    present = ~np.isnan(x)
    found = []
    for i in range(x.shape[1]):
        for j in range(i + 1, x.shape[1]):
            rows = present[:, i] & present[:, j]
            if rows.any():
                found.append((i, j, x[rows][:, [i, j]]))
    return found


def _centred(x: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The deviations from the means, and which columns vary; those of a constant column are exactly 0."""
    varies = x.max(0) > x.min(0)
    return np.where(varies, x - x.mean(0), 0.0), varies


def _complete(x: Floats) -> Pairs:
    n, p = x.shape
    if not n:
        return Pairs(*(np.zeros((p, p)) for _ in range(3)))
    z, varies = _centred(x)
    covariance = z.T @ z / n
    deviation = np.where(varies, np.sqrt(np.diagonal(covariance)), 1.0)
    correlation = np.clip(covariance / np.outer(deviation, deviation), -1, 1)
    # Sums that cancel leave their rounding; a loss relative to it would be a figure of nothing.
    related = np.abs(correlation) > ROUNDING
    return Pairs(np.full((p, p), float(n)), np.where(related, covariance, 0.0), np.where(related, correlation, 0.0))


def _spread(x: Floats) -> Spread:
    n = len(x)
    z, varies = _centred(x)
    deviation = np.where(varies, np.sqrt((z * z).mean(0)), 1.0)
    z = z / deviation
    square = z * z
    mu11, mu22, mu31 = (left.T @ right / n for left, right in ((z, z), (square, square), (square * z, z)))
    mu4 = np.diagonal(mu22)
    of_covariance = _positive(mu22, mu11**2) * np.outer(deviation, deviation) ** 2
    added = mu22 + mu11**2 / 4 * (mu4[:, None] + mu4 + 2 * mu22)
    return Spread(of_covariance, _positive(added, mu11 * (mu31 + mu31.T)))


def _positive(added: Floats, taken: Floats) -> Floats:
    """`added` − `taken`, where what is only the rounding of 0 is 0."""
    left = added - taken
    return np.where(left > ROUNDING * (np.abs(added) + np.abs(taken)), left, 0.0)
