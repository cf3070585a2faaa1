"""Mondrian: multidimensional recoding by splitting, greedily and top-down (LeFevre, DeWitt & Ramakrishnan 2006).

A group is split along the quasi-identifier in which it is widest, into parts that all meet the demands; where it cannot
be, along the next widest; where it cannot be along any, it stays. Numbers without a ladder are cut at the median, which
strict recoding leaves on one side and relaxed recoding (`relaxed: true`) divides evenly. A ladder parts a group at the
children of its closest common generalization. Where a child is too small for the demands, it stays in one group with
the other such ones, under their common label, together with as many of the smallest others as it takes.

All open groups are split at once, generation by generation, so that the work of each is a few passes over arrays.

A group that violates a demand itself (as the whole table may, where some records have to be suppressed) is split where
some part of it does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from auditor.classes import BoolArray, IntArray, distinct
from auditor.remediate.local._judge import Judge
from auditor.remediate.local._partition import CombinationTable, Partition, ends, smallest_of
from auditor.remediate.local._scales import ColumnScale, LadderScale, RangeScale


def mondrian(table: CombinationTable, judge: Judge, *, relaxed: bool, check: Callable[[], None]) -> Partition:
    """Split the regions of a table as far as the demands allow.

    Args:
        table: what is split.
        judge: whether groups meet the demands.
        relaxed: whether records with the median may be divided between both sides.
        check: called before every generation; it raises where the time is up.
    """
    return _Splitting(table, judge, relaxed=relaxed).run(check)


@dataclass(frozen=True)
class _Parts:
    """Into which parts groups could be split.

    Args:
        entries: int64[e], the entries of these groups.
        at: int64[e], the part of each.
        owner: int64[p], the group of each part.
        kind: int64[e], the kind of each entry's records.
        counts: int64[e], how many they are.
    """

    entries: IntArray
    at: IntArray
    owner: IntArray
    kind: IntArray
    counts: IntArray

    @cached_property
    def sizes(self) -> IntArray:
        """int64[p]: the records of each part."""
        return np.bincount(self.at, weights=self.counts, minlength=len(self.owner)).astype(np.int64)


class _Splitting:
    """The entries of all groups, and what is known of the groups.

    Groups are numbered as they come up; `tried` is bool[g, d], the columns along which a group could not be split, and
    `good` bool[g], whether it meets the demands itself.
    """

    def __init__(self, table: CombinationTable, judge: Judge, *, relaxed: bool) -> None:
        start = Partition.whole(table)
        self.table, self.judge, self.relaxed = table, judge, relaxed
        self.cell, self.counts, self.group = start.cell, start.counts, start.group
        self.low, self.high = start.low, start.high
        self.tried = np.zeros((start.groups, len(table.scales)), dtype=np.bool_)
        self.good = ~judge.violating(start.group, start.groups, start.kind, start.counts)

    def run(self, check: Callable[[], None]) -> Partition:
        """Split until no group can be."""
        columns = self._columns()
        while (columns >= 0).any():
            check()
            entries = np.flatnonzero(columns[self.group] >= 0)
            self._take(*self._parts(entries, columns), columns)
            columns = self._columns()
        return Partition.of(self.table, self.cell, self.counts, self.group)

    def _columns(self) -> IntArray:
        """int64[g]: along which quasi-identifier each group is to be split next; −1 for those that are done."""
        width = np.stack([each.loss(low, high) for each, low, high in self._scaled()], axis=1)
        splits = self.low.T != self.high.T
        width[self.tried | ~splits] = -1.0
        column = width.argmax(axis=1)
        return np.where(width.max(axis=1) >= 0, column, -1)

    def _scaled(self) -> zip[tuple[ColumnScale, IntArray, IntArray]]:
        return zip(self.table.scales, self.low, self.high, strict=True)

    def _parts(self, entries: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
        """The entries, and int64: the part of its group that each of them is in.

        Where relaxed recoding divides an entry, its second half becomes one of its own.
        """
        divided: list[tuple[IntArray, IntArray]] = []
        part = np.zeros(len(entries), dtype=np.int64)
        column = columns[self.group[entries]]
        for place, (scale, low, high) in enumerate(self._scaled()):
            here = np.flatnonzero(column == place)
            if not len(here):
                continue
            code = self.table.codes[place, self.cell[entries[here]]]
            group = self.group[entries[here]]
            if isinstance(scale, LadderScale):
                level = scale.meeting(low, high) - 1
                level[level < scale.finest] = -1
                fits = level[group] >= 0
                part[here[fits]] = scale.child(code[fits], level[group[fits]])
            elif isinstance(scale, RangeScale):
                part[here] = self._above_median(group, code, self.counts[entries[here]], scale)
                if self.relaxed:
                    whole = np.flatnonzero(~scale.parts_missing(low, high)[group])
                    upper, halved, below = _halves(group[whole], code[whole], self.counts[entries[here[whole]]])
                    part[here[whole]] = upper
                    divided.append((entries[here[whole[halved]]], below))
        return self._divided(entries, part, divided)

    def _divided(
        self, entries: IntArray, part: IntArray, divided: list[tuple[IntArray, IntArray]]
    ) -> tuple[IntArray, IntArray]:
        """Divide entries, given with the records that stay in the lower half; the others go to the upper one."""
        for halved, below in divided:
            more = len(self.cell) + np.arange(len(halved))
            self.cell = np.concatenate([self.cell, self.cell[halved]])
            self.group = np.concatenate([self.group, self.group[halved]])
            self.counts = np.concatenate([self.counts, self.counts[halved] - below])
            self.counts[halved] = below
            entries = np.concatenate([entries, more])
            part = np.concatenate([part, np.ones(len(more), dtype=np.int64)])
        return entries, part

    def _above_median(self, group: IntArray, code: IntArray, counts: IntArray, scale: RangeScale) -> IntArray:
        """int64: 0 for the entries of a group up to the cut that halves its records best, 1 for those above.

        Missing values, which come first, are parted from numbers before those are cut.
        """
        order = np.lexsort((code, group))
        ordered, codes = group[order], code[order]
        last = np.flatnonzero(np.concatenate([(ordered[1:] != ordered[:-1]) | (codes[1:] != codes[:-1]), [True]]))
        upto = np.cumsum(counts[order])[last]
        owner, codes = ordered[last], codes[last]
        first = np.concatenate([[True], owner[1:] != owner[:-1]])
        ending = np.concatenate([owner[1:] != owner[:-1], [True]])
        run = np.cumsum(first) - 1
        before = np.concatenate([[0], upto[ending][:-1]])[run]
        total = (upto[ending] - np.concatenate([[0], upto[ending][:-1]]))[run]
        uneven = np.abs(2 * (upto - before) - total)
        if scale.has_missing:
            uneven[codes == 0] = -1
        uneven[ending] = np.iinfo(np.int64).max
        best = smallest_of(uneven, run, np.ones(len(run), dtype=np.bool_))
        cut = np.zeros(len(self.low[0]), dtype=np.int64)
        cut[owner[best]] = codes[best]
        above: IntArray = (code > cut[group]).astype(np.int64)
        return above

    def _take(self, entries: IntArray, part: IntArray, columns: IntArray) -> None:
        """Split the groups of the entries where their parts are good enough; remember where they are not."""
        group = self.group[entries]
        keys, at = distinct(group * (int(part.max(initial=0)) + 1) + part)
        owner = np.zeros(len(keys), dtype=np.int64)
        owner[at] = group
        kind, counts = self.table.kind[self.cell[entries]], self.counts[entries]
        parts = _Parts(entries, at, owner, kind, counts)
        rest, rest_good = self._with_rest(parts)
        groups = len(self.good)
        left = np.bincount(owner[~rest], minlength=groups)
        some = np.bincount(owner[rest], minlength=groups) > 0
        open_ = columns >= 0
        self.tried[np.flatnonzero(open_), columns[open_]] = True
        splits = np.flatnonzero((left + some >= 2) & (left > 0))
        self.good[splits] = np.where(some, rest_good, True)[splits]
        self.tried[splits] = False
        with_rest = splits[some[splits]]
        self.tried[with_rest, columns[with_rest]] = True
        self._renumber(parts, rest, splits)

    def _with_rest(self, parts: _Parts) -> tuple[BoolArray, BoolArray]:
        """bool[p]: which parts stay together in one, the rest of their group; and bool[g]: whether that is good."""
        groups, owner = len(self.good), parts.owner
        rest = self.judge.violating(parts.at, len(owner), parts.kind, parts.counts)
        good = np.ones(groups, dtype=np.bool_)
        pending = np.bincount(owner[rest], minlength=groups) > 0
        while pending.any():
            inside = rest[parts.at] & pending[owner[parts.at]]
            present, number = distinct(owner[parts.at[inside]])
            bad = self.judge.violating(number, len(present), parts.kind[inside], parts.counts[inside])
            good[present] = ~bad
            pending[present[~bad]] = False
            pending &= self.good  # what is not good itself may leave a rest that is not
            more = smallest_of(parts.sizes, owner, ~rest & pending[owner])
            rest[more] = True
            added = np.zeros(groups, dtype=np.bool_)
            added[owner[more]] = True
            pending &= added
        return rest, good

    def _renumber(self, parts: _Parts, rest: BoolArray, splits: IntArray) -> None:
        """Give the parts of the groups that are split numbers of their own; the rest of a group keeps its number.

        Where there is no rest, the first part does.
        """
        owner, groups = parts.owner, len(self.good)
        keeps = rest.copy()
        first = smallest_of(np.arange(len(owner)), owner, np.ones(len(owner), dtype=np.bool_))
        has_rest = np.bincount(owner[rest], minlength=groups) > 0
        keeps[first[~has_rest[owner[first]]]] = True
        split = np.zeros(groups, dtype=np.bool_)
        split[splits] = True
        fresh = np.flatnonzero(~keeps & split[owner])
        number = owner.copy()
        number[fresh] = groups + np.arange(len(fresh))
        self.group[parts.entries] = number[parts.at]
        self.good = np.concatenate([self.good, np.ones(len(fresh), dtype=np.bool_)])
        self.tried = np.concatenate([self.tried, np.zeros((len(fresh), self.tried.shape[1]), dtype=np.bool_)])
        self._measure(parts.entries, np.concatenate([splits, number[fresh]]))

    def _measure(self, entries: IntArray, changed: IntArray) -> None:
        """Find the ends of the groups that changed."""
        groups = len(self.good)
        wider = np.zeros((len(self.low), groups - self.low.shape[1]), dtype=np.int64)
        self.low, self.high = np.hstack([self.low, wider]), np.hstack([self.high, wider])
        here = np.zeros(groups, dtype=np.bool_)
        here[changed] = True
        inside = entries[here[self.group[entries]]]
        if not len(inside):
            return
        present, number = distinct(self.group[inside])
        low, high = ends(self.table.codes[:, self.cell[inside]], number)
        self.low[:, present], self.high[:, present] = low, high


def _halves(group: IntArray, code: IntArray, counts: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Halve each group's records in the order of their codes.

    Returns:
        int64[e], 0 for the entries of the lower half and 1 for those of the upper one; the places of the entries that
        are in both, at most one for each group; and int64, how many of their records are in the lower one.
    """
    order = np.lexsort((code, group))
    ordered, records = group[order], counts[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    run = np.cumsum(first) - 1
    upto = np.cumsum(records)
    before = (upto - records)[first][run]
    total = np.bincount(run, weights=records).astype(np.int64)[run]
    over = upto - before - total // 2
    both = (over > 0) & (over < records)
    upper = np.empty(len(order), dtype=np.int64)
    upper[order] = (over > 0) & ~both
    return upper, order[both], (records - over)[both]
