"""What a statement finds in the server, as a table of our own DuckDB: batch by batch, never whole in Python."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.engines._grouping import ReadColumn
from auditor.engines.duckdb import Connection
from auditor.engines.postgres._server import Server
from auditor.engines.postgres._times import with_infinities
from auditor.stages import tell


def fetched(
    server: Server, statement: str, columns: Sequence[ReadColumn], *, connection: Connection, what: str, table: str
) -> None:
    """Keep what a statement finds as a temporary table, which DuckDB spills where it does not fit into memory.

    `columns` are those of the source that the statement shows.
    """
    import pyarrow as pa

    schema, batches = server.stream(statement)
    connection.append(what, table, schema.empty_table(), first=True)
    rows, names = 0, {each.alias: each.name for each in columns}
    for batch in batches:
        connection.append(what, table, pa.Table.from_batches([with_infinities(what, batch, names)]), first=False)
        rows += batch.num_rows
        tell(rows, unit="rows copied")
