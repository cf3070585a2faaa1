"""What every block of a policy is: a frozen pydantic model that refuses unknown keys."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class FileReference:
    """In ``Annotated``: the text is a file name, relative to the policy that says so; resolved when that is loaded."""


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
