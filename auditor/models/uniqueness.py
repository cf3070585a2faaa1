"""Uniqueness: the share of records that are alone in their class."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from auditor.classes import BoolArray, ClassTable
from auditor.direction import Stricter
from auditor.models._base import TableModel
from auditor.models._knowledge import Knowledge, Knows
from auditor.result import Kind
from auditor.spec import Portion, Spec


class Uniqueness(TableModel):
    """The share of records with |E| = 1 is at most `max`.

    In [0, 1], smaller is safer; the comparison is exact. Merging lowers it; suppression can raise it, so it is not
    monotone with suppression. Under bounded knowledge it is the share of persons with some pattern that nobody else
    has.
    """

    model: Literal["uniqueness"] = "uniqueness"
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.SHARE, people=False)] = Field(
        ge=0, le=1, description="The largest share of unique records."
    )
    knows: Knows = None

    FINDING = "Too many records are alone in their class."
    SOURCE = "K. El Emam, Guide to the De-Identification of Personal Health Information, CRC Press, 2013"
    EXAMPLE = "{model: uniqueness, max: 0}"
    bound_field = "max"

    @property
    def attacker(self) -> Knowledge | None:
        """`knows`."""
        return self.knows

    @property
    def suffices(self) -> tuple[int, int]:
        """In classes of two nobody is alone."""
        return 2, 1

    @property
    def edge(self) -> int | None:
        """Who is alone is in a class below two, or in a pattern."""
        return 2 if self.knows is None else None

    def exposes(self, patterns: ClassTable) -> BoolArray:
        """bool[n]: patterns of one."""
        return np.asarray(patterns.sizes == 1)

    def numerator(self, classes: ClassTable) -> int:
        """The number of records in classes of size 1."""
        return int(classes.rows[classes.sizes == 1].sum())
