"""The distinct combinations of the columns that are counted, as the cluster keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from pyspark.sql import functions as fn

from auditor.classes import KeyLayout
from auditor.engines.duckdb import BYTES_PER_COMBINATION
from auditor.engines.spark import _coding, _partition
from auditor.engines.spark._cluster import SparkCluster
from auditor.engines.spark._values import FewValues, ManyValues, RowCounts

PARTITION_BYTES = 128 << 20
"""What the arrays of one partition take, where the number of partitions can be chosen for it."""
AT_LEAST = 2
MOST_PARTITIONS = 20_000
"""More small tasks than these take longer to hand out than to do."""
FEW = 1 << 20
"""So many combinations a task of Spark counts in passing, before anything is sent to another."""
PROBED = 100_000
"""So many rows are looked at to tell whether rows repeat each other: they do where a quarter of these do.

A class of half the rows then is combined before it is sent, and no task gets half the rows.
"""


@dataclass(frozen=True)
class Combinations:
    """Rows of words w0, w1, … of codes, hashes u0, u1, … of columns with many values, and how many records n have them.

    Args:
        frame: those rows, each once; kept by the cluster, on disk where its memory does not hold them.
        layout: where the words hold the codes.
        hashed: the columns with many values.
        classes: the columns whose classes lie whole in one partition each.
    """

    frame: Any
    layout: KeyLayout
    hashed: tuple[str, ...]
    classes: frozenset[str]

    @classmethod
    def of(
        cls,
        counting: RowCounts,
        values: Mapping[str, FewValues | ManyValues],
        grouping: Sequence[str],
        records: int,
    ) -> Combinations:
        """Combine the values of the rows; the columns of a grouping, if there are any, make the classes."""
        few = {name: each for name, each in values.items() if isinstance(each, FewValues)}
        many = {name: each for name, each in values.items() if isinstance(each, ManyValues)}
        layout = KeyLayout.of({name: few[name].cardinality for name in _first_by_size(few, grouping)})
        with counting.cluster.planning():
            rows = _words(counting, [few[name] for name in layout.columns], layout, list(many.values()))
            by = grouping or [*layout.columns, *many]
            told = _coding.masked(layout, [name for name in by if name in few])
            told += [fn.col(f"u{place}") for place, name in enumerate(many) if name in by]
            sizes = [each.cardinality for each in values.values()]
            count = max(AT_LEAST, partitions(sizes, records)) if told else 1
            if _few(counting.cluster, rows, min(prod(sizes), records), records):
                # Tasks combine what they read, and little is left to send.
                found = rows.groupBy(*rows.columns).agg(fn.count(fn.lit(1)).alias("n")).repartition(count, *told)
            else:
                # Nothing to combine yet: what tasks would look up for that is most of the time of Spark's own GROUP BY.
                schema = ", ".join(f"{name} bigint" for name in (*rows.columns, "n"))
                found = rows.repartition(count, *told).mapInArrow(_partition.combine_partition, schema)
            return cls(found.persist(), layout, tuple(many), frozenset(by))

    def code(self, name: str) -> Any:
        """The code of a column with few values."""
        return _coding.unpacked(self.layout, self.layout.columns.index(name))

    def hash(self, name: str) -> Any:
        """The hash of a column with many values."""
        return fn.col(f"u{self.hashed.index(name)}")

    def drop(self) -> None:
        """Let go of the rows."""
        self.frame.unpersist()


def _first_by_size(values: Mapping[str, FewValues], grouping: Sequence[str]) -> list[str]:
    """The columns of a grouping by how many values they have, and the others behind them."""
    first = sorted((name for name in grouping if name in values), key=lambda name: (values[name].cardinality, name))
    return [*first, *(name for name in values if name not in first)]


def partitions(cardinalities: Sequence[int], records: int) -> int:
    """How many partitions hold the combinations of columns with so many values."""
    most = min(prod(max(each, 1) for each in cardinalities), records)
    return min(MOST_PARTITIONS, max(1, -(-most * BYTES_PER_COMBINATION // PARTITION_BYTES)))


def _words(counting: RowCounts, few: Sequence[FewValues], layout: KeyLayout, many: Sequence[ManyValues]) -> Any:
    """Every row as words and hashes."""
    hashes = [each.hash.alias(f"u{place}") for place, each in enumerate(many)]
    rows = _coding.coded(counting.frame, [each.hash for each in few], [each.lookup for each in few], hashes)
    words = _coding.packed(layout, [fn.col(f"c{place}") for place in range(len(few))])
    return rows.select(*words, *(f"u{place}" for place in range(len(many))))


def _few(cluster: SparkCluster, rows: Any, most: int, records: int) -> bool:
    """Whether rows repeat each other so often that a task should combine those it reads.

    They do where there are at most so many combinations; else some of the rows are looked at. What is found decides
    nothing but the way.
    """
    if most <= FEW or records <= PROBED:
        return True
    some = rows.limit(PROBED).distinct()
    return int(cluster.arrow(some.agg(fn.count(fn.lit(1)).alias("n")))["n"][0].as_py()) <= PROBED * 3 // 4
