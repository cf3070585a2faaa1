"""The hook for requirements on a sample: how likely its records are to be found in the population that it is from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from auditor.classes import IntArray
from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.microdata import Microdata, as_categories
from auditor.models._base import TOLERANCE, beyond
from auditor.models._hooks.records import RecordRequirement
from auditor.spec import Portion

Weights: TypeAlias = Annotated[
    str | None,
    Stricter.REVIEW,
    Field(description="The column of sampling weights: how many persons of the population a record stands for."),
]
Households: TypeAlias = Annotated[
    str | None, Stricter.REVIEW, Field(description="The column that names the household of a record.")
]
Fraction: TypeAlias = Annotated[
    Portion | None,
    Stricter.REVIEW,
    Field(gt=0, le=1, description="Which share of the population the sample is, drawn at random."),
]

SAID = {"weights": "COLUMN", "households": "COLUMN", "fraction": "1%"}
"""How each parameter of a sample may be said."""


class SampleRequirement(RecordRequirement):
    """A requirement on the quasi-identifiers of a sample's records, for which no original is needed.

    What the policy declares once under ``sample`` is filled in where a parameter of the same name is not given.
    """

    follows_records = False
    needs_original = False
    of_people = True

    by_sizes: ClassVar[bool] = False
    """Whether the number follows from the sizes of the sample's classes alone, so that a search can look at it."""

    def of_sizes(self, sizes: IntArray) -> float:
        """The number of a sample whose classes have these sizes, where it follows from them.

        Raises:
            DataError: it is not defined for this sample.
        """
        raise NotImplementedError(f"{self.name} does not follow from the sizes of classes")

    def holds_of(self, sizes: IntArray) -> bool:
        """Whether a sample whose classes have these sizes meets the requirement."""
        try:
            return self.met_by(self.of_sizes(sizes))
        except DataError:
            return False

    def met_by(self, number: float) -> bool:
        """Whether a number meets the requirement."""
        return not beyond(np.array([number]), self.bound, self.comparison, TOLERANCE)[0]

    @property
    def needs(self) -> tuple[str, ...]:
        """The parameters of the sample without which the number is not defined."""
        return ()

    @model_validator(mode="after")
    def _says_what_it_needs(self) -> Self:
        for name in self.needs:
            if getattr(self, name) is None:
                raise ValueError(
                    f"needs {name} of the sample, which nothing says; as in sample: {{{name}: {SAID[name]}}}"
                )
        return self

    @property
    def besides(self) -> tuple[str, ...]:
        """The columns of weights and households."""
        named = (getattr(self, "weights", None), getattr(self, "households", None))
        return tuple(name for name in named if name is not None)

    def keys(self, released: Microdata) -> Microdata:
        """The columns looked at, as categories.

        Raises:
            DataError: there are none.
        """
        found = tuple(as_categories(each) for each in released.variables if each.name not in self.besides)
        if not found:
            raise DataError("no column of the data is a quasi-identifier")
        return Microdata(found)

    def unseen(self, original: Microdata, released: Microdata) -> Iterator[str]:  # noqa: ARG002
        """That a missing value is not what the policy says of it, where there is one."""
        if self.wildcards and any(each.missing.any() for each in self.keys(released).variables):
            yield "A missing value agrees with every value, whatever the policy says of missing values."

    def weights_of(self, released: Microdata) -> NDArray[np.float64] | None:
        """float64[n]: the weight of each record; None where the policy names no column of weights."""
        column: str | None = getattr(self, "weights", None)
        return None if column is None else released.numeric(column).values
