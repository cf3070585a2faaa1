"""Population uniqueness: the estimated share of the population that is alone by its quasi-identifiers."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from auditor.classes import IntArray
from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.microdata import Microdata, as_categories
from auditor.models._hooks.sample import Fraction, SampleRequirement
from auditor.result import Kind
from auditor.spec import Portion, Spec


class PopulationUniqueness(SampleRequirement):
    """The estimated share of the population that is alone by the quasi-identifiers is at most `max`.

    Estimated from the sizes of the sample's classes by a model of superpopulations: Pitman's, Zayatz's, or the slide
    negative binomial one; ``dankar`` takes Pitman's where at most a tenth of the population is sampled, else the
    smaller of the two others. In [0, 1], smaller is safer. An estimate is no bound: it says what is likely under its
    model.
    """

    model: Literal["population-uniqueness"] = "population-uniqueness"
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        ge=0, le=1, description="The largest share of the population that is estimated to be alone."
    )
    estimator: Annotated[Literal["dankar", "pitman", "zayatz", "snb"], Stricter.REVIEW] = Field(
        "dankar", description="The model of the superpopulation; dankar chooses one by the sampling fraction."
    )
    fraction: Fraction = None

    FINDING = "More people are estimated to be alone in the population than the policy allows."
    SOURCE = (
        "F. K. Dankar, K. El Emam, A. Neisa, T. Roffey, Estimating the re-identification risk of clinical data sets, "
        "BMC Medical Informatics and Decision Making 12:66, 2012"
    )
    EXAMPLE = "{model: population-uniqueness, max: 0.01, fraction: 0.02}"
    bound_field = "max"
    wildcards = False
    grows = False

    @property
    def needs(self) -> tuple[str, ...]:
        """The fraction."""
        return ("fraction",)

    by_sizes = True

    def measure(self, original: Microdata, released: Microdata) -> float:  # noqa: ARG002
        """The estimated share."""
        rows = np.stack([as_categories(each).codes for each in self.keys(released).variables], axis=1)
        return self.of_sizes(np.unique(rows, axis=0, return_counts=True)[1])

    def of_sizes(self, sizes: IntArray) -> float:
        """See `SampleRequirement`."""
        from auditor.risk import unique_share

        found = unique_share(sizes, sampling_fraction=float(self.fraction or 1), estimator=self.estimator)
        if isinstance(found, str):
            raise DataError(f"estimator: {self.estimator} has no estimate for this data: {found}")
        return found
