"""Maximum household risk: no household of a sample is too likely to have a member who is re-identified."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.microdata import Microdata, as_categories
from auditor.models._hooks.sample import Households, SampleRequirement, Weights
from auditor.result import Kind
from auditor.spec import Portion, Spec


class MaxHouseholdRisk(SampleRequirement):
    """The probability that some member of a household is re-identified is at most `max` for every household.

    With r the individual risk of a member (`max-individual-risk`), it is 1 − Π(1 − r) over the members: who finds one
    member has found the others. A record without a household is one of its own. In (0, 1], smaller is safer; never
    below the largest individual risk.
    """

    model: Literal["max-household-risk"] = "max-household-risk"
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        gt=0, le=1, description="The largest risk of any household."
    )
    weights: Weights = None
    households: Households = None

    FINDING = "A household of the sample can be found in the population with more certainty than the policy allows."
    SOURCE = "L. Franconi, S. Polettini, Individual risk estimation in μ-Argus, PSD 2004; sdcMicro, measure_risk"
    EXAMPLE = "{model: max-household-risk, max: 0.1, weights: weight, households: household}"
    bound_field = "max"

    @property
    def needs(self) -> tuple[str, ...]:
        """The households."""
        return ("households",)

    def measure(self, original: Microdata, released: Microdata) -> float:  # noqa: ARG002
        """The largest risk of any household."""
        from auditor.risk import individual_risks

        households = as_categories(released[str(self.households)]).codes
        found = individual_risks(self.keys(released), self.weights_of(released), households).household_risks
        return 0.0 if found is None else float(found.max())
