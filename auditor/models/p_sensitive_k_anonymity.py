"""p-sensitive k-anonymity: classes are not too small and hold at least p distinct sensitive values."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.classes import ClassTable, IntArray
from auditor.direction import Stricter
from auditor.models._base import MERGES_AND_SUPPRESSES, SensitiveModel
from auditor.models._cells import cells_of
from auditor.result import Kind
from auditor.spec import Spec


class PSensitiveKAnonymity(SensitiveModel):
    """Every class has at least p distinct values of the sensitive attribute, and at least k members.

    The number of a class E is how many distinct sensitive values its records have: an integer ≥ 1, larger is safer;
    1 means that the group's value is known. A class satisfies the model when that number ≥ p and |E| ≥ k.

    Merging only adds members and values, so the model is monotone, with suppression too.
    """

    model: Literal["p-sensitive-k-anonymity"] = "p-sensitive-k-anonymity"
    p: Annotated[int, Stricter.HIGHER, Spec(Kind.COUNT, people=False)] = Field(
        ge=1, description="The least number of distinct sensitive values."
    )
    k: Annotated[int, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        ge=1, description="The least size of an equivalence class."
    )

    FINDING = "Some classes hold too few distinct sensitive values, or are too small."
    SOURCE = "T. M. Truta, B. Vinay, Privacy protection: p-sensitive k-anonymity property, ICDE Workshops 2006"
    EXAMPLE = "{model: p-sensitive-k-anonymity, p: 2, k: 5}"
    bound_field = "p"
    size_field = "k"
    monotone = MERGES_AND_SUPPRESSES

    @property
    def least_size(self) -> int:
        """P distinct values take p records."""
        return max(self.p, self.k)

    @property
    def least_distinct(self) -> int:
        """P, by definition."""
        return self.p

    @property
    def suffices(self) -> tuple[int, int]:
        """K members and p values, by definition."""
        return self.k, self.p

    def measure(self, classes: ClassTable) -> IntArray:
        """int64[n]: the number of distinct sensitive values of each class."""
        return cells_of(classes).lengths
