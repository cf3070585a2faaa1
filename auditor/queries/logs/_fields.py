"""The named fields of the plain formats (JSON lines, CSV, comments in SQL), and how a statement is made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditor.queries.logs._raw_statement import RawStatement
from auditor.queries.logs._text import checked, wrong
from auditor.values import Digits

NAMES = {
    "sql": ("sql", "query", "statement"),
    "user": ("user", "username", "user_name", "usename", "usr"),
    "time": ("time", "ts", "timestamp", "log_time", "datetime"),
    "params": ("params", "parameters", "binds"),
    "answer": ("answer", "result"),
    "status": ("status", "outcome"),
}
"""Each field and the names that it goes by, whatever their case."""
FIELD_OF = {name: field for field, names in NAMES.items() for name in names}
_ANSWERED = frozenset(
    {"ok", "success", "succeeded", "successful", "answered", "answer", "done", "completed", "finished"}
)
_NOT_ANSWERED = frozenset(
    {"error", "failed", "failure", "fail", "denied", "deny", "rejected", "cancelled", "canceled", "aborted", "timeout"}
)


def heard(fields: Mapping[str, Any], path: Path, line: int) -> RawStatement:
    """The statement that these fields (named as in `NAMES`) record."""
    sql = fields.get("sql")
    if not isinstance(sql, str) or isinstance(sql, Digits) or not sql.strip():
        wrong(path, line, "no SQL text", f"a field {' or '.join(NAMES['sql'])}")
    return RawStatement(
        line=line,
        sql=checked(sql, path, line),
        user=_text(fields.get("user")),
        time=_text(fields.get("time")),
        parameters=_parameters(fields.get("params"), path, line),
        answer=_text(fields.get("answer")),
        failed=_failed(fields.get("status"), path, line),
    )


def _text(value: Any) -> str | None:
    """A field as text; structures as JSON, their numbers as they were written."""
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    if isinstance(value, Digits):
        return str(value)
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {_json(item)}" for key, item in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_json, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _parameters(value: Any, path: Path, line: int) -> tuple[str | None, ...]:
    """Bind values in order, each as text; `value` is a list or its JSON text."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_float=Digits, parse_int=Digits)
        except (ValueError, RecursionError):
            value = ...
    if not isinstance(value, list) or any(isinstance(item, (list, dict)) for item in value):
        wrong(path, line, "parameters that are not a list of plain values", 'a JSON list such as ["a", 1, null]')
    return tuple(None if item is None else _text(item) or "" for item in value)


def _failed(value: Any, path: Path, line: int) -> bool:
    status = str(value).strip().lower() if value is not None else ""
    if status in _NOT_ANSWERED:
        return True
    if status and status not in _ANSWERED:
        wrong(
            path, line, "a status that is not known", f"ok or error (or {', '.join(sorted(_ANSWERED | _NOT_ANSWERED))})"
        )
    return False
