"""What the columns are: their roles, and what is known about their values."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from auditor.policy._section import Section
from auditor.policy.base import Block, Placeholder, Stricter
from auditor.spec import Exact

if TYPE_CHECKING:
    from auditor.policy.hierarchies import Hierarchy
else:
    Hierarchy = Annotated[Any, Section("auditor.policy.hierarchies", "Hierarchy")]

Role = Literal["identifier", "pseudonym", "text", "quasi-identifier", "sensitive", "insensitive"]
"""identifier and text must not be in a release; a pseudonym may, with values other than the original's."""

UNDECIDED = Placeholder(
    "review",
    "somebody's decision: identifier or text if it names a person, quasi-identifier if others may know it of a person, "
    "sensitive if nobody should learn it, pseudonym if it is a key that may be released, insensitive if none of these",
)

ValueType = Literal["text", "category", "number", "integer", "boolean", "date"]

NUMERIC_TYPES = ("number", "integer")


class Attribute(Block):
    """One column, or all columns that a glob matches. A plain string is a role."""

    SHORTHAND: ClassVar[str | None] = "role"

    role: Annotated[Role, Stricter.REVIEW, UNDECIDED] = Field(description="What the column is to an attacker.")
    hierarchy: Annotated[Hierarchy | None, Stricter.REVIEW] = Field(None, description="Its ladder of coarser values.")
    type: Annotated[ValueType | None, Stricter.REVIEW] = Field(
        None, description="What its values are; detected from the data if not given."
    )
    range: Annotated[tuple[Exact | None, Exact | None] | None, Stricter.REVIEW] = Field(
        None, description="The least and the largest number that everybody knows it can be; null for no such end."
    )
    missing_values: Annotated[tuple[str, ...], Stricter.REVIEW] = Field(
        (), description="Texts that stand for a missing value, besides an empty field."
    )
    order: Annotated[tuple[str, ...] | None, Stricter.REVIEW] = Field(
        None, min_length=1, description="Its values in ascending order, for ordered distances on text."
    )

    @property
    def missing(self) -> tuple[str, ...]:
        """The texts that stand for a missing value; the empty one does everywhere, as a CSV file has no other."""
        return tuple(dict.fromkeys(("", *self.missing_values)))

    @property
    def is_numeric(self) -> bool | None:
        """Whether the values are numbers; None where the data decides."""
        return None if self.type is None else self.type in NUMERIC_TYPES

    @property
    def is_indicator(self) -> bool:
        """Whether the policy says that the values are 0 and 1."""
        return self.type == "integer" and self.range == (Decimal(0), Decimal(1))

    @model_validator(mode="after")
    def _consistent(self) -> Attribute:
        least, most = self.range or (None, None)
        if least is not None and most is not None and least > most:
            raise ValueError("range: the least number comes first")
        if self.order is not None and len(set(self.order)) < len(self.order):
            raise ValueError("order: list each value once")
        return self
