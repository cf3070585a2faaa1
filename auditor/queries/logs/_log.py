"""A log: its statements in order, and what is to be said of it as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from auditor import registry
from auditor.entropy import says_little
from auditor.errors import DataError
from auditor.queries._query import Statement
from auditor.queries.logs._chatter import answers_nothing, copied
from auditor.queries.logs._detect import ROOM, detected, named
from auditor.queries.logs._raw_statement import RawStatement
from auditor.queries.logs._text import digest
from auditor.result.queries import LogFacts


class Log:
    """A log file. Iterating reads it from its beginning; nothing of it is kept.

    Statements are numbered from 1 in the order of the log, those that are passed over included.
    """

    def __init__(self, path: Path, format_: str) -> None:
        self.path = path
        self.format = format_

    def __iter__(self) -> Iterator[Statement]:
        for number, heard in enumerate(self._heard(), start=1):
            if not answers_nothing(heard.sql):
                yield Statement(
                    number=number,
                    sql=copied(heard.sql),
                    user=heard.user,
                    time=heard.time,
                    parameters=heard.parameters,
                    answer=heard.answer,
                    failed=heard.failed,
                )

    def _heard(self) -> Iterator[RawStatement]:
        found: Iterator[RawStatement] = registry.module(ROOM, self.format).read(self.path)
        return found

    @cached_property
    def facts(self) -> LogFacts:
        """What a result says of the log; reads it once."""
        users: dict[str, None] = {}
        times: list[str] = []
        kept = failed = ignored = 0
        for heard in self._heard():
            if answers_nothing(heard.sql):
                ignored += 1
                continue
            kept, failed = kept + 1, failed + heard.failed
            if heard.user is not None:
                users[heard.user] = None
            if heard.time is not None:
                times = [*times[:1], heard.time]
        return LogFacts(
            source=self.path.name,
            format=self.format,
            statements=kept,
            failed=failed,
            ignored=ignored,
            users=tuple(users),
            first_time=times[0] if times else None,
            last_time=times[-1] if times else None,
            sha256=digest(self.path),
            guessable=says_little(self.path),
        )


def read_log(path: str | os.PathLike[str], format: str | None = None) -> Log:  # noqa: A002  (the word of the command line)
    """Open a query log.

    Args:
        path: the file; ``.gz`` is unpacked on the way.
        format: one of `FORMATS`; told from the content and the name where it is not given.

    Raises `DataError` for a file that is missing, empty or not what its format says, at the latest while it is read.
    """
    file = Path(path)
    if not file.is_file():
        kind = "is a folder; name one file" if file.is_dir() else "is not a file"
        raise DataError(f"{file.name or file}: the log {kind if file.exists() else 'does not exist'}")
    return Log(file, detected(file) if format is None else named(format))
