"""CSV with a header that names the columns: user, time, sql, params (a JSON list), answer, status; others are not read.

The delimiter is the comma, semicolon, tab or bar with which the header names the SQL.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from auditor.queries.logs._beginning import Beginning
from auditor.queries.logs._fields import FIELD_OF, NAMES, heard
from auditor.queries.logs._raw_statement import RawStatement
from auditor.queries.logs._records import records
from auditor.queries.logs._text import lines, wrong
from auditor.registry import Ground

ABOUT = "a header that names the columns `user`, `time`, `sql`, `params` (a JSON list), `answer`, `status`"
GROUND = Ground.CONTENTS
_DELIMITERS = ",;\t|"


def is_one(beginning: Beginning) -> bool:
    """Whether the first line is a header that names a column of SQL."""
    return not beginning.is_json and delimiter_of(beginning.first) is not None


def read(path: Path) -> Iterator[RawStatement]:
    """Each record's statement."""
    number, header = next(lines(path), (1, ""))
    delimiter = delimiter_of(header)
    if delimiter is None:
        wrong(path, number, "a header that names no column of SQL", f"one named {' or '.join(NAMES['sql'])}")
    found = records(lines(path), path, delimiter)
    columns = [FIELD_OF.get(name.strip().lower()) for name in next(found)[1]]
    named = [name for name in columns if name is not None]
    if twice := {name for name in named if named.count(name) > 1}:
        wrong(path, number, f"two columns that name the {min(twice)}", "one of them")
    for line, fields in found:
        if len(fields) != len(columns):
            wrong(path, line, f"{len(fields)} fields", f"{len(columns)}, as the header has")
        pairs = zip(columns, fields, strict=True)
        yield heard({name: field for name, field in pairs if name is not None}, path, line)


def delimiter_of(header: str) -> str | None:
    """The delimiter with which a header names the SQL, or None where none does."""
    for delimiter in _DELIMITERS:
        names = {name.strip().strip('"').strip().lower() for name in header.split(delimiter)}
        if names & set(NAMES["sql"]) and len(names) > 1:
            return delimiter
    return "," if header.strip().strip('"').lower() in NAMES["sql"] else None
