"""What DuckDB writes of data that does not fit its memory: in the clear, encrypted, or nothing."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import duckdb

from auditor.engines._spill import Form
from auditor.errors import Unsupported

PACKAGE = "duckdb_extension_httpfs"
"""The package with DuckDB's httpfs extension. Nothing is fetched by it: it has the cryptography that DuckDB lacks,
which reads what is encrypted and writes nothing so (https://github.com/duckdb/duckdb/pull/20148)."""


def place_for(form: Form | None, folder: Path) -> str:
    """DuckDB's ``temp_directory``; none where nothing may be written."""
    return "" if form == "never" else str(folder / "spill")


def encrypt(connection: duckdb.DuckDBPyConnection) -> None:
    """Encrypt whatever is spilled, by a random key that is in memory alone.

    Raises:
        Unsupported: this DuckDB has no cryptography that can.
    """
    for extension in (*_packaged(), "httpfs"):
        try:
            connection.execute(f"LOAD '{extension}'")
        except duckdb.Error:
            continue
        connection.execute("SET temp_file_encryption = true")
        return
    version = duckdb.__version__
    raise Unsupported(
        f"the policy says spill: encrypted, for which DuckDB {version} needs its extension httpfs; install it, by "
        f"pip install duckdb-extension-httpfs=={version} or by INSTALL httpfs, or say spill: never"
    )


def _packaged() -> list[str]:
    """The extension for this version of DuckDB, where it came as a package."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        return []
    folder = Path(found.origin).parent / "extensions" / f"v{duckdb.__version__}"
    return [str(path).replace("'", "''") for path in folder.glob("httpfs.duckdb_extension")]
