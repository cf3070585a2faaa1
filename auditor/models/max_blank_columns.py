"""Maximum of blank columns: a release keeps something of its columns."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.microdata import Microdata, as_categories
from auditor.models._hooks.records import RecordRequirement
from auditor.result import Kind
from auditor.spec import Spec


class MaxBlankColumns(RecordRequirement):
    """At most `max` columns hold the same value in every record.

    The number counts the columns of `attributes`, by default the quasi-identifiers, that have one distinct value; a
    missing value is a value. It is a whole number from 0 to the number of columns; smaller is better. It protects
    nobody: a release in which every age is ``*`` meets other requirements easily, and nobody can use its ages.
    """

    model: Literal["max-blank-columns"] = "max-blank-columns"
    max: Annotated[int, Stricter.LOWER, Spec(Kind.LOSS, people=False)] = Field(
        ge=0, description="How many columns may hold the same value in every record."
    )

    FINDING = "More columns hold the same value in every record than the policy allows."
    SOURCE = "V. S. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002 (a column of one value loses 1)"
    EXAMPLE = "{model: max-blank-columns, max: 0}"
    bound_field = "max"
    follows_records = False
    needs_original = False

    def measure(self, original: Microdata, released: Microdata) -> float:  # noqa: ARG002
        """How many columns hold the same value in every record."""
        if not released.variables:
            raise DataError("no column of the data is a quasi-identifier")
        categories = (as_categories(variable) for variable in released.variables)
        return self.from_distinct([len(set(each.codes.tolist())) for each in categories])

    def from_distinct(self, distinct: Sequence[int]) -> float:
        """See `RecordRequirement`."""
        return float(sum(values == 1 for values in distinct))

    def varied(self, columns: Sequence[str]) -> Sequence[str]:
        """See `RecordRequirement`. All of them, where none may be blank."""
        return () if self.max else columns
