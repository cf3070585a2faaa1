"""Field types that are imported only when a policy uses the field: most policies use few of the fields."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Annotated, Any, Union, get_args

from pydantic import BaseModel, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import (
    SerializationInfo,
    definitions_schema,
    no_info_plain_validator_function,
    plain_serializer_function_ser_schema,
)

from auditor import registry


class Section:
    """In ``Annotated``: stands for a type of another module, which is imported on first use.

    The reader builds a policy from the inside out, so a value is a block already when it gets here, and its class is
    all that is checked. Only for other values pydantic builds the schema of the type.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    @cached_property
    def type(self) -> Any:
        """What it stands for."""
        return getattr(import_module(self._module), self._name)

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        """Blocks of the type are taken as they are; anything else is read as it reads it."""
        written = plain_serializer_function_ser_schema(_plain, info_arg=True)
        return no_info_plain_validator_function(self._valid, serialization=written)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The schema of the type."""
        # A schema with definitions, even with none, is generated as one of its own, which a reference can name.
        return handler(definitions_schema(self._adapter.core_schema, []))

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.type)

    def _holds(self, block: BaseModel) -> bool:
        return type(block) in _classes(self.type)

    def _valid(self, value: Any) -> Any:
        if isinstance(value, BaseModel) and self._holds(value):
            return value
        return self._adapter.validate_python(value)


class Tagged(Section):
    """A section whose types are `module.registry()`, told apart by the field `tag`, which holds their names."""

    def __init__(self, module: str, tag: str) -> None:
        super().__init__(module, "registry")
        self.tag = tag

    @property
    def family(self) -> registry.Family[Any]:
        """The types by name."""
        found: registry.Family[Any] = getattr(import_module(self._module), self._name)()
        return found

    @cached_property
    def type(self) -> Any:
        """The union of all of them."""
        return Annotated[Union[tuple(self.family.values())], Field(discriminator=self.tag)]  # noqa: UP007  (a union of what is found)

    def _holds(self, block: BaseModel) -> bool:
        return self.family.get(getattr(block, self.tag, "")) is type(block)


def _classes(kind: Any) -> tuple[Any, ...]:
    """The classes in an annotation."""
    arguments = get_args(kind)
    return tuple(found for each in arguments for found in _classes(each)) if arguments else (kind,)


def _plain(value: Any, info: SerializationInfo) -> Any:
    if not isinstance(value, BaseModel):
        return value
    return value.model_dump(mode=info.mode, exclude_none=info.exclude_none, exclude_defaults=info.exclude_defaults)
