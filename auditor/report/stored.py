"""A stored JSON result, read back as the value it was written from.

A file may be old, cut short or hostile: what does not have the document's shape is a `DataError` that names the place.
Unknown keys are left out, because nobody has said who may see them.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from auditor.errors import DataError, UsageError
from auditor.report._parts import Field, marked
from auditor.report.gate import RedactedGate
from auditor.report.gate import redact as redact_gate
from auditor.report.names import places_of_files
from auditor.report.redact import Redacted, concealed, redact
from auditor.result import SCHEMA_VERSION, Audience, Document, Result, Visibility

if TYPE_CHECKING:
    from auditor.result.gate import GateResult

_NAMES: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
_WIDTH = {Audience.PUBLIC: 0, Audience.REVIEWER: 1, Audience.INTERNAL: 2}


@dataclass(frozen=True)
class Stored:
    """A result as it was stored: for `audience`, without the totals at the paths `redacted`."""

    result: Document
    audience: Audience
    redacted: tuple[str, ...]

    def narrowed(self, audience: Audience) -> Audience:
        """The more public one of `audience` and the stored one."""
        return min(audience, self.audience, key=_WIDTH.__getitem__)

    def document_for(self, audience: Audience, files: Mapping[str, str] | None = None) -> Redacted[Document]:
        """The document for the same or a more public audience; anything else is no longer in it.

        `files` are the places of files of the release that it is of.
        """
        if _WIDTH[audience] > _WIDTH[self.audience]:
            raise UsageError(
                f"the result was stored for audience {self.audience}, so it cannot be shown to {audience}; "
                f"ask for --audience {self.audience}, or run the audit again"
            )
        if self.audience is Audience.PUBLIC:
            result = redact(self.result, Audience.REVIEWER).result
            return Redacted(concealed(result, Audience.REVIEWER, set(self.redacted)), self.audience)
        return redact(self.result, audience, files)


@dataclass(frozen=True)
class StoredGate:
    """A gate's result as it was stored; `documents` are the audits of each release, stored results of their own."""

    result: GateResult
    audience: Audience
    documents: tuple[tuple[Stored, ...], ...]

    def narrowed(self, audience: Audience) -> Audience:
        """The more public one of `audience` and the stored one."""
        return min(audience, self.audience, key=_WIDTH.__getitem__)

    def document_for(self, audience: Audience) -> RedactedGate:
        """The document for the same or a more public audience."""
        shown = redact_gate(self.result, audience).result
        releases = (
            replace(seen, documents=tuple(_audit_for(audit, audience, places_of_files(release)) for audit in audits))
            for seen, release, audits in zip(shown.releases, self.result.releases, self.documents, strict=True)
        )
        return RedactedGate(replace(shown, releases=tuple(releases)), audience)


def _audit_for(audit: Stored, audience: Audience, files: Mapping[str, str]) -> Result:
    return cast("Result", audit.document_for(audience, files).result)


def parse(text: str | bytes) -> Stored | StoredGate:
    """Read a stored document; `DataError` says what is wrong with one that cannot be read."""
    try:
        document = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as wrong:
        what = f"line {wrong.lineno}: {wrong.msg}" if isinstance(wrong, json.JSONDecodeError) else "malformed"
        raise DataError(f"not a JSON document ({what}); a result is written by --format json") from wrong
    if isinstance(document, dict) and document.get("command") == "gate" and not document.get("dry_run"):
        return _gate(document)
    return _audit(document)


def _gate(document: dict[str, Any]) -> StoredGate:
    """The audits are read by themselves, each as the document of its own command."""
    releases = _expect(list, document.get("releases"), "releases")
    audits = [_expect(dict, release, f"releases/{i}").get("documents", []) for i, release in enumerate(releases)]
    emptied = {**document, "releases": [{**release, "documents": []} for release in releases]}
    return StoredGate(
        _read(_shape("gate"), {**emptied, "schema_version": _version(document)}, ""),
        _read(Audience, document.get("audience"), "audience"),
        tuple(tuple(map(_of_release, _expect(list, each, "documents"))) for each in audits),
    )


def _of_release(document: Any) -> Stored:
    found = _audit(document)
    if not isinstance(found.result, Result):
        raise _wrong("releases/documents", "audits of tables, outputs or query logs")
    return found


def _audit(document: Any) -> Stored:
    _version(document)
    command = str(document.get("command"))
    if document.get("dry_run") or not issubclass(_shape(command), (Result, _shape("hide"), _shape("tradeoff"))):
        what = "a dry run" if document.get("dry_run") else f"auditor {command}"
        raise DataError(f"the document of {what} is not shown again; run it again, with the format that you need")
    result: Document = _read(_shape(command), document, "")
    audience = _read(Audience, document.get("audience"), "audience")
    redacted = set(_read(tuple[str, ...], document.get("redacted", []), "redacted"))
    absent = [path for path, field, value, _ in marked(result) if value is None and _is_total(field)]
    return Stored(result, audience, tuple(path for path in absent if path in redacted))


def _shape(command: str) -> type[Any]:
    """The class of a command's document; that of an audit where no command is called so."""
    from auditor.result.json_schema import COMMANDS

    return COMMANDS.get(command, Result)


def _version(document: Any) -> int:
    if not isinstance(document, dict) or "schema_version" not in document:
        raise DataError("not a result document: it has no schema_version; a result is written by --format json")
    version = document["schema_version"]
    if version != SCHEMA_VERSION:
        raise DataError(f"the result's schema_version is not {SCHEMA_VERSION}, which this version of auditor reads")
    return SCHEMA_VERSION


def _is_total(field: Field) -> bool:
    return field.metadata["visibility"] is Visibility.TOTAL


def _no_constant(name: str) -> None:
    raise ValueError(name)


@cache
def _hints(shape: type) -> dict[str, Any]:
    return typing.get_type_hints(shape)


def _read(shape: Any, value: Any, path: str) -> Any:
    """Read `value` as `shape`, a type annotation of `auditor.result`."""
    origin, arguments = typing.get_origin(shape), typing.get_args(shape)
    if shape is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        return _read_union(arguments, value, path)
    if origin is tuple:
        return _read_tuple(arguments, value, path)
    if origin is Mapping:
        return {key: _read(arguments[1], item, f"{path}/{key}") for key, item in _expect(dict, value, path).items()}
    if dataclasses.is_dataclass(shape):
        return _read_dataclass(cast("type", shape), _expect(dict, value, path), path)
    return _read_plain(shape, value, path)


def _read_plain(shape: type, value: Any, path: str) -> Any:
    if issubclass(shape, StrEnum):
        if value not in list(shape):
            raise _wrong(path, f"one of {', '.join(shape)}")
        return shape(value)
    if shape is float and (value == "inf" or type(value) is int):
        return math.inf if value == "inf" else value
    return _expect(shape, value, path)


def _read_union(choices: tuple[Any, ...], value: Any, path: str) -> Any:
    if value is None and type(None) in choices:
        return None
    real = [choice for choice in choices if choice is not type(None)]
    if len(real) == 1:
        return _read(real[0], value, path)
    for choice in real:
        with suppress(DataError):
            return _read(choice, value, path)
    raise _wrong(path, " or ".join(_NAMES[choice] for choice in real))


def _read_tuple(arguments: tuple[Any, ...], value: Any, path: str) -> tuple[Any, ...]:
    items = _expect(list, value, path)
    shapes = [arguments[0]] * len(items) if arguments[-1] is Ellipsis else list(arguments)
    if len(shapes) != len(items):
        raise _wrong(path, f"a list of {len(shapes)}")
    return tuple(_read(shape, item, f"{path}/{i}") for i, (shape, item) in enumerate(zip(shapes, items, strict=True)))


def _read_dataclass(shape: type, value: dict[str, Any], path: str) -> Any:
    read: dict[str, Any] = {}
    for field in dataclasses.fields(shape):
        here = f"{path}/{field.name}".lstrip("/")
        required = field.default is dataclasses.MISSING
        if field.name not in value:
            if required:
                raise _wrong(here, "present")
            continue
        item = value[field.name]
        redactable = field.metadata["visibility"] is not Visibility.FACT
        absent = item is None and (redactable or (not required and field.default is None))
        read[field.name] = None if absent else _read(_hints(shape)[field.name], item, here)
    return shape(**read)


def _expect(kind: type, value: Any, path: str) -> Any:
    if type(value) is not kind:
        raise _wrong(path, _NAMES[kind])
    return value


def _wrong(path: str, right: str) -> DataError:
    return DataError(f"not a valid result document: {path or 'the document'} should be {right}")
