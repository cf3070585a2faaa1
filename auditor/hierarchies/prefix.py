"""Prefix: a code cut to its first characters, ``E11.9``, ``E11*``, ``E1*``, ``*``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field, field_validator

from auditor.direction import Stricter
from auditor.errors import HierarchyError
from auditor.hierarchies._base import STAR, TOP, Hierarchy
from auditor.hierarchies._entry import HierarchyEntry
from auditor.hierarchies._generated import Generated


@dataclass(frozen=True)
class Prefix(Generated):
    """Level i keeps the first `lengths[i - 1]` characters and ends in ``*``; a shorter value keeps all it has."""

    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        pairs = zip(self.lengths, self.lengths[1:], strict=False)
        if not self.lengths or self.lengths[-1] < 1 or any(longer <= shorter for longer, shorter in pairs):
            raise HierarchyError(
                f"the prefix lengths {list(self.lengths)} do not shrink", "lengths from 1, each below the one before"
            )

    def rungs(self, values: Sequence[str], column: str) -> list[list[str]]:  # noqa: ARG002  (every text has a prefix)
        """See `Generated`."""
        return [[_label(value, length) for value in values] for length in self.lengths]

    def specimen(self, height: int) -> str:  # noqa: ARG002  (lengths are the policy's, whatever the values)
        """See `Hierarchy`. Letters to be cut, one more than the first level keeps."""
        return "X" * (self.lengths[0] + 1)

    def level_of(self, label: str) -> int | None:
        """See `Hierarchy`. A label shows its level: the characters before its ``*``."""
        if not label.endswith(STAR):
            return 0
        kept = len(label) - 1
        return TOP if not kept else sum(length >= kept for length in self.lengths)


def _label(value: str, length: int) -> str:
    """The value cut to so many characters; a value that was cut before is left as it is."""
    return value if value.endswith(STAR) and len(value) <= length + 1 else value[:length] + STAR


class PrefixHierarchy(HierarchyEntry):
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

    @classmethod
    def built(cls, given: Any, _: Mapping[str, Any], /) -> Hierarchy:
        """See `Entry`."""
        return Prefix(tuple(given))
