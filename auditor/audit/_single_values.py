"""Rows that one value of the release calls those of another record, and others of the same row call so, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.audit._whole_rows import Places, columns_of
from auditor.microdata import Microdata

Rows = NDArray[np.float64]
Flags = NDArray[np.bool_]
DRAWS, MOST_DRAWS = 100_000, 100
"""So many values of a column are drawn, but no more than so many for each record."""
FEW_DRAWS = 1_000
NEARBY = (3, 10, 30)
"""Chance mixes a column among so many records of about the same original value, as masking of any strength does."""


class Called(NamedTuple):
    """The row of the original that each row of the release is called, −1 where none, and the columns that say so."""

    found: Places
    columns: tuple[str, ...]


def called_by_values(one: Microdata, other: Microdata, rows: Places) -> Iterator[Called]:
    """Rows of the release that are other records than `rows` says, by two columns or more, beyond what chance does.

    A value that stands once in the original and once in the release names a record. Of the rows so named which are not
    the ones that they are said to be, chance is how many hold that record's value in another column, and not their own,
    if each column was masked on its own: it is drawn by mixing that column among records of about the same original
    value. So few rows are enough that were not masked and stand elsewhere. Where they are too few for one column, all
    are looked at together.
    """
    was, now = columns_of(one, other)
    claimed = was[rows]
    for place in range(len(one.names)):
        named = _named(was[:, place], now[:, place])
        there = np.flatnonzero((named >= 0) & (named != rows))
        if len(there) < 2:
            continue
        theirs = was[named[there]]
        alike, moved = _equal(now[there], theirs), ~_equal(now[there], claimed[there])
        rest = [k for k in range(len(one.names)) if k != place]
        for columns in [[k] for k in rest] + ([rest] if len(rest) > 1 else []):
            told = moved[:, columns].any(axis=1)
            agree = told & alike[:, columns].all(axis=1)
            if agree.sum() < 2:
                continue
            counts = int(agree.sum()), int(told.sum())
            most = max(2, min(MOST_DRAWS, DRAWS // len(now)))
            few = min(most, 2 + FEW_DRAWS // counts[1])  # which is enough to see most of what chance explains
            if all(_beyond(*counts, _chance((claimed, now, theirs), there, columns, tries)) for tries in (few, most)):
                found = np.full(len(now), -1, np.intp)
                found[there[agree]] = named[there[agree]]
                yield Called(found, tuple(one.names[k] for k in sorted({place, *columns})))


def _beyond(agreeing: int, told: int, chance: float) -> bool:
    from auditor.risk.own_scale import beyond_chance

    return beyond_chance(agreeing / told, chance, told)


def _named(was: Rows, now: Rows) -> Places:
    """The row of the original that each value of the release names; −1 where it names none."""
    values, first, counts = np.unique(was, return_index=True, return_counts=True)
    at = np.minimum(np.searchsorted(values, now), len(values) - 1)
    _, codes, often = np.unique(now, return_inverse=True, return_counts=True)
    return np.where((values[at] == now) & (counts[at] == 1) & (often[codes] == 1), first[at], -1)


def _chance(tables: tuple[Rows, Rows, Rows], there: Places, columns: Sequence[int], tries: int) -> float:
    """How probably a row holds the values of the record that it was called by chance, where it holds not its own."""
    claimed, now, theirs = tables
    draw = np.random.default_rng(0)
    most = 0.0
    for nearby in NEARBY:
        alike = told = 0
        for _ in range(tries):
            others = np.column_stack([_order(claimed[:, k], nearby, draw)[there] for k in columns])
            mixed = np.take_along_axis(now[:, columns], others, axis=0)
            moved = ~_equal(mixed, claimed[there][:, columns]).all(axis=1) & (others != there[:, None]).all(axis=1)
            alike += int((moved & _equal(mixed, theirs[:, columns]).all(axis=1)).sum())
            told += int(moved.sum())
        most = max(most, (alike + 1) / (told + 2))
    return most


def _order(values: Rows, nearby: int, draw: np.random.Generator) -> Places:
    """Another record for each, of about the same value."""
    ranked = np.lexsort((draw.random(len(values)), values))
    out = np.empty(len(values), np.intp)
    out[ranked] = ranked[np.argsort(np.arange(len(values)) + draw.uniform(0, nearby, len(values)))]
    return out


def _equal(one: Rows, other: Rows) -> Flags:
    return np.asarray((one == other) | (np.isnan(one) & np.isnan(other)))
