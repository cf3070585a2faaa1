"""Maximum SUDA2 score: no record of a sample is unique by so few of its keys that a match with it is credible."""

from typing import Annotated, Literal

from pydantic import Field

from auditor.direction import Stricter
from auditor.errors import DataError, UsageError
from auditor.microdata import Microdata
from auditor.models._hooks.sample import Fraction, SampleRequirement
from auditor.result import Kind
from auditor.spec import Portion, Spec


class MaxSuda2(SampleRequirement):
    """The DIS-SUDA score of every record is at most `max`.

    The probability that a match with a record that is alone in the sample is correct, spread over these records by
    their SUDA2 scores: a record that is alone by few of its keys, and by many sets of them, has a high one. 0 for a
    record that is not alone, 1 for all others where no two records make a class of two. In [0, 1], smaller is safer.
    """

    model: Literal["max-suda2"] = "max-suda2"
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        ge=0, le=1, description="The largest DIS-SUDA score of any record."
    )
    fraction: Fraction = None
    keys_at_most: Annotated[int | None, Stricter.REVIEW] = Field(
        None, ge=1, description="The largest number of keys of a minimal unique that is looked for; all if not given."
    )

    FINDING = "A record of the sample is alone by few of its values, so that a match with it is credible."
    SOURCE = (
        "M. Elliot, A. Manning, K. Mayes, J. Gurd, M. Bane, SUDA: a program for detecting special uniques, UNECE work "
        "session on statistical data confidentiality, 2005"
    )
    EXAMPLE = "{model: max-suda2, max: 0.1, fraction: 0.01}"
    bound_field = "max"
    wildcards = False
    grows = False

    @property
    def needs(self) -> tuple[str, ...]:
        """The fraction."""
        return ("fraction",)

    def measure(self, original: Microdata, released: Microdata) -> float:  # noqa: ARG002
        """The largest score of any record."""
        from auditor.risk import special_uniques

        keys = self.keys(released)
        most = None if self.keys_at_most is None else min(self.keys_at_most, len(keys.variables))
        try:
            found = special_uniques(keys, max_size=most, fraction=float(self.fraction or 1))
        except UsageError as error:
            raise DataError(str(error)) from None
        return float(found.dis.max())
