"""Joins of the audited table to public tables on their keys: which rows they make, and how often each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from auditor.classes import IntArray
from auditor.queries.records.records import grouped
from auditor.queries.sql._rows import Frames
from auditor.queries.sql._scope import Join
from auditor.queries.values.values import PublicColumn, Refusal, Value, distinct_values, read, readings


@dataclass(frozen=True)
class Joined:
    """Rows of profiles, joined or not: `owner` is int64[rows], the profile of each row, ascending.

    `columns` are those of the joined tables by the join's number and their name, each with its frame.
    """

    rows: Frames
    owner: IntArray
    columns: dict[tuple[str, str], tuple[PublicColumn, int]]

    @cached_property
    def once(self) -> bool:
        """Whether no profile stands in two rows."""
        return bool((np.diff(self.owner) > 0).all())


Work = Callable[[Joined, Any, Any], Value]
"""Works out an expression (a node in its scope) on some rows."""


def join_tables(start: Joined, joins: Sequence[Join], first_frame: int, work: Work) -> Joined:
    """Join tables one after the other; their columns get the frames from `first_frame` on."""
    for join in joins:
        start = _join(start, join, first_frame, work)
        first_frame += len(join.table.columns)
    return start


def _join(start: Joined, join: Join, first_frame: int, work: Work) -> Joined:
    table = join.table
    pairs = [(work(start, node, join.scope), table.column(name)) for node, name in join.pairs]
    keys = [_matched(start.rows, value, column, table.codes[:, place]) for value, (column, place) in pairs]
    origin, place = _expanded(keys, start.rows.length, len(table.codes), outer=join.outer)
    columns = dict(start.columns)
    codes = {}
    for i, column in enumerate(table.columns):
        held, missing = _with_missing(column) if join.outer else (column, 0)
        columns[join.name, column.name] = (held, first_frame + i)
        found = table.codes[:, i]
        codes[first_frame + i] = np.where(place < 0, missing, found[place]) if len(found) else place * 0 + missing

    def codes_of(frame: int) -> Any:
        return codes[frame] if frame in codes else start.rows.codes(frame)[origin]

    return Joined(Frames(len(origin), codes_of), start.owner[origin], columns)


def _with_missing(column: PublicColumn) -> tuple[PublicColumn, int]:
    """A column that may be missing, and the code of that: rows of an outer join that match nothing."""
    if None in column.codes:
        return column, column.codes[None]
    held = PublicColumn(column.name, (*column.labels, None), column.declared, floating=column.floating, csv=column.csv)
    return held, len(column.labels)


def _matched(rows: Frames, value: Value, column: PublicColumn, codes: Any) -> tuple[IntArray, IntArray]:
    """Two int64 arrays, of the rows and of the table's, that are equal where the key is; −1 equals nothing."""
    kinds = [kind for kind in readings(value) if kind in column.readings]
    if not kinds:
        raise Refusal("type-mismatch")
    found = []
    for kind in kinds:
        left, right = read(value, kind), column.read(kind, 0)
        numbers: dict[Any, int] = {}
        for each in distinct_values(right):
            numbers.setdefault(each, len(numbers))
        numbers[None] = -1
        ours = np.array([numbers.get(each, -1) for each in distinct_values(left)], dtype=np.int64)
        theirs = np.array([numbers[each] for each in distinct_values(right)], dtype=np.int64)
        found.append((rows.full(ours, left.frame), theirs[codes] if len(theirs) else theirs))
    if any(not _same_pairs(found[0], other) for other in found[1:]):
        raise Refusal("ambiguous-type")
    return found[0]


def _same_pairs(one: tuple[IntArray, IntArray], other: tuple[IntArray, IntArray]) -> bool:
    """Whether two readings of a key match the same rows: their numbers correspond, one to one."""
    both = [np.concatenate(each) for each in (one, other)]
    if not np.array_equal(both[0] < 0, both[1] < 0):
        return False
    pairs = len(np.unique(np.stack(both), axis=1).T)
    return pairs == len(np.unique(both[0])) == len(np.unique(both[1]))


def _expanded(
    keys: Sequence[tuple[IntArray, IntArray]], rows: int, others: int, *, outer: bool
) -> tuple[IntArray, IntArray]:
    """For each row of the join the row that it comes from, and the row of the table (−1: none)."""
    sides = [np.concatenate(pair) for pair in keys]
    whole = np.logical_and.reduce([side >= 0 for side in sides])
    columns = [((side + 1).astype(np.int32), int(side.max(initial=-1)) + 2) for side in sides]
    _, group = grouped(columns, rows + others)
    group = np.where(whole, group, -1)
    ours, theirs = group[:rows], group[rows:]
    order = np.argsort(theirs, kind="stable")
    start = np.searchsorted(theirs[order], ours, "left")
    count = np.where(ours < 0, 0, np.searchsorted(theirs[order], ours, "right") - start)
    kept = np.maximum(count, 1) if outer else count
    origin = np.repeat(np.arange(rows), kept)
    within = np.arange(len(origin)) - np.repeat(np.cumsum(kept) - kept, kept)
    found = count[origin] > 0
    place = np.full(len(origin), -1, dtype=np.int64)
    place[found] = order[start[origin[found]] + within[found]]
    return origin, place
