"""Maximum individual risk: no record of a sample is too likely to be re-identified in the population."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.microdata import Microdata
from auditor.models._hooks.sample import SampleRequirement, Weights
from auditor.result import Kind
from auditor.spec import Portion, Spec


class MaxIndividualRisk(SampleRequirement):
    """The individual risk of every record of the release is at most `max`.

    The risk that a record of a sample is re-identified by its quasi-identifiers: of the persons of the population that
    share them, whose number is estimated by the sampling weights of the records that do, one over it in the mean
    (Franconi and Polettini). Without `weights` the table is the population, and the risk is one over the size of the
    class. A missing value agrees with every value. In (0, 1], smaller is safer.
    """

    model: Literal["max-individual-risk"] = "max-individual-risk"
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.OF_CLASS, people=True)] = Field(
        gt=0, le=1, description="The largest risk of any record."
    )
    weights: Weights = None

    FINDING = "A record of the sample can be found in the population with more certainty than the policy allows."
    SOURCE = "L. Franconi, S. Polettini, Individual risk estimation in μ-Argus, PSD 2004"
    EXAMPLE = "{model: max-individual-risk, max: 0.1, weights: weight}"
    bound_field = "max"

    def measure(self, original: Microdata, released: Microdata) -> float:  # noqa: ARG002
        """The largest risk of any record."""
        from auditor.risk import individual_risks

        return float(individual_risks(self.keys(released), self.weights_of(released)).risks.max())
