"""Accepted, time-limited exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated

from pydantic import Field

from auditor.policy._base import Block, Stricter


class Waiver(Block):
    """One requirement is waived until a date, down to a bound that still holds."""

    id: Annotated[str | None, Stricter.NEUTRAL] = Field(
        None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name of the waiver; defaults to the requirement's."
    )
    requirement: Annotated[str, Stricter.REVIEW] = Field(min_length=1, description="The id of what is waived.")
    at_least: Annotated[dict[str, int | float], Stricter.REVIEW] = Field(
        {}, description="The parameters, as they must hold in the meantime."
    )
    reason: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, description="Why the exception is acceptable.")
    owner: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, description="Who asked for it.")
    approved_by: Annotated[str, Stricter.REVIEW] = Field(min_length=1, description="Who accepted it.")
    ticket: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="Where it is discussed.")
    expires: Annotated[date, Stricter.LOWER] = Field(description="The last day it holds, as 2027-03-31.")


def in_force(waivers: Sequence[Waiver], requirement: str, as_of: date) -> Waiver | None:
    """The waiver of a requirement that has not lapsed; the one that lasts longest, if there are several."""
    held = [w for w in waivers if w.requirement == requirement and w.expires >= as_of]
    return max(held, key=lambda waiver: waiver.expires, default=None)
