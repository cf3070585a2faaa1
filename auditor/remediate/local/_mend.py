"""Merging groups until a release meets its policy as a whole.

What a search of groups looks at, group by group, need not hold of the release: classes of a requirement may be unions
of groups, whole-table requirements speak of all of them, and not every model is kept by unions where persons are
counted. So the release is judged as a whole, and groups that violate are merged with those next to them until it holds;
groups that cannot be merged any more are suppressed within the limit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from auditor.classes import BoolArray, IntArray, distinct
from auditor.remediate.local._partition import Partition
from auditor.remediate.local._whole import DecidedRelease, ReleaseRules, decided


def mended(partition: Partition, rules: ReleaseRules, objective: str, check: Callable[[], None]) -> DecidedRelease:
    """The release of a partition or of a coarser one: of those that solve the one that loses least, else the last.

    Groups are merged until nothing is suppressed and the demands are met, or no more groups can be merged.
    """
    best: DecidedRelease | None = None
    while True:
        check()
        whole = decided(partition, rules)
        if whole.solves and (best is None or _loss(whole, objective) < _loss(best, objective)):
            best = whole
        if whole.solves and not whole.suppressed:
            break
        coarser = _merged(partition, _to_merge(whole))
        if coarser is None:
            break
        partition = coarser
    return best or whole


def _loss(whole: DecidedRelease, objective: str) -> float:
    value = whole.losses[objective]
    return 0.0 if value is None else value


def _to_merge(whole: DecidedRelease) -> BoolArray:
    """bool[g]: the groups that lose records; where none does, those of the smallest classes."""
    gone, _ = whole.outcome.gone
    if not len(gone):
        sizes = whole.outcome.sizes
        gone = np.flatnonzero(sizes == sizes.min())
    lost = np.zeros(len(whole.outcome.sizes), dtype=np.bool_)
    lost[gone] = True
    return lost[whole.class_of]


def _merged(partition: Partition, wanted: BoolArray) -> Partition | None:
    """The partition with each of these groups merged with the nearest of its region; None where none has another.

    The nearest is the one with which it loses least, all records of both counted; of equals the first.
    """
    into = np.arange(partition.groups)
    for group in np.flatnonzero(wanted).tolist():
        nearest = _nearest(partition, group)
        if nearest is not None:
            _unite(into, group, nearest)
    _, number = distinct(_roots(into))
    return partition.merged(number) if int(number.max(initial=-1)) + 1 < partition.groups else None


def _nearest(partition: Partition, group: int) -> int | None:
    others = np.flatnonzero(partition.region == partition.region[group])
    others = others[others != group]
    if not len(others):
        return None
    more = np.zeros(len(others))
    for place, scale in enumerate(partition.table.scales):
        low, high = partition.low[place], partition.high[place]
        together = scale.loss(np.minimum(low[others], low[group]), np.maximum(high[others], high[group]))
        own = scale.loss(low[[group]], high[[group]])
        more += partition.sizes[others] * (together - scale.loss(low[others], high[others]))
        more += partition.sizes[group] * (together - own)
    return int(others[np.argmin(more)])


def _unite(into: IntArray, one: int, other: int) -> None:
    first, second = _root(into, one), _root(into, other)
    into[max(first, second)] = min(first, second)


def _root(into: IntArray, group: int) -> int:
    while into[group] != group:
        group = int(into[group])
    return group


def _roots(into: IntArray) -> IntArray:
    return np.array([_root(into, group) for group in range(len(into))], dtype=np.int64)
