"""PostgreSQL's csvlog: 23 columns without a header up to version 12, 24 in 13, 26 from 14 on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from auditor.queries.logs._beginning import Beginning
from auditor.queries.logs._raw_statement import RawStatement
from auditor.queries.logs._records import records
from auditor.queries.logs._server import ERRORS, SEVERITIES, ServerEntry, statements
from auditor.queries.logs._text import lines, wrong
from auditor.registry import Ground

ABOUT = "what PostgreSQL writes with `log_destination = 'csvlog'`, of 23, 24 or 26 columns"
GROUND = Ground.CONTENTS
COLUMNS = (23, 24, 26)
_SESSION = re.compile(r"[0-9a-f]+\.[0-9a-f]+")
_SESSION_COLUMN = 5


def read(path: Path) -> Iterator[RawStatement]:
    """Each statement that the server tells of."""
    return statements(lambda: _rows(path), path)


def is_one(beginning: Beginning) -> bool:
    """Whether the first record comes from a server of the family."""
    fields = None if beginning.is_json else beginning.fields
    return fields is not None and (_in_order(fields) or _looks_related(fields))


def _in_order(fields: list[str]) -> bool:
    """Whether a record has PostgreSQL's columns in PostgreSQL's order."""
    return (
        len(fields) in COLUMNS
        and bool(_SESSION.fullmatch(fields[_SESSION_COLUMN]))
        and fields[_SESSION_COLUMN + 1].isdigit()
        and fields[11].isupper()
    )


def _looks_related(fields: list[str]) -> bool:
    """Whether a record comes from a server of the family, in whatever order."""
    return len(fields) > 12 and any(map(_SESSION.fullmatch, fields)) and bool((SEVERITIES | ERRORS) & set(fields))


def _rows(path: Path) -> Iterator[ServerEntry]:
    for line, fields in records(lines(path), path):
        if not _in_order(fields):
            wrong(
                path,
                line,
                f"{len(fields)} columns that are not in PostgreSQL's order",
                f"{', '.join(map(str, COLUMNS))} of them with the session in column {_SESSION_COLUMN + 1}; "
                "another server's log can be given as CSV with a header (user, time, sql)",
            )
        yield ServerEntry(
            line=line,
            time=fields[0] or None,
            user=fields[1] or None,
            session=fields[5],
            tag=fields[7],
            transaction=fields[9],
            severity=fields[11],
            state=fields[12],
            message=fields[13],
            detail=fields[14],
            context=fields[18],
            query=fields[19],
        )
