"""Mask: characters masked from one side, ``12345``, ``1234*``, …, ``*****``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from auditor.block import Block
from auditor.direction import Stricter
from auditor.errors import DataError, HierarchyError
from auditor.hierarchies._base import MAX_HEIGHT, STAR, TOP, Hierarchy
from auditor.hierarchies._entry import HierarchyEntry
from auditor.hierarchies._generated import Generated


@dataclass(frozen=True)
class Characters(Generated):
    """Level i masks i characters, until the longest value is masked whole.

    Shorter values are padded to the longest with the mask character, on the masked side, so that a label does not
    say how short its value is: among postcodes of five digits, ``123`` becomes ``123**`` on level 1 already.
    """

    side: Literal["left", "right"] = "right"
    character: str = "*"

    def __post_init__(self) -> None:
        if self.side not in {"left", "right"}:
            raise HierarchyError(f"mask from side {self.side!r}", "side: left or side: right")
        if len(self.character) != 1:
            raise HierarchyError(f"the mask character {self.character!r} is not one character", 'as in character: "*"')

    def rungs(self, values: Sequence[str], column: str) -> list[list[str]]:
        """See `Generated`."""
        longest = max(map(len, values), default=0)
        if longest > MAX_HEIGHT:
            raise DataError(
                f"column {column!r}: its longest value has {longest} characters; a mask has a level for each, and "
                f"{MAX_HEIGHT} are supported: is it free text?"
            )
        return [[self._label(value, longest, level) for value in values] for level in range(1, longest + 1)]

    def _label(self, value: str, longest: int, level: int) -> str:
        shown = longest - level
        if self.side == "right":
            return value[:shown].ljust(longest, self.character)
        return value.rjust(longest, self.character)[level:].rjust(longest, self.character)

    def specimen(self, height: int) -> str:
        """See `Hierarchy`. Letters to be masked, as long as the longest value."""
        return ("0" if self.character == "X" else "X") * height

    def level_of(self, label: str) -> int | None:
        """See `Hierarchy`. A label shows its level: the characters masked on its side."""
        rest = label.rstrip(self.character) if self.side == "right" else label.lstrip(self.character)
        if label and (not rest or label == STAR):
            return TOP
        return len(label) - len(rest)


class Mask(Block):
    """Characters masked one by one; values are padded on the masked side to the longest."""

    side: Annotated[Literal["left", "right"], Stricter.REVIEW] = Field("right", description="Where masking begins.")
    character: Annotated[str, Stricter.REVIEW] = Field(
        "*", min_length=1, max_length=1, description="The character that replaces a masked one."
    )


class MaskHierarchy(HierarchyEntry):
    """Generalize codes by masking one character more on each level."""

    mask: Annotated[Mask, Stricter.REVIEW] = Field(description="Which side, and with what.")

    @classmethod
    def built(cls, given: Any, _: Mapping[str, Any], /) -> Hierarchy:
        """See `Entry`."""
        return Characters(**{key: value for key, value in (given or {}).items() if value is not None})
