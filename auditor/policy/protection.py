"""Masking methods that a policy applies before a release."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from auditor.policy._base import Block, Stricter


class Method(Block):
    """What every masking method has."""

    attributes: Annotated[tuple[str, ...], Stricter.SUPERSET] = Field(min_length=1, description="The masked columns.")


class RankSwapping(Method):
    """Swap values with others whose rank is at most p percent of the records away (Moore 1996)."""

    method: Annotated[Literal["rank-swapping"], Stricter.REVIEW] = "rank-swapping"
    p: Annotated[float, Stricter.HIGHER] = Field(gt=0, le=100, description="Largest rank distance, in percent.")


class Microaggregation(Method):
    """Replace values by the mean of groups of at least k similar records (MDAV)."""

    method: Annotated[Literal["microaggregation"], Stricter.REVIEW] = "microaggregation"
    k: Annotated[int, Stricter.HIGHER] = Field(ge=2, description="The least size of a group.")
    group: Annotated[int | None, Stricter.REVIEW] = Field(
        None, ge=1, description="How many columns are aggregated together; all by default."
    )


class AdditiveNoise(Method):
    """Add normal noise with a standard deviation of p percent of the column's."""

    method: Annotated[Literal["noise"], Stricter.REVIEW] = "noise"
    p: Annotated[float, Stricter.HIGHER] = Field(gt=0, description="Noise, in percent of the standard deviation.")


class Rounding(Method):
    """Round numbers to multiples of a base."""

    method: Annotated[Literal["rounding"], Stricter.REVIEW] = "rounding"
    base: Annotated[float, Stricter.REVIEW] = Field(gt=0, description="Values become multiples of it.")


Protection = Annotated[RankSwapping | Microaggregation | AdditiveNoise | Rounding, Field(discriminator="method")]
