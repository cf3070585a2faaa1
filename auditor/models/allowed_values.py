"""Allowed values: a column holds nothing but what the policy lists or describes."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from auditor.direction import Stricter
from auditor.models._base import ColumnRequirement
from auditor.spec import Exact


class AllowedValues(ColumnRequirement):
    """Every value of a column matches a pattern, is in a list, or is a number within bounds.

    The achieved number is how many records hold another value; 0 satisfies. A missing value is allowed unless
    `missing` says otherwise. The pattern is a regular expression in RE2 syntax (linear time, no backreferences) that
    must match the whole value. Several conditions must all hold.
    """

    model: Literal["allowed-values"] = "allowed-values"
    pattern: Annotated[str | None, Stricter.REVIEW] = Field(None, description="RE2 expression for the whole value.")
    values: Annotated[tuple[str, ...] | None, Stricter.SUBSET] = Field(None, description="The values that may occur.")
    min: Annotated[Exact | None, Stricter.HIGHER] = Field(None, description="The least number that may occur.")
    max: Annotated[Exact | None, Stricter.LOWER] = Field(None, description="The largest number that may occur.")
    missing: Annotated[Literal["forbidden", "allowed"], Stricter.HIGHER] = Field(
        "allowed", description="Whether a value may be missing."
    )

    FINDING = "Some records hold a value that the policy does not allow."
    SOURCE = "45 CFR 164.514(b)(2)(i) is a published list of such conditions"
    EXAMPLE = '{model: allowed-values, attribute: zip, pattern: "[0-9]{3}[*][*]"}'

    @model_validator(mode="after")
    def _says_something(self) -> "AllowedValues":
        if self.pattern is None and self.values is None and self.min is None and self.max is None:
            raise ValueError("allowed-values needs a pattern, values, min or max")
        return self

    @property
    def conditions(self) -> dict[str, Any]:
        """What is listed or described."""
        return {"pattern": self.pattern, "values": self.values, "least": self.min, "most": self.max}

    @property
    def forbids_missing(self) -> bool:
        """Where `missing` is forbidden."""
        return self.missing == "forbidden"
