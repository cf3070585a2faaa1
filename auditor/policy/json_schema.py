"""The JSON Schema of the policy file, for editors.

It describes the file as people write it, with the shorthands that loading accepts. Loading does not use it.
"""

from __future__ import annotations

from typing import Any

from auditor.policy.file.entries import KIND
from auditor.policy.file.secrets import BLOCKS, PUBLIC_FIELDS
from auditor.policy.schema import Policy

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT = ["string", "number", "boolean"]
"""What is text for a policy: any scalar, as it stands (``no`` and 2026 may be values or columns)."""
SECRET = {
    "type": "object",
    "description": "The value of an environment variable; shown as confidential everywhere.",
    "properties": {"secret": {"type": "string"}},
    "required": ["secret"],
    "additionalProperties": False,
}


def policy_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the policy file."""
    schema = Policy.model_json_schema()
    definitions = schema["$defs"]
    for name in _reachable(schema, [schema["properties"][block] for block in sorted(BLOCKS)]):
        _allow_secrets(definitions[name])
    definitions["Secret"] = SECRET
    _allow_amendments(schema)
    properties = schema["properties"]
    for block in ("waivers", "baseline"):
        properties[block] = _either(properties[block], {"type": "string", "description": "A file that holds them."})
    described: dict[str, Any] = {"$schema": DIALECT, **_written(schema), "title": "auditor policy"}
    return described


def _either(*alternatives: dict[str, Any]) -> dict[str, Any]:
    first = dict(alternatives[0])
    outer: dict[str, Any] = {key: first.pop(key) for key in ("description", "default") if key in first}
    return {**outer, "anyOf": [first, *alternatives[1:]]}


def _reachable(schema: dict[str, Any], starts: list[Any]) -> set[str]:
    """The names of the definitions that some parts of a schema refer to, directly or not."""
    found: set[str] = set()
    waiting = list(starts)
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).removeprefix("#/$defs/")
            if name and name not in found:
                found.add(name)
                waiting.append(schema["$defs"][name])
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return found


def _allow_secrets(definition: dict[str, Any]) -> None:
    """Let every plain parameter of a block be a secret; names of things cannot be."""
    for name, value in definition.get("properties", {}).items():
        if name not in PUBLIC_FIELDS and _is_plain(value):
            definition["properties"][name] = _either(value, {"$ref": "#/$defs/Secret"})


def _is_plain(value: dict[str, Any]) -> bool:
    kinds = [value, *value.get("anyOf", [])]
    return any(kind.get("type") in {"integer", "number", "string"} and "enum" not in kind for kind in kinds)


def _allow_amendments(schema: dict[str, Any]) -> None:
    """An entry without its telling key changes an inherited one, found by its id (an attribute by its name)."""
    for block, telling in KIND.items():
        listed = schema["properties"][block]
        amendment = {
            "type": "object",
            "description": "Changes the inherited entry of that id.",
            "required": ["id"],
            "not": {"required": [telling]},
        }
        listed["items"] = {"anyOf": [listed["items"], amendment]}
    schema["$defs"]["Attribute"]["anyOf"][1].pop("required")


def _written(part: Any) -> Any:
    """A schema of what people write: any scalar is text, and generated titles are left out."""
    if isinstance(part, (list, tuple)):
        return [_written(item) for item in part]
    if not isinstance(part, dict):
        return part
    written = {key: _written(value) for key, value in part.items() if not (key == "title" and isinstance(value, str))}
    if written.get("type") == "string" and not {"enum", "const", "pattern", "format"} & set(written):
        written["type"] = TEXT
    return written
