"""What blocks of a policy are made of: shares, counts, and words that stand for a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from auditor.block import Block, FileReference
from auditor.direction import Stricter
from auditor.spec import Percent, Share

__all__ = ["Block", "Count", "FileReference", "Percent", "Placeholder", "Share", "Stricter"]


@dataclass(frozen=True)
class Placeholder:
    """In ``Annotated``: a word that stands where somebody has still to decide, and what the decision is between."""

    word: str
    decision: str


Count = Annotated[int, Field(ge=0)]
"""A number of records, from 0."""
