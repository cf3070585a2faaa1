"""The default engine: DuckDB in the process, bounded in memory, locked once its inputs are open."""

from auditor.engines.duckdb._csv import Dialect
from auditor.engines.duckdb._source import DuckDBSource, open_files, open_object, open_table

__all__ = ["Dialect", "DuckDBSource", "open_files", "open_object", "open_table"]
