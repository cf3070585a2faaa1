"""Estimating, from agreement patterns alone, how likely true pairs of records and others agree on each variable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.risk._input import Floats

SMALLEST = 1e-6
"""Probabilities are kept within SMALLEST..1 − SMALLEST, so that every weight is finite."""
START = 0.9
"""True pairs are first held to agree on each variable with this probability."""
CHANGE = 1e-7
"""The estimate has converged when no probability changes by more in one step."""
STEPS = 1_000
"""At most so many steps are taken."""
SAME = 1e-9
"""Weights that differ by at most this share of the largest are equal: sums of logarithms are rounded."""


@dataclass(frozen=True, eq=False)
class LinkageEstimate:
    """`m` and `u`, float64[h]: how likely true pairs, and all others, agree on each variable; how it was reached."""

    m: Floats
    u: Floats
    steps: int
    converged: bool

    @property
    def order(self) -> NDArray[np.int64]:
        """int64[2^h]: the place of each pattern's weight Σ log(m/u or (1−m)/(1−u)) among all weights, equal ones tied.

        Bit j of a pattern says whether the pair agrees on variable j.
        """
        weights = _likelihoods(self.m) - _likelihoods(self.u)
        ascending = np.argsort(weights, kind="stable")
        gaps = np.diff(weights[ascending]) > SAME * (1 + np.abs(weights).max())
        order = np.empty(len(weights), dtype=np.int64)
        order[ascending] = np.concatenate([[0], np.cumsum(gaps)])
        return order


def estimate(counts: Floats, prevalence: float) -> LinkageEstimate:
    """Estimate m and u by expectation and maximisation, from how many pairs have each of the 2^h patterns.

    The model: a share `prevalence` of the pairs is true, and given whether a pair is, agreement on one variable is
    independent of that on another. The start is m = START and u the shares of all pairs that agree, so that the result
    is determined. m is held at u or above: agreement is never evidence against a pair.
    """
    agrees = _bits(len(counts))
    u = _kept(counts @ agrees / counts.sum())
    m = np.maximum(np.full(len(u), START), u)
    for step in range(1, STEPS + 1):
        odds = np.log(prevalence) - np.log1p(-prevalence) + _likelihoods(m) - _likelihoods(u)
        true = counts * np.exp(-np.logaddexp(0, -odds))
        false = counts - true
        new_u = _kept(false @ agrees / false.sum())
        new_m = np.maximum(_kept(true @ agrees / true.sum()), new_u)
        change = max(np.abs(new_m - m).max(), np.abs(new_u - u).max())
        m, u = new_m, new_u
        if change <= CHANGE:
            return LinkageEstimate(m, u, step, converged=True)
    return LinkageEstimate(m, u, STEPS, converged=False)


def _bits(patterns: int) -> Floats:
    """float64[2^h, h]: 1 where a pattern agrees on a variable."""
    return ((np.arange(patterns)[:, None] >> np.arange(patterns.bit_length() - 1)) & 1).astype(np.float64)


def _likelihoods(probabilities: Floats) -> Floats:
    """float64[2^h]: the logarithm of each pattern's probability."""
    agrees = _bits(1 << len(probabilities))
    return np.asarray(agrees @ np.log(probabilities) + (1 - agrees) @ np.log1p(-probabilities))


def _kept(probabilities: Floats) -> Floats:
    return np.clip(probabilities, SMALLEST, 1 - SMALLEST)
