"""Intervals: numbers into intervals of growing width, ``[10, 15)``."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from auditor.block import Block
from auditor.dialect import OTHER_MARKS
from auditor.direction import Stricter
from auditor.errors import HierarchyError
from auditor.hierarchies._base import STAR, TOP, Hierarchy, read_all
from auditor.hierarchies._entry import HierarchyEntry
from auditor.hierarchies._generated import Generated
from auditor.spec import Exact

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?"
_PLAIN = re.compile(_NUMBER)
_LABEL = re.compile(rf"\[({_NUMBER}), (?:{_NUMBER})\)|<({_NUMBER})|>=({_NUMBER})")
_LONGEST = 400
"""Characters: longer than any finite float64 in full digits, and short enough to be cheap."""

_EXACT = decimal.Context(prec=2000, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)


@dataclass(frozen=True)
class EqualWidths(Generated):
    """One level per width; the intervals of a width start at `start` and run on both sides of it.

    From level 1, values under `bottom` are ``<bottom`` and values from `top` are ``>=top``; an interval that one of
    them cuts keeps the cut bound: widths of 20 with ``bottom: 15`` begin ``[15, 20)``, ``[20, 40)``.

    Numbers are exact decimals: 0.3 lies in [0.3, 0.4), whatever binary floating point makes of it.
    """

    widths: tuple[Decimal, ...]
    start: Decimal = Decimal(0)
    bottom: Decimal | None = None
    top: Decimal | None = None

    def __post_init__(self) -> None:
        if not self.widths or any(width <= 0 for width in self.widths):
            raise HierarchyError("intervals need at least one width, each above 0", "as in widths: [5, 10, 20]")
        for finer, coarser in zip(self.widths, self.widths[1:], strict=False):
            if coarser % finer or coarser == finer:
                raise HierarchyError(
                    f"the width {coarser} is not a multiple of the one before, {finer}",
                    f"such as {finer * 2} or {finer * 4}; otherwise the levels do not nest",
                )
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise HierarchyError(f"bottom {self.bottom} is not below top {self.top}", "bottom < top")

    def rungs(self, values: Sequence[str], column: str) -> list[list[str]]:
        """See `Generated`."""
        places = read_all(values, self._place, column, f"numbers, which intervals need; {OTHER_MARKS}")
        rungs = []
        for level in range(1, len(self.widths) + 1):
            labels = {point: self._label(point, level) for point in {point for point, _ in places}}
            rungs.append(
                [labels[point] if own <= level else value for value, (point, own) in zip(values, places, strict=True)]
            )
        return rungs

    def level_of(self, label: str) -> int | None:
        """See `Hierarchy`."""
        place = self._place(label)
        return None if place is None else place[1]

    def specimen(self, height: int) -> str:  # noqa: ARG002  (bounds are the policy's, whatever the values)
        """See `Hierarchy`. The first number from `start` on that is not cut off."""
        return format(self.start if self.bottom is None else max(self.start, self.bottom), "f")

    def _place(self, text: str) -> tuple[int, int] | None:
        """A point of the interval that `text` names, in units of the grid, and the level it stands on."""
        if text == STAR:
            return 0, TOP
        if _PLAIN.fullmatch(text):
            point = self._point(text)
            return None if point is None else (point, 0)
        match = _LABEL.fullmatch(text)
        point = self._point(next(filter(None, match.groups()))) if match else None
        if point is None:
            return None
        point -= text.startswith("<")
        levels = range(len(self.widths), 0, -1)
        return next(((point, level) for level in levels if self._label(point, level) == text), None)

    def _point(self, text: str) -> int | None:
        """The number, rounded down to the grid's unit, which no bound of the ladder is finer than."""
        if len(text) > _LONGEST or not math.isfinite(float(text)):
            return None
        number = Decimal(text)
        return math.floor(_EXACT.scaleb(number, self._decimals) if self._decimals else number)

    def _label(self, point: int, level: int) -> str:
        start, bottom, top = self._bounds
        width = self._units(self.widths[level - 1])
        low = start + (point - start) // width * width
        high = low + width
        if bottom is not None:
            if point < bottom:
                return f"<{self._text(bottom)}"
            low = max(low, bottom)
        if top is not None:
            if point >= top:
                return f">={self._text(top)}"
            high = min(high, top)
        return f"[{self._text(low)}, {self._text(high)})"

    @cached_property
    def _bounds(self) -> tuple[int, int | None, int | None]:
        """Start, bottom and top in units of the grid."""
        bottom, top = (None if bound is None else self._units(bound) for bound in (self.bottom, self.top))
        return self._units(self.start), bottom, top

    @cached_property
    def _decimals(self) -> int:
        """How many decimals the finest bound of the ladder has."""
        given = [*self.widths, self.start, *(bound for bound in (self.bottom, self.top) if bound is not None)]
        return max(0, *(-int(number.normalize(_EXACT).as_tuple().exponent) for number in given))

    def _units(self, number: Decimal) -> int:
        return int(_EXACT.scaleb(number, self._decimals))

    def _text(self, units: int) -> str:
        if not self._decimals:
            return str(units)
        return format(_EXACT.scaleb(Decimal(units), -self._decimals).normalize(_EXACT), "f")


class Intervals(Block):
    """Intervals of numbers, one level per width; below `bottom` and from `top` on, one group each."""

    widths: Annotated[tuple[Exact, ...], Stricter.REVIEW] = Field(
        min_length=1, max_length=64, description="Width of each level, each a multiple of the one before."
    )
    start: Annotated[Exact, Stricter.REVIEW] = Field(
        Decimal(0), description="Where an interval begins.", json_schema_extra={"default": 0}
    )
    bottom: Annotated[Exact | None, Stricter.REVIEW] = Field(None, description="Smaller values are one group.")
    top: Annotated[Exact | None, Stricter.REVIEW] = Field(None, description="This and greater values are one group.")

    @field_validator("widths")
    @classmethod
    def _widths_nest(cls, widths: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
        if min(widths) <= 0:
            raise ValueError("widths must be above 0")
        for finer, coarser in pairwise(widths):
            ratio = Fraction(coarser) / Fraction(finer)
            if ratio <= 1 or ratio.denominator != 1:
                raise ValueError(f"width {coarser:g} must be a multiple of {finer:g}, so that intervals nest")
        return widths

    @model_validator(mode="after")
    def _bottom_below_top(self) -> Intervals:
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise ValueError("bottom must be below top")
        return self


class IntervalHierarchy(HierarchyEntry):
    """Generalize numbers to wider and wider intervals."""

    intervals: Annotated[Intervals, Stricter.REVIEW] = Field(description="EqualWidths and bounds.")

    @classmethod
    def built(cls, given: Any, _: Mapping[str, Any], /) -> Hierarchy:
        """See `Entry`."""
        written = {key: value for key, value in given.items() if value is not None}
        widths = tuple(_number(width) for width in written.pop("widths", ()))
        return EqualWidths(widths, **{key: _number(value) for key, value in written.items()})


def _number(given: float | str | Decimal) -> Decimal:
    """A policy's number as the exact decimal that was written."""
    try:
        number = Decimal(str(given))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise HierarchyError(f"{given!r} is not a finite number", "as in widths: [5, 10, 20], start: 0")
    return number
