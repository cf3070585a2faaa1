"""Documents and certificates held against the published schemas, read strictly: no key that they do not know."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from auditor.certificates.json_schema import certificate_schema
from auditor.result.json_schema import COMMANDS, result_schema


def problems(document: dict[str, Any]) -> list[str]:
    """What is wrong with a document, with its places."""
    return [
        f"{list(each.absolute_path)}: {each.message[:300]}"
        for each in _validator(document["command"]).iter_errors(document)
    ]


def validating(write: Callable[[Any], str]) -> Callable[[Any], str]:
    """What writes JSON, made to refuse a result document that does not match its schema."""

    def written(value: Any) -> str:
        if isinstance(value, dict) and {"schema_version", "command", "verdict"} <= set(value):
            assert value["command"] in COMMANDS, value["command"]
            assert not problems(value), problems(value)
        return write(value)

    return written


def certifying(write: Callable[..., bytes]) -> Callable[..., bytes]:
    """What writes certificates, made to refuse one that does not match its schema."""

    def written(*given: Any, **named: Any) -> bytes:
        content = write(*given, **named)
        wrong = [each.message[:300] for each in _certificates().iter_errors(json.loads(content))]
        assert not wrong, wrong
        return content

    return written


@cache
def _certificates() -> Draft202012Validator:
    return Draft202012Validator(_closed(certificate_schema()))


@cache
def _validator(command: str) -> Draft202012Validator:
    """Of the documents of one command, so that an error names its place and not the choice."""
    closed = _closed(result_schema())
    return Draft202012Validator({"$defs": closed["$defs"], "$ref": f"#/$defs/{command}-document"})


def _closed(part: Any) -> Any:
    if isinstance(part, list):
        return [_closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    closed = {key: _closed(value) for key, value in part.items()}
    return (
        {**closed, "additionalProperties": False}
        if "properties" in closed and closed.get("type") == "object"
        else closed
    )
