"""Maximum individual risk: no record of a sample is too likely to be re-identified in the population."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.microdata import Microdata, as_categories
from auditor.models._records import RecordRequirement
from auditor.result import Kind
from auditor.spec import Portion, Spec


class MaxIndividualRisk(RecordRequirement):
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
    weights: Annotated[str | None, Stricter.REVIEW] = Field(
        None, description="The column of sampling weights: how many persons of the population a record stands for."
    )

    FINDING = "A record of the sample can be found in the population with more certainty than the policy allows."
    SOURCE = "L. Franconi, S. Polettini, Individual risk estimation in μ-Argus, PSD 2004"
    EXAMPLE = "{model: max-individual-risk, max: 0.1, weights: weight}"
    bound_field = "max"
    follows_records = False
    needs_original = False

    @property
    def besides(self) -> tuple[str, ...]:
        """The column of weights."""
        return () if self.weights is None else (self.weights,)

    def measure(self, original: Microdata, released: Microdata) -> float:  # noqa: ARG002
        """The largest risk of any record."""
        from auditor.risk import individual_risks

        weights = None if self.weights is None else released.numeric(self.weights).values
        keys = Microdata(tuple(as_categories(each) for each in released.variables if each.name != self.weights))
        if not keys.variables:
            raise DataError("no column of the data is a quasi-identifier")
        return float(individual_risks(keys, weights).risks.max())
