"""The default engine: DuckDB in the process, bounded in memory, locked once its inputs are open."""

from auditor.engines.duckdb._csv import DELIMITERS, Dialect
from auditor.engines.duckdb._source import DuckDBSource, open_files, open_object, open_table
from auditor.engines.duckdb._write import check_name

__all__ = ["DELIMITERS", "Dialect", "DuckDBSource", "check_name", "open_files", "open_object", "open_table"]
