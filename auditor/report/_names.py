"""Names that may be values of the data: users of a log, columns that the policy does not name, folders of partitions.

A file without a header has its first record for a header, and ``diagnosis=HIV/`` is a folder; both would stand on a
page without being a value of any cell. Below the internal audience a place stands for such a name: ``user 2`` is the
second of the log, ``column 3`` the third of the table, ``diagnosis=…`` a folder.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from auditor.result import Document, ReleaseResult, Visibility

_PARTITION = re.compile(r"^([^=/?]+)=.*$", re.DOTALL)


Shown = TypeVar("Shown", Document, ReleaseResult)


def placed(result: Shown) -> Shown:
    """The document with a place for every such name; a document that has only places is given back as it is."""
    found: Shown = _placed(result, _numbers(result), {})
    return found


def _numbers(owner: Any) -> dict[str, str]:
    """``user 1`` for the first user that the document names, and so on."""
    return {name: f"user {place}" for place, name in enumerate(dict.fromkeys(_named(owner)), 1)}


def _named(owner: Any) -> Iterator[str]:
    for field in dataclasses.fields(owner):
        value = getattr(owner, field.name)
        if field.metadata["visibility"] is Visibility.NAME:
            yield from [value] if isinstance(value, str) else value or ()
        else:
            for part in value if isinstance(value, tuple) else (value,):
                if dataclasses.is_dataclass(part):
                    yield from _named(part)


def _placed(owner: Any, users: dict[str, str], columns: dict[str, str]) -> Any:
    """A part of the document, where `columns` are those of the table around it that the policy does not name."""
    roles = getattr(getattr(owner, "data", None), "column_roles", None)
    if roles is not None:
        columns = {each.name: f"column {place}" for place, each in enumerate(roles, 1) if each.role == "undeclared"}
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(owner):
        value = getattr(owner, field.name)
        if field.metadata["visibility"] is Visibility.NAME:
            changes[field.name] = users.get(value) if isinstance(value, str) else value and tuple(map(users.get, value))
        elif field.metadata["path"] and isinstance(value, str):
            changes[field.name] = without_partitions(value)
        elif dataclasses.is_dataclass(value):
            changes[field.name] = _placed(value, users, columns)
        elif isinstance(value, tuple) and any(dataclasses.is_dataclass(part) for part in value):
            changes[field.name] = tuple(_placed(part, users, columns) for part in value)
    changes |= _columns(owner, columns)
    command, source = getattr(owner, "reproduce", None), getattr(getattr(owner, "data", None), "source", None)
    if command and source:
        changes["reproduce"] = command.replace(source, without_partitions(source))
    changes = {name: value for name, value in changes.items() if value != getattr(owner, name)}
    return dataclasses.replace(owner, **changes) if changes else owner


def _columns(owner: Any, columns: dict[str, str]) -> dict[str, Any]:
    """What a column's facts, and a requirement on columns, say of those that the policy does not name."""
    if getattr(owner, "role", None) == "undeclared":
        return {"name": columns.get(owner.name, owner.name)}
    if getattr(owner, "model", None) == "undeclared":
        return {"columns": tuple(columns.get(name, "a column") for name in owner.columns)}
    return {}


def without_partitions(path: str) -> str:
    """A path whose folders ``key=value`` keep their keys alone; what follows a ``?`` is no path."""
    place, question, query = path.partition("?")
    kept = [_PARTITION.sub(r"\1=…", folder) for folder in place.split("/")]
    return "/".join(kept) + question + query
