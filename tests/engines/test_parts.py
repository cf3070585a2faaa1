"""Keys in parts: every class whole, every key there, and few statements however many batches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.classes import KeyLayout
from auditor.engines.duckdb._parts import fetches, parted


@pytest.mark.parametrize("counted", [False, True])
@given(
    cardinalities=st.lists(st.integers(1, 1 << 40), min_size=1, max_size=5),
    rows=st.integers(0, 60),
    parts=st.integers(1, 9),
    data=st.data(),
)
def test_parts_hold_every_key_once_and_whole_classes(counted, cardinalities, rows, parts, data):
    layout = KeyLayout.of({str(i): size for i, size in enumerate(cardinalities)})
    grouping = data.draw(st.integers(0, len(cardinalities)))
    drawn = [
        data.draw(st.lists(st.integers(0, min(size - 1, 3)), min_size=rows, max_size=rows)) for size in cardinalities
    ]
    keys = layout.pack([np.array(column, dtype=np.int64) for column in drawn])
    records = np.arange(1, rows + 1) if counted else None
    found, seen = [], set()
    for part, counts in parted(keys, records, layout, grouping, parts):
        classes = {tuple(row) for row in layout.prefix(part, grouping).tolist()}
        assert not (classes & seen)
        seen |= classes
        numbers = counts.tolist() if counted else [0] * len(part)
        found += [(*row, number) for row, number in zip(part.tolist(), numbers, strict=True)]
    numbers = records.tolist() if counted else [0] * rows
    assert sorted(found) == sorted((*row, number) for row, number in zip(keys.tolist(), numbers, strict=True))


def test_parts_are_about_equal_whatever_the_keys_have_in_common():
    """Keys that lie close together, or that differ in the high bits alone, are spread alike."""
    for shift in (0, 20, 40):
        layout = KeyLayout(("a",), ((0, 0, 63),))
        keys = (np.arange(100_000, dtype=np.int64) << shift)[:, None] >> (shift and 3)
        sizes = [len(part) for part, _ in parted(keys, None, layout, 1, 8)]
        assert max(sizes) < 1.2 * 100_000 / 8


@pytest.mark.parametrize(
    ("batches", "combinations", "width", "memory", "expected"),
    [
        (1, 10, 1, 10**9, 1),
        (34, 100_000_000, 1, 240_000_000, 4),
        (34, 100_000_000, 2, 240_000_000, 7),
        (3, 10**6, 1, 1, 3),
    ],
)
def test_statements_are_as_few_as_the_memory_allows(batches, combinations, width, memory, expected):
    assert fetches(batches, combinations, width, memory) == expected
