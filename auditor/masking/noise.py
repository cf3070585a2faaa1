"""Noise: a random number is added to every number, or multiplied into it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.masking._base import Method
from auditor.microdata import Microdata, Numeric


class Noise(Method):
    """Add normal noise of p percent of the spread, or multiply by a factor near 1.

    With k = (p/100)², s_j the standard deviation of column j (divisor n − 1) and Σ the covariance of the columns:

    - uncorrelated: x'_ij = x_ij + e_ij, e_ij ~ N(0, k s_j²) independent. Expected: means and covariances are kept,
      Var' = (1 + k) Var, so a correlation becomes ρ/(1 + k).
    - correlated: x'_i = x_i + e_i, e_i ~ N(0, kΣ). Expected: means are kept and Σ' = (1 + k) Σ, so correlations are
      kept. Σ may be singular: a linear relation between the columns that holds of x holds of x', too.
    - multiplicative: x'_ij = x_ij (1 + e_ij), e_ij ~ N(0, k) independent. Expected: means and covariances are kept,
      Var' = Var + k · mean(x²) = (1 + k) Var + k mean² (divisor n). Large numbers get more noise, 0 stays 0, and a
      number changes its sign with probability Φ(−100/p).

    A missing value stays missing; Σ is that of the records that have all columns. A constant column has no spread:
    unless noise is multiplicative, it comes back as it is. Ties get different noise.

    Raises:
        DataError: a column holds categories, or fewer than two values to measure spread by (correlated: fewer than two
            records that have all columns), or a number would leave the range of float64.
    """

    method: Annotated[Literal["noise"], Stricter.REVIEW] = "noise"
    p: Annotated[float, Stricter.HIGHER] = Field(gt=0, description="Noise, in percent of the standard deviation.")
    kind: Annotated[Literal["uncorrelated", "correlated", "multiplicative"], Stricter.REVIEW] = Field(
        "uncorrelated", description="Added independently, added with the columns' covariance, or multiplied."
    )

    SOURCE: ClassVar[str] = (
        "R. Brand, Microdata Protection through Noise Addition, in: Inference Control in Statistical Databases, "
        "LNCS 2316, 2002; J. Kim, A Method for Limiting Disclosure in Microdata Based on Random Noise and "
        "Transformation, Proc. ASA Section on Survey Research Methods, 1986"
    )
    EXAMPLE: ClassVar[str] = "{attributes: [income], method: noise, p: 10}"

    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:
        """The table with noisy numbers."""
        values = data.numbers(self.attributes)
        draws = generator.standard_normal(values.shape) * (self.p / 100)
        with np.errstate(over="ignore", invalid="ignore"):
            noisy = values * (1 + draws) if self.kind == "multiplicative" else values + self._spread(values, draws)
        for name, before, after in zip(self.attributes, values.T, noisy.T, strict=True):
            if not np.array_equal(np.isfinite(after), np.isfinite(before)):
                raise DataError(f"column {name!r}: with noise, a number leaves the range of float64; scale the column")
        return data.replaced(Numeric(name, noisy[:, j].copy()) for j, name in enumerate(self.attributes))

    def _spread(self, values: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[n, p]: standard normal draws given the spread of the columns, or their covariance."""
        if self.kind == "correlated":
            whole = values[~np.isnan(values).any(axis=1)]
            if len(whole) < 2:
                raise DataError(
                    f"correlated noise: fewer than two records have a value in each of {_listed(self.attributes)}, "
                    "and covariance needs two; use kind: uncorrelated, or fewer columns"
                )
            return draws @ _factor(whole)
        present = ~np.isnan(values)
        for name, count in zip(self.attributes, present.sum(axis=0), strict=True):
            if count < 2:
                raise DataError(f"column {name!r} has fewer than two values, and noise is measured by their spread")
        return np.asarray(draws * np.nanstd(_from_least(values), axis=0, ddof=1))


def _factor(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[p, p]: A with AᵀA = Σ, the covariance of complete records; a singular Σ is no special case."""
    shifted = _from_least(values)
    centred = (shifted - shifted.mean(axis=0)) / np.sqrt(len(values) - 1)
    # R of a QR decomposition: RᵀR = centredᵀ centred, without squaring the numbers, and whatever their rank is.
    factor = np.linalg.qr(centred, mode="r")
    return np.vstack([factor, np.zeros((values.shape[1] - len(factor), values.shape[1]))])


def _from_least(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The columns counted from their least value: the spread of a constant column is then 0, and no rounding error."""
    return np.asarray(values - np.nanmin(values, axis=0))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names))
