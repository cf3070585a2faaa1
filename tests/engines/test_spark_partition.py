"""Combining the rows of a partition, as an executor of Spark does it."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.engines.spark import _partition

ROWS = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 1 << 62) | st.integers(0, 2)), max_size=60)


def combined(rows: list[tuple[int | None, int | None]], batch: int) -> list[tuple[int | None, ...]]:
    columns = [pa.array([row[place] for row in rows], pa.int64()) for place in range(2)]
    batches = pa.table(columns, names=["w0", "u0"]).to_batches(batch)
    return [tuple(row.values()) for found in _partition.combine_partition(iter(batches)) for row in found.to_pylist()]


@pytest.mark.parametrize("at_once", [1, 5, 1000])
@given(rows=ROWS, batch=st.integers(1, 9))
def test_every_row_is_counted_once(at_once, rows, batch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_partition, "COMBINED_AT_ONCE", at_once)
        patch.setattr(_partition, "SENT_AT_ONCE", 4)
        found = combined(rows, batch)
    assert len({row[:2] for row in found}) == len(found)
    assert {row[:2]: row[2] for row in found} == Counter(rows)


def test_rows_without_a_code_become_one():
    assert combined([(1, 2), (None, 2), (1, 2), (1, None)], 3) == [(None, None, 2), (1, 2, 2)]


def test_an_empty_partition_has_no_rows():
    assert combined([], 3) == []
