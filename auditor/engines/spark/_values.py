"""The values of the columns that are counted: those with few are coded here, those with many on the cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyspark.sql import functions as fn

from auditor.classes import IntArray
from auditor.engines._protocol import Column, ColumnUse
from auditor.engines.duckdb import listing, sql
from auditor.engines.duckdb.connection import Connection
from auditor.engines.spark._cluster import SparkCluster
from auditor.engines.spark._coding import Lookup, hashed, lookup
from auditor.engines.spark._dictionary import Dictionary
from auditor.engines.spark._partition import CHANGED
from auditor.errors import DataError, OutOfMemory

MOST_VALUES = 1_000_000
"""So many values of a column come to the driver, and travel from there to every executor."""
BYTES_PER_VALUE = 1000
"""What the driver's memory should hold for each: Arrow, DuckDB's tables and arrays, several columns at a time."""
AT_ONCE = 4
"""So many columns are grouped at a time: it fills the gaps between Spark's small jobs."""
SALTS = 8
"""So many hash functions are tried; two values share one of 64 bits in a table of a billion once in forty tries."""


def most_values(memory: int) -> int:
    """How many values of a column the driver takes, by its memory in bytes."""
    return min(MOST_VALUES, memory // BYTES_PER_VALUE)


@dataclass(frozen=True)
class RowCounts:
    """What is counted: the rows of a DataFrame, and for each column that is used its expression and type."""

    cluster: SparkCluster
    connection: Connection
    frame: Any
    values: Mapping[str, Any]
    columns: Mapping[str, Column]

    @property
    def what(self) -> str:
        """What messages call the data."""
        return self.cluster.what

    def grouped(self, name: str) -> Any:
        """The distinct values v of a column, their hashes h, and how many records n have each."""
        values = self.frame.select(self.values[name].alias("v"))
        return values.groupBy("v").agg(fn.count(fn.lit(1)).alias("n")).select("v", hashed(fn.col("v")).alias("h"), "n")

    def few(self, name: str) -> Any | None:
        """The same as an Arrow table; None where there are too many for the driver."""
        most = most_values(self.connection.limits.memory)
        found = self.cluster.arrow(self.grouped(name).limit(most + 1))
        return found if found.num_rows <= most else None


class FewValues:
    """A column whose values the driver knows."""

    def __init__(self, counting: RowCounts, number: int, use: ColumnUse, found: Any) -> None:
        """Order the values that were found; `number` tells the columns of a count apart."""
        import pyarrow.compute as pc

        self.records = pc.sum(found["n"]).as_py() or 0
        if pc.count_distinct(found["h"]).as_py() != found.num_rows:
            raise OutOfMemory(f"{counting.what}: two values of column {use.name!r} have the same hash")
        kind = counting.columns[use.name].type
        name = f"c{number}"
        self._dictionary = Dictionary(counting.connection, counting.what, name, use, found, kind)
        self.cardinality = self._dictionary.cardinality
        self.missing = self._dictionary.missing
        self.number = self._dictionary.number
        self.hash = hashed(counting.values[use.name])
        self.lookup = lookup(counting.cluster, self._dictionary.hashes, self._dictionary.codes)

    @cached_property
    def frequencies(self) -> IntArray:
        """int64[m]: how many records have each code."""
        return self._dictionary.frequencies

    @property
    def coded(self) -> tuple[IntArray, IntArray]:
        """int64 twice: the hash of each value, and its code."""
        return self._dictionary.hashes, self._dictionary.codes

    @cached_property
    def labels(self) -> tuple[str | None, ...]:
        """The value behind each code, as text."""
        return self._dictionary.labels

    def drop(self) -> None:
        """Let go of the values."""
        self._dictionary.drop()


class ManyValues:
    """A column whose values stay on the cluster: told apart by hashes, and ranked there where it is asked for.

    Nothing but their number comes back. That no two values share a hash is looked for, by a second one beside it.
    """

    def __init__(self, counting: RowCounts, use: ColumnUse) -> None:
        """Count the values and choose a hash that tells them apart."""
        self._counting = counting
        self._use = use
        kind = counting.columns[use.name].type
        if use.kind != "text" and not sql.is_number(kind):
            raise self._too_many("how they compare has to be worked out in the driver")
        self._value = _without_missing(counting, use, kind)
        self.number = sql.is_number(kind) and use.kind != "text"
        for salt in range(SALTS):
            self._salt, self.hash = salt, hashed(self._value, salt)
            self.cardinality, shared, self.missing, self.records = self._counted(salt)
            if not shared:
                return
        raise DataError(f"{counting.what}: no hash tells the values of column {use.name!r} apart")

    def _counted(self, salt: int) -> tuple[int, int, bool, int]:
        one, other = hashed(self._value, salt), hashed(self._value, salt + SALTS)
        rows = self._counting.frame.select(one.alias("h"), other.alias("g"), self._value.isNull().alias("gap"))
        each = rows.groupBy("h").agg(
            fn.min("g").alias("low"),
            fn.max("g").alias("high"),
            fn.max("gap").alias("gap"),
            fn.count(fn.lit(1)).alias("n"),
        )
        found = self._counting.cluster.arrow(
            each.agg(
                fn.count(fn.lit(1)).alias("values"),
                fn.sum((fn.col("low") != fn.col("high")).cast("bigint")).alias("shared"),
                fn.max("gap").alias("gap"),
                fn.sum("n").alias("n"),
            )
        ).to_pylist()[0]
        return int(found["values"]), int(found["shared"] or 0), bool(found["gap"]), int(found["n"] or 0)

    @cached_property
    def ranks(self) -> Lookup:
        """Codes by rank: a sort over the cluster, and behind each of its partitions where the next one begins."""
        kind = self._counting.columns[self._use.name].type
        value = fn.col("v")
        values = self._counting.frame.select(self._value.alias("v")).distinct()
        placed = values.orderBy(fn.asc_nulls_first(value)).select(
            "v", fn.spark_partition_id().alias("p"), fn.monotonically_increasing_id().alias("i")
        )
        if kind in ("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"):
            self._refuse_far_years(values)
        placed = placed.persist()
        sizes = self._counting.cluster.arrow(placed.groupBy("p").agg(fn.count(fn.lit(1)).alias("n")).orderBy("p"))
        starts: list[int] = []
        total = 0
        for part, size in zip(sizes["p"].to_pylist(), sizes["n"].to_pylist(), strict=True):
            starts += [total] * (part + 1 - len(starts))
            total += size
        if total != self.cardinality:
            raise DataError(f"{self._counting.what}: {CHANGED}")
        start = fn.element_at(fn.array(*(fn.lit(each).cast("bigint") for each in starts)), fn.col("p") + 1)
        self._placed = placed
        code = start + fn.col("i").bitwiseAND(fn.lit((1 << 33) - 1).cast("bigint"))
        return Lookup(placed.select(hashed(value, self._salt).alias("h"), code.alias("code")), travels=False)

    def _refuse_far_years(self, values: Any) -> None:
        """Times in order are texts in order, from year 1 to year 9999."""
        low, high = fn.year(fn.min("v")).alias("low"), fn.year(fn.max("v")).alias("high")
        found = self._counting.cluster.arrow(values.agg(low, high)).to_pylist()[0]
        if found["low"] is not None and not 0 < found["low"] <= found["high"] < 10000:
            raise self._too_many("their times lie outside the years 1 to 9999")

    @property
    def frequencies(self) -> IntArray:
        """Not to be had."""
        raise self._too_many("their frequencies have to fit the driver and every executor")

    @property
    def labels(self) -> tuple[str | None, ...]:
        """Not to be had."""
        raise self._too_many("their texts have to fit the driver and every executor")

    def _too_many(self, why: str) -> OutOfMemory:
        most = most_values(self._counting.connection.limits.memory)
        return OutOfMemory(
            f"{self._counting.what}: column {self._use.name!r} has more than {most:,} distinct values, and {why}; "
            "generalize it, or give a larger --memory"
        )

    def drop(self) -> None:
        """Let go of the ranks."""
        if "ranks" in self.__dict__:
            self._placed.unpersist()


def _without_missing(counting: RowCounts, use: ColumnUse, kind: str) -> Any:
    """The value, missing where its text is one of those that say so: a typed value is compared as what it is."""
    value = counting.values[use.name]
    if not use.missing_values:
        return value
    named = listing.named(kind, use.missing_values)
    if named is None:
        numbers = listing.plain(use.missing_values)
        missing = value.cast("string").isin(*use.missing_values, *numbers)
        if numbers:
            short = fn.rtrim(fn.rtrim(value.cast("string"), fn.lit("0")), fn.lit("."))
            missing |= value.cast("string").contains(".") & short.isin(*numbers)
        return fn.when(~missing, value)
    rows = [row for each in named for row in counting.connection.rows(counting.what, f"SELECT {each}")]
    for (typed,) in rows:
        value = fn.when(value != fn.lit(typed), value)
    return value


def found_out(counting: RowCounts, uses: Sequence[ColumnUse]) -> dict[str, FewValues | ManyValues]:
    """The values of every column that is used, by its name."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda use: counting.few(use.name), uses))
    values = {
        use.name: ManyValues(counting, use) if table is None else FewValues(counting, number, use, table)
        for number, (use, table) in enumerate(zip(uses, found, strict=True))
    }
    if len({each.records for each in values.values()}) > 1:
        raise DataError(f"{counting.what}: {CHANGED}")
    return values
