"""Common: frequent values stay as they are, and all others become one, ``United-States``, ``all others``, ``*``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field

from auditor.direction import Stricter
from auditor.errors import HierarchyError
from auditor.hierarchies._base import STAR, TOP, Hierarchy
from auditor.hierarchies._entry import HierarchyEntry
from auditor.hierarchies._generated import Generated
from auditor.values import Values

REST = "all others"


@dataclass(frozen=True)
class Common(Generated):
    """Level i keeps the first `keep[i - 1]` of `values` and puts all other values under `rest`.

    The values stand from the most to the least frequent, so each level keeps the first of those below it, and levels
    nest. Every value has a place: one that is not listed, or that is `rest` already, is under `rest` from level 1 on.
    """

    values: tuple[str, ...]
    keep: tuple[int, ...] = ()
    rest: str = REST

    def __post_init__(self) -> None:
        if not self.values or len(set(self.values)) < len(self.values):
            raise HierarchyError("the list of common values is empty, or has a value twice", "list each value once")
        if any(coarser >= finer for finer, coarser in pairwise(self.kept)):
            raise HierarchyError(f"keep: {list(self.kept)} does not fall", "each level keeps fewer than the one before")
        if not 1 <= self.kept[-1] <= self.kept[0] <= len(self.values):
            raise HierarchyError(
                f"keep: {list(self.kept)} does not fit {len(self.values)} values", f"1 to {len(self.values)}"
            )
        if STAR in self.values or self.rest == STAR:
            raise HierarchyError(f"{STAR!r} stands for every value", "it is the level above; leave it out")
        if self.rest in self._places:
            raise HierarchyError(f"{self.rest!r} is a common value and the rest, too", "rest: another name")

    @property
    def kept(self) -> tuple[int, ...]:
        """How many values each level keeps; all of them on one level where nothing is said."""
        return self.keep or (len(self.values),)

    def rungs(self, values: Sequence[str], column: str) -> list[list[str]]:  # noqa: ARG002  (every value has a place)
        """See `Generated`."""
        places = [self._place(value) for value in values]
        return [
            [STAR if value == STAR else self._label(place, kept) for value, place in zip(values, places, strict=True)]
            for kept in self.kept
        ]

    def level_of(self, label: str) -> int | None:
        """See `Hierarchy`. A common value stands as high as it is kept, the rest on every level."""
        if label == STAR:
            return TOP
        place = self._place(label)
        return sum(place < kept for kept in self.kept) if label != self.rest else len(self.kept)

    def specimen(self, height: int) -> str:  # noqa: ARG002  (levels are the policy's, whatever the values)
        """See `Hierarchy`. A value that nobody lists."""
        return "X" if "X" not in self._places else "any other"

    @cached_property
    def _places(self) -> Values:
        return Values(self.values)

    def _place(self, value: str) -> int:
        place = self._places.place(value)
        return len(self.values) if place is None else place

    def _label(self, place: int, kept: int) -> str:
        return self.values[place] if place < kept else self.rest


class CommonHierarchy(HierarchyEntry):
    """Keep frequent values, fewer on each level, and generalize all others to one label."""

    common: Annotated[tuple[str, ...], Stricter.REVIEW] = Field(
        min_length=1, description="The values that are kept, from the most to the least frequent."
    )
    keep: Annotated[tuple[Annotated[int, Field(ge=1)], ...] | None, Stricter.REVIEW] = Field(
        None, min_length=1, max_length=64, description="How many of them each level keeps, falling; all if not given."
    )
    rest: Annotated[str, Stricter.REVIEW] = Field(REST, min_length=1, description="The label of all other values.")

    @classmethod
    def built(cls, given: Any, options: Mapping[str, Any], /) -> Hierarchy:
        """See `Entry`."""
        return Common(tuple(given), tuple(options.get("keep", ())), options.get("rest", REST))
