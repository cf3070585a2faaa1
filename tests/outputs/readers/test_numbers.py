"""Numbers as they are written: what they claim, and the counts that a share can be."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from auditor.outputs.published.outputs import Stated
from auditor.outputs.readers import counted
from auditor.outputs.readers._csv import as_precise
from auditor.outputs.readers._numbers import stated, whole, written
from tests.outputs.readers.generated import stateds


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9))
def test_a_decimal_claims_half_a_unit_of_its_last_place(number: Decimal) -> None:
    found = stated(str(number))
    assert found == Stated(Fraction(number), 4)
    assert found.ends == (Fraction(number) - Fraction(1, 20_000), Fraction(number) + Fraction(1, 20_000))


@given(stateds())
def test_what_is_written_is_read_again(number: Stated) -> None:
    text = written(number)
    if isinstance(text, str):
        assert stated(text) == number
    else:
        assert stated(str(text["value"])) == Stated(number.value)
        assert text["places"] == number.places


@given(st.floats(-1e6, 1e6, allow_subnormal=False), st.integers(1, 3))
def test_a_float_claims_no_more_than_floats_hold(number: float, steps: int) -> None:
    """What a computation in floats gives instead of the exact number is still met by what was printed."""
    found = stated(repr(number))
    assert found is not None
    assert found.value == Fraction(repr(number))
    if len(Decimal(repr(number)).as_tuple().digits) >= 15:
        error = Fraction(number) * Fraction(steps, 2**52)
        assert found.is_met_by(Fraction(number) + error)


@given(st.integers(1, 300), st.data())
def test_the_counts_of_a_share_are_those_that_are_written_so(records: int, data: st.DataObject) -> None:
    count, places = data.draw(st.integers(0, records)), data.draw(st.integers(0, 6))
    share = Stated(Fraction(round(Decimal(count) / records, places)), places)
    half = Fraction(1, 2 * 10**places)
    brute = [n for n in range(records + 1) if abs(Fraction(n, records) - share.value) <= half]
    assert list(counted(share, records)) == brute
    assert count in brute


@given(st.integers(1, 10**9), st.data())
def test_a_share_with_all_its_digits_is_one_count(records: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, records))
    share = stated(repr(count / records))
    assert share is not None
    column = [share, stated("0.6666666666666667")]
    precise = as_precise(column, full=True, records=None)[0]
    assert precise is not None
    assert list(counted(precise, records)) == [count]


def test_what_is_no_number() -> None:
    texts = ["", "x", "nan", "inf", "1e9999", "0x1f", "1_000", "1,5", "٣", "--1", "5/0", "1/2/3", "1e", ".", "9" * 401]
    assert [stated(text) for text in texts] == [None] * len(texts)


def test_what_is_a_count() -> None:
    texts = ["0", "7", "5.0", "1e3", "9223372036854775807"]
    assert [whole(stated(text)) for text in texts] == [0, 7, 5, 1000, 2**63 - 1]
    assert [whole(stated(text)) for text in ("-1", "4.99", "9223372036854775808", "x")] == [None] * 4
