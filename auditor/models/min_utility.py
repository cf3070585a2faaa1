"""Minimum utility: the statistics of a release are not too far from those of the table that it was made from."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.microdata import Microdata
from auditor.models._hooks.records import RecordRequirement
from auditor.result import Kind
from auditor.spec import Spec


class MinUtility(RecordRequirement):
    """The release keeps at least `min` of its information: 100 − aPIL, in percent.

    aPIL is the average probabilistic information loss of means, variances, covariances, correlations and quantiles. In
    [0, 100], larger is better. It protects nobody: it is there to refuse a release that nobody can use.
    """

    model: Literal["min-utility"] = "min-utility"
    min: Annotated[float, Stricter.HIGHER, Spec(Kind.LOSS, people=False)] = Field(
        ge=0, le=100, description="The least information kept, in percent."
    )

    FINDING = "The release keeps less of its information than the policy demands."
    SOURCE = "J. M. Mateo-Sanz, J. Domingo-Ferrer, F. Sebé, Probabilistic information loss measures, DMKD 11(2), 2005"
    EXAMPLE = "{model: min-utility, min: 60, attributes: [income, tax]}"
    comparison = ">="
    bound_field = "min"
    follows_records = False

    def measure(self, original: Microdata, released: Microdata) -> float:
        """100 − aPIL."""
        from auditor.utility import probabilistic_loss

        names = released.names
        return 100.0 - float(probabilistic_loss(original.numbers(names), released.numbers(names)).average)
