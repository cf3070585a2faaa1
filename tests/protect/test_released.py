"""What masked columns are written as: values read back as they are, and texts that tell nothing besides."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from auditor.microdata import MISSING, Categorical, Numeric, side_by_side
from auditor.protect._release_columns import changed, rewritten


def numbers(*values):
    return Numeric("a", np.array([np.nan if value is None else value for value in values], dtype=np.float64))


def categories(*values, labels=("x", "y", "z")):
    return Categorical("a", np.array([MISSING if v is None else labels.index(v) for v in values], np.int32), labels)


def shown(found):
    return [None if code == MISSING else found.labels[code] for code in found.codes]


def test_values_that_occurred_are_written_as_they_stood():
    found = rewritten(numbers(1.5, 2, None), numbers(2, None, 1.5), (None, "1.50", "02"))
    assert shown(found) == ["02", None, "1.50"]


def test_one_new_value_and_no_text_tells_which_are_old():
    assert shown(rewritten(numbers(1.5, 2), numbers(1.5, 3), ("1.50", "02"))) == ["1.5", "3.0"]


def test_whole_numbers_stay_whole_where_they_were():
    assert shown(rewritten(numbers(1, 4), numbers(10, -0.0), ("1", "4"))) == ["10", "0"]
    assert shown(rewritten(numbers(1, 4), numbers(2.5, 2), ("1", "4"))) == ["2.5", "2.0"]
    assert shown(rewritten(numbers(1, 4), numbers(10, 20), ("1.0", "4"))) == ["10.0", "20.0"]
    assert shown(rewritten(numbers(1, 4), numbers(1e20, 20), ("1", "4"))) == ["1e+20", "20.0"]


def test_nothing_but_missing_values():
    assert shown(rewritten(numbers(1, None), numbers(None, None), (None, "1"))) == [None, None]
    assert shown(rewritten(categories("x"), categories(None), ("x",))) == [None]


def test_labels_that_do_not_occur_are_not_written():
    found = rewritten(categories("x", "y"), categories("z", None), ("x", "y"))
    assert (found.labels, shown(found)) == (("z",), ["z", None])


@given(
    st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1),
    st.lists(st.integers(-99, 99), min_size=1),
)
def test_what_is_written_reads_back_as_the_numbers(values, before):
    found = rewritten(numbers(*before), numbers(*values), tuple(map(str, before)))
    assert [None if text is None else float(text) for text in shown(found)] == values


def test_how_many_records_changed():
    assert changed(numbers(1, None, 3, None), numbers(1, None, None, 4)) == 2
    assert changed(categories("x", "y", None), categories("x", "z", None)) == 1
    assert changed(categories("x", "y"), Categorical("a", np.array([1, 0], np.int32), ("y", "x"))) == 0
    assert changed(numbers(1, None), categories("x", None)) == 1


def test_columns_side_by_side_are_equal_where_they_hold_the_same():
    first, second = side_by_side(
        categories("x", "y", None), Categorical("a", np.array([1, 2, MISSING], np.int32), ("w", "x", "v"))
    )
    assert (first == second).tolist() == [True, False, False]
    assert np.isnan([first[2], second[2]]).all()
