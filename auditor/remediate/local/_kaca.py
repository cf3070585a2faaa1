"""KACA: k-anonymization by clustering in attribute hierarchies (Li, Wong, Fu & Pei 2006).

Classes begin as the distinct combinations of quasi-identifiers. While some class violates a demand, one of those is
drawn, and merged with the class at the least distance; both then stand at their closest common generalization. Of
classes at the same distance it takes the first. It costs about (classes that violate) · (classes).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from auditor.classes import BoolArray, IntArray, distinct
from auditor.remediate.local._distance import RecordClasses, Weights
from auditor.remediate.local._judge import Judge
from auditor.remediate.local._partition import CombinationTable, Partition, ends
from auditor.remediate.local._scales import LadderScale

SEED = 2006
"""Which class is drawn next follows from this alone."""
COMPACT = 0.75
"""Classes are put together again when fewer than this share of them is left."""


def kaca(
    table: CombinationTable,
    judge: Judge,
    weights: Weights,
    check: Callable[[], None],
    places: Sequence[int] | None = None,
) -> Partition:
    """Merge combinations until each class meets the demands, or has no other left in its region.

    Args:
        table: what is put into groups.
        judge: whether classes meet the demands.
        weights: what a step of a ladder weighs.
        check: called now and then; it raises where the time is up.
        places: the quasi-identifiers that are looked at, all of which have ladders; by default all.
    """
    looked_at = range(len(table.scales)) if places is None else places
    group = _combinations(table, looked_at)
    return _Merging(table, judge, weights, looked_at, group).run(check)


def _combinations(table: CombinationTable, places: Sequence[int]) -> IntArray:
    """int64[c]: the class that each combination begins in: that of its nodes at the finest level, in its region."""
    number = table.regions
    for place in places:
        scale = table.scales[place]
        nodes = scale.levels[scale.finest][table.codes[place]] if isinstance(scale, LadderScale) else table.codes[place]
        _, number = distinct(number * (int(nodes.max(initial=0)) + 1) + nodes)
    return distinct(number)[1]


class _Merging:
    """The classes that are left, by their places in `classes`, and which of them violate."""

    def __init__(
        self, table: CombinationTable, judge: Judge, weights: Weights, places: Sequence[int], group: IntArray
    ) -> None:
        self.table, self.judge = table, judge
        start = Partition.of(table, np.arange(len(group)), table.records, group)
        self.into = np.arange(start.groups)
        low, high = ends(table.codes[list(places)][:, start.cell], start.group)
        scales = [scale for scale in (table.scales[place] for place in places) if isinstance(scale, LadderScale)]
        self.classes = RecordClasses(scales, low, high, start.sizes.copy(), weights)
        self.start = start
        self.region = start.region
        self.wrong: BoolArray = judge.violating(start.group, start.groups, start.kind, start.counts)
        order = np.argsort(start.group, kind="stable")
        cuts = np.cumsum(np.bincount(start.group, minlength=start.groups))[:-1]
        self.kinds = np.split(start.kind[order], cuts)
        self.counts = np.split(start.counts[order], cuts)

    def run(self, check: Callable[[], None]) -> Partition:
        random = np.random.default_rng(SEED)
        classes, alive = self.classes, np.ones(len(self.classes.sizes), dtype=np.bool_)
        waiting = np.flatnonzero(self.wrong).tolist()
        place_of = np.arange(len(alive))
        steps = 0
        while waiting:
            steps += 1
            if not steps % 256:
                check()
            drawn = int(random.integers(len(waiting)))
            waiting[drawn], waiting[-1] = waiting[-1], waiting[drawn]
            number = waiting.pop()
            if self.into[number] != number or not self.wrong[number]:
                continue
            place = int(place_of[number])
            distance = classes.distances(place)
            reachable = alive & (self.region[classes.number] == self.region[number])
            reachable[place] = False
            if not reachable.any():
                continue
            distance[~reachable] = np.inf
            nearest = int(np.argmin(distance))
            classes.unite(place, nearest)
            alive[nearest] = False
            if self._united(number, int(classes.number[nearest])):
                waiting.append(number)
            if alive.sum() < COMPACT * len(alive):
                classes.keep(np.flatnonzero(alive))
                place_of[classes.number] = np.arange(len(classes.number))
                alive = np.ones(len(classes.sizes), dtype=np.bool_)
        return self.start.merged(self._roots())

    def _united(self, number: int, other: int) -> bool:
        """Take over another class's records; whether the class still violates."""
        self.into[other] = number
        self.kinds[number] = np.concatenate([self.kinds[number], self.kinds[other]])
        self.counts[number] = np.concatenate([self.counts[number], self.counts[other]])
        kind, counts = self.kinds[number], self.counts[number]
        everything = np.zeros(len(kind), dtype=np.int64)
        self.wrong[number] = self.judge.violating(everything, 1, kind, counts)[0]
        return bool(self.wrong[number])

    def _roots(self) -> IntArray:
        """int64: the class that each of the first ones is now in."""
        roots = self.into
        while (roots[roots] != roots).any():
            roots = roots[roots]
        return roots
