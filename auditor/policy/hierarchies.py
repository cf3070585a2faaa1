"""The specification of a column's ladder of coarser values: what a policy says about it.

The ladders themselves are built from these plain values by `auditor.hierarchies`.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args

from pydantic import Field, PrivateAttr, field_validator, model_validator
from typing_extensions import TypeAliasType

from auditor.errors import InternalError
from auditor.hierarchies import Spec
from auditor.policy._base import Block, FileReference, Stricter
from auditor.spec import Exact

if TYPE_CHECKING:
    Tree = dict[str, Any]
else:
    Tree = TypeAliasType("Tree", dict[str, Union["Tree", tuple[str, ...]]])
"""Nested groups: names of coarser values, at the bottom a list of the finest."""


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


class Mask(Block):
    """Characters masked one by one; values are padded on the masked side to the longest."""

    side: Annotated[Literal["left", "right"], Stricter.REVIEW] = Field("right", description="Where masking begins.")
    character: Annotated[str, Stricter.REVIEW] = Field(
        "*", min_length=1, max_length=1, description="What stands for a masked character."
    )


class IntervalHierarchy(Block):
    """Generalize numbers to wider and wider intervals."""

    intervals: Annotated[Intervals, Stricter.REVIEW] = Field(description="Widths and bounds.")


class MaskHierarchy(Block):
    """Generalize codes by masking one character more on each level."""

    mask: Annotated[Mask, Stricter.REVIEW] = Field(description="Which side, and with what.")


class PrefixHierarchy(Block):
    """Generalize codes by keeping fewer leading characters on each level."""

    prefix: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Stricter.REVIEW] = Field(
        min_length=1, max_length=64, description="How many characters each level keeps, falling."
    )

    @field_validator("prefix")
    @classmethod
    def _falls(cls, lengths: tuple[int, ...]) -> tuple[int, ...]:
        if any(coarser >= finer for finer, coarser in pairwise(lengths)):
            raise ValueError("each level must keep fewer characters than the one before")
        return lengths


DateLevel = Literal["day", "week", "month", "quarter", "year", "decade"]


class DateHierarchy(Block):
    """Generalize dates to calendar periods."""

    date: Annotated[tuple[DateLevel, ...], Stricter.REVIEW] = Field(
        min_length=1, description="The period of each level, from short to long."
    )

    @field_validator("date")
    @classmethod
    def _grows(cls, levels: tuple[DateLevel, ...]) -> tuple[DateLevel, ...]:
        places = [get_args(DateLevel).index(level) for level in levels]
        if any(later <= earlier for earlier, later in pairwise(places)):
            raise ValueError(f"periods must grow: {', '.join(get_args(DateLevel))}")
        return levels


class FileHierarchy(Block):
    """Levels as a file gives them: no header, a row per value, ``value;level 1;level 2;…``."""

    file: Annotated[str, FileReference(), Stricter.REVIEW] = Field(description="CSV file, relative to this file.")
    separator: Annotated[str, Stricter.REVIEW] = Field(
        ";", min_length=1, max_length=1, description="What separates the levels in a row."
    )
    _path: Path | None = PrivateAttr(None)

    @property
    def is_found(self) -> bool:
        """Whether the file was found; where it was not, loading has said so."""
        return self._path is not None

    @property
    def path(self) -> Path:
        """The resolved file, confined and found when the policy was loaded; never part of a dump."""
        if self._path is None:
            raise InternalError("a hierarchy file that was not loaded with its policy")
        return self._path


class TreeHierarchy(Block):
    """Levels as nested groups give them; the top has one name."""

    tree: Annotated[Tree, Stricter.REVIEW] = Field(min_length=1, description="Nested groups of values.")


class GroupHierarchy(Block):
    """One level of named-by-membership groups of values."""

    groups: Annotated[tuple[Annotated[tuple[str, ...], Field(min_length=1)], ...], Stricter.REVIEW] = Field(
        min_length=1, description="Lists of values that become one."
    )

    @field_validator("groups")
    @classmethod
    def _disjoint(cls, groups: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        values = [value for group in groups for value in group]
        twice = sorted({value for value in values if values.count(value) > 1}) if len(values) < 2000 else []
        if twice or len(set(values)) < len(values):
            raise ValueError(f"a value stands in one group only ({', '.join(twice[:3]) or 'some stand in two'})")
        return groups


Hierarchy = (
    IntervalHierarchy
    | MaskHierarchy
    | PrefixHierarchy
    | DateHierarchy
    | FileHierarchy
    | TreeHierarchy
    | GroupHierarchy
    | Literal["suppress"]
)
"""How a column is generalized; ``suppress``: as is, or ``*``."""


def ladder_spec(hierarchy: Hierarchy) -> Spec:
    """The hierarchy as the plain values that `auditor.hierarchies` builds from, a file as its resolved path."""
    if isinstance(hierarchy, str):
        return hierarchy
    spec = hierarchy.model_dump(mode="json")
    return {**spec, "file": str(hierarchy.path)} if isinstance(hierarchy, FileHierarchy) else spec
