"""One transaction in a PostgreSQL server: read-only, with one snapshot of the data, bounded in time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from auditor.distribution import installation
from auditor.engines._limits import RunLimits
from auditor.engines._locate import DatabaseTable
from auditor.engines.postgres import _errors
from auditor.engines.postgres._waiting import awaited, begun, stopped
from auditor.errors import DataError, Unsupported

_Value = TypeVar("_Value")
LOCK_SECONDS = 60
"""How long to wait for a lock where neither the URL nor the role says how long."""
GRACE = 5.0
"""Seconds after which a server that keeps no time limit itself is given up."""
ATTEMPTS = 5
"""How often a transaction is begun anew because a table was replaced between its snapshot and its lock."""
USE_COPY = "adbc.postgresql.use_copy"
SETTINGS = "SELECT name, setting FROM pg_settings WHERE name IN ('server_version', 'statement_timeout', 'lock_timeout')"
REPLACED = (
    "SELECT count(*) FROM pg_locks AS held LEFT JOIN pg_class AS seen ON seen.oid = held.relation "
    "WHERE held.pid = pg_backend_pid() AND held.locktype = 'relation' AND (seen.oid IS NULL OR "
    "(seen.relfilenode <> 0 AND pg_relation_filenode(seen.oid) IS DISTINCT FROM seen.relfilenode))"
)
"""How many of the locked relations are other than the snapshot knows them: `pg_class` is read as of the snapshot,
`pg_relation_filenode` tells the newest state."""


class Server:
    """A read-only transaction that sees the data as it was when `begin` returned, until it is closed."""

    def __init__(self, table: DatabaseTable, limits: RunLimits) -> None:
        """Connect; `table` says where to.

        Raises:
            DataError: no connection can be made.
            Unsupported: the extra is not installed.
        """
        try:
            from adbc_driver_postgresql import dbapi
        except ImportError:
            raise Unsupported(f'PostgreSQL needs the extra "postgres": {installation("postgres")}') from None
        self.limits = limits
        self._what = table.name
        self._error: type[Exception] = dbapi.Error
        self._pending: Future[Any] | None = None
        self._lost = False
        self._ours = False
        self._statement_seconds: float | None = None
        self._lock_seconds: float | None = LOCK_SECONDS
        self._connection: Any = None
        self._cursor: Any = None
        address = _with_defaults(table.address, limits)
        self._connection = self._connected(lambda: dbapi.connect(address))
        self._cursor = self._connection.cursor()
        try:
            self._perform(SETTINGS)  # before a limit of ours is set
            found = dict(self._call(self._cursor.fetchall))
            self._call(self._connection.rollback)
        except BaseException:
            self.close()
            raise
        self.version = found["server_version"].split(" ")[0]
        self._statement_seconds = int(found["statement_timeout"]) / 1000 or None
        self._lock_seconds = int(found["lock_timeout"]) / 1000 or None

    def _connected(self, connect: Callable[[], _Value]) -> _Value:
        try:
            return self._awaited(begun(connect))
        except self._error as error:
            raise _errors.on_connecting(self._what, str(error)) from None

    def begin(self, locking: str) -> list[str]:
        """Begin the transaction; `locking` is a query that reads the data and finds nothing, so that it is locked.

        Returns the names of its columns.

        The snapshot is taken before the lock is there. A table that is truncated, rewritten or replaced in between
        would be read as empty, so the transaction then begins anew.
        """
        for _ in range(ATTEMPTS):
            self._execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            self._execute("SET LOCAL row_security = off")  # an error where rows would be left out in silence
            if self._lock_seconds is None:
                self._execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
            schema, _ = self.stream(locking)
            if self.rows(REPLACED) == [(0,)]:
                return [str(name) for name in schema.names]
            self._call(self._connection.rollback)
        raise DataError(f"{self._what}: the table is replaced again and again while it is opened; audit again later")

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Execute a query and fetch its few rows."""
        self._execute(statement)
        found: list[tuple[Any, ...]] = self._call(self._cursor.fetchall)
        return found

    def plan(self, statement: str) -> dict[str, Any]:
        """The plan that the server makes of a query, which is not executed: the ``Plan`` of EXPLAIN."""
        # The driver fetches by COPY, inside which nothing can be explained.
        self._cursor.adbc_statement.set_options(**{USE_COPY: "false"})
        try:
            ((told,),) = self.rows(f"EXPLAIN (FORMAT JSON, VERBOSE) {statement}")
        finally:
            self._cursor.adbc_statement.set_options(**{USE_COPY: "true"})
        found: dict[str, Any] = (json.loads(told) if isinstance(told, str | bytes) else told)[0]["Plan"]
        return found

    def set_local(self, settings: Mapping[str, str]) -> None:
        """Change settings for the rest of the transaction; DEFAULT is what the session has."""
        for name, value in settings.items():
            self._execute(f"SET LOCAL {name} TO {value}")

    def stream(self, statement: str) -> tuple[Any, Iterator[Any]]:
        """Execute a query: the Arrow schema of what it finds, and its batches, one of them fetched ahead."""
        self._execute(statement)
        reader = self._reader()
        return reader.schema, self._batches(reader)

    def _batches(self, reader: Any) -> Iterator[Any]:
        def read() -> Any:
            return next(reader, None)

        self._pending = begun(read)
        while (batch := self._finished(self._pending)) is not None:
            self._pending = begun(read)
            yield batch
        self._pending = None

    def _reader(self) -> Any:
        """The reader of what was found. The driver's public one forgets the SQLSTATE of an error."""
        return self._cursor._results.reader  # noqa: SLF001

    def _execute(self, statement: str) -> None:
        self.limits.check()
        left = self.limits.remaining()
        self._ours = left is not None and left <= (self._statement_seconds or left)
        if left is not None and self._ours:
            self._perform(f"SET LOCAL statement_timeout = {max(int(left * 1000), 1)}")
        self._perform(statement)

    def _perform(self, statement: str) -> None:
        self._call(lambda: self._cursor.execute(statement))

    def _call(self, work: Callable[[], _Value]) -> _Value:
        return self._finished(begun(work))

    def _finished(self, call: Future[_Value]) -> _Value:
        try:
            return self._awaited(call)
        except self._error as error:
            waiting = _errors.Waiting(self._ours, self._statement_seconds, self._lock_seconds or LOCK_SECONDS)
            raise _errors.of_statement(self._what, error, waiting, self.limits) from None

    def _awaited(self, call: Future[_Value]) -> _Value:
        left = self.limits.remaining()
        try:
            return awaited(call, self._cancel, None if left is None else max(left, 0) + GRACE)
        except TimeoutError:
            raise _errors.out_of_time(self.limits) from None
        finally:
            self._lost = self._lost or not call.done()

    def _cancel(self) -> None:
        with suppress(Exception):
            self._cursor.adbc_cancel()

    def close(self) -> None:
        """End the transaction and the connection, whatever state they are in."""
        if self._pending is not None:
            self._lost = not stopped(self._pending, self._cancel)
            self._pending = None
        if self._lost or self._connection is None:
            return  # a thread is still inside the driver; the connection ends with the program
        connection, cursor, self._connection = self._connection, self._cursor, None
        for end in (cursor and cursor.close, connection.close):
            if end:
                with suppress(Exception):
                    end()


def _with_defaults(address: str, limits: RunLimits) -> str:
    """The address with what it does not say itself: who is asking, and how long to try."""
    place, _, options = address.partition("?")
    told = dict(parse_qsl(options, keep_blank_values=True))
    defaults = {"fallback_application_name": "auditor"}
    left = limits.remaining()
    if left is not None:
        defaults["connect_timeout"] = str(max(int(left), 2))  # libpq takes 1 for 2
    added = urlencode({name: value for name, value in defaults.items() if name not in told})
    return f"{place}?{'&'.join(filter(None, [options, added]))}"
