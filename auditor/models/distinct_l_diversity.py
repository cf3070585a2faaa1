"""Distinct ℓ-diversity: every class holds at least ℓ distinct sensitive values."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.classes import ClassTable, IntArray
from auditor.direction import Stricter
from auditor.models._base import MERGES_AND_SUPPRESSES, SensitiveModel
from auditor.models._cells import cells_of
from auditor.result import Kind
from auditor.spec import Spec


class DistinctLDiversity(SensitiveModel):
    """Every class has at least ℓ distinct values of the sensitive attribute.

    The number of a class is how many distinct sensitive values its records have: an integer ≥ 1, larger is safer; 1
    means that the group's value is known without knowing which record is whose. A class satisfies the model when that
    number ≥ l.

    Merging only adds values, so the model is monotone, with suppression too. Counting rows it implies |E| ≥ l.
    """

    model: Literal["distinct-l-diversity"] = "distinct-l-diversity"
    l: Annotated[int, Stricter.HIGHER, Spec(Kind.COUNT, people=False)] = Field(  # noqa: E741
        ge=1, description="The least number of distinct sensitive values."
    )

    FINDING = "Some classes hold too few distinct sensitive values."
    SOURCE = (
        "A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam, ℓ-diversity: privacy beyond k-anonymity, "
        "ICDE 2006"
    )
    EXAMPLE = "{model: distinct-l-diversity, l: 3, sensitive: diagnosis}"
    bound_field = "l"
    monotone = MERGES_AND_SUPPRESSES

    @property
    def least_size(self) -> int:
        """ℓ distinct values take ℓ records."""
        return self.l

    @property
    def least_distinct(self) -> int:
        """ℓ, by definition."""
        return self.l

    @property
    def suffices(self) -> tuple[int, int]:
        """ℓ values, of however many members."""
        return 1, self.l

    def measure(self, classes: ClassTable) -> IntArray:
        """int64[n]: the number of distinct sensitive values of each class."""
        return cells_of(classes).lengths
