"""``missing: wildcard``: the group of a record is every record that agrees with it wherever neither is missing.

Groups overlap, so they are no partition; but records with the same values (a *pattern*) have the same group, so there
is one number per pattern. Patterns are sorted by which columns they miss; for each pair of such shapes the two sides
are joined on the columns that both have, and the sensitive counts of the joined side are added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from auditor.classes import Cells, ClassTable, Domain, IntArray, run_starts
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
    mine, theirs = (np.concatenate(side) for side in zip(*_joined(codes, missing), strict=True))
    if table.units is not None:
        return _with_units(table, table.units, mine, theirs)
    sizes = np.zeros(len(table), dtype=np.int64)
    np.add.at(sizes, mine, table.sizes[theirs])
    cells = None if table.cells is None else _cells_of_groups(table.cells, mine, theirs)
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


def _cells_of_groups(cells: Cells, mine: IntArray, theirs: IntArray) -> Cells:
    """The cells of each pattern's group: those of every joined pattern, added up by value."""
    index, owner = _spread(cells.starts, cells.lengths, mine, theirs)
    keys, where = _runs(owner, cells.values[index])
    counts = np.add.reduceat(cells.counts[index][where], run_starts(keys))
    return _cells(keys[run_starts(keys)], counts, cells.domain)


def _with_units(table: ClassTable, units: IntArray, mine: IntArray, theirs: IntArray) -> ClassTable:
    """The same where units are counted: one that stands in several joined patterns counts once."""
    lengths = table.sizes if table.cells is None else table.cells.totals
    index, owner = _spread(np.cumsum(lengths) - lengths, lengths, mine, theirs)
    keys, _ = _runs(owner, units[index])
    sizes = np.bincount(keys[run_starts(keys), 0], minlength=len(table))
    if table.cells is None:
        return replace(table, sizes=sizes, units=None)
    values = np.repeat(table.cells.values, table.cells.counts)
    keys, _ = _runs(owner, values[index], units[index])
    keys = keys[run_starts(keys), :2]
    starts = run_starts(keys)
    cells = _cells(keys[starts], np.diff(starts, append=len(keys)), table.cells.domain)
    return replace(table, sizes=sizes, cells=cells, units=None)


def _spread(starts: IntArray, lengths: IntArray, mine: IntArray, theirs: IntArray) -> tuple[IntArray, IntArray]:
    """Everything that stands in the runs of the joined patterns, by index, and the pattern that it is joined to."""
    many = lengths[theirs]
    index = np.arange(int(many.sum())) + np.repeat(starts[theirs] - np.cumsum(many) + many, many)
    return index, np.repeat(mine, many)


def _runs(*columns: IntArray) -> tuple[IntArray, IntArray]:
    """The rows of some columns in ascending order, and where each came from."""
    order = np.lexsort(columns[::-1])
    return np.stack([column[order] for column in columns], axis=1), order


def _cells(keys: IntArray, counts: IntArray, domain: Domain) -> Cells:
    """Cells from ascending (pattern, value) pairs; every pattern has at least one."""
    return Cells(run_starts(keys[:, :1]), keys[:, 1], counts, domain)
