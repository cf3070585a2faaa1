"""The JSON Schema of result documents, made from the classes that write them.

A field that the audience may not see is null in a document for it, so every total, cell, name and time may be null.
Keys may be added within a version (`SCHEMA_VERSION`), so no key is forbidden, and those that have a default are not
required: a document that was stored before such a key was added is one of this version.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from itertools import pairwise
from typing import Any

from auditor.result._document import SCHEMA_VERSION, Result
from auditor.result._marks import Audience, Visibility
from auditor.result.comparison import PolicyComparison
from auditor.result.gate import GateResult, ReleaseResult
from auditor.result.hiding import HidingResult
from auditor.result.masking import MaskingResult
from auditor.result.outputs import OutputsResult
from auditor.result.policy_tests import PolicyTestsResult
from auditor.result.queries import QueriesResult
from auditor.result.remediation import RemediationResult
from auditor.result.tradeoff import TradeoffResult

DIALECT = "https://json-schema.org/draft/2020-12/schema"
COMMANDS: dict[str, type] = {
    "check": Result,
    "diff": PolicyComparison,
    "gate": GateResult,
    "hide": HidingResult,
    "mask": MaskingResult,
    "outputs": OutputsResult,
    "queries": QueriesResult,
    "remediate": RemediationResult,
    "test": PolicyTestsResult,
    "tradeoff": TradeoffResult,
}
"""The documents by the command that writes them."""
IN_A_RELEASE = ("check", "outputs", "queries")
"""The documents that the gate's holds, whole, under `releases/…/documents`."""
NUMBER = {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf"]}]}
PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    float: NUMBER,
    type(None): {"type": "null"},
    Any: {},
}


def result_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of every result document of this version."""
    made = _Definitions()
    documents = [{"$ref": f"#/$defs/{made.document(command)}"} for command in COMMANDS]
    return {
        "$schema": DIALECT,
        "$id": f"urn:auditor:result:{SCHEMA_VERSION}",
        "title": "auditor result",
        "description": "What a command answers with --format json; `command` says which.",
        "oneOf": documents,
        "$defs": dict(sorted(made.definitions.items())),
    }


class _Definitions:
    """The definitions so far, each made once."""

    def __init__(self) -> None:
        self.definitions: dict[str, dict[str, Any]] = {}

    def document(self, command: str) -> str:
        """The name of the definition of a whole document."""
        name = f"{command}-document"
        if name not in self.definitions:
            self.definitions[name] = {}
            made = self._object(COMMANDS[command])
            head: dict[str, Any] = {"schema_version": {"const": SCHEMA_VERSION}, "command": {"const": command}}
            if command != "diff":
                head["audience"] = {"enum": [each.value for each in Audience]}
            if command not in ("diff", "gate"):
                head["redacted"] = {"type": "array", "items": {"type": "string"}}
            required = list(dict.fromkeys((*head, *made["required"])))
            self.definitions[name] = {**made, "properties": {**made["properties"], **head}, "required": required}
        return name

    def part(self, shape: type) -> dict[str, Any]:
        """A reference to the definition of a part of documents."""
        if shape.__name__ not in self.definitions:
            self.definitions[shape.__name__] = {}
            self.definitions[shape.__name__] = self._object(shape)
        return {"$ref": f"#/$defs/{shape.__name__}"}

    def _object(self, shape: type) -> dict[str, Any]:
        hints, fields, told = typing.get_type_hints(shape), dataclasses.fields(shape), _descriptions(shape)
        properties = {field.name: told.get(field.name, {}) | self._field(field, hints[field.name]) for field in fields}
        required = [field.name for field in fields if field.default is dataclasses.MISSING]
        if shape is ReleaseResult:
            whole = [{"$ref": f"#/$defs/{self.document(command)}"} for command in IN_A_RELEASE]
            properties["documents"] = {"type": "array", "items": {"oneOf": whole}}
        said = inspect.cleandoc(shape.__doc__ or "")
        return {"description": said, "type": "object", "properties": properties, "required": required}

    def _field(self, field: dataclasses.Field[Any], hint: Any) -> dict[str, Any]:
        made = self._of(hint)
        hidden = field.metadata["visibility"] is not Visibility.FACT or field.default is None
        return _either([made, PLAIN[type(None)]]) if hidden and made else made

    def _of(self, hint: Any) -> dict[str, Any]:
        """The schema of a type annotation of `auditor.result`."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Union, types.UnionType):
            return _either([self._of(each) for each in arguments])
        if origin is tuple:
            return self._list(arguments)
        if origin is Mapping:
            return {"type": "object", "additionalProperties": self._of(arguments[1])}
        if dataclasses.is_dataclass(hint):
            return self.part(typing.cast("type", hint))
        if isinstance(hint, type) and issubclass(hint, StrEnum):
            return {"enum": [each.value for each in hint]}
        return PLAIN[hint]

    def _list(self, arguments: tuple[Any, ...]) -> dict[str, Any]:
        if arguments[-1] is Ellipsis:
            return {"type": "array", "items": self._of(arguments[0])}
        places = [self._of(each) for each in arguments]
        return {"type": "array", "prefixItems": places, "items": False, "minItems": len(places)}


def _descriptions(shape: type) -> dict[str, dict[str, str]]:
    """For each field of a dataclass that a text stands below, in it or in a class that it is made from, that text."""
    found: dict[str, dict[str, str]] = {}
    for made in filter(dataclasses.is_dataclass, reversed(shape.__mro__)):
        body = typing.cast("ast.ClassDef", ast.parse(inspect.cleandoc(inspect.getsource(made))).body[0]).body
        for field, below in pairwise(body):
            match field, below:
                case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    found[name] = {"description": inspect.cleandoc(text)}
    return found


def _either(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """Any of the choices, each once and none inside another."""
    flat = [inner for choice in choices for inner in choice.get("anyOf", [choice])]
    return {"anyOf": [each for place, each in enumerate(flat) if each not in flat[:place]]}
