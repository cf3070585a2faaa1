"""PostgreSQL's errors as ours: told by their SQLSTATE, never by the driver's words.

What libpq and the driver say may repeat the address with its password, the statement, or a value of the data. So a
message of ours is made here, and theirs is at most looked at: a failure to connect carries no SQLSTATE.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from auditor.engines._limits import RunLimits
from auditor.errors import DataError, NotEvaluated, OutOfTime

LOST = "the server was stopped or restarted, or the connection was cut, before the audit was done; audit again"
HIDDEN = (
    "row-level security hides rows of a table from the role, so it is not known whether all meet the policy; audit "
    "as its owner or as a role with BYPASSRLS, or audit a table made of what the role sees"
)
_BY_STATE = {
    "25006": "the query would write, and an audit only reads",
    "25P03": "the server ended the idle transaction; let the role's idle_in_transaction_session_timeout be longer than "
    "the audit",
    "28000": "the server does not let this user in",
    "28P01": "the server does not accept this user and password",
    "3D000": "the server has no database of that name",
    "3F000": "there is no such schema that the role may use",
    "40001": "the server, a standby, gave the primary's changes precedence; audit on the primary, or let the standby's "
    "max_standby_streaming_delay be longer",
    "42501": "the role has not the rights to read it: it needs SELECT on the table, or on each of the columns that a "
    "query names, and USAGE on the schema",
    "42703": "the query names a column that is not there",
    "42P01": "there is no such table that the role can see",
    "53100": "the server's disk is full",
    "53200": "the server is out of memory",
    "53300": "the server has no connection to spare",
    "57014": "another session cancelled the statement",
    "57P03": "the server is starting or stopping",
}
_BY_CLASS = {
    "08": LOST,
    "22": "the server cannot compute a value as the query or view asks for it",
    "42": "the server does not understand the query",
    "53": "the server lacks resources",
    "57": LOST,
    "XX": "the server has a fault, or its data is damaged",
}
_ON_CONNECTING = (
    (r"password authentication failed|no password supplied|SCRAM|authentication", _BY_STATE["28P01"]),
    (r"database .* does not exist", _BY_STATE["3D000"]),
    (r"role .* does not exist|pg_hba\.conf|not permitted to log in|permission denied for database", _BY_STATE["28000"]),
    (r"too many (clients|connections)|connection slots", _BY_STATE["53300"]),
    (r"starting up|shutting down|not yet accepting|in recovery", _BY_STATE["57P03"]),
    (r"Connection refused|No such file or directory|No route|unreachable", "no server answers there"),
    (r"translate host name|Name or service|Temporary failure in name", "the name of the host is not known"),
    (r"timeout|timed out", "the server did not answer in time"),
    (r"SSL|certificate|TLS|GSS", "the connection cannot be encrypted as requested (sslmode, sslrootcert)"),
    (r"service", "what PGSERVICE or ?service= names cannot be read"),
    (r"invalid|missing|unrecognized|unexpected", "the URL, or an option in it, cannot be read"),
)
HINT = "credentials may also come from PGPASSWORD, PGSERVICE or ~/.pgpass"
_GONE = r"no connection to the server|closed the connection|EOF detected|reset by peer|Broken pipe|terminat|timed out"


@dataclass(frozen=True)
class Waiting:
    """What a statement could have waited for too long; seconds, None where nothing bounds it.

    `ours` says that the run's own time limit bounds the statement, and no limit of the server before it.
    """

    ours: bool
    statement: float | None
    lock: float | None


def on_connecting(what: str, message: str) -> DataError:
    """Why no connection was made."""
    for pattern, reason in _ON_CONNECTING:
        if re.search(pattern, message, re.IGNORECASE):
            hint = f"; {HINT}" if reason in (_BY_STATE["28P01"], _BY_STATE["28000"]) else ""
            return DataError(f"{what}: {reason}{hint}")
    return DataError(f"{what}: the server refused the connection")


def of_statement(what: str, error: Exception, waiting: Waiting, limits: RunLimits) -> NotEvaluated:
    """Why a statement failed."""
    state = getattr(error, "sqlstate", None)
    if state == "57014" and waiting.ours:
        return out_of_time(limits)
    if state == "57014" and waiting.statement is not None:
        return OutOfTime(
            f"{what}: the server's own statement_timeout of {waiting.statement:g} s was reached; nothing was written"
        )
    if state == "55P03":
        waited = "" if waiting.lock is None else f" for {waiting.lock:g} s"
        return DataError(
            f"{what}: somebody else has locked the table{waited}; audit again later, or set ?options=-c lock_timeout=…"
        )
    if state is None:
        gone = re.search(_GONE, str(error), re.IGNORECASE)
        return DataError(f"{what}: {LOST if gone else 'the server refused or the table cannot be read'}")
    if state == "42501" and re.search(r"row[- ]level security", str(error), re.IGNORECASE):
        return DataError(f"{what}: {HIDDEN} (SQLSTATE {state})")
    reason = _BY_STATE.get(state) or _BY_CLASS.get(state[:2]) or "the server refused or the table cannot be read"
    return DataError(f"{what}: {reason} (SQLSTATE {state})")


def out_of_time(limits: RunLimits) -> OutOfTime:
    """The run's own time limit, in the words of `Limits.check`."""
    return OutOfTime(f"the time limit of {limits.seconds:g} s was reached; nothing was written")
