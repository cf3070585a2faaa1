"""A partition as the release that it stands for, judged as a whole, and what it loses.

The labels of the groups are a table like any other: one class for each combination of labels. So it is decided as a
node of the lattice is, with whatever a policy asks (persons, joined attributes, a moving reference, requirements on the
whole table, suppressed records that stay as `*`), by the same `Recounter`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from auditor.classes import FloatArray, IntArray, distinct
from auditor.hierarchies import STAR
from auditor.remediate._evaluate import NodeDemand, NodeOutcome
from auditor.remediate._keys import Rolled
from auditor.remediate._losses import METRICS, Aggregate, joined
from auditor.remediate._recount import Kinds, Recounter, Setting
from auditor.remediate._rollup import Tower
from auditor.remediate.local._partition import Partition
from auditor.remediate.local._scales import Labelled, MeanScale


@dataclass(frozen=True)
class ReleaseRules:
    """What a release must meet, and how it is made and judged.

    Args:
        demands: the requirements.
        limit: how many records may be suppressed.
        kinds: what the kinds of records are.
        how_many: how many kinds there are.
        moving_reference: whether q is that of the released records.
        starred: whether suppressed records stay as `*`.
        aggregate: how ``loss`` combines the attributes.
    """

    demands: Sequence[NodeDemand]
    limit: int
    kinds: Kinds
    how_many: int
    moving_reference: bool
    starred: bool
    aggregate: Aggregate = "mean"


@dataclass(frozen=True)
class DecidedRelease:
    """The release of a partition, decided.

    Args:
        partition: the groups.
        labelled: the labels of the groups, by quasi-identifier.
        evaluator: what decided it.
        outcome: which classes are kept, and whether the release meets the demands.
        table: the classes.
        class_of: int64[g], the class of each group, by its place in the table.
        losses: each metric; None for those of nodes.
    """

    partition: Partition
    labelled: tuple[Labelled, ...]
    evaluator: Recounter
    outcome: NodeOutcome
    table: Rolled
    class_of: IntArray
    losses: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def solves(self) -> bool:
        """Whether the release meets every demand."""
        return self.outcome.solves

    @property
    def suppressed(self) -> int:
        """The records that are suppressed."""
        return self.outcome.suppressed


def labels_of(partition: Partition) -> tuple[Labelled, ...]:
    """The labels of each group, by quasi-identifier."""
    found = []
    for place, scale in enumerate(partition.table.scales):
        low, high = partition.low[place], partition.high[place]
        if isinstance(scale, MeanScale):
            numbers = scale.numbers[partition.table.codes[place, partition.cell]]
            sums = np.bincount(partition.group, weights=partition.counts * numbers, minlength=partition.groups)
            found.append(scale.averaged(sums / partition.sizes, low, high))
        else:
            found.append(scale.labelled(low, high, partition.floor(place)))
    return tuple(found)


def decided(partition: Partition, rules: ReleaseRules) -> DecidedRelease:
    """Decide the release of a partition."""
    labelled = labels_of(partition)
    codes = [each.nodes[partition.group] for each in labelled]
    ladders = [np.arange(len(each.labels), dtype=np.int64)[None, :] for each in labelled]
    tower = Tower(codes, ladders, partition.counts, partition.kind, kinds=rules.how_many)
    stars = [[each.labels.index(STAR) if STAR in each.labels else -1] for each in labelled] if rules.starred else None
    setting = Setting(moving_reference=rules.moving_reference, stars=stars)
    evaluator = Recounter(tower, rules.demands, rules.limit, rules.kinds, setting)
    node = (0,) * len(labelled)
    tables = evaluator.tables(node)
    outcome = evaluator.decide(node, tables, fully=True)
    table = tables[evaluator.first]
    class_of = _classes(tower, table, labelled)
    found = DecidedRelease(partition, labelled, evaluator, outcome, table, class_of)
    return DecidedRelease(partition, labelled, evaluator, outcome, table, class_of, losses_of(found, rules.aggregate))


def _classes(tower: Tower, table: Rolled, labelled: Sequence[Labelled]) -> IntArray:
    """int64[g]: the class of each group."""
    classes, groups = len(tower.sizes(table)), len(labelled[0].nodes)
    number = np.zeros(classes + groups, dtype=np.int64)
    for place, each in enumerate(labelled):
        codes = np.concatenate([tower.nodes_of(table, place), each.nodes])
        _, number = distinct(number * len(each.labels) + codes)
    place_of = np.zeros(int(number.max(initial=0)) + 1, dtype=np.int64)
    place_of[number[:classes]] = np.arange(classes)
    return place_of[number[classes:]]


def losses_of(whole: DecidedRelease, aggregate: Aggregate) -> dict[str, float | None]:
    """Each metric of a decided release, on the scale of those of a lattice's nodes."""
    partition, outcome = whole.partition, whole.outcome
    n, lost = int(partition.counts.sum()), outcome.suppressed
    gone = np.zeros(len(outcome.sizes))
    places, records = outcome.gone
    gone[places] = records
    # the share of each group's records that are suppressed: where a class loses a part, all its groups do alike
    share_gone = (gone / outcome.sizes)[whole.class_of]
    sizes = partition.sizes
    values, bits = [], 0.0
    for place, scale in enumerate(partition.table.scales):
        low, high = partition.low[place], partition.high[place]
        loss = scale.loss(low, high, partition.floor(place))
        values.append(float((sizes * (loss + share_gone * (1.0 - loss))).sum()) / max(n, 1))
        code = partition.table.codes[place, partition.cell]
        covered = scale.covered(low, high, partition.floor(place))[partition.group]
        bits += float((partition.counts * np.log2(covered / scale.frequencies[code])).sum())
        bits += _bits(np.bincount(whole.labelled[place].nodes, weights=sizes * share_gone))
    released = outcome.released
    metrics: dict[str, float | None] = {
        "loss": joined(values, aggregate),
        "discernibility": float(released @ released + n * lost),
        "discernibility-star": float(outcome.sizes @ outcome.sizes),
        "average-class-size": n / max(int(outcome.kept.sum()) + (lost > 0), 1),
        "non-uniform-entropy": bits,
    }
    return {name: metrics.get(name) for name in METRICS}


def _bits(counts: FloatArray | IntArray) -> float:
    some = counts[counts > 0]
    return float(-(some * np.log2(some / some.sum())).sum()) if len(some) else 0.0
