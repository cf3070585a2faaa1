"""δ-presence: how surely a person of the population is in the release lies between two bounds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from auditor.classes import BoolArray, ClassTable, FloatArray, IntArray
from auditor.direction import Stricter
from auditor.models._base import MERGES, ClassModel, Requirement
from auditor.models._hooks.population import PopulationModel, people_of
from auditor.result import Kind, Monotone
from auditor.spec import Portion, Spec


class DeltaPresence(PopulationModel):
    """Of the persons of the population who have the values of a class, a share from `min` to `max` is released.

    The number of a class E is |E| over the persons of the population with its values, generalized as the release is:
    above 0, at most 1; 1 means that all of them are in the release. A class satisfies the model when min ≤ the number ≤
    max, compared exactly. Somebody who knows that a person is in the population learns how likely the person is in the
    release.

    Where nobody with some values is released, the share is 0, and everybody knows that those persons are not in it:
    `unreleased: judged` holds them to `min`, too.

    The share of merged classes is a convex combination of theirs, so both bounds are kept when classes merge. With
    `unreleased: ignored` a class may merge with persons who were not judged, so nothing is claimed where `min` is above
    0. With suppression nothing is.
    """

    model: Literal["delta-presence"] = "delta-presence"
    min: Annotated[Portion, Stricter.HIGHER] = Field(
        0.0, ge=0, le=1, description="The least share of a class's persons."
    )
    max: Annotated[Portion, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        ge=0, le=1, description="The largest share of a class's persons that is released."
    )
    unreleased: Annotated[Literal["judged", "ignored"] | None, Stricter.HIGHER] = Field(
        None,
        description="Whether min holds for persons with values that nobody in the release has; by default judged, or "
        "ignored where another requirement demands a class size: those are classes that it suppresses.",
    )

    FINDING = "Of some classes too large, or too small, a share of the population is in the release."
    SOURCE = (
        "M. E. Nergiz, M. Atzori, C. Clifton, Hiding the presence of individuals from shared databases, SIGMOD 2007"
    )
    EXAMPLE = "{model: delta-presence, min: 0, max: 0.2}"
    bound_field = "max"
    least_field = "min"
    comparison = "<="
    monotone = MERGES
    overlapping = False

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.min > self.max:
            raise ValueError(f"min is {self.min:g}, above max, which is {self.max:g}; as in min: 0, max: 20%")
        return self

    def among(self, others: Sequence[Requirement]) -> Self:
        """See `Requirement`: what is left open of those who are not released."""
        if self.unreleased is not None or not self.min:
            return self
        alike = (
            each.least_size
            for each in others
            if isinstance(each, ClassModel)
            and each.severity == "error"
            and each.quasi_identifiers == self.quasi_identifiers
        )
        return self.model_copy(update={"unreleased": "ignored" if max(alike, default=1) > 1 else "judged"})

    @property
    def granted(self) -> Monotone:
        """See `ClassModel`."""
        return Monotone(generalization=not self.min or self._judges_all, suppression=False)

    @property
    def _judges_all(self) -> bool:
        return self.unreleased != "ignored"

    def misses(self, released: int, everybody: int) -> bool:
        """See `PopulationModel`."""
        return self._judges_all and self.min > 0 and released < everybody

    def undefined(self, classes: ClassTable) -> BoolArray:
        """See `PopulationModel`: a class has no more members than there are persons."""
        return np.asarray(people_of(classes) < classes.sizes)

    def measure(self, classes: ClassTable) -> FloatArray:
        """float64[n]: the share of the persons of each class who are released; ∞ where there are none."""
        shares = np.full(len(classes), np.inf)
        people = people_of(classes)
        np.divide(classes.sizes, people, out=shares, where=people > 0)
        return shares

    def exact(self, classes: ClassTable, index: int) -> Fraction | None:
        """See `ClassModel`."""
        people = int(people_of(classes)[index])
        return Fraction(int(classes.sizes[index]), people) if people else None

    def violates(self, classes: ClassTable, numbers: FloatArray | IntArray) -> BoolArray:
        """bool[n]: which classes have a share beyond one of the bounds."""
        return super().violates(classes, numbers) | self._beyond(classes, numbers, self.min, ">=")
