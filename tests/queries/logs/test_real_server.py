"""What a real PostgreSQL writes of real statements by two users, read back (skipped where no server is installed)."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from auditor.queries import QueryAuditor, Statement, audit_queries
from auditor.queries.logs import read_log
from tests.postgres import Server, private_server

pytestmark = pytest.mark.slow

TABLE = (
    "CREATE TABLE staff (id integer, dept text, salary numeric)",
    "INSERT INTO staff SELECT i, 'D' || i % 3, 1000 + i FROM generate_series(1, 40) i",
    "CREATE ROLE ana LOGIN PASSWORD 'ana-1'",
    "CREATE ROLE ben LOGIN PASSWORD 'ben-2'",
    "GRANT SELECT ON staff TO ana, ben",
)
OF_DEPARTMENT = "SELECT sum(salary) FROM staff WHERE dept = $1"
SCRIPT = f"""BEGIN;
SELECT count(*),
  sum(salary) FROM staff -- not; here
  WHERE dept <> 'D;''1';
COMMIT;
SELECT sum(salary) / 0 FROM staff;
SELECT secret FROM staff;
SELECT sum(salary) FRM staff s;
PREPARE p (text) AS {OF_DEPARTMENT};
EXECUTE p('D2');
SELECT sum(salary) FROM staff \\; SELECT avg(salary) FROM staff;
\\d staff
"""
ANA = [
    ("SELECT count(*),\n  sum(salary) FROM staff \n  WHERE dept <> 'D;''1'", (), False),
    ("SELECT sum(salary) / 0 FROM staff", (), False),  # an error that depends on the data counts as answered
    ("SELECT secret FROM staff", (), True),
    ("SELECT sum(salary) FRM staff s", (), True),
    (OF_DEPARTMENT, ("D2",), False),
    ("SELECT sum(salary) FROM staff", (), False),
    ("SELECT avg(salary) FROM staff", (), False),
]
BEN = [
    (OF_DEPARTMENT, ("D1",), False),
    (OF_DEPARTMENT, ("it's 'D'",), False),
    (OF_DEPARTMENT, (None,), False),
    ("SELECT sum(salary) FROM staff", (), False),
    ("SELECT sum(salry) FROM staff", (), True),
]
SETTINGS = {
    "logging_collector": "on",
    "log_destination": "csvlog,jsonlog,stderr",
    "log_filename": "server.log",
    "log_line_prefix": "%m [%p] %q%u@%d %e ",
}
LAST = "SELECT count(*) FROM staff WHERE dept = 'the end'"


def extended(server: Server, password: str = "ben-2") -> None:
    """As ben, through the extended protocol."""
    from adbc_driver_postgresql import dbapi

    url = server.url(user="ben", password=password)
    with dbapi.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        for value in ("D1", "it's 'D'", None):
            cursor.execute(OF_DEPARTMENT, parameters=(value,))
            cursor.fetchall()
        cursor.execute("SELECT sum(salary) FROM staff")
        cursor.fetchall()
        with pytest.raises(dbapi.Error):
            cursor.execute("SELECT sum(salry) FROM staff")


def simple(server: Server, script: str) -> None:
    """As ana, through psql, which uses the simple protocol."""
    command = [server.binaries / "psql", "-X", "-q", "-h", "127.0.0.1", "-p", str(server.port), "-U", "ana", "postgres"]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "PGPASSWORD": "ana-1"}
    subprocess.run(command, check=True, input=script, text=True, env=environment, timeout=300, **silent)


@contextmanager
def asked(settings: Mapping[str, str]) -> Iterator[Path]:
    """The folder with the logs of a server with these settings, after everything was asked and written."""
    with private_server({**SETTINGS, **settings}) as server:
        server.sql(*TABLE)
        extended(server)
        simple(server, SCRIPT)
        simple(server, f"{LAST};")
        folder = server.data / "log"
        for _ in range(1200):
            files = [folder / name for name in ("server.csv", "server.json", "server.log")]
            if all(path.exists() and LAST in path.read_text() for path in files):
                break
            time.sleep(0.1)
        yield folder


@pytest.fixture(scope="module", params=["before", "after", "both"])
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Statements logged before they run, after they have run, or with both settings."""
    settings = {"log_statement": "none" if request.param == "after" else "all"}
    settings["log_min_duration_statement"] = "-1" if request.param == "before" else "0"
    with asked(settings) as found:
        yield found


def of(user: str, statements: Sequence[Statement]) -> list[tuple[str, tuple[str | None, ...], bool]]:
    return [(s.sql, s.parameters, s.failed) for s in statements if s.user == user and s.sql != LAST]


@pytest.mark.parametrize(
    ("name", "format_"), [("server.csv", "csvlog"), ("server.json", "jsonlog"), ("server.log", "stderr")]
)
def test_the_statements_of_two_users(folder: Path, name: str, format_: str) -> None:
    log = read_log(folder / name)
    statements = list(log)
    assert log.format == format_
    assert of("ben", statements) == BEN
    assert of("ana", statements) == ANA
    assert log.facts.users == ("auditor", "ben", "ana")
    assert log.facts.ignored > 0
    assert log.facts.last_time is not None
    assert log.facts.last_time.startswith("20")


def test_every_form_of_one_log_tells_the_same(folder: Path) -> None:
    csvlog, jsonlog, plain = (
        [(s.number, s.user, s.sql, s.parameters, s.failed) for s in read_log(folder / name)]
        for name in ("server.csv", "server.json", "server.log")
    )
    assert csvlog == jsonlog == plain


POLICY = {
    "version": 1,
    "name": "staff",
    "attributes": {
        "id": "identifier",
        "dept": "quasi-identifier",
        "salary": {"role": "sensitive", "type": "number"},
    },
    "queries": {"table": "staff", "key": "id", "limits": {"exact_value": "deny"}, "unsupported": "warn"},
}


@pytest.mark.parametrize("name", ["server.csv", "server.json", "server.log"])
def test_the_audit_of_what_a_server_wrote(tmp_path: Path, name: str) -> None:
    """Two users each ask about many; together (the answers of one by psql, of the other by a driver) about one."""
    with private_server({**SETTINGS, "log_statement": "all"}) as server:
        server.sql(*TABLE, "UPDATE staff SET dept = 'alone' WHERE id = 17")
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(server.url(user="ben", password="ben-2"), autocommit=True) as link, link.cursor() as cursor:
            cursor.execute("SELECT sum(salary) FROM staff")
            cursor.fetchall()
        simple(
            server, "SELECT sum(salry) FROM staff WHERE dept = 'alone';\nSELECT avg(salary) FROM staff WHERE id = 17;"
        )
        simple(server, "PREPARE p (text) AS SELECT sum(salary) FROM staff WHERE dept <> $1;\nEXECUTE p('alone');")
        simple(server, f"{LAST};")
        written = server.data / "log" / name
        for _ in range(1200):
            if written.exists() and LAST in written.read_text():
                break
            time.sleep(0.1)
        log = tmp_path / name
        log.write_bytes(written.read_bytes())
        result = audit_queries(log, POLICY, server.url("?table=staff"))
    (disclosure,) = [each for each in result.disclosures if each.kind == "exact-value"]
    assert disclosure.records == (17,)
    assert (disclosure.low, disclosure.high) == (1017, 1017)
    assert disclosure.users == ("ana", "ben")
    assert set((disclosure.certificate or {}).values()) == {"1", "-1"}
    decisions = {query.sql: query.decision for query in result.queries}
    assert decisions["SELECT sum(salry) FROM staff WHERE dept = 'alone'"] == "failed"
    assert decisions["SELECT avg(salary) FROM staff WHERE id = 17"] == "unsupported", "id is no public column"
    assert result.log.users == ("auditor", "ben", "ana")


def test_what_may_be_answered_runs_on_the_server_and_is_recorded(tmp_path: Path) -> None:
    """A statement that is answered runs once, in a transaction of the server; one that fails is not recorded."""
    with private_server(SETTINGS) as server:
        server.sql(*TABLE, "UPDATE staff SET dept = 'alone' WHERE id = 17")
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(server.url(user="ben", password="ben-2"), autocommit=False) as link:
            ran: list[str] = []

            def execute(statement: Statement) -> Sequence[Sequence[Any]]:
                ran.append(statement.sql)
                with link.cursor() as cursor:
                    cursor.execute(statement.sql, list(statement.parameters) or None)
                    rows = cursor.fetchall()
                link.rollback()
                return rows

            options: dict[str, Any] = {"ledger": tmp_path / "answers.ledger", "execute": execute}
            asked = ["SELECT sum(salary) FROM staff", "SELECT sum(salary) FROM staff WHERE dept <> 'alone'"]
            with QueryAuditor(server.url("?table=staff"), POLICY, **options) as auditor:
                first = auditor.answer(asked[0], user="ana")
                assert (first.decision, len(first.rows or ())) == ("answer", 1)
            with QueryAuditor(server.url("?table=staff"), POLICY, **options) as auditor:
                assert auditor.answer(asked[1], user="ben").violations == ("exact-value",)
                server.sql("ALTER TABLE staff RENAME TO gone")
                with pytest.raises(dbapi.Error):
                    auditor.answer("SELECT avg(salary) FROM staff", user="ana")
                link.rollback()
            assert ran == [asked[0], "SELECT avg(salary) FROM staff"]
        with sqlite3.connect(tmp_path / "answers.ledger") as database:
            entries = database.execute("SELECT statement, asked_by, decision, answer FROM entry").fetchall()
        database.close()
    assert [entry[:3] for entry in entries] == [(asked[0], "ana", "answer"), (asked[1], "ben", "deny")]
    assert json.loads(entries[0][3]) == [[_number(value) for value in row] for row in first.rows or ()]
    assert entries[1][3] is None


def _number(value: Any) -> Any:
    """As JSON has it: a decimal number is a text."""
    return str(value) if isinstance(value, Decimal) else value
