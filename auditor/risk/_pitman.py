"""Pitman's estimator: the sample's classes as those of a Pitman process with parameters 0 ≤ α < 1 and θ > −α.

The parameters maximize the likelihood of the sample, up to a constant

    Σ_{i=1}^{u−1} ln(θ+iα) − Σ_{i=1}^{n−1} ln(θ+i) + Σ_j s_j Σ_{i=1}^{j−1} ln(i−α),

and S_1 = Γ(θ+1)/Γ(θ+α) N^α (N. Hoshino, Applying Pitman's sampling formula to microdata disclosure risk
assessment, 2001).

For each α the likelihood has one maximum in θ, and along these its slope in α changes sign once; both are found by
bracketing. A slope below 0 from the start puts the maximum at α = 0, which is Ewens's model: S_1 = θ.
"""

from __future__ import annotations

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from auditor.risk._uniques import SampleClasses, UniquesEstimate

_LARGEST_ALPHA = 1 - 1e-9
_FLOOR = -50.0
"""ln(θ+α) at the lower end of what is searched."""


def pitman(sample: SampleClasses) -> UniquesEstimate:
    """The estimate, or why there is none."""
    from scipy.special import gammaln

    alone = sample.of_size(1)
    if not alone or sample.fraction == 1:
        return UniquesEstimate(float(alone))
    if sample.classes == sample.records:
        return UniquesEstimate(None, "every record is unique in the sample, so the likelihood grows without bound")
    found = maximum(sample)
    if found is None:
        return UniquesEstimate(None, "the likelihood has no maximum inside the model's domain")
    shifted, alpha = found
    factor = float(gammaln(shifted - alpha + 1) - gammaln(shifted))
    logarithm = factor + alpha * log(sample.population)
    return sample.checked(exp(min(logarithm, log(sample.population) + 1)))


def maximum(sample: SampleClasses) -> tuple[float, float] | None:
    """θ + α and α of the largest likelihood, for 2 ≤ u < n; None where there is none inside the domain."""
    from scipy.optimize import brentq

    slopes = _Slopes(sample)

    def along(alpha: float) -> float:
        return slopes.in_alpha(slopes.best(alpha), alpha)

    if along(0.0) <= 0:
        return slopes.best(0.0), 0.0
    if along(_LARGEST_ALPHA) >= 0:
        return None
    alpha = float(brentq(along, 0.0, _LARGEST_ALPHA, xtol=1e-13))
    return slopes.best(alpha), alpha


class _Slopes:
    """The derivatives of the likelihood. θ is given as x = θ + α > 0, so that θ + iα = x + (i−1)α keeps its digits."""

    def __init__(self, sample: SampleClasses) -> None:
        self._sizes, self._counts = sample.sizes.astype(np.float64), sample.counts
        self._n = sample.records
        self._i: NDArray[np.float64] = np.arange(1.0, sample.classes)

    def in_theta(self, x: float, alpha: float) -> float:
        from scipy.special import digamma

        outer = digamma(x - alpha + self._n) - digamma(x - alpha + 1)
        return float((1 / (x + (self._i - 1) * alpha)).sum() - outer)

    def in_alpha(self, x: float, alpha: float) -> float:
        from scipy.special import digamma

        within = self._counts @ (digamma(self._sizes - alpha) - digamma(1 - alpha))
        return float((self._i / (x + (self._i - 1) * alpha)).sum() - within)

    def best(self, alpha: float) -> float:
        """θ + α of the largest likelihood at this α: the slope falls from +∞ at 0 to below 0, since 2 ≤ u < n."""
        from scipy.optimize import brentq

        def slope(logarithm: float) -> float:
            return self.in_theta(exp(logarithm), alpha)

        upper = 1.0
        while slope(upper) >= 0:
            upper += 3
        return exp(float(brentq(slope, _FLOOR, upper, xtol=1e-13)))
