"""Which format a log has, by its content and, where that leaves a doubt, its name."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

from auditor.errors import DataError, UsageError, nearest
from auditor.queries.logs import csvlog, jsonlog
from auditor.queries.logs._records import records
from auditor.queries.logs._text import lines
from auditor.queries.logs.csv_columns import delimiter_of

FORMATS = ("sql", "jsonl", "csv", "csvlog", "jsonlog", "stderr")
_ENDINGS = {".sql": "sql", ".log": "stderr"}
_LOOKED_AT = 200
"""Lines from the beginning that a guess rests on."""


def named(format_: str) -> str:
    """A format that a user asked for by name."""
    if format_ not in FORMATS:
        raise UsageError(f"no log format {format_!r}{nearest(format_, FORMATS)}; one of {', '.join(FORMATS)}")
    return format_


def detected(path: Path) -> str:
    """The format of a file; a `DataError` that asks for it where nothing fits."""
    beginning = [line for line in islice(lines(path), _LOOKED_AT) if line[1].strip()]
    if not beginning:
        raise DataError(f"{path.name}: the log is empty; nothing was asked, so nothing can be judged")
    ending = path.with_suffix("").suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    if ending == ".sql":
        return "sql"
    found = _by_content(path, beginning[0][1]) or _ENDINGS.get(ending)
    if found is None:
        raise DataError(
            f"{path.name}: the format of the log cannot be told from its content; name it (--log-format), one of "
            f"{', '.join(FORMATS)}"
        )
    return found


def _by_content(path: Path, first: str) -> str | None:
    if first.lstrip().startswith("{"):
        try:
            found = json.loads(first)
        except (ValueError, RecursionError):
            return "jsonl"
        return "jsonlog" if isinstance(found, dict) and jsonlog.is_one(found) else "jsonl"
    if delimiter_of(first) is not None:
        return "csv"
    try:
        fields = next(records(lines(path), path))[1]
    except (DataError, StopIteration):
        return None
    return "csvlog" if csvlog.is_one(fields) or csvlog.looks_related(fields) else None
