"""Lines of pgAudit: ``AUDIT: SESSION,1,1,READ,SELECT,TABLE,public.staff,"SELECT …",<none>``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from auditor.queries.logs._parameters import Parameters
from auditor.queries.logs._records import records
from auditor.queries.logs._text import wrong

PREFIX = "AUDIT: "
_NONE, _NOT_LOGGED, _AGAIN = "<none>", "<not logged>", "<previously logged>"
_SUPPRESSED = frozenset({"", "<long field suppressed>", "<long param suppressed>"})
"""Values that are not what they seem: pgAudit writes NULL as nothing, and leaves out long ones."""


@dataclass(frozen=True)
class AuditLine:
    """What one line tells. `statement` numbers the user's statements in a session."""

    statement: str
    sql: str
    parameters: Parameters


def parsed(message: str, path: Path, line: int) -> AuditLine | None:
    """The entry, or None for one that refers to a line before it."""
    found = list(records([(line, message.removeprefix(PREFIX))], path))
    fields = found[0][1] if len(found) == 1 else []
    if len(fields) < 8:
        wrong(
            path, line, "an AUDIT line that is not pgAudit's", "type, two numbers, class, command, object, SQL, values"
        )
    sql, values = fields[7], fields[8:9]
    if sql == _AGAIN:
        return None
    if sql == _NOT_LOGGED:
        wrong(path, line, "a statement that was not logged", "pgaudit.log_statement = on")
    return AuditLine(fields[1], sql, _values(values[0] if values else _NOT_LOGGED, path, line))


def _values(text: str, path: Path, line: int) -> Parameters:
    """The values; None where one of them was not logged."""
    if text == _NONE:
        return ()
    if text in ("", _NOT_LOGGED):
        return None
    values = next(iter(records([(line, text)], path)))[1]
    return None if _SUPPRESSED & set(values) else tuple(values)
