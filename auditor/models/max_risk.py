"""Maximum re-identification risk: no class gives a record a risk above the bound."""

from fractions import Fraction
from math import ceil
from typing import Annotated, Literal

from pydantic import Field

from auditor.classes import ClassTable, FloatArray
from auditor.direction import Stricter
from auditor.models._base import MERGES_AND_SUPPRESSES, ClassModel
from auditor.result import Kind
from auditor.spec import Portion, Spec


class MaxRisk(ClassModel):
    """No record is re-identified with a probability above `max` by an attacker who knows it is in the table.

    The number of a class E is the prosecutor risk of its records, 1/|E|: in (0, 1], smaller is safer; 1 means a
    unique record. A class satisfies the model when 1/|E| ≤ max, decided on integers. A bound of 0.09 needs classes
    of 12 (1/11 = 0.0909… is above it).

    Merging classes only makes them larger, so the model is monotone, with suppression too.
    """

    model: Literal["max-risk"] = "max-risk"
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.RISK, people=True)] = Field(
        gt=0, le=1, description="The highest prosecutor risk, 1/|E|."
    )

    FINDING = "Some records can be re-identified with a higher probability than the policy allows."
    SOURCE = "K. El Emam, Guide to the De-Identification of Personal Health Information, CRC Press, 2013"
    EXAMPLE = "{model: max-risk, max: 0.09}"
    comparison = "<="
    bound_field = "max"
    counts_over_counts = True
    monotone = MERGES_AND_SUPPRESSES
    size_decides = True

    @property
    def least_size(self) -> int:
        """⌈1/max⌉, in exact decimal arithmetic."""
        return ceil(1 / Fraction(repr(self.max)))

    def measure(self, classes: ClassTable) -> FloatArray:
        """float64[n]: 1/|E| of each class."""
        risks: FloatArray = 1.0 / classes.sizes
        return risks

    def exact(self, classes: ClassTable, index: int) -> Fraction:
        """1/|E| as a ratio."""
        return Fraction(1, int(classes.sizes[index]))
