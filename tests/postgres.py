"""A private PostgreSQL server for a test: its own folder, its own loopback port, gone afterwards.

A test skips where no server is installed (Debian: `apt install postgresql`) or the extra `postgres` is not.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

USER, PASSWORD = "auditor", "geheim-4711"


@dataclass(frozen=True)
class Server:
    """A running server; its log files, if the settings ask for any, lie under `data`."""

    binaries: Path
    folder: Path
    port: int

    @property
    def data(self) -> Path:
        return self.folder / "db"

    def url(self, rest: str = "", *, user: str = USER, password: str = PASSWORD) -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/postgres{rest}"

    def run(self, program: str, *arguments: str) -> None:
        """A program of the server; it refuses to be root, so root becomes postgres."""
        user = "postgres" if os.geteuid() == 0 else None
        subprocess.run(
            [self.binaries / program, *arguments],
            check=True,
            user=user,
            timeout=300,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def sql(self, *statements: str) -> None:
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.url(), autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.url(), autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())

    def keep(self, name: str, table: Any) -> str:
        """Make an Arrow table one of the server's, in place of another of the name; its URL."""
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.url(), autocommit=True) as connection, connection.cursor() as cursor:
            cursor.adbc_ingest(name, table, mode="replace")
        return self.url(f"?table={name}")

    def log_with(self, text: str, ending: str) -> Path:
        """The log file that holds a text: the server's collector writes it some time after the statement."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            for path in sorted((self.data / "log").glob(f"*{ending}")):
                if text in path.read_text():
                    return path
            time.sleep(0.05)
        raise AssertionError(f"no log *{ending} holds {text!r}")


@contextmanager
def private_server(settings: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A fresh server with the settings given besides (`{"log_destination": "csvlog", "logging_collector": "on"}`)."""
    pytest.importorskip("adbc_driver_postgresql", reason="the extra postgres is not installed")
    binaries = _binaries()
    with tempfile.TemporaryDirectory(prefix="auditor-postgres-") as name:
        server = Server(binaries, Path(name), _free_port())
        password = server.folder / "password"
        password.write_text(PASSWORD)
        if os.geteuid() == 0:
            for path in (server.folder, password):
                shutil.chown(path, "postgres")
        server.run("initdb", "-D", "db", "-U", USER, "--pwfile", "password", "-A", "scram-sha-256", "-E", "UTF8",
                   "--no-locale")  # fmt: skip
        here = {
            "listen_addresses": "127.0.0.1",
            "port": str(server.port),
            "unix_socket_directories": "",
            "fsync": "off",
        }
        with (server.data / "postgresql.conf").open("a") as file:
            file.writelines(f"{key} = '{value}'\n" for key, value in {**here, **(settings or {})}.items())
        server.run("pg_ctl", "-D", "db", "-l", "log", "-w", "start")
        try:
            yield server
        finally:
            server.run("pg_ctl", "-D", "db", "-m", "immediate", "-w", "stop")


@cache
def shared() -> Server:
    """A server for all tests of a process that do not change its settings; stopped when the process ends."""
    opened = ExitStack()
    server = opened.enter_context(private_server())
    atexit.register(opened.close)
    return server


def _binaries() -> Path:
    on_path = shutil.which("pg_ctl")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin")) or ([Path(on_path).parent] if on_path else [])
    if not found or not (found[-1] / "initdb").exists():
        pytest.skip("no PostgreSQL server is installed")
    if os.geteuid() == 0 and "postgres" not in {account.pw_name for account in pwd.getpwall()}:
        pytest.skip("a PostgreSQL server refuses to be root, and there is no account postgres")
    return found[-1]


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
