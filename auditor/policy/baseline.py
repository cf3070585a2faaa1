"""Known failures: what already failed when a policy was adopted, with the number that the data had.

A known failure is excused while it is no worse than it was recorded, until a day. Nobody has to approve it, so it
cannot excuse a requirement that is marked ``hard``, nor identifiers and undeclared columns.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import Field, model_validator

from auditor.policy.base import Block, Stricter


class KnownFailure(Block):
    """A requirement that failed at adoption; it may not get worse."""

    id: Annotated[str | None, Stricter.NEUTRAL] = Field(
        None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name of the entry; defaults to the requirement's."
    )
    requirement: Annotated[str, Stricter.REVIEW] = Field(min_length=1, description="The id of what failed.")
    achieved: Annotated[dict[str, int | float], Stricter.REVIEW] = Field(
        {}, description="What the data achieved, by the parameter that bounds it."
    )
    records: Annotated[int | None, Stricter.LOWER] = Field(None, ge=0, description="How many records violated it.")
    expires: Annotated[date, Stricter.LOWER] = Field(description="The last day it is excused, as 2027-03-31.")

    @model_validator(mode="after")
    def _records_something(self) -> KnownFailure:
        if not self.achieved and self.records is None:
            raise ValueError("a known failure without its measure; say achieved, or records")
        return self
