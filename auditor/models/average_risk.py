"""Average risk: the mean re-identification risk over all records."""

from fractions import Fraction
from math import ceil
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from auditor.classes import ClassTable, distinct
from auditor.direction import Stricter
from auditor.models._base import TableModel
from auditor.result import Kind
from auditor.spec import Portion, Spec


class AverageRisk(TableModel):
    """The mean over the records of 1/|E| is at most `max`.

    Also called marketer risk: the share of records that an attacker who links the whole table gets right on average.
    In (0, 1], smaller is safer. Where classes are disjoint and rows are counted it is the number of classes over N. It
    is a ratio of integers, compared as one.

    Merging lowers it; suppression can raise it, so it is not monotone with suppression.
    """

    model: Literal["average-risk"] = "average-risk"
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.SHARE, people=False)] = Field(
        gt=0, le=1, description="The highest mean of 1/|E| over the records."
    )

    FINDING = "The average risk over all records is too high."
    SOURCE = "K. El Emam, Guide to the De-Identification of Personal Health Information, CRC Press, 2013"
    EXAMPLE = "{model: average-risk, max: 0.05}"
    bound_field = "max"

    @property
    def suffices(self) -> tuple[int, int]:
        """A mean of 1/|E| is at most the largest, which is at most `max` in classes of ⌈1/max⌉."""
        return ceil(1 / Fraction(repr(self.max))), 1

    def numerator(self, classes: ClassTable) -> Fraction:
        """Σ over records of 1/|E|: the number of classes, where records are what a class's size counts."""
        whole, rest = np.divmod(classes.rows, classes.sizes)
        sizes, where = distinct(classes.sizes[rest > 0])
        rests = np.bincount(where, weights=rest[rest > 0]).astype(np.int64)
        return sum(map(Fraction, rests.tolist(), sizes.tolist()), Fraction(int(whole.sum())))
