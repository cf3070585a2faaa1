"""Expected re-identifications: the share of a sample's records that an attacker gets right."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.microdata import Microdata
from auditor.models._hooks.sample import SampleRequirement, Weights
from auditor.result import Kind
from auditor.spec import Portion, Spec


class ExpectedReidentifications(SampleRequirement):
    """The mean over the records of the probability that a record is re-identified is at most `max`.

    With f records of the sample that agree with a record, and F̂ the sum of their weights, the probability is, by what
    the attacker knows:

    - ``prosecutor``, who knows that a person is in the sample: 1/f;
    - ``journalist``, who does not, and looks for one person: the mean of 1/F given f (`max-individual-risk`);
    - ``marketer``, who links all records with a register of the population: 1/F̂.

    In (0, 1], smaller is safer. Times the number of records it is the expected number of re-identifications. A missing
    value agrees with every value.
    """

    model: Literal["expected-reidentifications"] = "expected-reidentifications"
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        gt=0, le=1, description="The largest share of records that are expected to be re-identified."
    )
    attacker: Annotated[Literal["prosecutor", "journalist", "marketer"], Stricter.REVIEW] = Field(
        "journalist", description="What the attacker knows: prosecutor, that a person is in the sample."
    )
    weights: Weights = None

    FINDING = "More records of the sample are expected to be re-identified than the policy allows."
    SOURCE = (
        "L. Franconi, S. Polettini, Individual risk estimation in μ-Argus, PSD 2004; K. El Emam, Guide to the "
        "De-Identification of Personal Health Information, CRC Press, 2013"
    )
    EXAMPLE = "{model: expected-reidentifications, max: 0.005, weights: weight}"
    bound_field = "max"

    @property
    def needs(self) -> tuple[str, ...]:
        """The weights, but of an attacker who knows the sample alone."""
        return () if self.attacker == "prosecutor" else ("weights",)

    def measure(self, original: Microdata, released: Microdata) -> float:  # noqa: ARG002
        """The mean of the records' probabilities."""
        from auditor.risk import individual_risks

        found = individual_risks(self.keys(released), self.weights_of(released))
        of_record = {
            "prosecutor": 1 / found.frequencies,
            "journalist": found.risks,
            "marketer": 1 / found.population,
        }
        return float(of_record[self.attacker].mean())
