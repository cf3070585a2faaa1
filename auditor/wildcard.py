"""``missing: wildcard``: the group of a record is every record that agrees with it wherever neither is missing.

Groups overlap, so they are no partition; but records with the same values (a *pattern*) have the same group, so there
is one number per pattern. Patterns are sorted by which columns they miss; for each pair of such shapes the two sides
are joined on the columns that both have, and the sensitive counts of the joined side are added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from auditor.classes import Cells, ClassTable, IntArray
from auditor.errors import InternalError

MISSING = 0
"""The code of the missing value, in columns that have one."""


def widen(table: ClassTable, with_missing: Sequence[str]) -> ClassTable:
    """The table of patterns with their groups: sizes and cells are the group's, rows the pattern's own records.

    Args:
        table: the classes of the whole data (one batch), in which a missing value equals a missing value.
        with_missing: the grouping columns that have missing values.
    """
    if not with_missing or not len(table):
        return table
    if table.keys is None or table.layout is None:
        raise InternalError("patterns need the keys of their classes")
    codes = np.stack([table.layout.codes(table.keys, column) for column in table.columns], axis=1)
    missing = np.stack(
        [
            codes[:, i] == MISSING if c in with_missing else np.zeros(len(table), bool)
            for i, c in enumerate(table.columns)
        ],
        axis=1,
    )
    sizes = np.zeros(len(table), dtype=np.int64)
    parts: list[tuple[IntArray, IntArray, IntArray]] = []
    for mine, theirs in _joined(codes, missing):
        np.add.at(sizes, mine, table.sizes[theirs])
        if table.cells is not None:
            parts.append(_cells_of_pairs(table.cells, mine, theirs))
    cells = None if table.cells is None else _added_up(table.cells, parts, len(table))
    return replace(table, sizes=sizes, cells=cells)


def _joined(codes: IntArray, missing: np.ndarray) -> Iterator[tuple[IntArray, IntArray]]:
    """Pairs (pattern, pattern that agrees with it), one pair of shapes at a time."""
    shapes, shape_of = np.unique(missing, axis=0, return_inverse=True)
    members = [np.flatnonzero(shape_of.ravel() == number) for number in range(len(shapes))]
    for left, mine in zip(shapes, members, strict=True):
        for right, theirs in zip(shapes, members, strict=True):
            shared = ~(left | right)
            yield _equal_pairs(codes[mine][:, shared], codes[theirs][:, shared], mine, theirs)


def _equal_pairs(left: IntArray, right: IntArray, mine: IntArray, theirs: IntArray) -> tuple[IntArray, IntArray]:
    """The pairs of rows of two sides that are equal, as indexes into the whole."""
    _, where = np.unique(np.concatenate((left, right)), axis=0, return_inverse=True)
    where = where.ravel()
    ours, other = where[: len(left)], where[len(left) :]
    order = np.argsort(other, kind="stable")
    start = np.searchsorted(other[order], ours, side="left")
    count = np.searchsorted(other[order], ours, side="right") - start
    offset = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(mine, count), theirs[order][np.repeat(start, count) + offset]


def _cells_of_pairs(cells: Cells, mine: IntArray, theirs: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """(pattern, value, count) of every cell of every joined pattern."""
    lengths = cells.lengths[theirs]
    begin = np.repeat(cells.starts[theirs], lengths)
    index = begin + np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(mine, lengths), cells.values[index], cells.counts[index]


def _added_up(cells: Cells, parts: list[tuple[IntArray, IntArray, IntArray]], patterns: int) -> Cells:
    owner, values, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    width = len(cells.domain.reference)
    together, where = np.unique(owner * width + values, return_inverse=True)
    summed = np.zeros(len(together), dtype=np.int64)
    np.add.at(summed, where, counts)
    starts = np.searchsorted(together // width, np.arange(patterns))
    return Cells(starts.astype(np.int64), together % width, summed, cells.domain)
