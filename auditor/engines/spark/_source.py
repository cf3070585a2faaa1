"""Data that Spark reads, opened for counting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from pyspark.sql import functions as fn

from auditor.classes import IntArray
from auditor.closing import Closing
from auditor.engines._digest import combined
from auditor.engines._protocol import (
    Allowed,
    Coded,
    Column,
    ColumnUse,
    EngineFacts,
    RowKeys,
    RowSnapshot,
    SourceFacts,
    refuse_nested,
)
from auditor.engines.duckdb import DuckDBSource, column_sql
from auditor.engines.duckdb.connection import Connection
from auditor.engines.spark import _types
from auditor.engines.spark._cluster import SparkCluster
from auditor.engines.spark._counted import SparkCounted
from auditor.engines.spark._open import Opened
from auditor.engines.spark._partition import outside_partition
from auditor.engines.spark._values import RowCounts, most_values
from auditor.entropy import is_little
from auditor.errors import DataError, OutOfMemory, Unsupported


class SparkSource(Closing):
    """Data as a DataFrame, and a private DuckDB in the driver for what its values mean."""

    def __init__(self, cluster: SparkCluster, connection: Connection, opened: Opened, engine: EngineFacts) -> None:
        """Read the data with a cluster; `connection` is closed with the source."""
        self.engine = engine
        self._cluster = cluster
        self._connection = connection
        self._opened = opened
        self._counted: SparkCounted | None = None
        kinds = [field.dataType for field in opened.frame.schema.fields]
        self.columns = tuple(_types.column(name, kind) for name, kind in zip(opened.names, kinds, strict=True))
        self._columns: dict[str, Column] = {column.name: column for column in self.columns}
        self._values = {
            column.name: _types.value(fn.col(f"x{place}"), column.type) for place, column in enumerate(self.columns)
        }

    @property
    def facts(self) -> SourceFacts:
        """Where the data came from, as it still is; waits for the digest of its files."""
        facts, digests = self._opened.facts, self._opened.digests
        if digests is not None:
            try:
                found = digests.result()
            except OSError as error:
                raise DataError(f"{facts.name}: cannot be read ({error.strerror})") from None
            sha256 = combined({path: each.sha256 for path, each in found.items()})
            little = is_little(each.compressed for each in found.values())
            facts = replace(facts, sha256=sha256, guessable=little)
        self._opened.at_rest()
        return facts

    @property
    def workspace(self) -> Path:
        """A folder of its own that the source may write to, on the driver."""
        return self._connection.folder

    def records(self) -> int:
        """How many records the data has."""
        return int(self._cluster.arrow(self._opened.frame.agg(fn.count(fn.lit(1)).alias("n")))["n"][0].as_py())

    def dictionary(self, use: ColumnUse) -> tuple[tuple[str | None, ...], IntArray]:
        """The distinct values of one column, ascending, and how many records have each."""
        refuse_nested(self._opened.facts.name, self.columns, [use])
        found = self._counting.few(use.name)
        if found is None:
            most = most_values(self._connection.limits.memory)
            raise OutOfMemory(
                f"{self._opened.facts.name}: column {use.name!r} has more than {most:,} distinct values, which do not "
                "fit the driver; give a larger --memory"
            )
        self._connection.raw.register("dictionary_input", found.drop_columns(["h"]))
        columns = [(use.name, "v", self._columns[use.name].type)]
        source = DuckDBSource(self._connection, "dictionary_input", columns, self._opened.facts, weight="n")
        return source.dictionary(use)

    def some(self, uses: Sequence[ColumnUse], rows: int, longest: int) -> tuple[tuple[str | None, ...], ...]:
        """The values of each column in some rows, brought to the driver, where DuckDB says what they are."""
        if not uses:
            return ()
        refuse_nested(self._opened.facts.name, self.columns, uses)
        values = [self._values[use.name].alias(f"v{place}") for place, use in enumerate(uses)]
        found = self._cluster.arrow(self._opened.frame.select(*values).limit(rows))
        self._connection.raw.register("some_rows", found)
        columns = [(use.name, f"v{place}", self._columns[use.name].type) for place, use in enumerate(uses)]
        try:
            texts = DuckDBSource(self._connection, "some_rows", columns, self._opened.facts).some(uses, rows, longest)
        finally:
            self._connection.raw.unregister("some_rows")
        self._opened.at_rest()
        return texts

    def fingerprint(self, columns: Sequence[str]) -> tuple[int, int]:
        """How many records the data has, and a sum over their hashes in some columns, whatever the order."""
        values = [self._values[name] for name in columns]
        hashes = fn.xxhash64(*values, *(value.isNull() for value in values)) if values else fn.lit(0)
        rows = self._opened.frame.agg(fn.count(fn.lit(1)).alias("n"), fn.sum(hashes.cast("decimal(38,0)")).alias("h"))
        found = self._cluster.arrow(rows).to_pylist()[0]
        return int(found["n"]), int(found["h"] or 0)

    def outside(self, use: ColumnUse, allowed: Allowed) -> int:
        """How many records hold a value that breaks any of the conditions: DuckDB's own, where the values are."""
        refuse_nested(self._opened.facts.name, self.columns, [use])
        parameters = (allowed.pattern,) if allowed.pattern is not None else ()
        if allowed.pattern is not None:
            self._connection.check_pattern(allowed.pattern)
        kind = self._columns[use.name].type
        statement = column_sql.outside("found", "v", kind, use.missing_values, allowed, weight="n")
        judge = partial(outside_partition, statement=statement, parameters=parameters)
        values = self._counting.grouped(use.name).select("v", "n")
        found = self._cluster.arrow(values.mapInArrow(judge, "n bigint").agg(fn.sum("n").alias("n")))
        self._opened.at_rest()
        return int(found["n"][0].as_py() or 0)

    def coded(self, uses: Sequence[ColumnUse]) -> Coded:  # noqa: ARG002
        """Not with this engine: it would bring every row to the driver."""
        raise self._no_rows()

    def row_keys(self, use: ColumnUse) -> RowKeys:  # noqa: ARG002
        """Not with this engine: it would bring every row to the driver."""
        raise self._no_rows()

    def snapshot(self, columns: Sequence[str], uses: Sequence[ColumnUse]) -> RowSnapshot:  # noqa: ARG002
        """Not with this engine: it would bring every row to the driver."""
        raise self._no_rows()

    def _no_rows(self) -> Unsupported:
        return Unsupported(
            f"{self._opened.facts.name}: what reads the data record by record (masking, risk of records, linkage) "
            "needs the rows in one process, and the engine spark does not bring them there"
        )

    def count(self, uses: Sequence[ColumnUse]) -> SparkCounted:
        """Count the distinct combinations of the columns; what was counted before is let go of."""
        refuse_nested(self._opened.facts.name, self.columns, uses)
        self._forget()
        self._counted = SparkCounted(self._counting, uses)
        self._opened.at_rest()
        return self._counted

    @property
    def _counting(self) -> RowCounts:
        return RowCounts(self._cluster, self._connection, self._opened.frame, self._values, self._columns)

    def _forget(self) -> None:
        if self._counted is not None:
            counted, self._counted = self._counted, None
            counted.close()

    def close(self) -> None:
        """Let go of what the cluster keeps, and of temporary storage."""
        try:
            self._forget()
        finally:
            self._connection.close()
