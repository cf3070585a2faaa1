"""What masking methods are weighed by, besides the general Score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field, model_validator

from auditor.policy.base import Block, Stricter
from auditor.utility.uses import Use, registry

if TYPE_CHECKING:
    AnyUse = Use
else:
    AnyUse = Union[(*registry().values(),)]


class TradeoffBlock(Block):
    """What `auditor tradeoff` also measures; no verdict depends on it."""

    uses: Annotated[tuple[AnyUse, ...], Stricter.NEUTRAL] = Field(
        min_length=1, max_length=20, description="What somebody would do with the release: each has a loss and a Score."
    )

    @model_validator(mode="after")
    def _once(self) -> TradeoffBlock:
        titles = [use.title for use in self.uses]
        twice = next((title for place, title in enumerate(titles) if title in titles[:place]), None)
        if twice is not None:
            raise ValueError(f"uses: {twice} is listed twice; once, or with other options")
        return self
