"""What a statement finds in the server, as a table of our own DuckDB: batch by batch, never whole in Python."""

from __future__ import annotations

from auditor.engines.duckdb import Connection
from auditor.engines.postgres._server import Server
from auditor.stages import tell


def fetched(server: Server, statement: str, connection: Connection, what: str, table: str) -> None:
    """Keep what a statement finds as a temporary table, which DuckDB spills where it does not fit the memory."""
    import pyarrow as pa

    schema, batches = server.stream(statement)
    connection.append(what, table, schema.empty_table(), first=True)
    rows = 0
    for batch in batches:
        connection.append(what, table, pa.Table.from_batches([batch]), first=False)
        rows += batch.num_rows
        tell(rows, unit="rows copied")
