"""What blocks of a policy are made of: shares, counts, and words that stand for a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, WithJsonSchema

from auditor.block import Block, FileReference
from auditor.direction import Stricter

__all__ = ["Block", "Count", "FileReference", "Percent", "Placeholder", "Share", "Stricter"]


class Percent:
    """In ``Annotated``: marks a share that may also be written in percent: 2% is 0.02."""


@dataclass(frozen=True)
class Placeholder:
    """In ``Annotated``: a word that stands where somebody has still to decide, and what the decision is between."""

    word: str
    decision: str


Share = Annotated[
    float,
    Percent(),
    Field(ge=0, le=1),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?\s*%$"},
            ]
        }
    ),
]
"""A number from 0 to 1, or a percentage."""

Count = Annotated[int, Field(ge=0)]
"""A number of records, from 0."""
