"""Looking at a table of a server without reading it: its columns, and the plan that the server itself makes."""

from __future__ import annotations

from contextlib import closing

from auditor.engines import _grouping
from auditor.engines._limits import RunLimits
from auditor.engines._locate import DatabaseTable
from auditor.engines._preview import Preview
from auditor.engines._protocol import Column
from auditor.engines.duckdb import check_names
from auditor.engines.postgres._columns import source_of
from auditor.engines.postgres._server import Server


def preview(table: DatabaseTable, limits: RunLimits) -> Preview:
    """The columns of a table or query, and how many rows, of how many bytes, the server expects: nothing is read.

    Raises:
        DataError: no connection can be made, or the table cannot be read.
    """
    source = source_of(table)
    with closing(Server(table, limits)) as server:
        nothing = _grouping.nothing(source)
        check_names(table.name, server.begin(nothing))
        schema, batches = server.stream(nothing)
        list(batches)
        plan = server.plan(f"SELECT * FROM {source}")
    rows = int(plan["Plan Rows"])
    columns = tuple(Column(str(each.name), str(each.type).upper()) for each in schema)
    return Preview(
        name=table.name,
        format=table.format,
        files=1,
        bytes=rows * int(plan["Plan Width"]),
        rows=rows,
        known="estimated",
        columns=columns,
        of_column={},
        copied=True,
    )
