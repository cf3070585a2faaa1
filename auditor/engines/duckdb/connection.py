"""One DuckDB connection: quiet, bounded in memory and time, and locked once its inputs are open."""

from __future__ import annotations

import glob
import os
import shutil
import threading
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from sys import getsizeof
from typing import Any

import duckdb

from auditor.engines._limits import RunLimits
from auditor.engines.duckdb._progress import FOLLOWED, NOT_FOLLOWED, followed
from auditor.engines.duckdb._spilled import encrypt, place_for
from auditor.engines.duckdb.errors import translated
from auditor.engines.duckdb.sql import literal
from auditor.errors import DataError, DeliveryError, OutOfMemory, UsageError
from auditor.folders import PrivateFolder
from auditor.stages import watched

NO_THREADS_BESIDE = {"async_threads": "0"} if int(duckdb.__version__.split(".")[0]) >= 2 else {}
"""DuckDB 2 starts eight threads for input and output with every connection, however few threads it may work with."""

TEXTS_AT_ONCE = 100_000
POINTER_BYTES = 16
"""What a list, and the tuple made of it, take for each text beside the text itself."""


class Connection:
    """A private in-memory database that may read the inputs and write its own spill folder, and nothing else."""

    def __init__(self, limits: RunLimits, folder: Path | None = None, *, threads: int | None = None) -> None:
        """Open a database that may write to `folder`; `threads` bounds its workers (None: one for each processor)."""
        self.limits = limits
        self.folder, spill, own = _folders(limits, folder)
        # Before the folder is there: whenever an interrupt strikes, it is removed, at the latest when the program ends.
        self._remove_folders = weakref.finalize(self, _remove, folder, own)
        _make(self.folder)
        workers = {} if threads is None else {"threads": str(threads), **NO_THREADS_BESIDE}
        self._duckdb = duckdb.connect(
            config={
                **workers,
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "memory_limit": f"{limits.engine_memory}B",
                "temp_directory": place_for(limits.spill.form, spill),
                "preserve_insertion_order": "false",
                "python_enable_replacements": "false",
                "max_expression_depth": "10000",  # a branch of a UNION for each column counts as a level
            }
        )
        self._duckdb.execute(f"{FOLLOWED if watched() else NOT_FOLLOWED}; SET TimeZone = 'UTC'")
        if limits.spill.form == "encrypted":
            encrypt(self._duckdb)

    @property
    def raw(self) -> duckdb.DuckDBPyConnection:
        """The connection itself, for opening inputs."""
        return self._duckdb

    def lock(self, paths: Sequence[Path]) -> None:
        """Allow reading `paths` and nothing else from now on, whatever a statement says."""
        # A path is checked as a reader is given it (see `sql.files`), and again as it is found.
        named = dict.fromkeys(name for path in paths for name in (os.fspath(path), glob.escape(os.fspath(path))))
        allowed = ", ".join(map(literal, named))
        if allowed:
            self._duckdb.execute(f"SET allowed_paths = [{allowed}]")
        self._duckdb.execute(f"SET allowed_directories = [{literal(str(self.folder))}]")
        self._duckdb.execute("SET enable_external_access = false; SET lock_configuration = true")

    def run(self, what: str, statement: str, parameters: Sequence[object] = ()) -> None:
        """Execute a statement about `what`."""
        with translated(what, self.limits), self._bounded():
            self._duckdb.execute(statement, parameters or None)

    def rows(self, what: str, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Execute a query about `what` and fetch its few rows."""
        with translated(what, self.limits), self._bounded():
            return self._duckdb.execute(statement, parameters or None).fetchall()

    def check_pattern(self, pattern: str) -> None:
        """Refuse what is no pattern.

        Raises:
            UsageError: it is no RE2 syntax.
        """
        try:
            self.rows("pattern", "SELECT regexp_full_match('', ?)", [pattern])
        except DataError:
            raise UsageError(
                f"the pattern {pattern!r} is not an RE2 regular expression (no backreferences, no look-around)"
            ) from None

    def texts(self, what: str, statement: str) -> tuple[str | None, ...]:
        """Execute a query about `what` and fetch its one column, of texts.

        Raises:
            OutOfMemory: they take more than what is not the engine's; told before they do.
        """
        found: list[str | None] = []
        size = 0
        with translated(what, self.limits), self._bounded():
            reading = self._duckdb.execute(statement)
            while rows := reading.fetchmany(TEXTS_AT_ONCE):
                texts = [text for (text,) in rows]
                size += POINTER_BYTES * len(texts) + sum(map(getsizeof, texts))
                if size > self.limits.rows_memory:
                    raise OutOfMemory(
                        f"{what}: a column has more distinct values than the memory limit holds as texts; "
                        f"{self.limits.advice}, or leave the column out"
                    )
                found += texts
        return tuple(found)

    def store(self, what: str, table: str, columns: Mapping[str, Any]) -> None:
        """Keep arrays of the same length as a temporary table."""
        with translated(what, self.limits), self._bounded():
            self._duckdb.register("stored", dict(columns))
            self._duckdb.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT * FROM stored")
            self._duckdb.unregister("stored")

    def append(self, what: str, table: str, rows: Any, *, first: bool) -> None:
        """Add an Arrow table to a temporary table, which the first one makes."""
        how = f"CREATE OR REPLACE TEMP TABLE {table} AS" if first else f"INSERT INTO {table}"
        with translated(what, self.limits), self._bounded():
            self._duckdb.register("appended", rows)
            self._duckdb.execute(f"{how} SELECT * FROM appended")
            self._duckdb.unregister("appended")

    def arrays(self, what: str, statement: str) -> dict[str, Any]:
        """Execute a query about `what` and fetch its columns as arrays."""
        with translated(what, self.limits), self._bounded():
            return dict(self._duckdb.execute(statement).fetchnumpy())

    def frame(self, what: str, statement: str, names: Sequence[str], kind: str) -> Any:
        """Execute a query about `what` and fetch it as a ``pandas``, ``polars`` or ``arrow`` table.

        Its columns have these names: DuckDB takes two that differ in case alone for one, and renames the second.
        """
        with translated(what, self.limits), self._bounded():
            found = self._duckdb.sql(statement)
            if kind == "pandas":
                with warnings.catch_warnings():
                    # DuckDB calls pandas in ways that pandas 3.1 deprecates; that is not the user's to know.
                    warnings.simplefilter("ignore", DeprecationWarning)
                    return found.df().set_axis(list(names), axis="columns")
            table = found.to_arrow_table().rename_columns(list(names))
            if kind == "polars":
                import polars as pl

                return pl.DataFrame(table)
            return table

    @contextmanager
    def _bounded(self) -> Iterator[None]:
        self.limits.check()
        left = self.limits.remaining()
        if left is None:
            with followed(self._duckdb):
                yield
            return
        timer = threading.Timer(left, self._duckdb.interrupt)
        timer.daemon = True
        timer.start()
        try:
            with followed(self._duckdb):
                yield
        finally:
            timer.cancel()

    def close(self) -> None:
        """Close the database and remove its folder."""
        self._duckdb.close()
        self._remove_folders()


def _folders(limits: RunLimits, given: Path | None) -> tuple[Path, Path, PrivateFolder | None]:
    """The folder to work in, the one to spill in, and what was made of them."""
    if given is not None and limits.spill.folder is None:
        return given, given, None
    own = limits.spill.new_folder()
    return given or own.path, own.path, own


def _remove(given: Path | None, own: PrivateFolder | None) -> None:
    if given is not None:
        shutil.rmtree(given, ignore_errors=True)
    if own is not None:
        own.remove()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise DeliveryError(f"no temporary folder can be made ({error.strerror})") from None
