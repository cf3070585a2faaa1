"""PostgreSQL as an engine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from auditor.dialect import CsvDialect
from auditor.engines._limits import RunLimits
from auditor.engines._locate import DatabaseTable, Files, locate
from auditor.engines._protocol import Source
from auditor.engines.duckdb import DuckDB
from auditor.engines.postgres._copied import open_copied
from auditor.engines.postgres._pushed import open_pushed


@dataclass(frozen=True, slots=True)
class PostgreSQL:
    """Counts tables of a PostgreSQL server in the server; files and dataframes are counted in this process.

    With `push_down` no row leaves the server: distinct combinations of the columns that are used, and how many records
    have each, are all that it is asked for. Without, the table is copied and counted in this process.
    """

    push_down: bool = True
    name: ClassVar[str] = "postgresql"
    folders: ClassVar[bool] = False

    def open(self, data: Any, dialect: CsvDialect, limits: RunLimits, workspace: Path | None) -> Source:
        """Open a URL, or whatever DuckDB opens."""
        found = locate(os.fspath(data)) if isinstance(data, str | os.PathLike) else data
        if not isinstance(found, DatabaseTable) or found.format != "postgresql":
            return DuckDB().open(
                found if isinstance(found, Files | DatabaseTable) else data, dialect, limits, workspace
            )
        if self.push_down:
            return open_pushed(found, limits, workspace)
        return open_copied(found, dialect, limits, workspace)
