"""(α, k)-anonymity: no sensitive value is too frequent in a class, and classes are not too small."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.models._cells import ShareModel
from auditor.result import Kind
from auditor.spec import Portion, Spec


class AlphaKAnonymity(ShareModel):
    """No sensitive value holds more than a share α of a class, and every class has at least k members.

    The number of a class E is max p_i over the values named in `values` (all, by default), p_i = count of value i
    over |E|: in [0, 1], smaller is safer; 1 means that everybody in the class has the value. A class satisfies the
    model when max p_i ≤ alpha, decided on integers, and |E| ≥ k. The achieved number is the share.

    p of a union is a convex combination, so merging keeps the model; suppression is not monotone with it, because a
    violating class merged with a satisfying one can violate as a whole.
    """

    model: Literal["alpha-k-anonymity"] = "alpha-k-anonymity"
    alpha: Annotated[Portion, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        gt=0, le=1, description="The largest share of one value."
    )
    k: Annotated[int, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        ge=1, description="The least size of an equivalence class."
    )
    values: Annotated[tuple[str, ...] | None, Stricter.SUPERSET] = Field(
        None, min_length=1, description="The sensitive values that are limited; all by default."
    )

    FINDING = "In some classes one sensitive value is too frequent, or the class is too small."
    SOURCE = (
        "R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang, (α, k)-anonymity: an enhanced k-anonymity model for "
        "privacy-preserving data publishing, KDD 2006"
    )
    EXAMPLE = "{model: alpha-k-anonymity, alpha: 0.5, k: 5, values: [HIV]}"
    bound_field = "alpha"
    size_field = "k"

    @property
    def listed(self) -> tuple[str, ...] | None:
        """`values`."""
        return self.values
