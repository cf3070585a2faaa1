"""Top and bottom coding: values beyond a bound become the bound, or the mean or median of those beyond it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.masking._base import Method
from auditor.microdata import Microdata, Numeric


class TopBottomCoding(Method):
    """Code the ends of a column: every x > top, and every x < bottom, gets one value.

    That value is the bound itself, or the mean or the median of the coded values of its end. With the mean, the
    column's mean is kept. A bound is given as a number for every column, or as a quantile of each column's own values
    (linear interpolation between order statistics). A value that equals the bound is not beyond it.

    A missing value stays missing. A column without values beyond the bounds, such as a constant one under quantiles,
    comes back as it is. Ties stay ties.

    Raises:
        DataError: a column holds categories; or bottom is above top in a column; or, with the mean or the median, a
            single record lies beyond a bound, whose own value that would be.
    """

    method: Annotated[Literal["top-bottom-coding"], Stricter.REVIEW] = "top-bottom-coding"
    top: Annotated[float | None, Stricter.LOWER] = Field(None, description="Values above it are coded.")
    bottom: Annotated[float | None, Stricter.HIGHER] = Field(None, description="Values below it are coded.")
    top_quantile: Annotated[float | None, Stricter.LOWER] = Field(
        None, ge=0, le=1, description="Instead of top: this quantile of the column's values."
    )
    bottom_quantile: Annotated[float | None, Stricter.HIGHER] = Field(
        None, ge=0, le=1, description="Instead of bottom: this quantile of the column's values."
    )
    replace: Annotated[Literal["bound", "mean", "median"], Stricter.REVIEW] = Field(
        "bound", description="What coded values become: the bound, or the mean or median of the values coded with it."
    )

    SOURCE: ClassVar[str] = "A. Hundepool et al., Statistical Disclosure Control, Wiley 2012, section 3.3.3"
    EXAMPLE: ClassVar[str] = "{attributes: [age], method: top-bottom-coding, top: 85}"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for given, quantile in (("top", "top_quantile"), ("bottom", "bottom_quantile")):
            if getattr(self, given) is not None and getattr(self, quantile) is not None:
                raise ValueError(f"{given} and {quantile} say the same; give one of them")
        if all(bound is None for bound in (self.top, self.bottom, self.top_quantile, self.bottom_quantile)):
            raise ValueError("top, bottom, top_quantile or bottom_quantile is needed")
        for low, high in ((self.bottom, self.top), (self.bottom_quantile, self.top_quantile)):
            if low is not None and high is not None and low > high:
                raise ValueError("bottom is above top")
        return self

    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:  # noqa: ARG002
        """The table with coded ends."""
        return data.replaced([self._coded(data.numeric(name)) for name in self.attributes])

    def _coded(self, column: Numeric) -> Numeric:
        values = column.values.copy()
        present = values[~column.missing]
        top = _bound(present, self.top, self.top_quantile)
        bottom = _bound(present, self.bottom, self.bottom_quantile)
        if top is not None and bottom is not None and bottom > top:
            raise DataError(f"column {column.name!r}: bottom lies above top, which one of them is a quantile of")
        if top is not None:
            self._code(values, column.values > top, top, column.name)
        if bottom is not None:
            self._code(values, column.values < bottom, bottom, column.name)
        return Numeric(column.name, values)

    def _code(self, values: NDArray[np.float64], coded: NDArray[np.bool_], bound: float, name: str) -> None:
        """Give the coded records their one value, in place."""
        if self.replace == "bound":
            values[coded] = bound
        elif coded.any():
            if np.count_nonzero(coded) == 1:
                raise DataError(
                    f"column {name!r}: a single record lies beyond a bound, and the {self.replace} of one value is the "
                    "value; use replace: bound, or a bound that codes more"
                )
            values[coded] = np.mean(values[coded]) if self.replace == "mean" else np.median(values[coded])


def _bound(present: NDArray[np.float64], given: float | None, quantile: float | None) -> float | None:
    """The bound as given, or as the quantile of the values; None where there is none, or no value."""
    if quantile is None or not len(present):
        return given
    return float(np.quantile(present, quantile))
