"""Objects of pandas and nested values of JSON: equal values are one, whatever holds them or how they are written."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.engines._object_texts import ALIKE

POLICY = {
    "attributes": {"a": "quasi-identifier", "s": "sensitive"},
    "requirements": [{"model": "distinct-l-diversity", "l": 2}],
}
NOON = dt.datetime(2026, 3, 29, 12, tzinfo=dt.UTC)
MIDNIGHT = dt.datetime.fromisoformat("2026-03-29")
BERLIN, TOKYO = (NOON.astimezone(ZoneInfo(zone)) for zone in ("Europe/Berlin", "Asia/Tokyo"))


def frame(values: list[Any]) -> pd.DataFrame:
    column = pd.Series(index=range(len(values)), dtype=object)
    for place, value in enumerate(values):
        column.iat[place] = value
    return pd.DataFrame({"a": ["x"] * len(values), "s": column})


def distinct(data: Any) -> int:
    """How many values of s the one class of a table has."""
    return auditor.check(data, POLICY).requirements[0].achieved


def lines(folder: Any, values: list[str]) -> str:
    path = folder / "t.jsonl"
    path.write_text("\n".join(f'{{"a": "x", "s": {value}}}' for value in values), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "values",
    [
        [NOON, BERLIN, TOKYO, pd.Timestamp(NOON), pd.Timestamp(BERLIN)],
        [dt.date(2026, 3, 29), MIDNIGHT, pd.Timestamp(MIDNIGHT), np.datetime64("2026-03-29")],
        [dt.time(12, tzinfo=dt.UTC), dt.time(13, tzinfo=dt.timezone(dt.timedelta(hours=1)))],
        [dt.timedelta(days=1), pd.Timedelta(hours=24), np.timedelta64(1, "D")],
        [1, 1.0, np.int8(1), np.float32(1), np.longdouble(1), Decimal("1.00")],
        [1, Fraction(1), True, np.bool_(True), 1 + 0j],
        [0.5, Fraction(1, 2), Decimal("0.50"), np.float16(0.5)],
        [{"a": 1, "b": [1.0]}, {"b": [1], "a": Decimal(1)}],
        [[1, None], [1.0, float("nan")], (1, pd.NA), np.array([1, None])],
        [{1, 2}, frozenset({2, 1})],
        [None, float("nan"), pd.NA, pd.NaT, np.float32("nan"), Decimal("nan"), np.datetime64("NaT")],
    ],
)  # fmt: skip
def test_equal_objects_are_one_value(values):
    assert distinct(frame(values)) == 1
    assert distinct(frame([*values, "something else"])) == 2
    of_kinds = any(type(value) in (bool, dt.date) for value in values)
    assert (ALIKE in auditor.check(frame(values), POLICY).assumptions) == of_kinds


@pytest.mark.parametrize(
    "values",
    [
        [NOON, NOON.replace(tzinfo=None)],
        [NOON, NOON + dt.timedelta(microseconds=1)],
        [dt.time(0, 30, tzinfo=dt.timezone(dt.timedelta(hours=1))), dt.time(23, 30, tzinfo=dt.UTC)],
        [dt.timedelta(days=400_000), dt.timedelta(days=400_001)],
        [dt.datetime.max.replace(tzinfo=dt.timezone(-dt.timedelta(hours=9))), dt.datetime.max.replace(tzinfo=dt.UTC)],
        [1, 2.0], [2**53 + 1, 2.0**53], [{"a": 1}, {"a": 2}], [[1, 2], [2, 1]], [1j, 1], [b"a", "a"],
    ],
)  # fmt: skip
def test_others_are_several(values):
    assert distinct(frame(values)) == len(values)


EARLY, LATE = map(dt.datetime.fromisoformat, ("1700-01-01", "2200-01-01"))
moments = st.datetimes(EARLY, LATE)
zones = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"]).map(ZoneInfo)


@settings(max_examples=15)
@given(st.lists(st.tuples(moments.map(lambda each: each.replace(tzinfo=dt.UTC)), zones), min_size=1, max_size=6))
def test_moments_count_as_they_do_in_utc(drawn):
    shown = [moment.astimezone(zone) for moment, zone in drawn for zone in (zone, dt.UTC)]
    assert distinct(frame(shown)) == len({moment.timestamp() for moment, _ in drawn})


trees = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2, 0.5, "", "1", "é", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
nested = st.lists(trees, max_size=3) | st.dictionaries(st.sampled_from("abc"), trees, max_size=3)


def written(value: Any, turn: bool) -> str:
    """A value of JSON in one of two ways: keys in either order, numbers with a point or without."""
    if isinstance(value, dict):
        pairs = sorted(value.items(), reverse=turn)
        return "{" + ", ".join(f"{json.dumps(key)}: {written(each, turn)}" for key, each in pairs) + "}"
    if isinstance(value, list):
        return "[" + (", " if turn else ",").join(written(each, turn) for each in value) + "]"
    if turn and type(value) is int:
        return f"{value}.0"
    return json.dumps(value, ensure_ascii=turn)


@settings(max_examples=20)
@given(st.lists(nested, min_size=1, max_size=4))
def test_nested_values_of_json_are_compared_as_json_compares_them(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("json")
    different = {json.dumps(value, sort_keys=True) for value in values}
    twice = [written(value, turn) for value in values for turn in (False, True)]
    assert distinct(lines(folder, twice)) == len(different)
    assert distinct(frame([value for value in values for _ in range(2)])) == len(different)


def test_a_number_and_its_text_are_one_value_and_that_is_told(tmp_path):
    for first, second in (
        (1, "1"),
        (1.0, "1"),
        (True, "true"),
        (True, 1),
        (0.0, False),
        ([1], "[1]"),
        ({"a": 1}, '{"a":1}'),
        (None, None),
    ):
        found = auditor.check(lines(tmp_path, [json.dumps(first), json.dumps(second)]), POLICY)
        assert found.requirements[0].achieved == 1
        assert (ALIKE in found.assumptions) == (first is not None)
    for values, told in (
        (["1", "n/a"], False),
        ([1, "n/a"], False),
        ([1, "1"], True),
        ([1.0, "1"], True),
        ([1, 1.0], False),
    ):
        assert (ALIKE in auditor.check(frame(values), POLICY).assumptions) == told
    category = pd.DataFrame({"a": ["x", "x"], "s": pd.Categorical([1, "1"])})
    assert distinct(category) == 1
    assert ALIKE in auditor.check(category, POLICY).assumptions


def test_what_python_cannot_read_is_compared_as_it_is_written(tmp_path):
    assert distinct(lines(tmp_path, ["[" + "9" * 5000 + "]", "[1]", "[1.0]"])) == 2
    endless: list[Any] = []
    endless.append(endless)
    assert distinct(frame([endless, [1], [1.0]])) == 2


plain = st.sampled_from([None, True, False, 0, 1, 2, 0.5, 1.0, -0.0])


@settings(max_examples=20)
@given(st.lists(plain, min_size=1, max_size=5))
def test_json_has_the_values_of_python(tmp_path_factory, values):
    """Python takes True for 1; alone with each other, truth values are themselves."""
    folder = tmp_path_factory.mktemp("json")
    assert distinct(lines(folder, [json.dumps(value) for value in values])) == len(set(values))
    assert distinct(frame(values)) == len(set(values))
