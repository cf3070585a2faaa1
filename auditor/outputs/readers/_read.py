"""From a file to what it publishes: the format is found from the contents, never from the name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from auditor import registry
from auditor.errors import DataError, Unsupported, UsageError, nearest
from auditor.outputs.published.outputs import FrequencyTable, GroupStatistics, MagnitudeTable, Published
from auditor.outputs.readers._binary import refuse_binary
from auditor.outputs.readers._csv import table
from auditor.outputs.readers._file import File, opened
from auditor.outputs.readers._hints import TYPES, Hints
from auditor.outputs.readers._items import Columns
from auditor.outputs.readers._json import document
from auditor.outputs.readers._reader import Documents, Reader, Tables, Texts

ROOM = __name__.rpartition(".")[0]
R = TypeVar("R", bound=Reader)


def read(
    path: Path,
    *,
    columns: Columns = frozenset(),
    type_: str | None = None,
    records: int | None = None,
    by: tuple[str, ...] = (),
    of: str | None = None,
    points_may_group: bool = False,
) -> tuple[Published, ...]:
    """What a file publishes; it may hold several outputs.

    Args:
        path: a regular file of at most 128 MiB.
        columns: names that the policy or the data know: ``age=26`` is a condition on a column only if it is one.
        type_: the type of output (`TYPES`) that the file holds; where None it is found from the contents.
        records: N, for formats that state shares and no number of records.
        by: the columns that a table is by, where its headings do not name them.
        of: what the numbers of a table are, where its headings do not say it: ``count``, ``mean of cost``, ``cost``.
        points_may_group: whether 5.000 may be 5000 where the file comes from; such numbers are then refused.

    Raises:
        UsageError: `type_` is no type of output.
        DataError: the file cannot be read, is not what it seems to be, or contradicts what was said of it.
        Unsupported: nothing that this program reads.
    """
    return read_file(opened(Path(path)), Hints(columns, type_, records, by, of, points_may_group=points_may_group))


def read_file(file: File, hints: Hints) -> tuple[Published, ...]:
    """What the contents of a file publish."""
    type_ = hints.type
    if type_ is not None and type_ not in TYPES:
        raise UsageError(f"no type of output is called {type_!r}{nearest(type_, TYPES)}; one of {', '.join(TYPES)}")
    found = _read(file, hints)
    if not found:
        raise Unsupported(f"{file.name}: holds no mining output; a file with at least one")
    if type_ is not None and any(each.type != type_ for each in found):
        raise DataError(f"{file.name}: holds another type of output than was said; leave --type out, or correct it")
    if not all(_is_as_said(each, hints) for each in found):
        raise DataError(f"{file.name}: says by itself what it is by and of, and otherwise; leave --by and --of out")
    return found


def _is_as_said(output: Published, hints: Hints) -> bool:
    """Whether an output is by the columns and of the numbers that the user says it is."""
    if hints.by and not (isinstance(output, FrequencyTable | GroupStatistics) and {*hints.by} == {*output.by}):
        return False
    if not hints.of:
        return True
    of, said = hints.numbers
    if isinstance(output, FrequencyTable) and not isinstance(output, MagnitudeTable):
        return said == "count"
    return isinstance(output, MagnitudeTable | GroupStatistics) and of in ("", output.of)


def _read(file: File, hints: Hints) -> tuple[Published, ...]:
    """Ask the readers in turn whether the contents are theirs; each looks for what only its own files have."""
    refuse_binary(file)
    if file.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _json(file, hints)
    for texts in _readers(Texts):
        if texts.is_one(file):
            return texts.read(file, hints)
    found = table(file)
    if found is not None and hints.points_may_group:
        found.refuse_grouped()
    for tables in _readers(Tables):
        if found is not None and tables.is_one(found):
            return tables.read(found, hints)
    raise Unsupported(
        f"{file.name}: not a format of mining outputs that is read; tables as CSV (in pandas, to_csv), others as "
        "docs/output-formats.md says"
    )


def _json(file: File, hints: Hints) -> tuple[Published, ...]:
    value = document(file)
    for documents in _readers(Documents):
        if documents.is_one(value, hints):
            return documents.read(value, file, hints)
    raise Unsupported(
        f"{file.name}: JSON of a form that is not read; an object with a member 'type' that says what it is, and "
        "tables of pandas as CSV (to_csv), which has more of their names"
    )


def _readers(kind: type[R]) -> Iterator[R]:
    """The readers of a kind of file, in the order in which they are asked."""
    for _, module in registry.in_turn(ROOM):
        yield from (reader for reader in module.READERS if isinstance(reader, kind))
