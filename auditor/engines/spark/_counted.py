"""Counting on Spark: packed codes grouped by the cluster, and class tables read where their partitions are."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import functions as fn

from auditor import errors
from auditor.classes import ClassTable, Domain, IntArray, KeyLayout
from auditor.engines._address import Address
from auditor.engines._protocol import ClassReading, ColumnUse, ReleaseRequest
from auditor.engines.duckdb import BYTES_PER_COMBINATION
from auditor.engines.spark import _coding, _partition, _release, _trace
from auditor.engines.spark._cluster import SparkCluster
from auditor.engines.spark._combining import Combinations, partitions
from auditor.engines.spark._values import FewValues, ManyValues, RowCounts, found_out
from auditor.errors import DataError, OutOfMemory


@dataclass(frozen=True)
class _Classes:
    """The classes of some columns: words of a layout, and how many records n each has; kept by the cluster."""

    frame: Any
    layout: KeyLayout

    @classmethod
    def of(cls, frame: Any, packed: _partition.Packed, cluster: SparkCluster) -> _Classes:
        """The classes of combinations in words."""
        with cluster.planning():
            return cls(_totals(frame).persist(), packed.layout)

    def sizes(self, cardinalities: dict[str, int]) -> Any:
        """How many classes of some of the columns have each size n."""
        classes, columns = self.frame, self.layout.columns
        if len(cardinalities) < len(columns):
            codes = [_coding.unpacked(self.layout, columns.index(name)) for name in cardinalities]
            classes = _totals(classes.select(*_coding.packed(KeyLayout.of(cardinalities), codes), "n"))
        return classes.groupBy("n").agg(fn.count(fn.lit(1)).alias("classes"))


def _totals(frame: Any) -> Any:
    """Rows of keys and at last how many records n they stand for: each once."""
    return frame.groupBy(*frame.columns[:-1]).agg(fn.sum("n").alias("n"))


class SparkCounted:
    """The distinct combinations of some columns on the cluster, as codes."""

    def __init__(self, counting: RowCounts, uses: Sequence[ColumnUse]) -> None:
        """Find out the values of the columns; combinations are counted when they are first asked for."""
        self._counting = counting
        self._cluster = counting.cluster
        self._names = [use.name for use in uses]
        self._values: dict[str, FewValues | ManyValues] = found_out(counting, uses)
        known = [each.records for each in self._values.values()]
        self.records = known[0] if known else self._rows()
        self._kept: Combinations | None = None
        self._classes: _Classes | None = None
        self._frequencies: dict[tuple[str, str], IntArray] = {}

    def _rows(self) -> int:
        return self._count(self._counting.frame)

    @cached_property
    def combinations(self) -> int:
        """How many distinct combinations there are."""
        return self._count(self._combined(()).frame)

    def _combined(self, grouping: Sequence[str]) -> Combinations:
        """The combinations, sorted out by the classes of the grouping that is asked for first."""
        if self._kept is None:
            self._kept = Combinations.of(self._counting, self._values, grouping, self.records)
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
            frame, (code, of_unit) = self._with_codes(self._combined(()), [column], unit)
            pairs = frame.select(code.alias("code"), of_unit).distinct()
            found = self._cluster.arrow(pairs.groupBy("code").agg(fn.count(fn.lit(1)).alias("n")))
            counts = np.zeros(len(counts), dtype=np.int64)
            counts[found["code"].to_numpy()] = found["n"].to_numpy()
            self._frequencies[column, unit] = counts
        return self._frequencies[column, unit]

    def class_sizes(self, grouping: Sequence[str]) -> dict[int, int]:
        """How many classes of a grouping have each size, in records; one of more columns is best asked for before."""
        if self._classes is None or not set(grouping) <= set(self._classes.layout.columns):
            self._forget_classes()
            self._classes = _Classes.of(*self._view(grouping, None, None), self._cluster)
        with self._cluster.planning():
            sizes = self._classes.sizes({name: self.cardinality(name) for name in grouping})
        found = self._cluster.arrow(sizes).to_pydict()
        classes = dict(zip(found["n"], found["classes"], strict=True))
        if sum(size * number for size, number in classes.items()) != self.records:
            raise self._changed()
        return classes

    def _forget_classes(self) -> None:
        if self._classes is not None:
            self._classes.frame.unpersist()
            self._classes = None

    def fold(
        self,
        reading: ClassReading,
        grouping: Sequence[str],
        sensitive: tuple[str, Domain] | None = None,
        unit: str | None = None,
    ) -> None:
        """Let a reading read the class table of a grouping in partitions of whole classes, and merge what it found.

        Raises:
            DataError: the data changed meanwhile.
        """
        names = [*grouping, *([sensitive[0]] if sensitive else [])]
        whole = self._combined(grouping).classes == set(grouping) and not any(map(self._has_many, names))
        frame, packed = self._view(grouping, sensitive, unit, grouped=not whole)
        if not whole:
            count = self._partitions([*names, *([unit] if unit else [])])
            told = _coding.prefix(packed.layout, len(grouping))
            frame = frame.repartition(count, *told) if told and count > 1 else frame.repartition(1)
        read = partial(_partition.read_partition, task=_partition.told(packed, reading))
        found = self._cluster.arrow(frame.mapInArrow(read, _partition.READ))
        traces = []
        for row in found.to_pylist():
            if row["kind"] != _partition.FOUND:
                raise getattr(errors, row["kind"])(f"{self._cluster.what}: {row['found'].decode()}")
            part, trace = pickle.loads(row["found"])  # noqa: S301  (what our own function has pickled)
            reading.merge(part)
            traces.append(trace)
        self._same(traces, packed)

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
        with self._cluster.persisted(frame):
            batches = self._batches(frame, packed)
            told = _coding.prefix(packed.layout, len(grouping))
            traces = []
            for batch in range(batches):
                part = frame if batches == 1 else frame.where(fn.pmod(fn.xxhash64(*told), fn.lit(batches)) == batch)
                found = _partition.arrays(self._cluster.arrow(part))
                if found is None:
                    raise self._changed()
                keys, units, counts = found
                traces.append(_trace.trace(keys, counts, packed.layout))
                yield packed.table(keys, units, counts)
            self._same(traces, packed, recoded)

    def _batches(self, frame: Any, packed: _partition.Packed) -> int:
        """In how many batches the combinations of a view are fetched."""
        limits, rows = self._counting.connection.limits, self._count(frame)
        width = packed.layout.words + (packed.unit is not None) + 1
        if rows * width * 8 > limits.engine_memory:
            raise OutOfMemory(
                f"{self._cluster.what}: {rows:,} combinations do not fit the driver's memory; give a larger --memory"
            )
        return max(1, -(-rows * BYTES_PER_COMBINATION // limits.batch_memory)) if packed.grouping else 1

    def _same(
        self, traces: Sequence[_trace.Trace], packed: _partition.Packed, recoded: Mapping[str, IntArray] | None = None
    ) -> None:
        """Refuse parts that together are not the records whose values were counted first.

        Of a column with many values only their number is known, and its codes are ranks among those there are.
        """
        columns = packed.layout.columns
        found = sum(traces, start=np.zeros(1 + len(columns), np.uint64))
        known = {0: np.uint64(self.records)}
        for place, name in enumerate(columns):
            if not self._has_many(name):
                frequencies = self.frequencies(name)
                nodes = (recoded or {}).get(name) if place < packed.grouping else None
                codes = np.arange(len(frequencies)) if nodes is None else nodes
                known[place + 1] = _trace.of_codes(codes, frequencies)
        if any(found[place] != number for place, number in known.items()):
            raise self._changed()

    def _changed(self) -> DataError:
        return DataError(f"{self._cluster.what}: {_partition.CHANGED}")

    def _partitions(self, columns: Sequence[str]) -> int:
        return partitions([self.cardinality(name) for name in columns], self.records)

    def _view(
        self,
        grouping: Sequence[str],
        sensitive: tuple[str, Domain] | None,
        unit: str | None,
        recoded: Mapping[str, IntArray] | None = None,
        *,
        grouped: bool = True,
    ) -> tuple[Any, _partition.Packed]:
        """The combinations of a grouping, of a sensitive attribute and of units: w0, w1, …, perhaps u, and n.

        Not `grouped`, one of them can stand in several rows, and every row is in the partition that it was in.
        """
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
            frame, codes = self._with_codes(self._combined(grouping), names, unit)
            for place, name in enumerate(ordered):
                if name in nodes:
                    frame, codes[place] = self._recoded(frame, codes[place], nodes[name], place)
            words = _coding.packed(layout, codes[: len(names)])
            units = codes[len(names) :]
            frame = frame.select(*words, *units, "n")
            if grouped and (nodes or {*names, *([unit] if unit else [])} != set(self._names)):
                frame = _totals(frame)
        return frame, _partition.Packed(layout, len(ordered), sensitive[1] if sensitive else None, unit)

    def _has_many(self, name: str) -> bool:
        return isinstance(self._values[name], ManyValues)

    def _with_codes(self, kept: Combinations, names: Sequence[str], unit: str | None) -> tuple[Any, list[Any]]:
        """The combinations, and expressions of the codes of some columns and of the unit, if any, at last."""
        frame, codes = kept.frame, []
        for place, name in enumerate(names):
            values = self._values[name]
            if isinstance(values, ManyValues):
                ranks = values.ranks.codes.select(fn.col("h").alias(f"k{place}"), fn.col("code").alias(f"r{place}"))
                frame = frame.join(ranks, kept.hash(name) == fn.col(f"k{place}"), "left")
                codes.append(fn.col(f"r{place}"))
            else:
                codes.append(kept.code(name))
        if unit is not None:
            codes.append((kept.hash(unit) if self._has_many(unit) else kept.code(unit)).alias("u"))
        return frame, codes

    def _recoded(self, frame: Any, code: Any, nodes: IntArray, place: int) -> tuple[Any, Any]:
        """The combinations with the node of a column's code."""
        codes = _coding.lookup(self._cluster, np.arange(len(nodes)), nodes).codes
        codes = codes.select(fn.col("h").alias(f"m{place}"), fn.col("code").alias(f"g{place}"))
        return frame.join(fn.broadcast(codes), code == fn.col(f"m{place}"), "left"), fn.col(f"g{place}")

    def write(self, release: ReleaseRequest, target: Path | Address) -> None:
        """Write a release as a folder of files, which the cluster's committer makes whole."""
        _release.write(self._cluster, self._released(release), target)

    def frame(self, release: ReleaseRequest, kind: str) -> Any:
        """A release as a DataFrame whose rows the cluster keeps (``spark``), or brought here as another table."""
        return _release.table(self._cluster, self._released(release), kind)

    def _released(self, release: ReleaseRequest) -> Any:
        return _release.released(self._counting, self._values, release)

    def close(self) -> None:
        """Let go of what the cluster keeps."""
        self._forget_classes()
        if self._kept is not None:
            self._kept.drop()
        for values in self._values.values():
            values.drop()
