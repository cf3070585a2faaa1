"""Constrained local recoding: regions of the table, in each of which every column is released at one level.

Inside a region it is full-domain recoding: the region's node is found going down from the top, each time by the level
that saves most loss while all classes of the region still meet the demands. A region is parted at the children of one
column's closest common generalization, the one that loses most there first, where the parts together lose less than the
region does. Records with the same values are in one region, so they are released alike.

This is a greedy scheme of our own for what is called full-domain levels chosen per region; no source is followed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from auditor.classes import FloatArray, IntArray, distinct
from auditor.remediate.local._judge import Judge
from auditor.remediate.local._partition import CombinationTable, Partition
from auditor.remediate.local._scales import LadderScale


def constrained(table: CombinationTable, judge: Judge, check: Callable[[], None]) -> Partition:
    """Regions that are parted as long as that saves loss, each at the levels of its own.

    Args:
        table: what is put into groups; every quasi-identifier has a ladder.
        judge: whether groups meet the demands.
        check: called for every region; it raises where the time is up.
    """
    regions = _Regions(table, judge)
    waiting = [regions.at(np.flatnonzero(table.regions == region)) for region in range(int(table.regions.max()) + 1)]
    done = []
    while waiting:
        check()
        region = waiting.pop()
        parts = regions.parted(region)
        if parts:
            waiting.extend(parts)
        else:
            done.append(region)
    return regions.partition(done)


@dataclass(frozen=True)
class _Region:
    """Some combinations, the levels at which they are released, and what each column loses there, over all records."""

    cells: IntArray
    levels: IntArray
    losses: FloatArray

    @property
    def loss(self) -> float:
        return float(self.losses.sum())


class _Regions:
    """What regions have in common."""

    def __init__(self, table: CombinationTable, judge: Judge) -> None:
        self.table, self.judge = table, judge
        self.scales = [scale for scale in table.scales if isinstance(scale, LadderScale)]
        self.finest = np.array([scale.finest for scale in self.scales], dtype=np.int64)

    def at(self, cells: IntArray) -> _Region:
        """The region of some combinations, going down from the levels at which they are one class."""
        codes = self.table.codes[:, cells]
        low, high = codes.min(axis=1), codes.max(axis=1)
        levels = np.array(
            [int(scale.meeting(low[[i]], high[[i]])[0]) for i, scale in enumerate(self.scales)], dtype=np.int64
        )
        losses = np.array([self._loss(cells, place, int(level)) for place, level in enumerate(levels)])
        going_down = set(np.flatnonzero(levels > self.finest).tolist())
        while going_down:
            lower = {place: self._loss(cells, place, int(levels[place]) - 1) for place in going_down}
            for place in sorted(going_down, key=lambda place: (lower[place] - losses[place], place)):
                levels[place] -= 1
                if self._holds(cells, levels):
                    losses[place] = lower[place]
                    if levels[place] == self.finest[place]:
                        going_down.discard(place)
                    break
                # where one step down does not hold, none does after others went down: classes only get smaller
                levels[place] += 1
                going_down.discard(place)
        return _Region(cells, levels, losses)

    def parted(self, region: _Region) -> list[_Region]:
        """Its parts along the first column in which that saves loss; none where none does."""
        if int(self.table.records[region.cells].sum()) < 2 * self.judge.least_size:
            return []
        for place in np.argsort(-region.losses, kind="stable").tolist():
            parts = self._along(region, place)
            if len(parts) > 1:
                found = [self.at(cells) for cells in parts]
                if sum(part.loss for part in found) < region.loss * (1.0 - 1e-12):
                    return found
        return []

    def partition(self, regions: list[_Region]) -> Partition:
        """All regions together: a group for each class."""
        group = np.zeros(len(self.table.records), dtype=np.int64)
        floors, first = [], 0
        for region in regions:
            number = self._classes(region.cells, region.levels)
            group[region.cells] = first + number
            classes = int(number.max()) + 1
            floors.append(np.repeat(region.levels[:, None], classes, axis=1))
            first += classes
        cells = np.arange(len(group))
        return Partition.of(self.table, cells, self.table.records, group, np.concatenate(floors, axis=1))

    def _along(self, region: _Region, place: int) -> list[IntArray]:
        """The combinations of each child in one column, where all children meet the demands."""
        scale, codes = self.scales[place], self.table.codes[place, region.cells]
        level = int(scale.meeting(codes.min()[None], codes.max()[None])[0]) - 1
        if level < scale.finest:
            return []
        children, number = distinct(scale.levels[level][codes])
        kind, records = self.table.kind[region.cells], self.table.records[region.cells]
        if self.judge.violating(number, len(children), kind, records).any():
            return []
        return [region.cells[number == child] for child in range(len(children))]

    def _classes(self, cells: IntArray, levels: IntArray) -> IntArray:
        number = np.zeros(len(cells), dtype=np.int64)
        for place, (scale, level) in enumerate(zip(self.scales, levels.tolist(), strict=True)):
            nodes = scale.levels[level][self.table.codes[place, cells]]
            _, number = distinct(number * (int(nodes.max()) + 1) + nodes)
        return number

    def _holds(self, cells: IntArray, levels: IntArray) -> bool:
        number = self._classes(cells, levels)
        kind, records = self.table.kind[cells], self.table.records[cells]
        return not self.judge.violating(number, int(number.max()) + 1, kind, records).any()

    def _loss(self, cells: IntArray, place: int, level: int) -> float:
        code = self.table.codes[place, cells]
        floor = np.full(len(code), level)
        return float((self.table.records[cells] * self.scales[place].loss(code, code, floor)).sum())
