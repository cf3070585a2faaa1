"""k-anonymity: every class has at least k members."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.classes import ClassTable, IntArray
from auditor.direction import Stricter
from auditor.models._base import MERGES_AND_SUPPRESSES, ClassModel
from auditor.result import Kind
from auditor.spec import Spec


class KAnonymity(ClassModel):
    """Every record is indistinguishable from at least k − 1 others on the quasi-identifiers.

    The number of a class E is its size |E| (distinct units, or rows where the policy names no unit): an integer ≥ 1,
    larger is safer. A class satisfies the model when |E| ≥ k. The attacker knows the quasi-identifiers of one person
    and singles out a group no smaller than k.

    Merging classes only makes them larger, so the model is monotone, with suppression too.
    """

    model: Literal["k-anonymity"] = "k-anonymity"
    k: Annotated[int, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        ge=1, description="The least size of an equivalence class."
    )

    FINDING = "Some classes have fewer members than the policy demands."
    SOURCE = (
        "P. Samarati, Protecting respondents' identities in microdata release, IEEE TKDE 13(6), 2001; "
        "L. Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002"
    )
    EXAMPLE = "{model: k-anonymity, k: 11}"
    bound_field = "k"
    monotone = MERGES_AND_SUPPRESSES
    size_decides = True

    @property
    def least_size(self) -> int:
        """K itself."""
        return self.k

    def measure(self, classes: ClassTable) -> IntArray:
        """int64[n]: |E| of each class."""
        return classes.sizes
