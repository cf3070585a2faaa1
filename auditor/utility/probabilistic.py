r"""Probabilistic information loss: how surely a masked file's statistics are not those of a sample like the original.

The original is taken for a sample of n records. A statistic of another sample of the population would differ from it
by chance, with a large-sample standard deviation that can be estimated. The loss of a statistic is the probability
that chance alone stays nearer to the original than the masked file does, in percent::

    pil = 100 · 2 P(0 ≤ Z ≤ |stat' − stat| / √Var) = 100 (2 Φ(|stat' − stat| / √Var) − 1),    Z ~ N(0, 1)

0: the same; 68: one standard deviation away; 100: no sample would be like that. All variances are the original's, with
moments about the mean mu_r and mu_rs of divisor n, and the density f of a variable:

=============  ===================================================================
statistic      n Var
=============  ===================================================================
mean           mu2
variance       mu4 − mu2²
covariance     mu22 − mu11²
correlation    see `auditor.utility._pairs.spread`
q-quantile     q (1 − q) / f(Q_q)², q = 5, 10, …, 95 %
=============  ===================================================================

f is estimated at the original's quantile by a Gaussian kernel with Silverman's bandwidth (`_marginals.densities`);
quantiles are interpolated linearly. The published texts that could be read do not say how f was estimated; this choice
reproduces the published losses of microaggregation.

Sources: J. M. Mateo-Sanz, J. Domingo-Ferrer, F. Sebé, Probabilistic information loss measures in confidentiality
protection of continuous microdata, Data Mining and Knowledge Discovery 11 (2005) 181-193,
doi:10.1007/s10618-005-0011-9; V. Torra, Privacy in Data Mining, in: Data Mining and Knowledge Discovery Handbook, 2nd
ed., 2010, chapter 35.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError
from auditor.utility._marginals import LEVELS, Marginals, Units, densities
from auditor.utility._numbers import Floats, Numbers, alike, named
from auditor.utility._pairs import ROUNDING, Pairs, pairs, spread


@dataclass(frozen=True, eq=False)
class ProbabilisticLoss:
    """The loss of five kinds of statistics, each in percent: 0 where nothing differs, up to 100.

    `mean`, `variance` and `quantiles` are averages over the p variables (quantiles over the 19 levels first),
    `covariance` and `correlation` over the p(p−1)/2 pairs, None where there is one variable. `average` (aPIL) is the
    mean of the five, or of the three of a single variable.
    """

    mean: float
    variance: float
    covariance: float | None
    correlation: float | None
    quantiles: float
    average: float
    names: tuple[str, ...]
    """The variables, in the order of what follows."""
    each_mean: Floats
    """float64[p]."""
    each_variance: Floats
    """float64[p]."""
    each_covariance: Floats
    """float64[p, p], symmetric, 0 on the diagonal."""
    each_correlation: Floats
    """float64[p, p], symmetric, 0 on the diagonal."""
    each_quantile: Floats
    """float64[19, p]: one row per level of `LEVELS`."""


class Original:
    """An original file, prepared to be compared with many masked ones: what depends on it alone is computed once.

    Special cases, the same for every measure below:

    - No difference is 0, also where Var = 0; a difference where Var = 0 is 100. Differences below 1e-12 standard
      deviations (of a constant column: of its value, or 1e-12 where that is 0) are rounding, and none.
    - A constant column's covariance and correlation with any other is 0.
    - Missing values: a statistic of a variable is that of its present values, one of a pair that of the records with
      both, and n is how many those are. What the masked file has no value left for costs 100; a pair that no record
      of the original has, nothing.
    - The masked file may have fewer records, and its rows any order. n is the original's.

    Args:
        data: float64[n, p], or a table whose variables of numbers are taken; at least one record.

    Raises:
        DataError: no record, no variable of numbers, an infinite value, a variable without any value.
    """

    def __init__(self, data: Numbers) -> None:
        self.names, x = named(data)
        self._present = np.asarray((~np.isnan(x)).sum(0), np.float64)
        if not self._present.all():
            empty = self.names[int((self._present == 0).argmax())]
            raise DataError(f"column {empty!r} of the original holds no value, so there is nothing to lose")
        self._units = Units.of(x)
        u = self._units.apply(self.names, x)
        self._marginals = Marginals.of(u)
        self._constant = self._marginals.variance == 0
        self._spread_of_variance = _spread_of_variance(u, self._marginals)
        self._densities = densities(u, self._marginals.quantiles)
        self._pairs, self._spread = pairs(u), spread(u)

    def loss(self, masked: Numbers) -> ProbabilisticLoss:
        """What a masked file of the same variables loses.

        Raises:
            DataError: a variable is not there, holds categories, an infinite value or one of quite another unit.
        """
        u = self._units.apply(self.names, alike(self.names, masked))
        after, root = Marginals.of(u), np.sqrt(self._present)
        lost = after.lost
        mean = _pil(after.mean - self._marginals.mean, np.sqrt(self._marginals.variance) / root, lost)
        variance = _pil(after.variance - self._marginals.variance, np.sqrt(self._spread_of_variance) / root, lost)
        quantiles = self._quantiles(after, root)
        covariance, correlation = self._related(pairs(u))
        return _averaged(self.names, (mean, variance, quantiles), (covariance, correlation))

    def _quantiles(self, after: Marginals, root: Floats) -> Floats:
        """√Var = √(q(1−q)) / (√n f): taken as a factor, so that f = 0 in a gap of the data is no division by 0."""
        deviation = np.sqrt(LEVELS * (1 - LEVELS))[:, None] / root
        difference = (after.quantiles - self._marginals.quantiles) * np.where(self._constant, 1.0, self._densities)
        return _pil(difference, np.where(self._constant, 0.0, deviation), after.lost)

    def _related(self, after: Pairs) -> tuple[Floats, Floats]:
        before, root = self._pairs, np.sqrt(np.maximum(self._pairs.records, 1))
        lost = (after.records == 0) & (before.records > 0)
        found = []
        for then, now, moved in (
            (before.covariance, after.covariance, self._spread.covariance),
            (before.correlation, after.correlation, self._spread.correlation),
        ):
            pil = np.where(before.records > 0, _pil(now - then, np.sqrt(moved) / root, lost), 0.0)
            np.fill_diagonal(pil, 0.0)
            found.append(pil)
        return found[0], found[1]


def probabilistic_loss(original: Numbers, masked: Numbers) -> ProbabilisticLoss:
    """What a masked file loses against its original. For many masked files, prepare the original: `Original`.

    >>> original = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 5.0], [4.0, 9.0]])
    >>> probabilistic_loss(original, original).average
    0.0
    >>> probabilistic_loss(original, original[::-1]).average
    0.0

    Raises:
        DataError: as `Original` and `Original.loss`.
    """
    return Original(original).loss(masked)


def _spread_of_variance(u: Floats, marginals: Marginals) -> Floats:
    """Each variance's large-sample variance, times n: mu4 − mu2², exactly 0 for two values of the same frequency."""
    fourth = np.nanmean((u - marginals.mean) ** 4, axis=0)
    left = fourth - marginals.variance**2
    return np.where(left > ROUNDING * fourth, left, 0.0)


def _pil(difference: Floats, deviation: Floats, lost: NDArray[np.bool_]) -> Floats:
    """100 (2 Φ(|difference|/deviation) − 1); 0 where there is no difference, 100 where it has no room or is lost."""
    from scipy.special import erf

    moved = np.abs(difference) > ROUNDING
    room = deviation > 0
    ratio = np.divide(np.abs(difference), deviation, out=np.zeros_like(difference), where=room & moved)
    pil = np.where(room, 100 * erf(ratio / np.sqrt(2)), np.where(moved, 100.0, 0.0))
    return np.where(lost, 100.0, pil)


def _averaged(
    names: tuple[str, ...], marginal: tuple[Floats, Floats, Floats], related: tuple[Floats, Floats]
) -> ProbabilisticLoss:
    mean, variance, quantiles = (float(part.mean()) for part in marginal)
    above = np.triu_indices(len(names), 1)
    of_pairs = [float(part[above].mean()) for part in related] if len(names) > 1 else []
    return ProbabilisticLoss(
        mean=mean,
        variance=variance,
        covariance=of_pairs[0] if of_pairs else None,
        correlation=of_pairs[1] if of_pairs else None,
        quantiles=quantiles,
        average=float(np.mean([mean, variance, quantiles, *of_pairs])),
        names=names,
        each_mean=marginal[0],
        each_variance=marginal[1],
        each_covariance=related[0],
        each_correlation=related[1],
        each_quantile=marginal[2],
    )
