"""Maximum linkage risk: not too many records are found by an attacker who knows some of their original values."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.microdata import Microdata
from auditor.models._hooks.records import FollowingRequirement
from auditor.result import Kind
from auditor.spec import Portion, Spec

NEAR = 1.0
"""Percent of the records: original values within so many ranks of the released one are as good as released."""
MOST_NEAR = 50.0
"""From this share of values on, in percent, a report warns of them."""


class MaxLinkageRisk(FollowingRequirement):
    """The share of records that distance-based record linkage finds is at most `max`.

    The attacker knows the original values of `attributes`, all of them, and links each record to the nearest of the
    release; where several are equally near and the right one is among them, it counts as one divided by their number.
    In [0, 1], smaller is safer.
    """

    model: Literal["max-linkage-risk"] = "max-linkage-risk"
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.SHARE, people=False)] = Field(
        ge=0, le=1, description="The largest share of records linked."
    )
    distance: Annotated[
        Literal["euclidean", "mahalanobis", "polynomial-kernel", "gaussian-kernel"], Stricter.REVIEW
    ] = Field("euclidean", description="How the attacker measures nearness; on standardised values.")

    FINDING = "An attacker who knows the original values finds more records than the policy allows."
    SOURCE = "J. Domingo-Ferrer, V. Torra, A quantitative comparison of disclosure control methods for microdata, 2001"
    EXAMPLE = "{model: max-linkage-risk, max: 0.05, attributes: [income, tax], match: record}"
    bound_field = "max"
    companion = "max-interval-disclosure"

    def measure(self, original: Microdata, released: Microdata) -> float:
        """The share of records linked."""
        from auditor.risk import distance_linkage

        names = released.names
        return float(distance_linkage(original.numbers(names), released.numbers(names), self.distance).rate)

    def measure_as_released(self, original: Microdata, released: Microdata) -> float:
        """The share of records linked by values as they stand, those of one column or all in the original's units.

        Neither noise in another column nor values far away hide a value that stands as it stood.
        """
        from auditor.risk import distance_linkage
        from auditor.risk.single_values import given_away

        names = released.names
        both = original.numbers(names), released.numbers(names)
        linked = float(distance_linkage(*both, self.distance, as_released=True).rate)
        return max(linked, float(given_away(*both).mean()))

    def unseen(self, original: Microdata, released: Microdata) -> Iterator[str]:
        """Values that were exchanged with a neighbour's: no record is linked to its own, and every value is known."""
        from auditor.risk import interval_disclosure

        names = released.names
        numbers = original.numbers(names)
        width = min(max(NEAR, 100.1 / max(len(numbers), 1)), 100.0)  # a neighbour is at least within it
        found = interval_disclosure(numbers, released.numbers(names), widths=(width,))
        if found.percent >= MOST_NEAR:
            yield (
                "Linkage finds few records, but most original values lie within 1 % of the ranks, or one rank, of the "
                "released ones: require max-interval-disclosure as well."
            )
