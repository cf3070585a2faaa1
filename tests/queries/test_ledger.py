"""The ledger of answers: only grows, belongs to one table, survives being killed, is shared by processes."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.errors import DataError
from auditor.queries import Statement
from auditor.queries.online.ledger import StatementLedger

_WRITER = """
import sys
from pathlib import Path
from auditor.queries._query import Statement
from auditor.queries.online.ledger import StatementLedger

ledger = StatementLedger(Path(sys.argv[1]), "digest")
seen = 0
while seen < int(sys.argv[2]):
    with ledger.turn():
        number = ledger.next_number()
        ledger.append(Statement(number, f"SELECT {number}", sys.argv[3]), "answer", (), "policy", None)
    seen += 1
    print(number, flush=True)
"""


def _append(ledger: StatementLedger, sql: str, decision: str = "answer") -> None:
    with ledger.turn():
        ledger.append(Statement(0, sql, "ana", "10:00", ("1", None)), decision, ("overlap",), "p", "[1]")


def test_entries_come_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "answers.ledger"
    first = StatementLedger(path, "digest")
    _append(first, "SELECT 1")
    first.close()
    again = StatementLedger(path, "digest")
    _append(again, "SELECT 2", "deny")
    entries = again.after(0)
    assert [(e.number, e.statement.sql, e.decision) for e in entries] == [
        (1, "SELECT 1", "answer"),
        (2, "SELECT 2", "deny"),
    ]
    assert entries[0].statement == Statement(1, "SELECT 1", "ana", "10:00", ("1", None))
    assert entries[0].violations == ("overlap",)
    assert (entries[0].policy_sha256, entries[0].answer) == ("p", "[1]")
    assert [e.number for e in again.after(1)] == [2]
    assert again.next_number() == 3


def test_a_turn_that_ends_with_an_error_leaves_nothing(tmp_path: Path) -> None:
    ledger = StatementLedger(tmp_path / "answers.ledger", "digest")

    def fails() -> None:
        with ledger.turn():
            ledger.append(Statement(0, "SELECT 1"), "answer", (), "p", None)
            raise RuntimeError("the query failed")

    with pytest.raises(RuntimeError, match="the query failed"):
        fails()
    assert ledger.after(0) == []


def test_an_entry_is_never_changed_or_removed(tmp_path: Path) -> None:
    path = tmp_path / "answers.ledger"
    ledger = StatementLedger(path, "digest")
    _append(ledger, "SELECT 1")
    ledger.close()
    database = sqlite3.connect(path)
    for statement in ("UPDATE entry SET decision = 'deny'", "DELETE FROM entry"):
        with pytest.raises(sqlite3.IntegrityError, match="only grows"):
            database.execute(statement)
    database.close()


def _another_database(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE wages (amount INTEGER)")
    database.commit()
    database.close()


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda path: StatementLedger(path, "other").close(), "belongs to other data"),
        (lambda path: path.write_bytes(b"not a database at all, whatever its name" * 40), "cannot be used as a ledger"),
        (_another_database, "is a database, but not a ledger"),
    ],
)
def test_what_is_no_ledger_of_this_table_is_refused(made, said: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.ledger"
    made(path)
    before = path.read_bytes()
    with pytest.raises(DataError, match=said):
        StatementLedger(path, "digest")
    assert path.read_bytes() == before


def _writer(path: Path, entries: int, user: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WRITER, str(path), str(entries), user]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_processes_take_turns_and_no_entry_is_lost_or_counted_twice(tmp_path: Path) -> None:
    path = tmp_path / "answers.ledger"
    writers = [_writer(path, 25, user) for user in ("ana", "ben", "eva")]
    said = [int(line) for writer in writers for line in writer.communicate(timeout=300)[0].split()]
    entries = StatementLedger(path, "digest").after(0)
    assert sorted(said) == [e.number for e in entries] == list(range(1, 76))
    assert all(e.statement.sql == f"SELECT {e.number}" for e in entries)


@pytest.mark.slow
def test_kill_9_leaves_whole_entries_and_every_one_that_was_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "answers.ledger"
    for round_ in range(5):
        writer = _writer(path, 10_000, f"user{round_}")
        assert writer.stdout is not None
        confirmed = [int(writer.stdout.readline()) for _ in range(7 + round_)]
        os.kill(writer.pid, signal.SIGKILL)
        confirmed += [int(line) for line in writer.stdout.read().split()]
        writer.wait(timeout=300)
        writer.stdout.close()
        entries = StatementLedger(path, "digest").after(0)
        assert [e.number for e in entries] == list(range(1, len(entries) + 1))
        assert len(entries) in (confirmed[-1], confirmed[-1] + 1)
