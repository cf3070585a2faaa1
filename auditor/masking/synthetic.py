"""Synthetic data: columns are drawn anew, from a fitted density or from their regression on other columns."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.masking._base import Method
from auditor.masking._densities import fitted
from auditor.masking._ipso import Ipso, simulated
from auditor.microdata import Microdata, Numeric, Variable


class Synthetic(Method):
    """Draw columns of numbers again.

    - distribution (data distortion by probability distribution): to each column a density is fitted, as many values as
      it has are drawn, and the record with the i-th smallest value gets the i-th smallest draw; equal values are ranked
      at random. Ranks are kept, and no value is. Densities are normal, lognormal, exponential, gamma and uniform, by
      maximum likelihood; `best` is the one of least Kolmogorov-Smirnov distance; `kernel` is a kernel estimate.
    - ipso-a, -b, -c: with Y the attributes, X the columns of `given` and a constant, B = X⁺Y, residuals E = Y − XB,
      degrees of freedom f = n − rank X and Σ = EᵀE/f, the released columns are Y' = XB + E'. (a) The rows of E' are
      N(0, Σ). (b) They are, without their regression on X: regressing Y' on X gives B exactly. (c) Also E'ᵀE' = EᵀE:
      it gives B and Σ exactly. X may have any rank (X⁺ is the pseudo-inverse): columns that say the same in another
      unit are one, up to rounding. A category of `given` is an indicator. Means, B and Σ are computed again from what
      is drawn, and compared, before anything is returned.

    A missing value stays missing. Of a record that lacks a column of Y or X, IPSO can release nothing: all its
    attributes become missing. A constant column comes back as it is, and so does one that X determines.

    Raises:
        DataError: an attribute holds categories; a density is fitted to fewer than two values, cannot have such values,
            or draws numbers outside float64; IPSO has fewer than two degrees of freedom, or rounding lost what it
            keeps.
    """

    method: Annotated[Literal["synthetic"], Stricter.REVIEW] = "synthetic"
    kind: Annotated[Literal["distribution", "ipso-a", "ipso-b", "ipso-c"], Stricter.REVIEW] = Field(
        "distribution", description="From a density of each column, or from the regression on other columns."
    )
    density: Annotated[
        Literal["best", "normal", "lognormal", "exponential", "gamma", "uniform", "kernel"] | None, Stricter.REVIEW
    ] = Field(None, description="distribution: what is fitted; best by default.")
    given: Annotated[tuple[str, ...], Stricter.REVIEW] = Field(
        (), description="ipso: the columns that are kept and that the attributes are regressed on."
    )

    SOURCE: ClassVar[str] = (
        "C. Liew, U. Choi, C. Liew, A Data Distortion by Probability Distribution, ACM TODS 10, 1985; J. Burridge, "
        "Information Preserving Statistical Obfuscation, Statistics and Computing 13, 2003"
    )
    EXAMPLE: ClassVar[str] = "{attributes: [income, tax], method: synthetic, kind: ipso-c, given: [age]}"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.kind == "distribution" and self.given:
            raise ValueError("given is only for ipso; a density is fitted to a single column")
        if self.kind != "distribution" and self.density is not None:
            raise ValueError("density is for kind: distribution")
        if set(self.given) & set(self.attributes):
            raise ValueError("a column is drawn anew or given, not both")
        return self

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that are drawn anew, and those that they are regressed on."""
        return (*self.attributes, *self.given)

    def suppressible(self, data: Microdata) -> NDArray[np.bool_]:
        """The records that lack a column of Y or X, under IPSO."""
        if self.kind == "distribution":
            return super().suppressible(data)
        return np.asarray(np.any([data[name].missing for name in self.reads], axis=0))

    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:
        """The table with new numbers."""
        if self.kind == "distribution":
            return data.replaced([self._distorted(data.numeric(name), generator) for name in self.attributes])
        return data.replaced(self._regressed(data, self.kind, generator))

    def _distorted(self, column: Numeric, generator: np.random.Generator) -> Numeric:
        name, density = column.name, self.density or "best"
        present = column.values[~column.missing]
        if len(present) < 2:
            raise DataError(f"column {name!r} has fewer than two values, and a density needs two")
        if present.min() == present.max():
            return column
        scale = np.abs(present).max()
        draw = fitted(present / scale, density)
        if draw is None:
            raise DataError(f"column {name!r} holds numbers that no {density} density has; choose another, or best")
        with np.errstate(over="ignore"):
            drawn = np.sort(draw(generator, len(present))) * scale
        if not np.isfinite(drawn).all():
            raise DataError(f"column {name!r}: the fitted density leaves the range of float64; choose another")
        new = np.full(len(column.values), np.nan)
        ranks = np.empty(len(present))
        ranks[np.lexsort((generator.random(len(present)), present))] = drawn
        new[~column.missing] = ranks
        return Numeric(name, new)

    def _regressed(self, data: Microdata, kind: Ipso, generator: np.random.Generator) -> list[Numeric]:
        outcome = data.numbers(self.attributes)
        regressors = np.hstack([np.empty((data.records, 0)), *(_columns(data[name]) for name in self.given)])
        whole = ~(np.isnan(outcome).any(axis=1) | np.isnan(regressors).any(axis=1))
        new = np.full(outcome.shape, np.nan)
        new[whole] = simulated(outcome[whole], regressors[whole], kind, generator)
        return [Numeric(name, new[:, j].copy()) for j, name in enumerate(self.attributes)]


def _columns(variable: Variable) -> NDArray[np.float64]:
    """float64[n, 1 or labels]: numbers, or an indicator of each label; NaN where the value is missing."""
    if isinstance(variable, Numeric):
        return variable.values[:, None]
    indicators = variable.codes[:, None] == np.arange(len(variable.labels))
    return np.where(variable.missing[:, None], np.nan, indicators)
