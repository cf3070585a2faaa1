"""On what terms a limit of query logs or of a rule on outputs holds: what a requirement says beside its bound."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from auditor.policy.base import Block, Stricter


class Terms(Block):
    """What breaking a limit means, and why it is demanded."""

    severity: Annotated[Literal["error", "warning"], Stricter.HIGHER] = Field(
        "error", description="error fails the policy, warning is reported."
    )
    because: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="Why this is required, for the reader.")
    hard: Annotated[bool | None, Stricter.TRUE] = Field(None, description="true: no baseline may excuse it.")

    @field_validator("hard")
    @classmethod
    def _hard_or_nothing(cls, hard: bool | None) -> bool | None:
        """False says what leaving it out says."""
        return hard or None
