"""JSON lines: one object per line, ``{"user", "time", "sql", "params", "answer", "status"}``; others are ignored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditor.queries.logs._beginning import Beginning
from auditor.queries.logs._fields import FIELD_OF, heard
from auditor.queries.logs._raw_statement import RawStatement
from auditor.queries.logs._text import lines, wrong
from auditor.registry import Ground
from auditor.values import Digits

ABOUT = "one object per line: `user`, `time`, `sql`, `params` (a list), `answer`, `status`"
GROUND = Ground.LIKENESS


def is_one(beginning: Beginning) -> bool:
    """Whether the first line begins as an object does; a server's are jsonlog."""
    return beginning.is_json


def read(path: Path) -> Iterator[RawStatement]:
    """Each line's statement."""
    for number, line in lines(path):
        if line.strip():
            yield heard(_fields(json_object(line, path, number), path, number), path, number)


def json_object(line: str, path: Path, number: int) -> dict[str, Any]:
    """The object that a line holds; numbers keep their digits, as text."""
    try:
        found = json.loads(line, parse_float=Digits, parse_int=Digits)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        wrong(path, number, "not a JSON object", 'one object per line, such as {"user": "ana", "sql": "SELECT …"}')
    return found


def _fields(found: dict[str, Any], path: Path, number: int) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in found.items():
        field = FIELD_OF.get(key.lower())
        if field in fields:
            wrong(path, number, f"two keys that name the {field}", "one of them")
        if field is not None:
            fields[field] = value
    return fields
