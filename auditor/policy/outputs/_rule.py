"""What every rule on outputs has, and what a limit of one says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from auditor.policy.base import Block, Stricter
from auditor.result import Kind
from auditor.spec import Limit

SensitiveValues = dict[str, tuple[str, ...]]
"""Values by attribute."""


@dataclass(frozen=True)
class OutputLimit(Limit):
    """A limit of a rule on outputs.

    Args:
        reason: with which an item breaks it.
        always: whether it holds without being declared, wherever an output gives means to judge it.
    """

    reason: str
    always: bool


@dataclass(frozen=True)
class ReadBy:
    """Of a field that says something for limits: those that read it, itself among them where it is one."""

    limits: tuple[str, ...]


class OutputRule(Block):
    """What every rule on outputs has. Each field with an `OutputLimit` is a requirement of the result."""

    id: Annotated[str | None, Stricter.NEUTRAL] = Field(
        None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name of the rule; defaults to its type."
    )
    because: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="Why this is required.")

    @property
    def read_by(self) -> dict[str, tuple[str, ...]]:
        """The fields that say something for limits, with the limits that read them."""
        return {
            name: mark.limits
            for name, field in type(self).model_fields.items()
            for mark in field.metadata
            if isinstance(mark, ReadBy)
        }

    @property
    def lists(self) -> dict[str, tuple[SensitiveValues, tuple[str, ...]]]:
        """The values that the rule lists by column, by the name of the field, with the limits that read them."""
        values = {name: (getattr(self, name), read_by) for name, read_by in self.read_by.items()}
        return {name: each for name, each in values.items() if isinstance(each[0], dict) and each[0]}


DIVERSITY = OutputLimit(
    Kind.COUNT,
    people=False,
    name="l",
    reason="high-confidence",
    demand="",
    finding="What is published leaves too few sensitive values possible.",
    source="Machanavajjhala et al. 2007",
    example="{type: association-rules, min_l: 2}",
    always=False,
)
CLOSENESS = OutputLimit(
    Kind.OF_CLASS,
    people=False,
    name="t",
    reason="high-confidence",
    demand="",
    finding="What is published tells more of a group's sensitive values than the policy allows.",
    source="Li, Li & Venkatasubramanian 2007",
    example="{type: decision-tree, max_t: 0.3}",
    always=False,
)
DIFFERENCING = OutputLimit(
    Kind.COUNT,
    people=False,
    name="differencing",
    reason="differencing",
    demand="none too small",
    finding="The difference of published numbers speaks of too few.",
    source="Hundepool et al. 2012, section 6.4",
    example="{type: frequency-table, min_cell: 10, differencing: true}",
    always=False,
)
