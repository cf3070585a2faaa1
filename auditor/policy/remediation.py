"""How a release that meets the policy is searched for."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from auditor.policy.base import Block, Count, Share, Stricter

Search = Literal["optimal", "samarati", "incognito", "mondrian", "constrained-local", "kaca", "mage", "mdav"]
LOCAL: tuple[Search, ...] = ("mondrian", "constrained-local", "kaca", "mage", "mdav")
"""The searches that put records into groups, each made coarser on its own (local recoding)."""
Objective = Literal[
    "height",
    "precision",
    "loss",
    "discernibility",
    "discernibility-star",
    "average-class-size",
    "non-uniform-entropy",
]


class SuppressionLimit(Block):
    """How many records may be suppressed: a share of all, or a number."""

    SHORTHAND: ClassVar[str | None] = "share"

    share: Annotated[Share | None, Stricter.UTILITY] = Field(None, description="A share of the records: 2% or 0.02.")
    records: Annotated[Count | None, Stricter.UTILITY] = Field(None, description="A number of records.")

    @model_validator(mode="after")
    def _one_of_both(self) -> SuppressionLimit:
        if (self.share is None) == (self.records is None):
            raise ValueError("give a share (2%, 0.02) or {records: 50}, one of both")
        return self

    def of(self, records: int) -> int:
        """How many of so many records may be suppressed: ⌊share·N⌋ in exact decimal arithmetic, or the number given."""
        if self.records is not None:
            return self.records
        return int(Fraction(Decimal(repr(self.share or 0.0))) * records)


class LevelRange(Block):
    """The levels of one quasi-identifier that a search may use."""

    min: Annotated[int, Stricter.UTILITY] = Field(0, ge=0, description="The finest level.")
    max: Annotated[int | None, Stricter.UTILITY] = Field(None, ge=0, description="The coarsest level.")

    @model_validator(mode="after")
    def _in_order(self) -> LevelRange:
        if self.max is not None and self.max < self.min:
            raise ValueError("min must not be above max")
        return self


class Remediation(Block):
    """The search, what it minimizes and what it may do."""

    search: Annotated[Search, Stricter.UTILITY] = Field("optimal", description="The search algorithm.")
    objective: Annotated[Objective | tuple[Objective, ...], Stricter.UTILITY] = Field(
        "loss", description="The loss to minimize, or several, in order."
    )
    aggregate: Annotated[Literal["mean", "geometric-mean"], Stricter.UTILITY] = Field(
        "mean", description="How loss and precision combine the attributes."
    )
    relaxed: Annotated[bool, Stricter.UTILITY] = Field(
        False,
        description="For search: mondrian, whether records with the same number may be parted at the median (relaxed "
        "multidimensional recoding), so that groups may overlap.",
    )
    weights: Annotated[Literal["uniform", "height"], Stricter.UTILITY] = Field(
        "uniform",
        description="For search: kaca and mage, what a step up a ladder weighs: the same everywhere, or more near "
        "the top.",
    )
    suppression_limit: Annotated[SuppressionLimit, Stricter.UTILITY] = Field(
        SuppressionLimit(share=0.0, records=None), description="How many records may be suppressed."
    )
    suppress: Annotated[Literal["remove", "star"], Stricter.REVIEW] = Field(
        "remove", description="Suppressed records are taken out, or kept with every quasi-identifier *."
    )
    levels: Annotated[dict[str, LevelRange], Stricter.UTILITY] = Field(
        {}, description="Levels that the search may use, by quasi-identifier."
    )

    @model_validator(mode="after")
    def _relaxed_is_mondrian(self) -> Remediation:
        if self.relaxed and self.search != "mondrian":
            raise ValueError("relaxed is for search: mondrian")
        return self
