"""The transaction that an audit reads PostgreSQL in: one state of the data, bounded, and gone at every end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import auditor
from auditor.engines import RunLimits, open_data
from auditor.engines.postgres import PostgreSQL
from auditor.errors import DataError, OutOfTime
from tests.postgres import PASSWORD, Server, private_server

pytestmark = pytest.mark.slow

POLICY: dict[str, Any] = {"attributes": {"a": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 2}]}
SLOWLY = "?query=SELECT i::text AS a, pg_sleep(0.001)::text AS b FROM generate_series(1, 100000) AS i"
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'auditor'"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with private_server() as running:
        yield running


def until(holds: Callable[[], Any], seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


def sessions(server: Server, where: str = "") -> int:
    return int(server.ask(f"{SESSIONS} {where}")[0][0])


@contextmanager
def in_the_background(work: Callable[[], Any]) -> Iterator[Future[Any]]:
    found: Future[Any] = Future()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # noqa: BLE001  (whoever asks gets it)
            found.set_exception(error)

    thread = threading.Thread(target=run)
    thread.start()
    yield found
    thread.join(120)
    assert not thread.is_alive()


@pytest.fixture
def busy(server: Server) -> Iterator[None]:
    """Nobody of ours is connected, before and after."""
    until(lambda: sessions(server) == 0)
    yield
    until(lambda: sessions(server) == 0)


def test_the_transaction_reads_only_and_sees_one_state(server, busy):
    url = server.url(
        "?query=SELECT current_setting('transaction_isolation') AS a, current_setting('transaction_read_only') AS b, "
        "current_setting('application_name') AS c, current_setting('lock_timeout') AS d"
    )
    policy = {"attributes": dict.fromkeys("abcd", "insensitive"), "requirements": []}
    for name, value in {"a": "repeatable read", "b": "on", "c": "auditor", "d": "1min"}.items():
        policy["requirements"].append(
            {"id": name, "model": "allowed-values", "attribute": name, "values": [value], "missing": "forbidden"}
        )
    assert auditor.check(url, policy).verdict.value == "pass"


@pytest.mark.parametrize("change", ["TRUNCATE staff", "DROP TABLE staff; CREATE TABLE staff (a text)"])
def test_a_table_that_is_replaced_while_it_is_opened_is_read_as_it_is_then(change, server, busy):
    """The snapshot is older than the lock that is waited for: read with it, the table would be empty."""
    from adbc_driver_postgresql import dbapi

    server.sql("DROP TABLE IF EXISTS staff", "CREATE TABLE staff AS SELECT 'old' AS a FROM generate_series(1, 10)")
    with dbapi.connect(server.url()) as writer, writer.cursor() as cursor:
        for statement in change.split("; "):
            cursor.execute(statement)
        cursor.execute("INSERT INTO staff SELECT 'new' FROM generate_series(1, 7)")
        with in_the_background(lambda: auditor.check(server.url("?table=staff"), POLICY)) as found:
            until(lambda: sessions(server, "AND wait_event_type = 'Lock'"))
            writer.commit()
    assert found.result().data.rows == 7


def test_a_lock_is_not_waited_for_for_ever(server, busy):
    from adbc_driver_postgresql import dbapi

    server.sql("CREATE TABLE locked AS SELECT 'x' AS a")
    with dbapi.connect(server.url()) as writer, writer.cursor() as cursor:
        cursor.execute("LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")
        url = server.url("?table=locked&options=-c%20lock_timeout%3D200")
        with pytest.raises(DataError, match=r"somebody else has locked the table for 0\.2 s"):
            auditor.check(url, POLICY)
        with pytest.raises(OutOfTime, match="time limit of 1 s"):
            auditor.check(server.url("?table=locked"), POLICY, time_limit=1)
        writer.rollback()
    assert auditor.check(url, POLICY).data.rows == 1


@pytest.mark.parametrize("what", [SLOWLY, "?query=SELECT pg_sleep(60)::text AS a"])
def test_the_time_limit_ends_the_statement_in_the_server(what, server, busy):
    before = time.monotonic()
    with pytest.raises(OutOfTime, match="time limit of 1 s was reached"):
        auditor.check(server.url(what), POLICY, time_limit=1)
    assert time.monotonic() - before < 30


def test_the_servers_own_timeout_is_kept(server, busy):
    url = server.url(SLOWLY + "&options=-c%20statement_timeout%3D500")
    for time_limit in (None, 600):
        with pytest.raises(OutOfTime, match=r"the server's own statement_timeout of 0\.5 s"):
            auditor.check(url, POLICY, time_limit=time_limit)


def end_all(server: Server) -> None:
    until(lambda: sessions(server, "AND state = 'active' AND query LIKE '%pg_sleep%'"))
    server.ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'auditor'")


def test_a_connection_that_is_cut(server, busy):
    with in_the_background(lambda: auditor.check(server.url(SLOWLY), POLICY)) as found:
        end_all(server)
    with pytest.raises(DataError, match="or the connection was cut, before the audit was done"):
        found.result()


def test_a_statement_that_is_cancelled(server, busy):
    with in_the_background(lambda: auditor.check(server.url(SLOWLY), POLICY)) as found:
        until(lambda: sessions(server, "AND state = 'active' AND query LIKE '%pg_sleep%'"))
        server.ask("SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE application_name = 'auditor'")
    with pytest.raises(DataError, match="another session cancelled the statement"):
        found.result()


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_a_server_that_is_restarted(how):
    with private_server() as server:
        with in_the_background(lambda: auditor.check(server.url(SLOWLY), POLICY)) as found:
            until(lambda: sessions(server, "AND state = 'active' AND query LIKE '%pg_sleep%'"))
            server.run("pg_ctl", "-D", "db", "-l", "log", "-m", how, "-w", "restart")
        with pytest.raises(DataError, match="stopped or restarted"):
            found.result()
        assert sessions(server) == 0


def test_rights(server, busy):
    server.sql(
        "CREATE TABLE secret AS SELECT 'x' AS a, 'y' AS b FROM generate_series(1, 3)",
        f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'",
        "GRANT SELECT (a) ON secret TO guest",
        "CREATE SCHEMA hidden",
        "CREATE TABLE hidden.t AS SELECT 'x' AS a",
    )
    for what in ("?table=secret", "?query=SELECT b FROM secret", "?table=hidden.t"):
        with pytest.raises(DataError, match=r"the role has not the rights .* \(SQLSTATE 42501\)"):
            auditor.check(server.url(what, user="guest"), POLICY)
    assert auditor.check(server.url("?query=SELECT a FROM secret", user="guest"), POLICY).data.rows == 3


@pytest.mark.parametrize("engine", [PostgreSQL(push_down=False), PostgreSQL()], ids=["copied", "pushed down"])
def test_rows_that_the_server_hides_from_the_role_are_no_reason_to_pass(engine, server, busy):
    server.sql(
        "DROP TABLE IF EXISTS wards CASCADE",
        "CREATE TABLE wards AS SELECT CASE WHEN i = 1 THEN 'alone' ELSE 'x' END AS a, i > 1 AS open "
        "FROM generate_series(1, 9) AS i",
        "CREATE VIEW of_wards AS SELECT a FROM wards",
        "CREATE VIEW of_wards_as_invoked WITH (security_invoker) AS SELECT a FROM wards",
        "ALTER TABLE wards ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY only_open ON wards USING (open)",
        *(f"DROP ROLE IF EXISTS {role}" for role in ("nurse", "auditing")),
        f"CREATE ROLE nurse LOGIN PASSWORD '{PASSWORD}'",
        f"CREATE ROLE auditing LOGIN BYPASSRLS PASSWORD '{PASSWORD}'",
        "GRANT SELECT ON wards, of_wards, of_wards_as_invoked TO nurse, auditing",
    )

    def rows(what: str, user: str) -> int:
        return auditor.check(server.url(what, user=user), POLICY, engine=engine).data.rows

    for what in ("?table=wards", "?query=SELECT a FROM wards", "?table=of_wards_as_invoked"):
        with pytest.raises(DataError, match=r"row-level security hides rows .* BYPASSRLS"):
            rows(what, "nurse")
        assert rows(what, "auditing") == 9
    assert rows("?table=of_wards", "nurse") == 9  # a view reads as its owner does


@pytest.mark.parametrize("what", [SLOWLY, "?query=SELECT pg_sleep(60)::text AS a"])
def test_an_interrupt_ends_the_session(what, server, busy, tmp_path):
    (tmp_path / "p.yaml").write_text(
        "attributes: {a: quasi-identifier, b: insensitive}\nrequirements: [{model: k-anonymity, k: 2}]\n"
    )
    command = [
        sys.executable,
        "-c",
        "from auditor.cli import main; main()",
        "check",
        server.url(what),
        "-p",
        "p.yaml",
        "--report",
        "r.json",
    ]
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(Path.cwd())}
    running = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    until(lambda: sessions(server, "AND state = 'active' AND query LIKE '%pg_sleep%'"))
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert (running.returncode, err.strip()) == (3, "auditor: interrupted; nothing was written [interrupted]")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.yaml"]
    until(lambda: sessions(server) == 0)


def test_an_error_while_rows_come_ends_the_session(server, busy):
    """DuckDB runs out of memory in the middle of the stream: the statement is cancelled, not waited for."""
    url = server.url("?query=SELECT repeat(md5(i::text), 3000) AS a FROM generate_series(1, 100000) AS i")
    before = time.monotonic()
    with pytest.raises(DataError, match="cannot compute a value"):
        open_data(server.url("?query=SELECT 1 / (5000 - i) AS a FROM generate_series(1, 9000) AS i"))
    assert sessions(server) == 0
    with open_data(url.replace("100000", "10"), limits=RunLimits.of("64MiB")) as source:
        assert source.records() == 10
    assert time.monotonic() - before < 60


def test_bytes_that_are_no_text_of_ours(server, busy):
    server.sql("CREATE DATABASE bytes TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'")
    url = server.url("?query=SELECT convert_from(decode('fffe41', 'hex'), 'SQL_ASCII') AS a")
    with pytest.raises(DataError):
        auditor.check(url.replace("/postgres?", "/bytes?"), POLICY)
