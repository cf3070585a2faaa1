"""Maximum interval disclosure: not too many original values lie close to the released one."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.microdata import Microdata
from auditor.models._hooks.records import FollowingRequirement
from auditor.result import Kind
from auditor.spec import Portion, Spec


class MaxIntervalDisclosure(FollowingRequirement):
    """The share of original values that lie in the rank interval around the released one is at most `max`.

    The interval reaches `width` of the records up and down in rank; the share is over all records, then averaged over
    the attributes. In [0, 1], smaller is safer.
    """

    model: Literal["max-interval-disclosure"] = "max-interval-disclosure"
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.SHARE, people=False)] = Field(
        ge=0, le=1, description="The largest share of values disclosed."
    )
    width: Annotated[float, Stricter.HIGHER] = Field(
        0.1, gt=0, le=1, description="How far the interval reaches, as a share of the records."
    )

    FINDING = "More original values lie near the released ones than the policy allows."
    SOURCE = "J. Domingo-Ferrer, V. Torra, A quantitative comparison of disclosure control methods for microdata, 2001"
    EXAMPLE = "{model: max-interval-disclosure, max: 0.3, width: 0.1, attributes: [income], match: record}"
    bound_field = "max"
    companion = "max-linkage-risk"

    def measure(self, original: Microdata, released: Microdata) -> float:
        """The share of values inside."""
        from auditor.risk import interval_disclosure

        names = released.names
        found = interval_disclosure(original.numbers(names), released.numbers(names), widths=(100 * self.width,))
        return found.percent / 100
