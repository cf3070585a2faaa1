"""The default engine: DuckDB in the process, bounded in memory, locked once its inputs are open."""

from collections.abc import Mapping

from auditor.engines.duckdb._counted import BYTES_PER_COMBINATION
from auditor.engines.duckdb._engine import DuckDB
from auditor.engines.duckdb._source import DuckDBSource, described
from auditor.engines.duckdb._stored_counts import Earlier, Keeping, is_counts, kept_in
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.copies import CsvForm, check_folder_name, check_name
from auditor.engines.duckdb.csv_files import DELIMITERS, check_names

__all__ = [
    "BYTES_PER_COMBINATION",
    "DELIMITERS",
    "Connection",
    "CsvForm",
    "DuckDB",
    "DuckDBSource",
    "Earlier",
    "Keeping",
    "check_folder_name",
    "check_name",
    "check_names",
    "chosen",
    "described",
    "is_counts",
    "kept_in",
]


def chosen(_: Mapping[str, str]) -> DuckDB:
    """The engine of ``--engine duckdb``."""
    return DuckDB()
