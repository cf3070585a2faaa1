"""PostgreSQL's plain log (``log_destination = 'stderr'``), by the prefix of its lines.

Of ``log_line_prefix`` the reader knows ``%m`` or ``%t`` (the time), ``%p`` in brackets or ``%c`` (the session), and
the user as ``%u@%d`` or ``user=%u``. With any other prefix users and sessions are unknown: all statements are nobody's.
A line that begins with a tab continues the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from auditor.queries.logs._beginning import Beginning
from auditor.queries.logs._raw_statement import RawStatement
from auditor.queries.logs._server import ERRORS, SEVERITIES, ServerEntry, statements
from auditor.queries.logs._text import LONGEST, Line, lines, wrong
from auditor.registry import Ground

ABOUT = "PostgreSQL's plain log; prefix with `%m`, `%p` or `%c`, and `%u@%d` or `user=%u`, best with `%e`"
GROUND = Ground.LIKENESS
_PARTS: dict[str, Callable[[ServerEntry, str], ServerEntry]] = {
    "DETAIL": lambda row, text: replace(row, detail=text),
    "CONTEXT": lambda row, text: replace(row, context=text),
    "STATEMENT": lambda row, text: replace(row, query=text),
}
_OTHERS = ("HINT", "QUERY", "LOCATION", "BACKTRACE")
_KINDS = sorted(SEVERITIES | ERRORS | set(_PARTS) | set(_OTHERS))
_LINE = re.compile(rf"(?P<prefix>.*?)\b(?P<kind>{'|'.join(_KINDS)}):  (?P<text>.*)", re.DOTALL)
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: [A-Za-z0-9+:-]+)?")
_SESSION = re.compile(r"\[(\d+)(?:-\d+)?\]|\b([0-9a-f]{6,}\.[0-9a-f]+)\b")
_USER = re.compile(r"\buser=([^\s,@]+)|([^\s\[\],@]+)@[^\s\[\],@]+")
_STATE = re.compile(r"\b([0-9A-Z]{5})\b\s*:?\s*\Z")


def is_one(beginning: Beginning) -> bool:
    """Whether the file is called ``.log``, and its beginning is of no other format."""
    return beginning.ending == ".log"


def read(path: Path) -> Iterator[RawStatement]:
    """Each statement that the server tells of."""
    return statements(lambda: _rows(path), path)


def _rows(path: Path) -> Iterator[ServerEntry]:
    row: ServerEntry | None = None
    prefix = ""
    for number, text in _entries(path):
        found = _LINE.fullmatch(text)
        if found is None:
            wrong(path, number, "a line without a severity", "lines such as '… LOG:  statement: …', in English")
        kind = found["kind"]
        if kind in _PARTS and row is not None and _who(found["prefix"]) == _who(prefix):
            row = _PARTS[kind](row, found["text"])
        elif kind not in _PARTS and kind not in _OTHERS:
            if row is not None:
                yield row
            row, prefix = _row(number, found["prefix"], kind, found["text"]), found["prefix"]
    if row is not None:
        yield row


def _entries(path: Path) -> Iterator[Line]:
    """Lines with those that continue them; a tab stands before each of these."""
    waiting: list[str] = []
    start = size = 0
    for number, line in lines(path):
        if waiting and line.startswith("\t"):
            waiting.append(line[1:])
            size += len(line)
            if size > LONGEST:
                wrong(path, start, "an entry that does not end", "one statement per entry")
            continue
        if waiting:
            yield start, "".join(waiting).rstrip("\r\n")
        waiting, start, size = [line] if line.strip() else [], number, len(line)
    if waiting:
        yield start, "".join(waiting).rstrip("\r\n")


def _who(prefix: str) -> tuple[str | None, str | None]:
    session, user = _SESSION.search(prefix), _USER.search(prefix)
    return session and session[0], user and (user[1] or user[2])


def _row(number: int, prefix: str, kind: str, text: str) -> ServerEntry:
    time, state = _TIME.search(prefix), _STATE.search(prefix)
    session, user = _who(prefix)
    return ServerEntry(
        line=number,
        time=time and time[0],
        user=user,
        session=session or "",
        tag=None,
        transaction="",
        severity=kind,
        state=state[1] if state else "",
        message=text,
    )
