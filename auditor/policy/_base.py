"""What every block of a policy is: a frozen pydantic model that refuses unknown keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from auditor.models import FileReference, Stricter

__all__ = ["Block", "Count", "FileReference", "Percent", "Placeholder", "Share", "Stricter"]


class Block(BaseModel):
    """A mapping of the policy file. Every field is ``Annotated`` with its `Stricter` direction."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    SHORTHAND: ClassVar[str | None] = None
    """The field that a plain value stands for where a mapping is wanted (``age: sensitive`` is a role)."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The schema of the file: the mapping, or the shorthand."""
        schema = handler(core)
        if cls.SHORTHAND is None:
            return schema
        mapping = handler.resolve_ref_schema(schema)
        plain: dict[str, Any] = dict(mapping["properties"][cls.SHORTHAND])
        plain.pop("title", None)
        return {"description": mapping.get("description", ""), "anyOf": [plain, schema]}


class Percent:
    """In ``Annotated``: marks a share that may also be written in percent: 2% is 0.02."""


@dataclass(frozen=True)
class Placeholder:
    """In ``Annotated``: a word that stands where somebody has still to decide, and what the decision is between."""

    word: str
    decision: str


Share = Annotated[
    float,
    Percent(),
    Field(ge=0, le=1),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?\s*%$"},
            ]
        }
    ),
]
"""A number from 0 to 1, or a percentage."""

Count = Annotated[int, Field(ge=0)]
"""A number of records, from 0."""
