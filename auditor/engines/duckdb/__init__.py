"""The default engine: DuckDB in the process, bounded in memory, locked once its inputs are open."""

from auditor.engines.duckdb._csv import DELIMITERS
from auditor.engines.duckdb._engine import DuckDB
from auditor.engines.duckdb._source import DuckDBSource
from auditor.engines.duckdb._write import check_name

__all__ = ["DELIMITERS", "DuckDB", "DuckDBSource", "check_name"]
