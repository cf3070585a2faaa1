"""Counting: distinct combinations once, codes for their values, then packed keys in batches of whole classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from auditor.classes import ClassTable, Domain, IntArray, KeyLayout, count_classes
from auditor.engines._locate import format_of
from auditor.engines._protocol import ClassReading, ColumnUse, ReleaseRequest
from auditor.engines.duckdb import column_sql, copies, sql
from auditor.engines.duckdb._codes import Codes
from auditor.engines.duckdb._gathered import BYTES_PER_CELL, GatheredCodes, columns_at_once
from auditor.engines.duckdb._joined import JOINS, JoinedCodes
from auditor.engines.duckdb._release import Releasing
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.order import Ordered, Orders, by_type, may_hold_numbers
from auditor.errors import InternalError, Unsupported

BYTES_PER_COMBINATION = 170
"""What counting and measuring one combination takes in arrays, measured at the peak: it sizes the batches."""
COMBINATIONS = "combinations"
"""The table of distinct combinations, or the view of all rows in its place."""
FEW_COMBINATIONS = 1 << 15
"""Up to so many combinations, gathering codes costs less than joining dictionaries; they meet near twice as many."""
FEW_ROWS = 1 << 16
"""Up to so many rows, counting and gathering in one statement costs less than counting first; all rows being different,
they meet near so many."""
ROWS_WORTH_A_PROBE = 1_000_000
PROBE_ROWS = 50_000
PROBE_DISTINCT_SHARE = 0.5
"""Above this share of distinct combinations in a sample, grouping costs more than sorting the packed rows."""


class DuckDBCounted:
    """The distinct combinations of some columns, as codes."""

    def __init__(
        self,
        connection: Connection,
        what: str,
        relation: str,
        uses: Sequence[ColumnUse],
        columns: Mapping[str, tuple[str, str]],
        *,
        cheap_rescan: bool,
        rows: int | None = None,
        csv: copies.CsvForm = copies.PLAIN,
        json: copies.Json | None = None,
        weight: str | None = None,
    ) -> None:
        """Count `uses` of `relation`; `columns` maps a name to its SQL expression and type.

        `rows` says about how many there are, where that is known beforehand. `csv` is how a release written as CSV is
        written; `json` is where one written as JSON lines has its values. `weight` says how many records a row stands
        for (None: one).
        """
        self._weight = weight
        self._json = json
        self._connection = connection
        self._what = what
        self._relation = relation
        self._expressions = columns
        self._csv = csv
        self._cheap_rescan = cheap_rescan
        self._missing_values = {use.name: use.missing_values for use in uses}
        self._frequencies: dict[tuple[str, str | None], IntArray] = {}
        self._columns: dict[str, Ordered] = {}
        values = {f"c{i}": column_sql.value(*columns[use.name], use.missing_values) for i, use in enumerate(uses)}
        expressions = values or {"c0": "0"}
        if cheap_rescan:
            rows = int(connection.rows(what, f"SELECT count(*) FROM {relation}")[0][0])
        if rows is not None and rows <= FEW_ROWS and len(uses) <= columns_at_once(rows) and self._fit(rows, len(uses)):
            codes = self._gathered(uses, rows, counting=sql.combinations(relation, expressions, weight))
            self.records, self.combinations = int(codes.records.sum()), len(codes.records)
            self._codes: Codes = codes
        else:
            rescanned = cheap_rescan and weight is None
            grouped = not (rescanned and self._nearly_unique(expressions, rows))
            self._combine(expressions, grouped=grouped)
            self._codes = self._coded(uses, grouped=grouped)

    def _fit(self, combinations: int, columns: int) -> bool:
        """Whether codes of so many combinations fit the memory of one batch."""
        budget = self._connection.limits.batch_memory
        return combinations * max(BYTES_PER_COMBINATION, columns * BYTES_PER_CELL) <= budget

    def _nearly_unique(self, expressions: dict[str, str], rows: int | None) -> bool:
        if rows is None or rows < ROWS_WORTH_A_PROBE:
            return False
        share = 100 * PROBE_ROWS / rows
        values = ", ".join(expressions.values())
        sampled, distinct = self._connection.rows(
            self._what,
            f"SELECT count(*), count(DISTINCT h) FROM (SELECT hash({values}) AS h FROM {self._relation} "
            f"USING SAMPLE {share:.6f} PERCENT (system, 1))",
        )[0]
        return bool(distinct > PROBE_DISTINCT_SHARE * sampled)

    def _combine(self, expressions: dict[str, str], *, grouped: bool) -> None:
        """Make the table of distinct combinations, or a view of all rows."""
        if grouped:
            found = sql.combinations(self._relation, expressions, self._weight)
            self._connection.run(self._what, sql.store(COMBINATIONS, found))
        else:
            self._connection.run(self._what, sql.keep_rows(COMBINATIONS, self._relation, expressions))
        found = f"SELECT coalesce(sum(n), 0), count(*) FROM {COMBINATIONS}"
        self.records, self.combinations = map(int, self._connection.rows(self._what, found)[0])

    def _coded(self, uses: Sequence[ColumnUse], *, grouped: bool) -> Codes:
        """Code the values in the way that is cheaper for a table of this shape."""
        few = self.combinations <= FEW_COMBINATIONS or len(uses) > JOINS
        if grouped and few and self._fit(self.combinations, len(uses)):
            return self._gathered(uses, self.combinations)
        orders = Orders(self._connection, self._what, COMBINATIONS)
        self._columns = {use.name: orders.of(f"c{i}", use, self._type(use)) for i, use in enumerate(uses)}
        ordered = list(self._columns.values())
        codes = JoinedCodes(self._connection, self._what, COMBINATIONS, ordered, grouped=grouped)
        self._connection.run(self._what, f"DROP {'TABLE' if grouped else 'VIEW'} {COMBINATIONS}")
        return codes

    def _gathered(self, uses: Sequence[ColumnUse], size: int, counting: str | None = None) -> GatheredCodes:
        """Gather codes by the order of the columns' types, then look which texts are numbers."""
        self._columns = {use.name: by_type(f"c{i}", use, self._type(use)) for i, use in enumerate(uses)}
        ordered = list(self._columns.values())
        codes = GatheredCodes(self._connection, self._what, COMBINATIONS, ordered, size=size, counting=counting)
        for use in uses:
            column = self._columns[use.name].column
            if may_hold_numbers(use, self._type(use)):
                orders = Orders(self._connection, self._what, codes.put_values(column))
                self._columns[use.name] = orders.of(column, use, self._type(use))
                if self._columns[use.name].number:
                    codes.reorder(self._columns[use.name])
        return codes

    def _type(self, use: ColumnUse) -> str:
        return self._expressions[use.name][1]

    def cardinality(self, column: str) -> int:
        """How many distinct values (the missing value included) a column has."""
        return self._codes.cardinality[self._columns[column].column]

    def has_missing(self, column: str) -> bool:
        """Whether a column has missing values; their code is 0."""
        return self._codes.missing[self._columns[column].column]

    def is_number(self, column: str) -> bool:
        """Whether a column's values are numbers."""
        return self._columns[column].number

    def frequencies(self, column: str, unit: str | None = None) -> IntArray:
        """int64[m]: for each code how many records (or distinct units) have it."""
        if (column, unit) not in self._frequencies:
            counted = None if unit is None else self._columns[unit].column
            self._frequencies[column, unit] = self._codes.frequencies(self._columns[column].column, counted)
        return self._frequencies[column, unit]

    def labels(self, column: str) -> tuple[str | None, ...]:
        """The value behind each code, as text; of equal numbers the text that comes first."""
        return self._codes.labels(self._columns[column].column)

    def units(self, unit: str) -> int:
        """How many distinct units there are."""
        return self.cardinality(unit)

    def write(self, release: ReleaseRequest, target: Path) -> None:
        """Write a release into the source's workspace, in the format that the name tells.

        Raises:
            DeliveryError: the disk is full, or takes no writing.
        """
        self._refuse_counts()
        as_json = format_of(target) == "json"
        releasing = self._releasing(as_json=as_json)
        statement = releasing.statement(release, as_text=copies.is_text(target), enums=not as_json)
        copies.deliver(self._connection, statement, target, release.columns, self._csv)

    def frame(self, release: ReleaseRequest, kind: str) -> Any:
        """A release as a table in memory: ``pandas``, ``polars`` or ``arrow``."""
        self._refuse_counts()
        return self._connection.frame(self._what, self._releasing().statement(release), release.columns, kind)

    def _releasing(self, *, as_json: bool = False) -> Releasing:
        return Releasing(
            self._connection,
            self._what,
            self._relation,
            self._expressions,
            self._columns,
            self._missing_values,
            self._codes,
            self._cheap_rescan,
            self._json if as_json else None,
            as_json,
        )

    def _refuse_counts(self) -> None:
        if self._weight is not None:
            raise Unsupported(f"{self._what}: only its counts are known; writing its records needs the table")

    def batches(self, combinations: int | None = None) -> int:
        """How many batches the memory budget asks for (None: of all combinations)."""
        combinations = self.combinations if combinations is None else combinations
        return max(1, -(-combinations * BYTES_PER_COMBINATION // self._connection.limits.batch_memory))

    def tables(
        self,
        grouping: Sequence[str],
        sensitive: tuple[str, Domain] | None = None,
        unit: str | None = None,
        *,
        recoded: Mapping[str, IntArray] | None = None,
    ) -> Iterator[ClassTable]:
        """The class table of a grouping, in batches of whole classes that fit the memory budget.

        `recoded` columns are grouped by the node of each code; see `auditor.engines.Counted`.
        """
        nodes = dict(recoded or {})
        if nodes.keys() & {unit, sensitive[0] if sensitive else None}:
            raise InternalError("a sensitive attribute, or a unit, cannot be grouped by nodes")
        sizes = {name: self._nodes(name, nodes) for name in grouping}
        ordered = sorted(grouping, key=lambda name: (sizes[name], name))
        names = [*ordered, *([sensitive[0]] if sensitive else []), *([unit] if unit else [])]
        # by position: the unit, or a grouping column, can be the sensitive attribute itself
        places = KeyLayout.of({str(i): self._nodes(name, nodes) for i, name in enumerate(names)}).places
        layout = KeyLayout(tuple(names), places)
        on_columns = KeyLayout(tuple(self._columns[name].column for name in names), places)
        domain = sensitive[1] if sensitive else None
        batches = self.batches if ordered else _one
        for keys, records in self._codes.keys(on_columns, len(ordered), batches, self._on_columns(nodes)):
            yield count_classes(keys, layout, len(ordered), records, domain=domain, unit=unit is not None)

    def cells(self, columns: Sequence[str], recoded: Mapping[str, IntArray] | None = None) -> int:
        """How many distinct combinations some columns have, `recoded` as in `tables`; nothing is fetched."""
        wanted = dict.fromkeys(self._columns[name].column for name in columns)
        return self._codes.cells(list(wanted), self._on_columns(recoded or {})) if self.records else 0

    def fold(
        self,
        reading: ClassReading,
        grouping: Sequence[str],
        sensitive: tuple[str, Domain] | None = None,
        unit: str | None = None,
    ) -> None:
        """Let a reading read the class table of a grouping, one batch after the other."""
        for table in self.tables(grouping, sensitive, unit):
            reading.read(table)
            del table  # before the next ones are fetched

    def class_sizes(self, grouping: Sequence[str]) -> dict[int, int]:
        """How many classes of a grouping have each size, in records."""
        return self._codes.class_sizes([self._columns[name].column for name in grouping])

    def _nodes(self, column: str, nodes: Mapping[str, IntArray]) -> int:
        """How many codes a column is grouped by."""
        return int(nodes[column].max(initial=-1)) + 1 if column in nodes else self.cardinality(column)

    def _on_columns(self, nodes: Mapping[str, IntArray]) -> dict[str, IntArray]:
        return {self._columns[name].column: each for name, each in nodes.items()}


def _one(combinations: int) -> int:  # noqa: ARG001
    """One batch, whatever there is: what no column groups is one class."""
    return 1
