"""Counting on Spark: packed codes grouped by the cluster, and class tables read where their partitions are."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import functions as fn

from auditor import errors
from auditor.classes import ClassTable, Domain, IntArray, KeyLayout
from auditor.engines._protocol import ColumnUse, Reading, Release
from auditor.engines.duckdb import BYTES_PER_COMBINATION
from auditor.engines.spark import _coding, _partition, _release
from auditor.engines.spark._values import Counting, FewValues, ManyValues, found_out
from auditor.errors import DataError, OutOfMemory

PARTITION_BYTES = 128 << 20
"""What the arrays of one partition take, where the number of partitions can be chosen for it."""
AT_LEAST = 2
MOST_PARTITIONS = 20_000
"""More small tasks than these take longer to hand out than to do."""


class SparkCounted:
    """The distinct combinations of some columns on the cluster, as codes."""

    def __init__(self, counting: Counting, uses: Sequence[ColumnUse]) -> None:
        """Find out the values of the columns; combinations are counted when they are first asked for."""
        self._counting = counting
        self._cluster = counting.cluster
        self._names = [use.name for use in uses]
        self._values: dict[str, FewValues | ManyValues] = found_out(counting, uses)
        self._many = [name for name in self._names if isinstance(self._values[name], ManyValues)]
        coded = [name for name in self._names if name not in self._many]
        self._layout = KeyLayout.of({name: self.cardinality(name) for name in coded})
        known = [each.records for each in self._values.values()]
        self.records = known[0] if known else self._rows()
        self._kept: Any = None
        self._frequencies: dict[tuple[str, str], IntArray] = {}

    def _rows(self) -> int:
        return self._count(self._counting.frame)

    @cached_property
    def combinations(self) -> int:
        """How many distinct combinations there are."""
        return self._count(self._base)

    @property
    def _base(self) -> Any:
        """The combinations: words w0, w1, … of codes, hashes u0, u1, … of columns with many values, records n.

        Kept by the cluster, on disk where its memory does not hold them, for what else will be asked.
        """
        if self._kept is None:
            with self._cluster.planning():
                known = [self._values[name] for name in self._layout.columns]
                few = [each for each in known if isinstance(each, FewValues)]
                hashes = [self._values[name].hash.alias(f"u{place}") for place, name in enumerate(self._many)]
                lookups = [each.lookup for each in few]
                rows = _coding.coded(self._counting.frame, [each.hash for each in few], lookups, hashes)
                words = _coding.packed(self._layout, [fn.col(f"c{place}") for place in range(len(few))])
                others = [f"u{place}" for place in range(len(self._many))]
                rows = rows.select(*words, *others)
                grouped = rows.groupBy(*rows.columns).agg(fn.count(fn.lit(1)).alias("n"))
                # What is kept stays in as many pieces as it came in, and each would be sent to each of the next ones.
                self._kept = grouped.coalesce(max(AT_LEAST, self._partitions(self._names))).persist()
        return self._kept

    def cardinality(self, column: str) -> int:
        """How many distinct values (the missing value included) a column has."""
        return self._values[column].cardinality

    def has_missing(self, column: str) -> bool:
        """Whether a column has missing values; their code is 0."""
        return self._values[column].missing

    def is_number(self, column: str) -> bool:
        """Whether a column's values are numbers."""
        return self._values[column].number

    def labels(self, column: str) -> tuple[str | None, ...]:
        """The value behind each code, as text; of equal numbers the text that comes first."""
        return self._values[column].labels

    def units(self, unit: str) -> int:
        """How many distinct units there are."""
        return self.cardinality(unit)

    def frequencies(self, column: str, unit: str | None = None) -> IntArray:
        """int64[m]: for each code how many records (or distinct units) have it."""
        counts = self._values[column].frequencies
        if unit is None:
            return counts
        if (column, unit) not in self._frequencies:
            frame, (code, of_unit) = self._with_codes([column], unit)
            pairs = frame.select(code.alias("code"), of_unit.alias("u")).distinct()
            found = self._cluster.arrow(pairs.groupBy("code").agg(fn.count(fn.lit(1)).alias("n")))
            counts = np.zeros(len(counts), dtype=np.int64)
            counts[found["code"].to_numpy()] = found["n"].to_numpy()
            self._frequencies[column, unit] = counts
        return self._frequencies[column, unit]

    def class_sizes(self, grouping: Sequence[str]) -> dict[int, int]:
        """How many classes of a grouping have each size, in records."""
        frame, packed = self._view(grouping, None, None)
        words = [f"w{place}" for place in range(packed.layout.words)]
        sizes = frame.groupBy(*words).agg(fn.sum("n").alias("size"))
        found = self._cluster.arrow(sizes.groupBy("size").agg(fn.count(fn.lit(1)).alias("classes")))
        return dict(zip(found["size"].to_pylist(), found["classes"].to_pylist(), strict=True))

    def fold(
        self,
        reading: Reading,
        grouping: Sequence[str],
        sensitive: tuple[str, Domain] | None = None,
        unit: str | None = None,
    ) -> None:
        """Let a reading read the class table of a grouping in partitions of whole classes, and merge what it found.

        Raises:
            DataError: the data changed meanwhile.
        """
        frame, packed = self._view(grouping, sensitive, unit)
        count = self._partitions([*grouping, *([sensitive[0]] if sensitive else []), *([unit] if unit else [])])
        told = _coding.prefix(packed.layout, len(grouping))
        frame = frame.repartition(count, *told) if told and count > 1 else frame.repartition(1)
        read = partial(_partition.read_partition, task=_partition.told(packed, reading))
        found = self._cluster.arrow(frame.mapInArrow(read, _partition.READ))
        records = 0
        for row in found.to_pylist():
            if row["kind"] != _partition.FOUND:
                raise getattr(errors, row["kind"])(f"{self._cluster.what}: {row['found'].decode()}")
            reading.merge(pickle.loads(row["found"]))  # noqa: S301  (what our own function has pickled)
            records += row["records"]
        self._same(records)

    def cells(self, columns: Sequence[str], recoded: Mapping[str, IntArray] | None = None) -> int:
        """How many distinct combinations some columns have, `recoded` as in `tables`; nothing is fetched."""
        frame, _ = self._view(columns, None, None, recoded)
        return self._count(frame)

    def _count(self, frame: Any) -> int:
        return int(self._cluster.arrow(frame.agg(fn.count(fn.lit(1)).alias("n")))["n"][0].as_py())

    def tables(
        self,
        grouping: Sequence[str],
        sensitive: tuple[str, Domain] | None = None,
        unit: str | None = None,
        *,
        recoded: Mapping[str, IntArray] | None = None,
    ) -> Iterator[ClassTable]:
        """The class table of a grouping, some columns by the nodes of their ladders, in batches of whole classes.

        Raises:
            OutOfMemory: its keys do not fit the memory of the driver.
            DataError: the data changed meanwhile.
        """
        frame, packed = self._view(grouping, sensitive, unit, recoded)
        limits = self._counting.connection.limits
        width = packed.layout.words + (unit is not None) + 1
        rows = self._count(frame)
        if rows * width * 8 > limits.engine_memory:
            raise OutOfMemory(
                f"{self._cluster.what}: {rows:,} combinations do not fit the driver's memory; give a larger --memory"
            )
        batches = max(1, -(-rows * BYTES_PER_COMBINATION // limits.batch_memory)) if grouping else 1
        told = _coding.prefix(packed.layout, len(grouping))
        records = 0
        for batch in range(batches):
            part = frame if batches == 1 else frame.where(fn.pmod(fn.xxhash64(*told), fn.lit(batches)) == batch)
            found = _partition.arrays(self._cluster.arrow(part))
            if found is None:
                raise DataError(f"{self._cluster.what}: {_partition.CHANGED}")
            records += int(found[2].sum())
            yield packed.table(*found)
        self._same(records)

    def _same(self, records: int) -> None:
        if records != self.records:
            raise DataError(f"{self._cluster.what}: {_partition.CHANGED}")

    def _partitions(self, columns: Sequence[str]) -> int:
        """How many partitions hold the combinations of some columns, at most as many as there can be."""
        most = 1
        for name in columns:
            most = min(most * max(self.cardinality(name), 1), self.records)
        return min(MOST_PARTITIONS, max(1, -(-most * BYTES_PER_COMBINATION // PARTITION_BYTES)))

    def _view(
        self,
        grouping: Sequence[str],
        sensitive: tuple[str, Domain] | None,
        unit: str | None,
        recoded: Mapping[str, IntArray] | None = None,
    ) -> tuple[Any, _partition.Packed]:
        """The combinations of a grouping, of a sensitive attribute and of units: w0, w1, …, perhaps u, and n."""
        nodes = recoded or {}
        sizes = {name: int(nodes[name].max(initial=-1)) + 1 if name in nodes else 0 for name in grouping}
        sizes = {name: size or self.cardinality(name) for name, size in sizes.items()}
        ordered = sorted(grouping, key=lambda name: (sizes[name], name))
        names = [*ordered, *([sensitive[0]] if sensitive else [])]
        # by position: the unit, or a grouping column, can be the sensitive attribute itself
        counts = [*(sizes[name] for name in ordered), *(self.cardinality(name) for name in names[len(ordered) :])]
        places = KeyLayout.of({str(i): size for i, size in enumerate(counts)}).places
        layout = KeyLayout(tuple(names), places)
        with self._cluster.planning():
            frame, codes = self._with_codes(names, unit)
            for place, name in enumerate(ordered):
                if name in nodes:
                    frame, codes[place] = self._recoded(frame, codes[place], nodes[name], place)
            words = _coding.packed(layout, codes[: len(names)])
            units = [codes[-1].alias("u")] if unit is not None else []
            frame = frame.select(*words, *units, "n")
            if nodes or {*names, *([unit] if unit else [])} != set(self._names):
                keys = frame.columns[:-1]
                frame = frame.groupBy(*keys).agg(fn.sum("n").alias("n"))
        return frame, _partition.Packed(layout, len(ordered), sensitive[1] if sensitive else None, unit)

    def _with_codes(self, names: Sequence[str], unit: str | None) -> tuple[Any, list[Any]]:
        """The combinations, and expressions of the codes of some columns and of the unit, if any, at last."""
        frame, codes = self._base, []
        for place, name in enumerate(names):
            if name in self._many:
                frame = self._ranked(frame, name, place)
                codes.append(fn.col(f"r{place}"))
            else:
                codes.append(_coding.unpacked(self._layout, self._layout.columns.index(name)))
        if unit is not None:
            many = unit in self._many
            codes.append(fn.col(f"u{self._many.index(unit)}") if many else self._few(unit))
        return frame, codes

    def _recoded(self, frame: Any, code: Any, nodes: IntArray, place: int) -> tuple[Any, Any]:
        """The combinations with the node of a column's code."""
        codes = _coding.lookup(self._cluster, np.arange(len(nodes)), nodes).codes
        codes = codes.select(fn.col("h").alias(f"m{place}"), fn.col("code").alias(f"g{place}"))
        return frame.join(fn.broadcast(codes), code == fn.col(f"m{place}"), "left"), fn.col(f"g{place}")

    def _few(self, name: str) -> Any:
        return _coding.unpacked(self._layout, self._layout.columns.index(name))

    def _ranked(self, frame: Any, name: str, place: int) -> Any:
        """The combinations with the codes of a column with many values."""
        values = self._values[name]
        if not isinstance(values, ManyValues):
            raise TypeError(name)
        ranks = values.ranks.codes.select(fn.col("h").alias(f"k{place}"), fn.col("code").alias(f"r{place}"))
        return frame.join(ranks, fn.col(f"u{self._many.index(name)}") == fn.col(f"k{place}"), "left")

    def write(self, release: Release, target: Path) -> None:
        """Write a release as a folder of Parquet files, which the cluster's committer makes whole."""
        _release.write(self._cluster, self._released(release), target)

    def frame(self, release: Release, kind: str) -> Any:
        """A release as a DataFrame whose rows the cluster keeps (``spark``), or brought here as another table."""
        return _release.table(self._cluster, self._released(release), kind)

    def _released(self, release: Release) -> Any:
        return _release.released(self._counting, self._values, release)

    def close(self) -> None:
        """Let go of what the cluster keeps."""
        if self._kept is not None:
            self._kept.unpersist()
        for values in self._values.values():
            values.drop()
