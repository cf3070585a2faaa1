"""Estimated k-map: classes of a sample are too large to stand for fewer than k persons of the population, probably."""

from __future__ import annotations

from functools import cache
from math import expm1
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from auditor.classes import BoolArray, ClassTable, FloatArray, IntArray
from auditor.direction import Stricter
from auditor.models._base import MERGES_AND_SUPPRESSES, ClassModel
from auditor.models._hooks.sample import Fraction
from auditor.result import Kind
from auditor.spec import Portion, Spec


class EstimatedKMap(ClassModel):
    """Every class of a random sample has so many members that fewer than k persons of the population are improbable.

    The number of a class E is the probability that at least |E| of k persons are sampled, given that one is: the tail
    of a zero-truncated Poisson distribution with the mean k times the sampling fraction. In [0, 1], smaller is safer:
    the class has more than k persons in the population. A class satisfies the model when the number is at most
    `significance`, or when |E| ≥ k, which needs no estimate.

    It depends on the size of a class alone and falls as the class grows, so the model is monotone, with suppression
    too.
    """

    model: Literal["estimated-k-map"] = "estimated-k-map"
    k: Annotated[int, Stricter.HIGHER, Spec(Kind.COUNT, people=False)] = Field(
        ge=1, description="The least number of persons of the population who have the values of a class."
    )
    significance: Annotated[Portion, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        0.01, gt=0, le=1, description="How probable a class as large may be if it has only k persons."
    )
    fraction: Fraction = None

    FINDING = "Some classes are so small that they may have fewer persons in the population than the policy demands."
    SOURCE = (
        "F. K. Dankar, K. El Emam, A method for evaluating marketer re-identification risk, EDBT Workshops 2010; "
        "K. El Emam, F. K. Dankar, Protecting privacy using k-anonymity, JAMIA 15(5), 2008"
    )
    EXAMPLE = "{model: estimated-k-map, k: 5, fraction: 0.5}"
    bound_field = "significance"
    comparison = "<="
    monotone = MERGES_AND_SUPPRESSES
    size_decides = True

    @model_validator(mode="after")
    def _sampled(self) -> Self:
        if self.fraction is None:
            raise ValueError("needs fraction of the sample, which nothing says; as in sample: {fraction: 1%}")
        return self

    @property
    def assumes(self) -> tuple[str, ...]:
        """See `Requirement`."""
        return (f"{self.name}: the data is a random sample of {self.fraction:g} of the population.",)

    @property
    def _mean(self) -> float:
        return self.k * float(self.fraction or 1)

    @property
    def least_size(self) -> int:
        """The first size that is improbable enough, at most k."""
        return next((n for n in range(1, self.k) if tail(n, self._mean) <= self.significance), self.k)

    def measure(self, classes: ClassTable) -> FloatArray:
        """float64[n]: how probable so many members of each class are if it has k persons."""
        sizes, where = np.unique(classes.sizes, return_inverse=True)
        return np.array([tail(size, self._mean) for size in sizes.tolist()], dtype=np.float64)[where]

    def violates(self, classes: ClassTable, numbers: FloatArray | IntArray) -> BoolArray:  # noqa: ARG002
        """bool[n]: which classes are smaller than the least size."""
        return np.asarray(classes.sizes < self.least_size)


@cache
def tail(members: int, mean: float) -> float:
    """P(X ≥ members | X ≥ 1) for a Poisson X of this mean."""
    from scipy.special import pdtrc

    return 1.0 if members <= 1 else min(1.0, float(pdtrc(members - 1, mean)) / -expm1(-mean))
