"""The operations of intervals, against the numbers that are in them, counted one by one."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from auditor.interval import NUMBERS, Interval

PLACES = [Fraction(place, 4) for place in range(-9, 10)]
"""Between and on all ends: those that are drawn are multiples of a half from -2 to 2."""
ends = st.none() | st.integers(-4, 4).map(lambda half: Fraction(half, 2))
intervals = st.builds(
    lambda low, high, first, last: Interval(low, high, low is not None and first, high is not None and last),
    ends, ends, st.booleans(), st.booleans(),
)  # fmt: skip


def inside(interval: Interval[Fraction]) -> set[Fraction]:
    """Those of the places that lie between the ends."""
    return {
        place
        for place in PLACES
        if (interval.low is None or interval.low < place or (interval.low == place and not interval.low_open))
        and (interval.high is None or place < interval.high or (interval.high == place and not interval.high_open))
    }


@given(one=intervals, other=intervals)
def test_two_intervals_are_compared_by_the_numbers_in_them(one: Interval[Fraction], other: Interval[Fraction]) -> None:
    both = inside(one) & inside(other)
    assert one.meets(other) == (not one.empty and not other.empty and bool(both))
    assert inside(one.intersection(other)) == both
    if not one.empty and not other.empty:
        assert one.holds(other) == (inside(other) <= inside(one) and {None} & {other.low} <= {one.low}
                                    and {None} & {other.high} <= {one.high})  # fmt: skip


@given(one=intervals)
def test_an_interval_knows_what_is_in_it(one: Interval[Fraction]) -> None:
    there = inside(one)
    whole = sorted(int(place) for place in there if place.denominator == 1)
    assert one.empty == (not there)
    assert one.point == (one.low if len(there) == 1 and one.low in there and one.high in there else None)
    assert Interval.between(*one.cuts) == one
    assert one.width == (math.inf if len(one.ends) < 2 else one.ends[1] - one.ends[0])
    if not one.empty:
        assert [place for place in PLACES if place.denominator == 1 and place in inside(one.whole)] == whole
        if whole:
            assert one.low is None or one.least == whole[0]
            assert one.high is None or one.most == whole[-1]


def test_intervals_are_written_as_pandas_writes_them() -> None:
    written = [
        NUMBERS,
        Interval(Fraction(65), None, low_open=True),
        Interval(high=Fraction(1, 2)),
        Interval(Fraction(1), Fraction(2), True, True),
    ]
    assert [str(each) for each in written] == ["(-inf, inf)", "(65, inf)", "(-inf, 0.5]", "(1, 2)"]
    assert str(Interval.at(Fraction(65))) == "65"
