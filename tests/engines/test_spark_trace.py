"""Telling whether two passes over the data saw the same values."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.classes import KeyLayout
from auditor.engines.spark import _trace

CODES = st.tuples(st.integers(0, 3), st.integers(0, (1 << 40) - 1), st.integers(0, 0))
TABLES = st.lists(st.tuples(CODES, st.integers(1, 1 << 40)), max_size=30)
LAYOUT = KeyLayout.of({"few": 4, "many": 1 << 40, "one": 1})


def traced(table):
    columns = [np.array([codes[place] for codes, _ in table], np.int64) for place in range(3)]
    return _trace.trace(LAYOUT.pack(columns), np.array([times for _, times in table], np.int64), LAYOUT)


@pytest.mark.parametrize("at_once", [1, 4, 1000])
@given(table=TABLES, cut=st.integers(0, 30))
def test_the_parts_add_up_to_what_frequencies_say(at_once, table, cut):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_trace, "AT_ONCE", at_once)
        found = traced(table[:cut]) + traced(table[cut:])
    assert found[0] == sum(times for _, times in table)
    for place in range(3):
        frequencies: Counter[int] = Counter()
        for codes, times in table:
            frequencies[codes[place]] += times
        codes, times = np.array(list(frequencies), np.int64), np.array(list(frequencies.values()), np.int64)
        assert found[place + 1] == _trace.of_codes(codes, times)


@given(table=TABLES, other=TABLES)
def test_other_frequencies_have_another_trace(table, other):
    def frequencies(rows):
        return [
            Counter({code: sum(n for c, n in rows if c[place] == code) for code in {c[place] for c, _ in rows}})
            for place in range(3)
        ]

    np.testing.assert_array_equal(
        traced(table)[1:] == traced(other)[1:],
        [mine == its for mine, its in zip(frequencies(table), frequencies(other), strict=True)],
    )
