"""Zayatz's estimator: how probable it is by Bayes' rule that a class of one in the sample is one of the population.

With p_j the share of the population's classes that have j members, taken from the sample (s_j/u), and drawing without
replacement,

    P(F=1 | f=1) = p_1 P(f=1 | F=1) / Σ_j p_j P(f=1 | F=j),    S_1 = s_1 P(F=1 | f=1) N/n.

L. Zayatz, Estimation of the number of unique population elements using a sample, 1991.
"""

from __future__ import annotations

import numpy as np

from auditor.risk._uniques import SampleClasses


def zayatz(sample: SampleClasses) -> float:
    """The estimate, from 0 to N."""
    alone = sample.of_size(1)
    if not alone:
        return 0.0
    # P(f=1 | F=j) / P(f=1 | F=1) = j Π_{t=1}^{j−1} (1 − (n−1)/(N−t)), which is 0 from the first factor below 0 on.
    n, total = sample.records, sample.population
    t = np.arange(1, int(sample.sizes[-1]))
    factors = np.maximum(1 - (n - 1) / (total - t), 0)
    ratios = sample.sizes * np.concatenate(([1.0], np.cumprod(factors)))[sample.sizes - 1]
    return alone * (alone / float(sample.counts @ ratios)) * total / n
