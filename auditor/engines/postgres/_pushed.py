"""A table of a server, counted where it is: only distinct combinations and how many records have each come here.

What came is a small table of our own DuckDB whose rows stand for several records each. So codes, orders, texts and
missing values are worked out by the same statements as for rows, and a document does not depend on where was counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from auditor.classes import IntArray
from auditor.closing import Closing
from auditor.engines import _grouping
from auditor.engines._grouping import ReadColumn
from auditor.engines._limits import RunLimits
from auditor.engines._locate import DatabaseTable
from auditor.engines._protocol import (
    Allowed,
    Coded,
    Column,
    ColumnUse,
    Counted,
    EngineFacts,
    RowKeys,
    RowSnapshot,
    SourceFacts,
    refuse_nested,
)
from auditor.engines.duckdb import Connection, DuckDBSource, check_names, described
from auditor.engines.postgres._columns import DIALECT, shown, source_of
from auditor.engines.postgres._fetched import fetched
from auditor.engines.postgres._server import Server
from auditor.engines.postgres._volatility import refuse_what_varies
from auditor.errors import Unsupported

RECORDS = "n"
SHAPE = "shape"
COUNTED = "counted_rows"


class PushedSource(Closing):
    """A table or query in a server, held in one transaction from opening to closing. Build one with `open_pushed`."""

    def __init__(
        self, server: Server, connection: Connection, table: DatabaseTable, source: str, names: Sequence[str]
    ) -> None:
        """`source` is what to select from; `connection` is where counts are kept."""
        self._server = server
        self._connection = connection
        self._source = source
        self._shown = {each.name: each for each in shown(server, source, names)}
        self.facts = SourceFacts(table.name, table.format)
        self.engine = EngineFacts("postgresql", server.version)
        shape, _ = server.stream(_grouping.nothing(f"({self._read()}) AS shape"))
        connection.append(table.name, SHAPE, shape.empty_table(), first=True)
        self._described = {name: rest for name, *rest in described(connection, table.name, SHAPE, names)}
        empty = DuckDBSource(connection, SHAPE, [(name, *rest) for name, rest in self._named(names)], self.facts)
        self.columns: tuple[Column, ...] = empty.columns
        self._single: dict[str, DuckDBSource] = {}

    def _read(self) -> str:
        return _grouping.read(self._source, list(self._shown.values()), DIALECT)

    def _named(self, names: Sequence[str]) -> list[tuple[str, tuple[str, str]]]:
        return [(name, (self._described[name][0], self._described[name][1])) for name in names]

    @property
    def workspace(self) -> Path:
        """The folder that this source may write to."""
        return self._connection.folder

    def records(self) -> int:
        """How many records the data has."""
        ((records,),) = self._server.rows(_grouping.grouped(self._source, [], DIALECT, RECORDS))
        return int(records)

    def _counts(self, names: Sequence[str], table: str) -> DuckDBSource:
        """The distinct combinations of some columns, fetched."""
        refuse_nested(self.facts.name, self.columns, [ColumnUse(name) for name in names])
        columns: list[ReadColumn] = [self._shown[name] for name in names]
        statement = _grouping.grouped(self._source, columns, DIALECT, RECORDS)
        fetched(self._server, statement, columns, connection=self._connection, what=self.facts.name, table=table)
        described = [(name, *rest) for name, rest in self._named(names)]
        return DuckDBSource(self._connection, table, described, self.facts, cheap_rescan=True, weight=RECORDS)

    def _of(self, name: str) -> DuckDBSource:
        """The values of one column, fetched once."""
        if name not in self._single:
            self._single[name] = self._counts([name], f"values_of_{self._shown[name].alias}")
        return self._single[name]

    def dictionary(self, use: ColumnUse) -> tuple[tuple[str | None, ...], IntArray]:
        """The distinct values of one column, ascending, and how many records have each."""
        return self._of(use.name).dictionary(use)

    def outside(self, use: ColumnUse, allowed: Allowed) -> int:
        """How many records hold a value that breaks any of the conditions."""
        return self._of(use.name).outside(use, allowed)

    def fingerprint(self, columns: Sequence[str]) -> tuple[int, int]:
        """How many records the data has, and a sum over their hashes in some columns, whatever the order."""
        return self._counts(list(dict.fromkeys(columns)), "keyed_rows_rows").fingerprint(columns)

    def count(self, uses: Sequence[ColumnUse]) -> Counted:
        """Count the distinct combinations of the columns."""
        return self._counts([use.name for use in uses], COUNTED).count(uses)

    def some(self, uses: Sequence[ColumnUse], rows: int, longest: int) -> tuple[tuple[str | None, ...], ...]:
        """Refused: values that nothing counts would leave the server."""
        self._refuse((uses, rows, longest))

    def coded(self, uses: Sequence[ColumnUse]) -> Coded:
        """Refused: every row would leave the server."""
        self._refuse(uses)

    def row_keys(self, use: ColumnUse) -> RowKeys:
        """Refused: every row would leave the server."""
        self._refuse(use)

    def snapshot(self, columns: Sequence[str], uses: Sequence[ColumnUse]) -> RowSnapshot:
        """Refused: every row would leave the server."""
        self._refuse((columns, uses))

    def _refuse(self, _asked: object) -> NoReturn:
        raise Unsupported(
            f"{self.facts.name}: rows may not leave the server (--push-down), and this needs them one by one; leave "
            "out --push-down, or what asks for rows"
        )

    def close(self) -> None:
        """End the transaction, and let go of what was counted."""
        try:
            self._server.close()
        finally:
            self._connection.close()


def open_pushed(table: DatabaseTable, limits: RunLimits, workspace: Path | None = None) -> PushedSource:
    """Begin the one transaction in which a table or query is counted."""
    source = source_of(table)
    connection = Connection(limits, workspace)
    server = None
    try:
        connection.lock([])
        server = Server(table, limits)
        names = server.begin(_grouping.nothing(source))
        check_names(table.name, names)
        refuse_what_varies(table, source, server)
        return PushedSource(server, connection, table, source, names)
    except BaseException:
        if server is not None:
            server.close()
        connection.close()
        raise
