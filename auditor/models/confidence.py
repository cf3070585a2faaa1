"""Confidence: how sure an attacker can be of a person's sensitive value."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.models._cells import ShareModel
from auditor.result import Kind
from auditor.spec import Portion, Spec


class Confidence(ShareModel):
    """No sensitive value holds more than a share `max` of a class.

    The number of a class E is max p_i over the values named in `values` (all, by default), p_i = count of value i
    over |E|: in [0, 1], smaller is safer; 1 means that everybody in the class has the value. A class satisfies the
    model when max p_i ≤ max, decided on integers. It is the C of LKC-privacy: whoever knows what tells the class infers
    the value with that confidence. `alpha-k-anonymity` bounds it together with the size of the class.

    p of a union is a convex combination, so merging keeps the model; suppression is not monotone with it, because a
    violating class merged with a satisfying one can violate as a whole.
    """

    model: Literal["confidence"] = "confidence"
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        gt=0, le=1, description="The largest share of one value."
    )
    values: Annotated[tuple[str, ...] | None, Stricter.SUPERSET] = Field(
        None, min_length=1, description="The sensitive values that are limited; all by default."
    )

    FINDING = "A sensitive value can be inferred with more confidence than the policy allows."
    SOURCE = (
        "N. Mohammed, B. C. M. Fung, P. C. K. Hung, C. Lee, Centralized and distributed anonymization for "
        "high-dimensional healthcare data, ACM TKDD 4(4):18, 2010"
    )
    EXAMPLE = "{model: confidence, max: 0.5}"
    bound_field = "max"

    @property
    def listed(self) -> tuple[str, ...] | None:
        """`values`."""
        return self.values
