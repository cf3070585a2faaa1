"""SafePub: classes of a random sample are large enough for (ε, δ)-differential privacy."""

from __future__ import annotations

from functools import cache
from math import ceil, exp, floor, log
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from auditor.classes import BoolArray, ClassTable, FloatArray, IntArray
from auditor.direction import Stricter
from auditor.models._base import MERGES_AND_SUPPRESSES, ClassModel
from auditor.models._hooks.sample import Fraction
from auditor.result import Kind
from auditor.spec import Portion, Spec

CAREFUL = 1e-9
"""So far whole numbers of records are rounded towards the larger δ."""
AT_A_TIME = 64
"""So many sizes of the group in the population are looked at together."""


class Safepub(ClassModel):
    """A release of a random sample, generalized by levels chosen before, is (ε, δ)-differentially private.

    The number of a class E is the δ that its size gives: with β the sampling fraction and γ = (e^ε − 1 + β)/e^ε, the
    largest probability, over all n ≥ ⌈|E|/γ − 1⌉, that of n persons of the population more than γn are in the sample,
    each with probability β. In [0, 1], smaller is safer. A class satisfies the model when the number ≤ delta: exactly
    when |E| ≥ k for the k that follows from ε, δ and β. It needs β ≤ 1 − e^−ε.

    This holds of the whole way of making the release, not of the table alone: what it takes for granted is said with
    every verdict. Merging classes only makes them larger, so the model is monotone, with suppression too; a search that
    chooses levels by the data would void it, so there is none.
    """

    model: Literal["safepub"] = "safepub"
    epsilon: Annotated[float, Stricter.LOWER] = Field(gt=0, le=20, description="ε, the privacy budget.")
    delta: Annotated[Portion, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        gt=0, le=1, description="δ, the probability with which more may be disclosed than ε says."
    )
    fraction: Fraction = None

    FINDING = "Some classes are too small for the differential privacy that the policy demands."
    SOURCE = (
        "R. Bild, K. A. Kuhn, F. Prasser, SafePub: a truthful data anonymization algorithm with strong privacy "
        "guarantees, PoPETs 2018(1); N. Li, W. Qardaji, D. Su, On sampling, anonymization, and differential privacy: "
        "or, k-anonymization meets differential privacy, ASIACCS 2012"
    )
    EXAMPLE = "{model: safepub, epsilon: 1, delta: 0.00001, fraction: 0.1}"
    bound_field = "delta"
    comparison = "<="
    monotone = MERGES_AND_SUPPRESSES
    size_decides = True
    fixed_scheme = True

    @model_validator(mode="after")
    def _sampled(self) -> Self:
        if self.fraction is None:
            raise ValueError("needs fraction of the sample, which nothing says; as in sample: {fraction: 1%}")
        if self.fraction > 1 - exp(-self.epsilon):
            raise ValueError(
                f"a sample of {self.fraction:g} of the population is too large for epsilon: {self.epsilon:g}; at most "
                f"{floor(1e4 * (1 - exp(-self.epsilon))) / 1e4:g}"
            )
        return self

    @property
    def assumes(self) -> tuple[str, ...]:
        """See `Requirement`."""
        sampled = (
            f"{self.name}: every person of the population is in the data with a probability of at most "
            f"{self.fraction:g}, whoever else is, and nobody knows who is; nothing here shows that."
        )
        chosen = (
            f"{self.name}: the level of each column was chosen without a look at the data, and only classes that are "
            "too small were left out. Levels, columns or records that were chosen by the data void the guarantee."
        )
        once = f"{self.name}: every person has one record, and no other release is made of the same persons."
        return sampled, chosen, once

    @property
    def least_size(self) -> int:
        """The k that follows from ε, δ and β."""
        return least_size(self.epsilon, self.delta, self.fraction or 1.0)

    def measure(self, classes: ClassTable) -> FloatArray:
        """float64[n]: the δ that the size of each class gives."""
        sizes, where = np.unique(classes.sizes, return_inverse=True)
        known = [delta_of(size, self.epsilon, self.fraction or 1.0) for size in sizes.tolist()]
        return np.array(known, dtype=np.float64)[where]

    def violates(self, classes: ClassTable, numbers: FloatArray | IntArray) -> BoolArray:  # noqa: ARG002
        """bool[n]: which classes are smaller than k."""
        return np.asarray(classes.sizes < self.least_size)


@cache
def delta_of(size: int, epsilon: float, fraction: float) -> float:
    """The δ of a class of so many records; what rounding may change is taken to be larger."""
    from scipy.special import bdtrc

    gamma = (exp(epsilon) - 1 + fraction) / exp(epsilon)
    rate = gamma * log(gamma / fraction) - (gamma - fraction)
    first, found = max(1, ceil(size / gamma - 1 - CAREFUL)), 0.0
    while True:
        n = np.arange(first, first + AT_A_TIME)
        found = max(found, float(bdtrc(np.floor(n * gamma - CAREFUL), n, fraction).max()))
        first += AT_A_TIME
        # Chernoff's bound for all n that are left
        if exp(-first * rate) <= found or not exp(-first * rate):
            return found


@cache
def least_size(epsilon: float, delta: float, fraction: float) -> int:
    """The least size of a class whose δ is at most `delta`; sizes above it have a smaller one."""
    high = 1
    while delta_of(high, epsilon, fraction) > delta:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if delta_of(middle, epsilon, fraction) > delta else (low, middle)
    return high
