"""Two texts are the same value exactly where numbers, truth values or moments are."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.engines import Allowed, ColumnUse, open_data
from auditor.hierarchies import build
from auditor.values import Values, same_value

ALIKE = [
    ("1", "1.0", "1.00", "1e0", "true", "True", "TRUE"),
    ("0", "0.0", "-0.0", "false"),
    ("2026-03-29", "2026-03-29 00:00:00", "2026-03-29T00:00", "2026-03-29T00:00:00.000"),
    ("2026-03-29T01:00+01:00", "2026-03-29T00:00:00Z", "2026-03-29 00:00:00+00"),
    ("01",),
    ("1 ",),
    ("HIV",),
    ("hiv",),
    ("2026-02-30",),
    ("nan",),
    ("1_0",),
    ("10", "1e1", "+10"),
]


def test_texts_of_one_value_are_one_and_others_are_not():
    meanings = [{same_value(text) for text in texts} for texts in ALIKE]
    assert all(len(each) == 1 for each in meanings)
    assert len(set().union(*meanings)) == len(ALIKE)


def test_a_list_is_read_by_text_first():
    assert Values(["1.0", "1"]).place("1") == 1
    assert Values(["1.0", "x"]).place("1") == 0
    assert Values(["01"]).place("1") is None


DECIMALS = st.decimals(-1000, 1000, places=3)


@pytest.mark.slow
@given(st.lists(DECIMALS, min_size=1, max_size=6), st.lists(DECIMALS, max_size=4))
def test_listed_numbers_meet_every_type_by_value(held, listed):
    """Brute force in Python's own decimals; floats are the numbers that they are written as."""
    inside = sum(any(value == each for each in listed) for value in held)
    texts = tuple(str(each) for each in listed)
    for column in (
        pa.array(held, pa.decimal128(9, 3)),
        pa.array([float(value) for value in held]),
        pa.array([f"{value.normalize():f}" if value else "0" for value in held]),
    ):
        with open_data(pa.table({"a": column})) as source:
            assert source.outside(ColumnUse("a"), Allowed(values=texts)) == len(held) - inside
            assert source.outside(ColumnUse("a", texts), Allowed(missing=False)) == inside


BOUNDS = st.integers(-3, 3) | st.floats(-3, 3) | st.integers(2**53 - 2, 2**53 + 3)


@pytest.mark.slow
@given(st.lists(BOUNDS, min_size=1, max_size=6), BOUNDS)
def test_bounds_are_compared_exactly_in_every_type(held, bound):
    exact = Fraction(bound) if isinstance(bound, int) else Fraction(repr(bound))
    floats = [float(value) for value in held]
    whole = [int(value) for value in held]
    for column, numbers in (
        (pa.array(floats), [Fraction(repr(value)) for value in floats]),
        (pa.array([repr(value) for value in held]), [Fraction(repr(value)) for value in held]),
        (pa.array(whole, pa.int64()), [Fraction(value) for value in whole]),
        (pa.array([Decimal(value) for value in whole], pa.decimal128(20, 2)), [Fraction(value) for value in whole]),
    ):
        with open_data(pa.table({"a": column})) as source:
            assert source.outside(ColumnUse("a"), Allowed(least=bound)) == sum(x < exact for x in numbers)
            assert source.outside(ColumnUse("a"), Allowed(most=bound)) == sum(x > exact for x in numbers)


@pytest.mark.parametrize("text", ["nan", "NaN", "x", "true", "-"])
def test_what_is_no_number_is_within_no_bound(text):
    with open_data(pa.table({"a": [text, "20"]})) as source:
        assert source.outside(ColumnUse("a"), Allowed(least=18)) == 1
        assert source.outside(ColumnUse("a"), Allowed(most=30)) == 1


@pytest.mark.parametrize(
    ("column", "listed", "other"),
    [
        (pa.array([True, False, None]), "True", "yes"),
        (pa.array([dt.date(2026, 3, 29), None, dt.date(2026, 3, 30)]), "2026-03-29T00:00", "2026-03-29T05:00"),
        (pa.array(["2026-03-29", None, "2026-03-30"]).cast(pa.timestamp("us")), "2026-03-29", "2026-03-29T00:00Z"),
        (pa.array([1.0, 0.1, None], pa.float32()), "1.00", "1.01"),
        (pa.array([2**60, 2**60 + 1, None]), str(2**60), str(2**60) + ".5"),
        (pa.array(["a", "b", None]).dictionary_encode(), "a", "a "),
    ],
    ids=["truth", "day", "moment", "float32", "large", "texts"],
)
def test_a_listed_text_means_one_value_of_a_type(column, listed, other):
    with open_data(pa.table({"a": column})) as source:
        for text, inside in ((listed, 1), (other, 0)):
            assert source.outside(ColumnUse("a", (text,)), Allowed(missing=False)) == 1 + inside
            assert source.outside(ColumnUse("a"), Allowed(values=(text,))) == 2 - inside


def test_a_limited_value_is_found_in_a_column_that_one_gap_made_float():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": ["x"] * 4, "h": [1, 1, 1, None]})
    limit = {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "sensitive": "h", "values": ["1"]}
    policy = {"attributes": {"a": "quasi-identifier", "h": "sensitive"}, "requirements": [limit]}
    assert auditor.check(frame, policy).requirements[0].achieved == 0.75


def test_leaves_are_met_by_value():
    ladder = build({"groups": [["1", "2"], ["3"]]}, ["1.0", "2.00", None])
    assert len(set(ladder.levels[1])) == 2
    assert [each.tolist() for each in ladder.leaves[:2]] == [[1, 1, 1], [2, 1]]


def test_an_order_is_met_by_value():
    table = pa.table({"a": [1.0, 2.0, 1.0, 2.0], "s": [True, False, True, True]})
    policy = {
        "attributes": {"a": "quasi-identifier", "s": {"role": "sensitive", "order": ["False", "True"]}},
        "requirements": [{"model": "t-closeness", "sensitive": "s", "t": 1, "ground": "ordered"}],
    }
    assert auditor.check(table, policy).requirements[0].achieved == 0.25
