"""Minimum level: a column is released at least as coarse as a level of its own hierarchy."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.models._base import ColumnRequirement


class MinimumLevel(ColumnRequirement):
    """Every value of a column is at `level` of the column's hierarchy, or above.

    Level 0 is the value as collected, the last level usually ``*``. The achieved number is how many records hold a
    value of a finer level, or one that is on no level at all; 0 satisfies.
    """

    model: Literal["minimum-level"] = "minimum-level"
    level: Annotated[int, Stricter.HIGHER] = Field(ge=1, description="The finest level that may be released.")

    FINDING = "Some records hold a value that is finer than the policy allows."
    SOURCE = "P. Samarati, Protecting respondents' identities in microdata release, IEEE TKDE 13(6), 2001"
    EXAMPLE = "{model: minimum-level, attribute: zip, level: 2}"

    @property
    def least_level(self) -> int:
        """`level`."""
        return self.level
