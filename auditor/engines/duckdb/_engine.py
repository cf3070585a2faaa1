"""DuckDB as an engine: it opens whatever the contract calls data."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from auditor.dialect import CsvDialect
from auditor.engines._limits import RunLimits
from auditor.engines._locate import DatabaseTable, Files, locate
from auditor.engines._stores import is_stored, objects, refuse_copies
from auditor.engines.duckdb._files import open_files
from auditor.engines.duckdb._source import DuckDBSource, open_object, open_table
from auditor.errors import UsageError


class DuckDB:
    """Counts in this process. What is in a server is copied first, but for DuckDB's own files."""

    name = "duckdb"
    folders = False

    def open(self, data: Any, dialect: CsvDialect, limits: RunLimits, workspace: Path | None) -> DuckDBSource:
        """Open a path, a URL, either as `locate` found it, or an object with ``__arrow_c_stream__``."""
        if is_stored(data):
            return self._open_stored(str(data), dialect, limits, workspace)
        if isinstance(data, str | os.PathLike | Files | DatabaseTable):
            found = data if isinstance(data, Files | DatabaseTable) else locate(os.fspath(data))
            if isinstance(found, Files):
                return open_files(found, dialect, limits, workspace)
            return open_table(found, dialect, limits, workspace)
        if hasattr(data, "__arrow_c_stream__") or type(data).__module__.startswith("pandas"):
            return open_object(data, dialect, limits, workspace)
        raise UsageError(f"data of type {type(data).__name__!r} cannot be opened; give a path, a URL or a dataframe")

    def _open_stored(self, data: str, dialect: CsvDialect, limits: RunLimits, workspace: Path | None) -> DuckDBSource:
        """What a store has, where it is, or copies that are gone when the source is closed."""
        found = objects(data)
        in_place = found.in_place()
        if in_place is not None:
            return open_files(in_place, dialect, limits, workspace)
        refuse_copies(found.name, limits)
        with ExitStack() as opened:
            copies = opened.enter_context(limits.spill.new_folder())
            source = open_files(found.copies(copies.path, limits), dialect, limits, workspace)
            source.hold(copies)
            opened.pop_all()
        return source
