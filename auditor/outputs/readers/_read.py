"""From a file to what it publishes: the format is found from the contents, never from the name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from auditor.errors import DataError, Unsupported, UsageError, nearest
from auditor.outputs._published import Published
from auditor.outputs.readers import (
    arules,
    coefficients,
    mlxtend,
    neutral,
    pandas_tables,
    pmml,
    sklearn_text,
    sklearn_tree,
    spmf,
)
from auditor.outputs.readers._asked import TYPES, Asked
from auditor.outputs.readers._binary import refuse_binary
from auditor.outputs.readers._csv import Table, table
from auditor.outputs.readers._file import File, opened
from auditor.outputs.readers._items import Columns
from auditor.outputs.readers._json import document

TEXTS: tuple[tuple[Callable[[File], bool], Callable[[File, Asked], tuple[Published, ...]]], ...] = (
    (pmml.is_one, pmml.read),
    (sklearn_text.is_one, sklearn_text.read),
    (spmf.is_one, spmf.read),
    (coefficients.is_summary, coefficients.read_summary),
)
"""Formats of other text: whether a file is one, and what it publishes."""
TABLES: tuple[tuple[Callable[[Table], bool], Callable[[Table, Asked], tuple[Published, ...]]], ...] = (
    (mlxtend.is_one, mlxtend.read),
    (arules.is_one, arules.read),
    (coefficients.is_one, coefficients.read),
    (pandas_tables.is_one, pandas_tables.read),
)
"""Formats of delimited text: whether a table is one, and what it publishes."""


def read(
    path: Path, *, columns: Columns = frozenset(), type_: str | None = None, records: int | None = None
) -> tuple[Published, ...]:
    """What a file publishes; it may hold several outputs.

    Args:
        path: a regular file of at most 128 MiB.
        columns: names that the policy or the data know: ``age=26`` is a condition on a column only if it is one.
        type_: the type of output (`TYPES`) that the file holds; where None it is found from the contents.
        records: N, for formats that state shares and no number of records.

    Raises:
        UsageError: `type_` is no type of output.
        DataError: the file cannot be read, is not what it seems to be, or contradicts `type_` or `records`.
        Unsupported: nothing that this program reads.
    """
    return read_file(opened(Path(path)), Asked(columns, type_, records))


def read_file(file: File, asked: Asked) -> tuple[Published, ...]:
    """What the contents of a file publish."""
    type_ = asked.type
    if type_ is not None and type_ not in TYPES:
        raise UsageError(f"no type of output is called {type_!r}{nearest(type_, TYPES)}; one of {', '.join(TYPES)}")
    found = _read(file, asked)
    if not found:
        raise Unsupported(f"{file.name}: holds no mining output; a file with at least one")
    if type_ is not None and any(each.type != type_ for each in found):
        raise DataError(f"{file.name}: holds another type of output than was said; leave --type out, or correct it")
    return found


def _read(file: File, asked: Asked) -> tuple[Published, ...]:
    """Ask the formats in turn whether the contents are theirs; each looks for what only its own files have."""
    refuse_binary(file)
    if file.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _json(file, asked)
    for is_one, read_as in TEXTS:
        if is_one(file):
            return read_as(file, asked)
    found = table(file)
    for is_table, read_table in TABLES:
        if found is not None and is_table(found):
            return read_table(found, asked)
    raise Unsupported(f"{file.name}: no format of mining outputs that is read; see docs/output-formats.md")


def _json(file: File, asked: Asked) -> tuple[Published, ...]:
    value = document(file)
    if neutral.is_one(value):
        return neutral.read(value, file, asked)
    if sklearn_tree.is_one(value):
        return sklearn_tree.read(value, file, asked)
    if coefficients.is_json(value, asked):
        return coefficients.read_json(value, file, asked)
    raise Unsupported(
        f"{file.name}: JSON of a form that is not read; an object with a member 'type' that says what it is"
    )
