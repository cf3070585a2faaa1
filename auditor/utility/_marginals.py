"""What each variable is like alone: its unit, its mean, variance and quantiles, and its density at these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError
from auditor.utility._numbers import Floats

LEVELS = np.arange(1, 20) / 20
"""The quantiles that are compared: 5 %, 10 %, …, 95 %."""
FARTHEST = 1e100
"""Masked values more units away than this are refused: their squares would not fit."""


@dataclass(frozen=True, eq=False)
class Units:
    """Each variable's centre and unit: mean and standard deviation; of a constant one its value and its size (0: 1).

    `exponent`: values are first divided by 2 to this power, which is exact, so that none of their sums overflows.
    """

    exponent: NDArray[np.int32]
    centre: Floats
    size: Floats

    @classmethod
    def of(cls, x: Floats) -> Units:
        """The units of x: float64[n, p], each column with a value."""
        _, exponent = np.frexp(np.nanmax(np.abs(x), axis=0))
        scaled = np.ldexp(x, -exponent)
        low, high = np.nanmin(scaled, axis=0), np.nanmax(scaled, axis=0)
        varies = high > low
        size = np.where(varies, np.nanstd(scaled, axis=0), np.where(low == 0, 1.0, np.abs(low)))
        return cls(exponent, np.where(varies, np.nanmean(scaled, axis=0), low), size)

    def apply(self, names: tuple[str, ...], x: Floats) -> Floats:
        """The values x in these units, float64[m, p]; DataError where one is so far away that it is in another unit."""
        with np.errstate(over="ignore"):
            u = np.asarray((np.ldexp(x, -self.exponent) - self.centre) / self.size, np.float64)
        far = (np.abs(u) > FARTHEST).any(0)
        if far.any():
            raise DataError(
                f"column {names[int(far.argmax())]!r} holds a value more than {FARTHEST:g} standard deviations from "
                "the original's mean; masked values must be in the original's unit"
            )
        return u


@dataclass(frozen=True, eq=False)
class Marginals:
    """Of each variable's present values: mean and variance float64[p], quantiles float64[19, p]; `lost`: it has none.

    Variances have the divisor n, quantiles are interpolated linearly. Those of a variable without values are 0 here
    and mean nothing. A constant variable's variance is exactly 0.
    """

    mean: Floats
    variance: Floats
    quantiles: Floats
    lost: NDArray[np.bool_]

    @classmethod
    def of(cls, u: Floats) -> Marginals:
        """The marginals of u: float64[n, p], NaN is missing; n may be 0."""
        absent = np.isnan(u)
        lost = np.asarray(absent.all(0))
        known = np.where(lost, 0.0, u) if len(u) else np.zeros((1, u.shape[1]))
        if absent.any() and not lost.all():
            return cls._gaps(known, lost)
        return cls._of(known.mean(0), known.var(0), np.quantile(known, LEVELS, axis=0), known, lost)

    @classmethod
    def _gaps(cls, known: Floats, lost: NDArray[np.bool_]) -> Marginals:
        mean, variance = np.nanmean(known, axis=0), np.nanvar(known, axis=0)
        return cls._of(mean, variance, np.nanquantile(known, LEVELS, axis=0), known, lost)

    @classmethod
    def _of(
        cls, mean: Floats, variance: Floats, quantiles: Floats, known: Floats, lost: NDArray[np.bool_]
    ) -> Marginals:
        low = np.nanmin(known, axis=0)
        varies = np.nanmax(known, axis=0) > low
        return cls(np.where(varies, mean, low), np.where(varies, variance, 0.0), quantiles, lost)


def densities(u: Floats, quantiles: Floats) -> Floats:
    """float64[q, p]: each variable's density at its quantiles float64[q, p]; 0 for a constant one.

    A Gaussian kernel with the bandwidth s (3n/4)^(−1/5), s the standard deviation with divisor n − 1 (B. W. Silverman,
    Density Estimation for Statistics and Data Analysis, 1986, section 3.4.2: the best one where the data is normal).
    """
    found = np.zeros_like(quantiles)
    for column in range(u.shape[1]):
        values = u[:, column]
        values = values[~np.isnan(values)]
        if values.min() < values.max():
            width = values.std(ddof=1) * (3 * len(values) / 4) ** -0.2
            for level, quantile in enumerate(quantiles[:, column]):
                kernel = np.exp(-0.5 * ((values - quantile) / width) ** 2)
                found[level, column] = kernel.mean() / (width * np.sqrt(2 * np.pi))
    return found
