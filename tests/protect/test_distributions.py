"""Masked columns before and after: counted again one by one, and no bin of few people, whatever the table."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.microdata import Categorical, Microdata, Numeric
from auditor.protect import _mask
from auditor.protect._distributions import MOST_BINS, MOST_CATEGORIES, Crowd, distributions

LEAST = 5
NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0, float("nan")]), st.floats(-1e6, 1e6), st.integers(-50, 50).map(float)
)


def numeric(values, name="x"):
    return Microdata((Numeric(name, np.array(values, float)),))


def categorical(labels, ordered=()):
    known = list(ordered) or sorted({label for label in labels if label is not None})
    codes = np.array([-1 if label is None else known.index(label) for label in labels], np.int32)
    return Microdata((Categorical("x", codes, tuple(known), ordered=bool(ordered)),))


def of(before, after, units=None, least=LEAST):
    people = None if units is None else np.array(units, np.int32)
    found = distributions(before, after, ["x"], Crowd(least, people))
    return found[0] if found else None


def rows_of(edges, values):
    """The records of each bin, one value after the other."""
    bounds = [-np.inf, *edges, np.inf]
    return [[i for i, v in enumerate(values) if low <= v < high] for low, high in pairwise(bounds)]


@given(st.lists(st.tuples(NUMBERS, NUMBERS, st.integers(0, 25)), min_size=0, max_size=120), st.booleans())
def test_numbers_are_counted_in_bins_of_nobody_or_many(table, of_units):
    before, after = ([row[side] for row in table] for side in (0, 1))
    units = [row[2] for row in table] if of_units else range(len(table))
    found = of(numeric(before), numeric(after), units if of_units else None)
    if found is None:
        return
    assert found.labels is None
    assert 0 < len(found.edges) <= MOST_BINS + 1
    assert list(found.edges) == sorted(set(found.edges))
    for values, counts, missing in (
        (before, found.before, found.missing_before),
        (after, found.after, found.missing_after),
    ):
        bins = rows_of(found.edges, values)
        assert list(map(len, bins)) == list(counts)
        assert sum(counts) + missing == len(values)
        for rows in bins:
            assert not rows or len({units[i] for i in rows}) >= LEAST


@given(st.lists(st.tuples(*[st.sampled_from([*"abcdefghijkl", None])] * 2), max_size=150), st.booleans())
def test_categories_are_counted_alike_and_rare_ones_are_one(table, ordered):
    before, after = ([row[side] for row in table] for side in (0, 1))
    order = "lkjihgfedcba" if ordered else ()
    found = of(categorical(before, order), categorical(after, order))
    if found is None:
        return
    assert found.edges is None
    assert len(found.labels) <= MOST_CATEGORIES
    if ordered:
        assert list(found.labels) == sorted(found.labels, reverse=True)
    for values, counts, missing in (
        (before, found.before, found.missing_before),
        (after, found.after, found.missing_after),
    ):
        each = [values.count(label) for label in found.labels]
        rest = sum(value is not None and value not in found.labels for value in values)
        assert list(counts) == each + ([rest] if found.rest else [])
        assert found.rest or rest == 0
        assert missing == values.count(None)
        assert all(count == 0 or count >= LEAST for count in counts)


def test_a_number_of_few_people_moves_no_edge():
    values = np.random.default_rng(1).normal(50, 10, 400).round(1)
    order = np.argsort(values)
    found = of(numeric(values), numeric(values[::-1]), least=10)
    for far in (1e3, 1e9, 1234.5678):
        moved = values.copy()
        moved[order[-9:]] += far
        moved[order[:9]] -= 3 * far
        assert of(numeric(moved), numeric(values[::-1]), least=10) == found
    assert len(found.edges) > 5


def test_the_ends_are_people_and_not_records():
    """One person's 30 records lie far above all others: no end is theirs alone, and none of the edges is beyond."""
    values, units = [float(i % 50) for i in range(500)] + [900.0] * 30, [*range(500)] + [7] * 30
    found = of(numeric(values), numeric(values), units)
    assert max(found.edges) < 50
    assert len({units[i] for i in rows_of(found.edges, values)[-1]}) > LEAST


def test_no_bin_between_is_of_one_person():
    """30 records of one person lie alone at 30, where two crowds lie at 0 to 19 and at 40 to 59."""
    values = [float(i % 20 + 40 * (i % 2)) for i in range(400)] + [30.0] * 30
    units = [*range(400)] + [7] * 30
    edges = of(numeric(values), numeric(values), units).edges
    assert all(len({units[i] for i in rows}) != 1 for rows in rows_of(edges, values))
    assert any({units[i] for i in rows} == {7} for rows in rows_of(of(numeric(values), numeric(values)).edges, values))


def test_edges_are_round_and_whole_numbers_have_whole_ones():
    whole = [float(i % 9) for i in range(900)]
    assert of(numeric(whole), numeric(whole)).edges == tuple(map(float, range(1, 9)))
    fine = of(numeric(np.array(whole) / 1000), numeric(np.array(whole) / 1000)).edges
    assert all(edge == round(edge, 4) for edge in fine)
    shown = of(numeric(np.linspace(0, 99_999, 900)), numeric(np.linspace(0, 99_999, 900))).edges
    assert set(np.diff(shown)) == {10_000.0}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (numeric([1.0, 2.0] * 4), numeric([1.0, 2.0] * 4)),
        (numeric([3.0] * 50), numeric([3.0] * 50)),
        (numeric([np.nan] * 50), numeric([np.nan] * 50)),
        (numeric([-1.7e308, 1.7e308] * 30), numeric([-1.7e308, 1.7e308] * 30)),
        (categorical(["a", "b"] * 4), categorical(["a", "b"] * 4)),
        (categorical([str(i) for i in range(60)]), categorical([str(i) for i in range(60)])),
        (numeric([1.0, 2.0] * 30), categorical(["low", "high"] * 30)),
        (numeric([]), numeric([])),
    ],
    ids=["few records", "one value", "no value", "too far", "few", "all differ", "recoded", "empty"],
)
def test_what_cannot_be_drawn_is_left_out(before, after):
    assert of(before, after) is None


def test_the_document_counts_by_what_the_policy_asks_and_ten_at_least():
    """40 records in fives: with k = 3 no bin has fewer than 10, with k = 25 there is only one."""
    table = pd.DataFrame({"age": np.repeat(np.arange(20.0, 100.0, 10), 5), "sex": ["f", "m"] * 20})
    asked = {
        "version": 1,
        "name": "p",
        "attributes": {"age": {"role": "sensitive", "type": "number"}, "sex": "quasi-identifier"},
        "protection": [{"method": "rounding", "attributes": ["age"], "base": 10}],
    }
    seen = {}
    for k in (3, 25):
        policy = {**asked, "requirements": [{"model": "k-anonymity", "k": k}]}
        seen[k] = auditor.mask(table, policy).result.masking.distributions
    assert seen[25] == ()
    (found,) = seen[3]
    assert [count for count in found.before if count] == [10, 10, 10, 10]
    assert found.before == found.after


def test_the_people_of_a_policy_with_several_records_each_are_counted(monkeypatch):
    """12 records of one visitor are alone at an age: no bin is theirs, though it has more records than k."""
    table = pd.DataFrame(
        {
            "who": [*range(100), *[0] * 12],
            "age": [float(20 + i % 40) for i in range(100)] + [95.0] * 12,
            "sex": ["f", "m"] * 56,
        }
    )
    asked = {
        "version": 1,
        "name": "p",
        "unit": "who",
        "attributes": {
            "who": "pseudonym",
            "age": {"role": "sensitive", "type": "number"},
            "sex": "quasi-identifier",
        },
        "requirements": [{"model": "k-anonymity", "k": 2}],
        "protection": [{"method": "rounding", "attributes": ["age"], "base": 1}],
    }
    (by_people,) = auditor.mask(table, asked).result.masking.distributions
    assert max(by_people.edges) < 60
    (by_records,) = auditor.mask(
        table, {**asked, "unit": {"column": "who", "rows": "one-per-unit"}}
    ).result.masking.distributions
    assert max(by_records.edges) > 60
    monkeypatch.setattr(_mask, "MOST_OF_PEOPLE", 111)
    assert auditor.mask(table, asked).result.masking.distributions == ()
