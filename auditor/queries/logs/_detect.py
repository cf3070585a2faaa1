"""Which format a log has, by its content and, where that leaves a doubt, its name."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from auditor import registry
from auditor.errors import DataError, UsageError, nearest
from auditor.queries.logs._beginning import Beginning
from auditor.queries.logs._text import lines

ROOM = __name__.rpartition(".")[0]
FORMATS = registry.names(ROOM)
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
    found = Beginning(path, beginning[0][1])
    for name, format_ in registry.in_turn(ROOM):
        if format_.is_one(found):
            return name
    raise DataError(
        f"{path.name}: the format of the log cannot be told from its content; name it (--log-format), one of "
        f"{', '.join(FORMATS)}"
    )
