"""Patterns and their groups: `widen` against groups formed row by row, rows and units."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.classes import Domain, KeyLayout, count_classes
from auditor.wildcard import widen

CODES = st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2), st.integers(0, 3))
"""Two grouping columns (0 is missing in the first, and maybe in the second), a sensitive value, a unit."""
LABELS = ("a", "b", "c")


def counted(rows, *, cells, units):
    width = {"x": 3, "y": 2, **({"s": 3} if cells else {}), **({"u": 4} if units else {})}
    layout = KeyLayout.of(width)
    columns = [0, 1, *([2] if cells else []), *([3] if units else [])]
    keys = layout.pack([np.array([row[c] for row in rows], dtype=np.int64) for c in columns])
    domain = Domain(LABELS, np.ones(3, dtype=np.int64)) if cells else None
    return count_classes(keys, layout, 2, domain=domain, unit=units)


def by_hand(rows, wild, *, units):
    """For each pattern in key order: |E|, its own rows, and the histogram of its group."""
    own = defaultdict(list)
    for row in rows:
        own[row[:2]].append(row)

    def agree(one, other):
        return all(a == b or (name in wild and 0 in (a, b)) for name, a, b in zip("xy", one, other, strict=True))

    found = []
    for pattern in sorted(own):
        group = [row for other, theirs in own.items() if agree(pattern, other) for row in theirs]
        values = {(row[2], row[3]) for row in group} if units else [(row[2], row[3]) for row in group]
        size = len({row[3] for row in group}) if units else len(group)
        found.append((size, len(own[pattern]), Counter(value for value, _ in values)))
    return found


@pytest.mark.parametrize("units", [False, True])
@pytest.mark.parametrize("cells", [False, True])
@given(rows=st.lists(CODES, min_size=1, max_size=15), wild=st.sampled_from([("x",), ("y",), ("x", "y")]))
def test_groups_are_those_formed_row_by_row(units, cells, rows, wild):
    table = widen(counted(rows, cells=cells, units=units), wild)
    expected = by_hand(rows, wild, units=units)
    assert table.sizes.tolist() == [size for size, _, _ in expected]
    assert table.rows.tolist() == [own for _, own, _ in expected]
    if cells:
        assert [dict(table.cells.class_counts(i)) for i in range(len(table))] == [dict(c) for _, _, c in expected]


@given(rows=st.lists(CODES, min_size=1, max_size=15))
def test_without_missing_values_nothing_changes(rows):
    table = counted(rows, cells=True, units=False)
    assert widen(table, []) is table


@given(rows=st.lists(CODES, min_size=1, max_size=15), units=st.booleans())
def test_groups_only_grow(rows, units):
    table = counted(rows, cells=True, units=units)
    wide = widen(table, ["x", "y"])
    assert (wide.sizes >= table.sizes).all()
    assert (wide.cells.lengths >= table.cells.lengths).all()
