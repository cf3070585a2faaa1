"""The slide negative binomial estimator: class sizes of the population are 1 plus a negative binomial number.

With K classes, F − 1 negative binomial (α, β) and sampling fraction π, the expected classes of one and two in the
sample are, with d = (1−π)(1−β) and e = 1 − d,

    s_1 = K π (β/e)^α (1 + α d/e),
    s_2 = K π²/2 α (1−β) β^α / e^(α+2) (2 − (1−α) d),

and S_1 = K β^α. Both follow from the generating function β^α/(1−(1−β)z)^α of F − 1. K is Shlosser's estimate as
modified by Haas and Stokes (the third):

    K = u + s_1 (Σ i π²(1−π²)^(i−1) s_i / Σ (1−π)^i ((1+π)^i − 1) s_i) (Σ (1−π)^i s_i / Σ i π (1−π)^(i−1) s_i)².

s_2/s_1 gives α for each β, as the positive root of a quadratic equation; then s_1 gives β, by bracketing.

G. Chen, S. Keller-McNulty, Estimation of identification disclosure risk in microdata, 1998. P. Haas, L. Stokes,
Estimating the number of classes in a finite population, 1998.
"""

from __future__ import annotations

from math import exp, log, log1p, sqrt

import numpy as np

from auditor.risk._uniques import SampleClasses, UniquesEstimate

_WIDEST = 30.0
"""ln(β/(1−β)) is looked for from minus this to this."""


def slide_negative_binomial(sample: SampleClasses) -> UniquesEstimate:
    """The estimate, or why there is none."""
    one, two = sample.of_size(1), sample.of_size(2)
    if not one:
        return UniquesEstimate(0.0)
    if sample.fraction == 1:
        return UniquesEstimate(float(one))
    if not two:
        return UniquesEstimate(None, "the sample has no class of two")
    classes = shlosser(sample)
    if classes > sample.population:
        return UniquesEstimate(None, "the estimated number of classes exceeds the population")
    found = parameters(classes, sample.fraction, one, two)
    if found is None:
        return UniquesEstimate(None, "no parameters of the model give the sample's classes of one and two")
    alpha, beta = found
    return sample.checked(classes * beta**alpha)


def shlosser(sample: SampleClasses) -> float:
    """K: how many classes the population has, for a sampling fraction below 1."""
    i, s, q = sample.sizes.astype(np.float64), sample.counts, sample.fraction
    missed = np.exp(i * np.log1p(-q))
    # (1−π)^i ((1+π)^i − 1) as (1−π²)^i (1 − (1+π)^−i): (1+π)^i alone leaves float64 for a class of 1,751 and π = 1/2.
    squares = np.log1p(-(q**2))
    seen = np.exp(i * squares) * -np.expm1(-i * np.log1p(q))
    first = s @ (i * q**2 * np.exp((i - 1) * squares)) / (s @ seen)
    second = s @ missed / (s @ (i * q * np.exp((i - 1) * np.log1p(-q))))
    return float(sample.classes + sample.of_size(1) * first * second**2)


def parameters(classes: float, fraction: float, one: int, two: int) -> tuple[float, float] | None:
    """α and β that give the expected classes of one and two, or None."""
    from scipy.optimize import brentq

    def surplus(logit: float) -> float:
        """Ln of the classes of one that β gives, over those there are."""
        alpha, rest, d = _alpha(logit, fraction, two / one)
        shrunk = alpha * (log1p(-rest) - log1p(-d))
        return log(classes * fraction / one) + shrunk + log1p(alpha * d / (1 - d))

    if surplus(-_WIDEST) * surplus(_WIDEST) > 0:
        return None
    logit = float(brentq(surplus, -_WIDEST, _WIDEST, xtol=1e-13))
    alpha, rest, _ = _alpha(logit, fraction, two / one)
    return alpha, 1 - rest


def _alpha(logit: float, fraction: float, ratio: float) -> tuple[float, float, float]:
    """α for s_2/s_1 at this β, with 1 − β and d: d α² + (2 − d − R d/e) α − R = 0, R = 2 (s_2/s_1) e²/(π(1−β))."""
    rest = 1 / (1 + exp(logit))
    d = (1 - fraction) * rest
    r = 2 * ratio * (1 - d) ** 2 / (fraction * rest)
    middle = 2 - d - r * d / (1 - d)
    root = sqrt(middle**2 + 4 * d * r)
    # Of the two forms of the positive root, the one in which nothing cancels.
    return (2 * r / (middle + root) if middle >= 0 else (root - middle) / (2 * d)), rest, d
