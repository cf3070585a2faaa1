"""Numbers in text: told apart and ordered exactly, or refused."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.engines import ColumnUse, open_data
from auditor.errors import DataError

BEYOND_DOUBLES = ["9007199254740992", "9007199254740993", "-9007199254740993", "9007199254740993.5", "0"]
plain = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "-", "+", "0"]),
    st.integers(0, 10**20) | st.integers(2**53 - 3, 2**53 + 3),
    st.sampled_from(["", ".5", ".50", ".0", ".000000000000001"]),
)


def counted(texts: list[str], kind: str):
    with open_data(pa.table({"n": texts})) as source:
        found = source.count([ColumnUse("n", (), kind)])
        return found.is_number("n"), found.labels("n"), found.frequencies("n").tolist()


@pytest.mark.slow
@given(st.lists(plain, min_size=1, max_size=8))
def test_numbers_are_one_value_exactly_where_they_are_equal_and_ascend(texts):
    number, labels, frequencies = counted(texts, "number")
    values = sorted({Fraction(text) for text in texts})
    assert number
    assert [Fraction(label) for label in labels] == values
    assert frequencies == [sum(Fraction(text) == value for text in texts) for value in values]


def test_what_doubles_take_for_one_number_is_a_number_column_still():
    number, labels, _ = counted(BEYOND_DOUBLES, "auto")
    assert number
    assert labels == tuple(sorted(BEYOND_DOUBLES, key=Fraction))
    assert not counted([*BEYOND_DOUBLES, "9007199254740993.0"], "auto")[0], "two texts of one number are text"


def test_floats_as_programs_write_them_compare_as_the_doubles_they_were():
    texts = ["0.30000000000000004", "0.3", "1e-05", "0.00001", "1.7976931348623157e+308"]
    _, labels, frequencies = counted(texts, "number")
    assert labels == ("0.00001", "0.3", "0.30000000000000004", "1.7976931348623157e+308")
    assert frequencies == [2, 1, 1, 1]


def test_integers_that_no_type_holds_are_refused_as_numbers_and_kept_apart_as_text():
    texts = ["1" + "0" * 38, "1" + "0" * 37 + "1"]
    with pytest.raises(DataError, match="more than 38 digits, which cannot be compared; declare type: text"):
        counted(texts, "number")
    assert counted(texts, "auto") == (False, tuple(sorted(texts)), [1, 1])


def test_infinities_are_numbers_beyond_all_others():
    _, labels, frequencies = counted(["inf", "-inf", "Infinity", "1e308", "-1e308"], "number")
    assert (labels, frequencies) == (("-inf", "-1e308", "1e308", "Infinity"), [1, 1, 1, 2])


@pytest.mark.parametrize("text", ["1e400", "-1e400", "nan", "one", ""])
def test_what_no_number_can_be_is_refused(text):
    with pytest.raises(DataError, match="holds values that are not numbers, or are too large"):
        counted(["1", text], "number")
