"""What a release loses: the metrics of the field, all relative to the input and computed from class tables alone.

With N records, s of them suppressed, h_i the height of hierarchy i (its own, whatever levels are searched), and classes
E. An attribute whose hierarchy has no height, or one leaf, contributes 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from auditor.classes import FloatArray, IntArray
from auditor.policy.remediation import Objective
from auditor.remediate._evaluate import NodeOutcome
from auditor.remediate._keys import Rolled
from auditor.remediate._rollup import Tower
from auditor.remediate._rungs import Rungs

Aggregate = Literal["mean", "geometric-mean"]

METRICS: tuple[Objective, ...] = get_args(Objective)
BASES: Mapping[str, str] = {
    "height": "levels",
    "precision": "suppressed",
    "loss": "classes",
    "discernibility": "classes",
    "discernibility-star": "classes",
    "average-class-size": "classes",
    "non-uniform-entropy": "values",
}
"""What each metric is worked out from, as results say it: the redaction decides by it."""


@dataclass(frozen=True)
class ColumnLosses:
    """What the losses need to know of one quasi-identifier, per level.

    Args:
        height: the hierarchy's own height.
        leaf_share: per level, float64 by node: (leaves under the node − 1)/(leaves of the hierarchy − 1).
        entropy: per level, the bits lost by generalizing every record to it: −Σ log2(n(value)/n(node)).
        mean_loss: per level, the mean of `leaf_share` over the records.
        can_lose: whether the hierarchy has a height and more than one leaf.
    """

    height: int
    leaf_share: Sequence[FloatArray]
    entropy: FloatArray
    mean_loss: FloatArray
    can_lose: bool

    @classmethod
    def of_rungs(cls, rungs: Rungs, frequencies: IntArray) -> ColumnLosses:
        """Precompute a column; `frequencies` are by engine code."""
        by_code = np.zeros(len(frequencies), dtype=np.int64)
        by_code[rungs.code] = frequencies
        if rungs.ladder is None:
            return cls.of(rungs.levels, by_code, [np.ones(len(by_code), dtype=np.int64)], len(by_code))
        leaves = []
        for nodes, given, under in zip(rungs.levels, rungs.ladder.codes(), rungs.ladder.leaves, strict=True):
            here = np.zeros(int(nodes.max()) + 1, dtype=np.int64)
            here[nodes[rungs.code]] = np.asarray(under)[given]
            leaves.append(here)
        return cls.of(rungs.levels, by_code, leaves, rungs.ladder.leaf_count)

    @classmethod
    def of(cls, levels: IntArray, frequencies: IntArray, leaves: Sequence[IntArray], leaf_count: int) -> ColumnLosses:
        """Precompute a column from its ladder in tree order.

        Args:
            levels: int64[height + 1, m], the node above each value.
            frequencies: int64[m], how many records have each value.
            leaves: per level, int64 by node: the leaves of the hierarchy under it.
            leaf_count: the leaves of the whole hierarchy.
        """
        height, total = len(levels) - 1, int(frequencies.sum())
        shares = [(np.asarray(under) - 1) / max(leaf_count - 1, 1) for under in leaves]
        means, bits = [], []
        for level, share in zip(levels, shares, strict=True):
            records = np.bincount(level, weights=frequencies)
            means.append(float((records * share).sum()) / max(total, 1))
            bits.append(float(_bits(frequencies, records[level])))
        return cls(height, shares, np.array(bits), np.array(means), can_lose=height > 0 and leaf_count > 1)


class Losses:
    """The metrics over one table. `bound_of` bounds a metric from below for a node and all its generalizations."""

    def __init__(
        self, tower: Tower, columns: Sequence[ColumnLosses], aggregate: Aggregate = "mean", *, in_parts: bool = False
    ) -> None:
        """`in_parts` says that a class can lose some of its records and keep the others."""
        self._tower = tower
        self._in_parts = in_parts
        self._columns = tuple(columns)
        self._aggregate = aggregate

    def of(self, metric: str, outcome: NodeOutcome, table: Rolled) -> float:
        """The value of a metric at a decided node, given its table."""
        lost, n = outcome.suppressed, self._tower.records
        metrics: dict[str, Callable[[], float]] = {
            "height": lambda: sum(outcome.node),
            "precision": lambda: self._precision(outcome.node, lost),
            "loss": lambda: self._loss(outcome, table),
            "discernibility": lambda: _squares(outcome.released) + n * lost,
            "discernibility-star": lambda: _squares(outcome.sizes),
            "average-class-size": lambda: n / (int(outcome.kept.sum()) + (lost > 0)),
            "non-uniform-entropy": lambda: self._entropy(outcome, table),
        }
        return float(metrics[metric]())

    def all(self, outcome: NodeOutcome, table: Rolled) -> dict[str, float]:
        """Every metric at a decided node."""
        return {metric: self.of(metric, outcome, table) for metric in METRICS}

    def bound_of(self, metric: str, node: Sequence[int]) -> float:
        """A value that the metric has at least, at this node and every generalization of it, without its table."""
        if metric == "height":
            return float(sum(node))
        if metric == "precision":
            return self._precision(node, 0)
        if metric == "loss":
            return self._joined([column.mean_loss[level] for column, level in zip(self._columns, node, strict=True)])
        if metric == "non-uniform-entropy":
            return float(sum(column.entropy[level] for column, level in zip(self._columns, node, strict=True)))
        return 0.0

    def floor_of(self, metric: str, sizes: IntArray) -> float:
        """A value that the metric has at least at a node with these class sizes and every generalization of it.

        Where a class can lose a part of its records, r, it costs (|E| − r)² + N·r in discernibility: less than |E|²
        only where |E| > N/2, and then at least N·|E| − N²/4. Merging raises that bound as it raises squares. Classes
        that lose a part still count, so that one more may divide the average.
        """
        if self._in_parts and metric == "discernibility":
            return float(_squares(sizes)) - max(int(sizes.max(initial=0)) - self._tower.records / 2, 0.0) ** 2
        if metric in ("discernibility", "discernibility-star"):
            return float(_squares(sizes))
        if metric == "average-class-size":
            return self._tower.records / max(len(sizes) + self._in_parts, 1)
        return 0.0

    def price_of(self, metric: str, lost: int, limit: int) -> float:
        """What suppressing at least so many records, and at most `limit`, adds to the metric's `floor_of` at least.

        In discernibility a suppressed class costs N·|E| where it cost |E|², and |E| is at most `limit`.
        """
        return float(lost * max(self._tower.records - limit, 0)) if metric == "discernibility" else 0.0

    def _precision(self, node: Sequence[int], lost: int) -> float:
        n = self._tower.records
        return self._joined(
            [
                ((n - lost) * level / column.height + lost) / n if column.height else 0.0
                for column, level in zip(self._columns, node, strict=True)
            ]
        )

    def _loss(self, outcome: NodeOutcome, table: Rolled) -> float:
        n = self._tower.records
        gone, sizes = outcome.gone
        values = []
        for i, (column, level) in enumerate(zip(self._columns, outcome.node, strict=True)):
            value = column.mean_loss[level]
            if len(sizes) and column.can_lose:
                share = column.leaf_share[level][self._tower.nodes_of(table, i)[gone]]
                value += float((sizes * (1.0 - share)).sum()) / n
            values.append(value)
        return self._joined(values)

    def _joined(self, values: Sequence[float]) -> float:
        return joined(values, self._aggregate)

    def _entropy(self, outcome: NodeOutcome, table: Rolled) -> float:
        bits = sum(column.entropy[level] for column, level in zip(self._columns, outcome.node, strict=True))
        gone, sizes = outcome.gone
        if len(gone):
            for i in range(len(self._columns)):
                counts = np.bincount(self._tower.nodes_of(table, i)[gone], weights=sizes)
                bits += _bits(counts, np.full(len(counts), float(sizes.sum())))
        return float(bits)


def joined(values: Sequence[float], aggregate: Aggregate) -> float:
    """The losses of all attributes as one: their mean, or Π(1+v)^(1/d) − 1."""
    if not values:
        return 0.0
    if aggregate == "geometric-mean":
        return float(np.prod(1.0 + np.asarray(values)) ** (1.0 / len(values)) - 1.0)
    return float(sum(values) / len(values))


def _squares(sizes: IntArray) -> int:
    return int(np.dot(sizes, sizes))


def _bits(counts: FloatArray | IntArray, of: FloatArray) -> float:
    """−Σ c·log2(c/of) over the counts that are not 0."""
    some = counts > 0
    return float(-(counts[some] * np.log2(counts[some] / of[some])).sum())
