"""Second computations for this room's tests, written from the definitions and as slowly as they read."""

from __future__ import annotations

import itertools
import math
from statistics import fmean

import numpy as np
from scipy import stats

LEVELS = [q / 100 for q in range(5, 100, 5)]


def chance(difference: float, variance: float) -> float:
    """The loss of one statistic in percent, by the normal distribution of scipy."""
    if difference == 0:
        return 0.0
    if variance == 0:
        return 100.0
    return 100 * 2 * (stats.norm.cdf(abs(difference) / math.sqrt(variance)) - 0.5)


def central(xs, r, ys=None, s=0):
    """The central product moment mu_rs of divisor n, summed exactly."""
    ys = xs if ys is None else ys
    mx, my = fmean(xs), fmean(ys)
    return math.fsum((x - mx) ** r * (y - my) ** s for x, y in zip(xs, ys, strict=True)) / len(xs)


def correlation(xs, ys):
    return central(xs, 1, ys, 1) / math.sqrt(central(xs, 2) * central(ys, 2))


def variance_of_correlation(xs, ys):
    """The textbook's large-sample variance, with mu11 in denominators."""
    rho, mu11 = correlation(xs, ys), central(xs, 1, ys, 1)
    mu20, mu02, mu22 = central(xs, 2), central(ys, 2), central(xs, 2, ys, 2)
    inner = (
        mu22 / mu11**2
        + (central(xs, 4) / mu20**2 + central(ys, 4) / mu02**2 + 2 * mu22 / (mu20 * mu02)) / 4
        - (central(xs, 3, ys, 1) / (mu11 * mu20) + central(xs, 1, ys, 3) / (mu11 * mu02))
    )
    return rho**2 / len(xs) * inner


def quantiles(xs):
    return [float(value) for value in stats.mstats.mquantiles(xs, LEVELS, alphap=1, betap=1)]


def probabilistic(original, masked):
    """The five averages of the probabilistic loss, pair by pair and level by level."""
    before, after = [list(map(float, column)) for column in original.T], [list(map(float, c)) for c in masked.T]
    n = len(before[0])
    found = {"mean": [], "variance": [], "quantiles": [], "covariance": [], "correlation": []}
    for x, y in zip(before, after, strict=True):
        found["mean"].append(chance(fmean(y) - fmean(x), central(x, 2) / n))
        found["variance"].append(chance(central(y, 2) - central(x, 2), (central(x, 4) - central(x, 2) ** 2) / n))
        density = stats.gaussian_kde(x, bw_method="silverman")
        levels = []
        for q, at, moved, height in zip(LEVELS, quantiles(x), quantiles(y), density(quantiles(x)), strict=True):
            levels.append(chance(moved - at, q * (1 - q) / (n * height**2)))
        found["quantiles"].append(fmean(levels))
    for i, j in itertools.combinations(range(len(before)), 2):
        x, y, v, w = before[i], before[j], after[i], after[j]
        mu11, mu22 = central(x, 1, y, 1), central(x, 2, y, 2)
        found["covariance"].append(chance(central(v, 1, w, 1) - mu11, (mu22 - mu11**2) / n))
        found["correlation"].append(chance(correlation(v, w) - correlation(x, y), variance_of_correlation(x, y)))
    return {name: fmean(values) for name, values in found.items()}


def mdav(x, k):
    """Microaggregation of all columns by maximum distance to average vector: groups of k to 2k − 1 records."""
    z = (x - x.mean(0)) / x.std(0)
    left, groups = np.arange(len(x)), []

    def farthest(point):
        return z[left[((z[left] - point) ** 2).sum(1).argmax()]]

    def taken(around):
        chosen = np.argsort(((z[left] - around) ** 2).sum(1), kind="stable")[:k]
        groups.append(left[chosen])
        return np.delete(left, chosen)

    while len(left) >= 3 * k:
        first = farthest(z[left].mean(0))
        second = farthest(first)
        left = taken(first)
        left = taken(second)
    if len(left) >= 2 * k:
        left = taken(farthest(z[left].mean(0)))
    masked = x.copy()
    for group in [*groups, left]:
        masked[group] = x[group].mean(0)
    return masked
