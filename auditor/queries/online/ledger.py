"""What an online auditor has answered and denied: one SQLite file that only grows.

The file is bound to one table by its digest, because answers about other data prove nothing about this one. Every
decision is made inside a transaction that shuts others out (`BEGIN IMMEDIATE`), so that several processes see each
other's answers before they decide, and a process that is killed leaves either the whole entry or nothing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import DataError, UsageError
from auditor.queries._query import Statement

_FORMAT = "auditor query ledger 1"
_WAIT_SECONDS = 60.0
_SCHEMA = """
CREATE TABLE bound (format TEXT NOT NULL, data_sha256 TEXT NOT NULL);
CREATE TABLE entry (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    asked_by TEXT, asked_at TEXT, statement TEXT NOT NULL, parameters TEXT NOT NULL,
    decision TEXT NOT NULL CHECK (decision IN ('answer', 'deny', 'unsupported')),
    violations TEXT NOT NULL, answer TEXT, policy_sha256 TEXT NOT NULL
);
CREATE TRIGGER never_changed BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
CREATE TRIGGER never_removed BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
"""


@dataclass(frozen=True)
class DecisionEntry:
    """One decision. `answer` is the JSON text of what was returned, where the auditor itself ran the query."""

    number: int
    statement: Statement
    decision: str
    violations: tuple[str, ...]
    policy_sha256: str
    answer: str | None = None


class StatementLedger:
    """The file, or with no path a ledger in memory that ends with the process."""

    def __init__(self, path: Path | None, data_sha256: str) -> None:
        self._name = "the ledger" if path is None else path.name
        self._closed = False
        try:
            self._database = sqlite3.connect(
                ":memory:" if path is None else path,
                timeout=_WAIT_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            self._database.execute("PRAGMA synchronous = FULL")
            with self.turn():
                self._bind(data_sha256)
        except sqlite3.Error as error:
            raise DataError(f"{self._name}: cannot be used as a ledger of answers ({error})") from None

    def _bind(self, data_sha256: str) -> None:
        tables = {name for (name,) in self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            for statement in _statements(_SCHEMA):
                self._database.execute(statement)
            self._database.execute("INSERT INTO bound VALUES (?, ?)", (_FORMAT, data_sha256))
            return
        rows = self._database.execute("SELECT format, data_sha256 FROM bound").fetchall() if "bound" in tables else []
        if len(rows) != 1 or rows[0][0] != _FORMAT:
            raise DataError(f"{self._name}: is a database, but not a ledger of answers")
        if rows[0][1] != data_sha256:
            raise DataError(
                f"{self._name}: belongs to other data than this; earlier answers say nothing about changed data, so "
                "start a new ledger, or audit with the data it was begun with"
            )

    @contextmanager
    def turn(self) -> Iterator[None]:
        """A transaction in which nobody else decides; undone when it ends with an error."""
        if self._closed:
            raise UsageError(
                "the auditor is closed; decide within its `with` block, or make another on the same ledger"
            )
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise DataError(
                f"{self._name}: cannot be used as a ledger of answers ({error}); name a file that can be written, or "
                "restore it from a copy"
            ) from None

    def after(self, number: int) -> list[DecisionEntry]:
        """The entries since entry `number`, oldest first."""
        rows = self._database.execute(
            "SELECT number, statement, asked_by, asked_at, parameters, decision, violations, policy_sha256, answer "
            "FROM entry WHERE number > ? ORDER BY number",
            (number,),
        )
        try:
            return [
                DecisionEntry(
                    n,
                    Statement(n, sql, user, time, tuple(json.loads(bound))),
                    decision,
                    tuple(json.loads(broken)),
                    *rest,
                )
                for n, sql, user, time, bound, decision, broken, *rest in rows
            ]
        except (ValueError, TypeError):
            raise DataError(f"{self._name}: holds an entry that no ledger wrote; restore it from a copy") from None

    def next_number(self) -> int:
        """The number that the next entry will have."""
        return int(self._database.execute("SELECT coalesce(max(number), 0) + 1 FROM entry").fetchone()[0])

    def append(
        self, statement: Statement, decision: str, violations: tuple[str, ...], policy: str, answer: str | None
    ) -> None:
        """Add one entry; to be called within a turn."""
        self._database.execute(
            "INSERT INTO entry (asked_by, asked_at, statement, parameters, decision, violations, policy_sha256, answer)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                statement.user,
                statement.time,
                statement.sql,
                json.dumps(statement.parameters),
                decision,
                json.dumps(violations),
                policy,
                answer,
            ),
        )

    def close(self) -> None:
        """Let go of the file."""
        self._closed = True
        self._database.close()


def _statements(script: str) -> list[str]:
    """Split a script where statements end; `executescript` would commit the transaction."""
    parts: list[str] = []
    held = ""
    for piece in script.split(";"):
        held += piece + ";"
        if sqlite3.complete_statement(held):
            parts.append(held)
            held = ""
    return parts
