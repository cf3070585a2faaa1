"""Densities that a column can be fitted with and drawn from: the steps 1 and 2 of Liew, Choi and Liew (1985).

Each is fitted by maximum likelihood to values that are not all equal; None where it cannot have such values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = Callable[[np.random.Generator, int], Floats]
"""How to draw n values."""

NARROWEST = 1e-8
"""Below this gap between log mean and mean log, a gamma density is a normal one, and ψ not exact enough to fit it."""


@dataclass(frozen=True)
class Density:
    """A fitted density: its distribution function, and how to draw from it."""

    below: Callable[[Floats], Floats]
    drawn: Draw


def normal(values: Floats) -> Density:
    """N(mean, sd²)."""
    from scipy.special import ndtr

    mean, sd = values.mean(), values.std()
    return Density(lambda x: np.asarray(ndtr((x - mean) / sd)), lambda g, n: g.normal(mean, sd, n))


def lognormal(values: Floats) -> Density | None:
    """The logarithms are N(mean, sd²); for numbers above 0."""
    if values.min() <= 0:
        return None
    logs = np.log(values)
    if logs.min() == logs.max():
        return None  # neighbouring floats can have the same logarithm
    inner = normal(logs)
    return Density(lambda x: inner.below(np.log(x)), lambda g, n: np.exp(inner.drawn(g, n)))


def exponential(values: Floats) -> Density | None:
    """1 − exp(−x/mean); for numbers from 0."""
    if values.min() < 0:
        return None
    mean = values.mean()
    return Density(lambda x: -np.expm1(-x / mean), lambda g, n: g.exponential(mean, n))


def gamma(values: Floats) -> Density | None:
    """Shape a with log a − ψ(a) = log mean − mean log, scale mean/a; for numbers above 0."""
    from scipy.optimize import brentq
    from scipy.special import digamma, gammainc

    if values.min() <= 0:
        return None
    mean = values.mean()
    gap = float(np.log(mean) - np.log(values).mean())
    if gap < NARROWEST:
        return None
    # 1/(2a) < log a − ψ(a) < 1/a, so a lies between 1/(2 gap) and 1/gap; a little more for rounding.
    shape = float(brentq(lambda a: np.log(a) - digamma(a) - gap, 0.49 / gap, 1.01 / gap))
    scale = mean / shape
    return Density(lambda x: np.asarray(gammainc(shape, x / scale)), lambda g, n: g.gamma(shape, scale, n))


def uniform(values: Floats) -> Density:
    """Between the least and the largest value."""
    low, high = values.min(), values.max()
    return Density(lambda x: (x - low) / (high - low), lambda g, n: g.uniform(low, high, n))


PARAMETRIC: dict[str, Callable[[Floats], Density | None]] = {
    "normal": normal,
    "lognormal": lognormal,
    "exponential": exponential,
    "gamma": gamma,
    "uniform": uniform,
}
"""The densities that are tried; where two fit equally well, the first."""


def distance(values: Floats, density: Density) -> float:
    """Kolmogorov-Smirnov: the largest difference between the values' distribution function and the density's."""
    ordered = np.sort(values)
    below = density.below(ordered)
    steps = np.arange(len(ordered) + 1) / len(ordered)
    return float(max(np.max(steps[1:] - below), np.max(below - steps[:-1])))


def fitted(values: Floats, name: str) -> Draw | None:
    """How to draw from a density that is fitted to the values, ``best`` or by name; None where it cannot have them.

    ``best`` is the parametric density with the least Kolmogorov-Smirnov distance.
    """
    if name == "kernel":
        return kernel(values)
    if name == "best":
        possible = [density for fit in PARAMETRIC.values() if (density := fit(values)) is not None]
        return min(possible, key=lambda density: distance(values, density)).drawn
    density = PARAMETRIC[name](values)
    return None if density is None else density.drawn


def kernel(values: Floats) -> Draw:
    """Normal kernels around the values, of Silverman's width."""
    width = silverman(values)
    return lambda g, n: g.choice(values, n) + width * g.standard_normal(n)


def silverman(values: Floats) -> float:
    """0.9 min(sd, IQR/1.34) n^(−1/5); where the IQR is 0, with sd alone."""
    sd = values.std(ddof=1)
    spread = np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.34
    return float(0.9 * (min(sd, spread) if spread > 0 else sd) * len(values) ** -0.2)
