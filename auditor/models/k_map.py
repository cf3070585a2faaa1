"""k-map: every class has the values of at least k persons of the population."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.classes import ClassTable, IntArray
from auditor.direction import Stricter
from auditor.models._base import MERGES_AND_SUPPRESSES
from auditor.models._hooks.population import PopulationModel, people_of
from auditor.result import Kind
from auditor.spec import Spec


class KMap(PopulationModel):
    """Every released record may be any of at least k persons of the population.

    The number of a class E is how many persons of the population have its values, generalized as the release is: an
    integer, larger is safer. A class satisfies the model when that number ≥ k. The attacker knows the quasi-identifiers
    of everybody in the population, and not who of them is in the data.

    Merging classes only makes more persons fit, so the model is monotone, with suppression too: a class merged with one
    that satisfies it satisfies it.
    """

    model: Literal["k-map"] = "k-map"
    k: Annotated[int, Stricter.HIGHER, Spec(Kind.OF_CLASS, people=False)] = Field(
        ge=1, description="The least number of persons of the population who have the values of a class."
    )

    FINDING = "Some classes have the values of fewer persons of the population than the policy demands."
    SOURCE = (
        "L. Sweeney, Computational disclosure control: a primer on data privacy protection, PhD thesis, "
        "Massachusetts Institute of Technology, 2001"
    )
    EXAMPLE = "{model: k-map, k: 5}"
    bound_field = "k"
    monotone = MERGES_AND_SUPPRESSES

    def measure(self, classes: ClassTable) -> IntArray:
        """int64[n]: the persons of the population who have the values of each class."""
        return people_of(classes)
