"""Masking methods that a policy applies before a release: the methods of `auditor.masking`, told apart by `method`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Union

from pydantic import Field

from auditor.masking import Method, registry
from auditor.policy._base import Block, Stricter


class _NotBuilt(Block):
    """What every masking method has."""

    attributes: Annotated[tuple[str, ...], Stricter.SUPERSET] = Field(min_length=1, description="The masked columns.")


class RankSwapping(_NotBuilt):
    """Swap values with others whose rank is at most p percent of the records away (Moore 1996)."""

    method: Annotated[Literal["rank-swapping"], Stricter.REVIEW] = "rank-swapping"
    p: Annotated[float, Stricter.HIGHER] = Field(gt=0, le=100, description="Largest rank distance, in percent.")


class Microaggregation(_NotBuilt):
    """Replace values by the mean of groups of at least k similar records (MDAV)."""

    method: Annotated[Literal["microaggregation"], Stricter.REVIEW] = "microaggregation"
    k: Annotated[int, Stricter.HIGHER] = Field(ge=2, description="The least size of a group.")
    group: Annotated[int | None, Stricter.REVIEW] = Field(
        None, ge=1, description="How many columns are aggregated together; all by default."
    )


NAMED: dict[str, type[Block | Method]] = {
    "rank-swapping": RankSwapping,
    "microaggregation": Microaggregation,
}
"""Methods of the policy language that are not built (yet): a policy that names one loads, and cannot be applied."""

METHODS: dict[str, type[Block | Method]] = {**NAMED, **registry()}
"""What `method` may be."""

if TYPE_CHECKING:
    Protection = Method
else:
    Protection = Annotated[Union[tuple(METHODS.values())], Field(discriminator="method")]  # noqa: UP007  (a union of what is found)
