"""``.sql``: statements ended by semicolons, with fields in the line comments before them.

::

    -- user: ana
    -- time: 2026-11-21 09:00
    SELECT sum(salary) FROM staff;
    -- params: ["D3"]
    SELECT sum(salary) FROM staff WHERE dept = $1;  -- answer: 48000

A comment belongs to the statement it stands before or in, or whose semicolon it follows on the same line. A user is
that of all statements from there on, until another is named; the other fields are of that statement alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from auditor.queries.logs._beginning import Beginning
from auditor.queries.logs._fields import FIELD_OF, heard
from auditor.queries.logs._raw_statement import RawStatement
from auditor.queries.logs._split import pieces
from auditor.queries.logs._text import lines
from auditor.registry import Ground

ABOUT = (
    "statements ended by semicolons; fields in line comments, `-- user: ana`, `-- time: …`, "
    '`-- params: ["D3"]`, `-- answer: 120`, `-- status: error`'
)
GROUND = Ground.NAME
_FIELD = re.compile(rf"--\s*({'|'.join(FIELD_OF)})\s*[:=]\s*(.*)", re.IGNORECASE)


def is_one(beginning: Beginning) -> bool:
    """Whether the file is called ``.sql``."""
    return beginning.ending == ".sql"


def read(path: Path) -> Iterator[RawStatement]:
    """Each statement, in order; the last one may lack its semicolon."""
    user: str | None = None
    for piece in pieces(lines(path), path):
        found = [match.groups() for comment in piece.comments if (match := _FIELD.fullmatch(comment))]
        fields = {FIELD_OF[name.lower()]: value.strip() for name, value in found}
        user = fields.get("user", user)
        yield heard({**fields, "user": user, "sql": piece.text}, path, piece.line)
