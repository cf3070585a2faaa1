"""What a PostgreSQL server says of the statements it ran, and which of its lines speak of the same one.

A server may tell of one statement several times: before it runs (``log_statement``), by pgAudit, after it has run
(``log_min_duration_statement``), and when it fails. Parsing and binding are steps of a statement, not statements.

A statement counts as failed only where nothing of the data can have reached the user. An error that the data decides
(a division by zero, a cast, a cancellation) tells something by itself, and rows may have gone out before it: such a
statement counts as answered.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from auditor.queries.logs import _audit_line
from auditor.queries.logs._parameters import Parameters, bound, executed
from auditor.queries.logs._raw_statement import RawStatement
from auditor.queries.logs._split import pieces_of
from auditor.queries.logs._text import checked, wrong

SEVERITIES = frozenset({*(f"DEBUG{i}" for i in range(1, 6)), "DEBUG", "LOG", "INFO", "NOTICE", "WARNING"})
ERRORS = frozenset({"ERROR", "FATAL", "PANIC"})
_MESSAGE = re.compile(
    r"(?P<after>duration: [0-9.]+ ms  )?"
    r"(?:(?P<simple>statement)|(?P<fetch>execute fetch from) .*?|(?P<extended>execute) .*?|(?:parse|bind) .*?)"
    r": (?P<sql>.*)",
    re.DOTALL,
)
_FASTPATH = "fastpath function call: "
_SILENT_STATES = ("0A", "25", "26", "28", "34", "3D", "3F", "42")
"""Classes of SQLSTATE that are raised before a row is read: features, states, names, privileges, syntax."""
_SYNTAX = "42601"
_SILENT_MESSAGES = re.compile(r"syntax error at |permission denied for |(?:column|relation|schema) .* does not exist")
"""The same by their texts, for a log that does not hold the state."""
_BEFORE_EXECUTION = ("PARSE", "BIND", "DESCRIBE")
_SESSIONS = 100_000
"""Sessions whose last statement is remembered: more, and a failed statement may count as answered."""


@dataclass(frozen=True)
class ServerEntry:
    """One entry of a server's log.

    `tag` is what the session was at (``PARSE``, ``BIND``, ``SELECT``), None where the log does not say; `query` the
    statement that an error belongs to.
    """

    line: int
    time: str | None
    user: str | None
    session: str
    tag: str | None
    transaction: str
    severity: str
    state: str
    message: str
    detail: str = ""
    context: str = ""
    query: str = ""


@dataclass(frozen=True)
class _LogLine:
    """What one line tells: at which `stage` of the statement (see `_STAGES`), its text and its parameters."""

    stage: str
    sql: str
    parameters: Parameters
    audit: str | None = None
    simple: bool = False


_STAGES = ("before", "audit", "fetch", "after", "error")
"""In the order in which a server tells of one statement."""


@dataclass
class _Last:
    """The last statement of a session: how far it was told, and the line by which to find it again."""

    text: bytes
    line: int
    single: bool
    transaction: str
    parameters: Parameters
    stage: str
    audit: str | None
    simple: bool
    """Whether it came as one text, not in steps (parse, bind, execute) that can fail on their own."""

    def goes_on(self, told: _LogLine) -> bool:
        """Whether a line tells of this statement again rather than of the next."""
        if told.audit is not None and told.audit == self.audit:
            return True
        known = self.parameters is not None and told.parameters is not None
        if self.text != _digest(told.sql) or (known and self.parameters != told.parameters):
            return False
        return told.stage == "fetch" or _STAGES.index(told.stage) > _STAGES.index(self.stage)

    def may_have_failed(self, row: ServerEntry) -> bool:
        """Whether an error can be this statement's: told before it ran, in the same transaction."""
        return self.stage != "after" and self.transaction == row.transaction and self.text == _digest(row.query)


def statements(rows: Callable[[], Iterable[ServerEntry]], path: Path) -> Iterator[RawStatement]:
    """Each statement once, in the order of the log, which is read twice: an error comes after its statement."""
    failed = {event for event in _events(rows(), path) if isinstance(event, int)}
    for event in _events(rows(), path):
        if isinstance(event, RawStatement):
            yield replace(event, failed=True) if event.line in failed else event


def _events(rows: Iterable[ServerEntry], path: Path) -> Iterator[RawStatement | int]:
    """Every statement, and the line of every one that turns out to have failed."""
    sessions: OrderedDict[str, _Last] = OrderedDict()
    for row in rows:
        if row.severity in ERRORS:
            yield from _error(row, sessions, path)
        elif row.severity in SEVERITIES:
            yield from _told(row, sessions, path)
        else:
            wrong(path, row.line, "a severity that is not English", "a log of a server with lc_messages = 'C'")


def _told(row: ServerEntry, sessions: OrderedDict[str, _Last], path: Path) -> Iterator[RawStatement]:
    """A line that may tell of a statement that is about to run, or has run."""
    told, last = _spoken(row, path), sessions.get(row.session)
    if told is None:
        return
    if last is not None and last.goes_on(told):
        last.stage = max(last.stage, told.stage, key=_STAGES.index)
        last.audit = told.audit or last.audit
        return
    yield from _begun(row, told, sessions, path)


def _begun(row: ServerEntry, told: _LogLine, sessions: OrderedDict[str, _Last], path: Path) -> Iterator[RawStatement]:
    """The statements of a text that was not told before."""
    parts = pieces_of(checked(told.sql, path, row.line))
    text = _digest(told.sql)
    sessions[row.session] = _Last(
        text, row.line, len(parts) == 1, row.transaction, told.parameters, told.stage, told.audit, told.simple
    )
    sessions.move_to_end(row.session)
    if len(sessions) > _SESSIONS:
        sessions.popitem(last=False)
    for part in parts:
        yield RawStatement(row.line, part.text, row.user, row.time, told.parameters or ())


def _spoken(row: ServerEntry, path: Path) -> _LogLine | None:
    if row.message.startswith(_audit_line.PREFIX):
        entry = _audit_line.parsed(row.message, path, row.line)
        return None if entry is None else _LogLine("audit", entry.sql, entry.parameters, entry.statement)
    if row.message.startswith(_FASTPATH):
        return _LogLine("before", row.message, ())
    found = _MESSAGE.fullmatch(row.message)
    if found is None or not (found["simple"] or found["fetch"] or found["extended"]):
        return None
    stage = "after" if found["after"] else "fetch" if found["fetch"] else "before"
    if found["simple"]:
        return _LogLine(stage, *executed(found["sql"], row.detail), simple=True)
    return _LogLine(stage, found["sql"], bound(row.detail))


def _error(row: ServerEntry, sessions: OrderedDict[str, _Last], path: Path) -> Iterator[RawStatement | int]:
    """An error: of the session's last statement, where that was told before it ran; else of one not yet told."""
    if not row.query:
        return
    unexecuted = row.tag is not None and row.tag.upper().startswith(_BEFORE_EXECUTION)
    silent = unexecuted or _is_silent(row)
    last = sessions.get(row.session)
    if last is None or unexecuted or not last.may_have_failed(row):
        for event in _begun(row, _LogLine("error", row.query, None), sessions, path):
            yield replace(event, failed=silent)
    elif silent and (last.single or row.state == _SYNTAX) and (row.tag is not None or last.simple):
        yield last.line


def _is_silent(row: ServerEntry) -> bool:
    """Whether an error is raised before any row is read; one with a context was raised by a function."""
    silent = row.state.startswith(_SILENT_STATES) if row.state else bool(_SILENT_MESSAGES.match(row.message))
    return silent and not row.context


def _digest(text: str) -> bytes:
    return sha256(text.strip().encode(errors="surrogateescape")).digest()
