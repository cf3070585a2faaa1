"""PostgreSQL's jsonlog (from version 15 on): one object per line, keys without a value left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditor.queries.logs._beginning import Beginning
from auditor.queries.logs._raw_statement import RawStatement
from auditor.queries.logs._server import ServerEntry, statements
from auditor.queries.logs._text import lines, wrong
from auditor.queries.logs.jsonl import json_object
from auditor.registry import Ground

ABOUT = "what PostgreSQL writes with `log_destination = 'jsonlog'`, from version 15 on"
GROUND = Ground.CONTENTS
_KEYS = {
    "time": "timestamp",
    "user": "user",
    "session": "session_id",
    "tag": "ps",
    "transaction": "vxid",
    "severity": "error_severity",
    "state": "state_code",
    "message": "message",
    "detail": "detail",
    "context": "context",
    "query": "statement",
}
_REQUIRED = ("session", "severity")


def read(path: Path) -> Iterator[RawStatement]:
    """Each statement that the server tells of."""
    return statements(lambda: _rows(path), path)


def is_one(beginning: Beginning) -> bool:
    """Whether the first line is a server's entry."""
    return beginning.entry is not None and _is_entry(beginning.entry)


def _is_entry(found: dict[str, Any]) -> bool:
    """Whether an object has the keys of a server's entry."""
    return all(isinstance(found.get(_KEYS[name]), str) for name in _REQUIRED)


def _rows(path: Path) -> Iterator[ServerEntry]:
    for number, line in lines(path):
        if not line.strip():
            continue
        found = json_object(line, path, number)
        if not _is_entry(found):
            wrong(path, number, "an object that is not an entry of jsonlog", "the keys session_id and error_severity")
        texts = {name: _text(found.get(key), path, number) for name, key in _KEYS.items()}
        time, user = texts.pop("time") or None, texts.pop("user") or None
        yield ServerEntry(line=number, time=time, user=user, **texts)


def _text(value: Any, path: Path, number: int) -> str:
    if value is not None and not isinstance(value, str):
        wrong(path, number, "an entry of jsonlog with a value that is not text", f"text in {', '.join(_KEYS.values())}")
    return value or ""
