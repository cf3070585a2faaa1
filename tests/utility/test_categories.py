"""The three losses of categories against hand-made tables, loops over records, and their laws."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, UsageError
from auditor.microdata import Microdata, Numeric
from auditor.utility import category_distance, entropy_loss, table_loss
from tests.utility.columns import column, table

LETTERS = st.sampled_from(["a", "b", "c", None])
PAIRED = st.lists(st.tuples(LETTERS, LETTERS, LETTERS, st.sampled_from(["b", "a", "z", None])), min_size=1, max_size=15)


def tables(rows):
    one, two, masked_one, masked_two = (list(values) for values in zip(*rows, strict=True))
    return table(one=one, two=two), table(two=masked_two, one=masked_one)


@given(PAIRED)
def test_nominal_distance_is_the_share_of_changed_records(rows):
    original, masked = tables(rows)
    loss = category_distance(original, masked)
    assert loss.each["one"] == pytest.approx(np.mean([row[0] != row[2] for row in rows]))
    assert loss.each["two"] == pytest.approx(np.mean([row[1] != row[3] for row in rows]))
    assert loss.average == pytest.approx((loss.each["one"] + loss.each["two"]) / 2)


def test_ordered_distance_is_that_of_ranks():
    """Of low, mid, high, top: one step is 1/3; to missing or a generalized one it is the whole way."""
    ranks = ("low", "mid", "high", "top")
    before = column("a", ["low", "low", "top", "mid", None, None, "mid", "top"], ranks, ordered=True)
    after = column("a", ["low", "mid", "low", None, "mid", None, "any", "high"], ("any", *reversed(ranks)))
    loss = category_distance(Microdata((before,)), Microdata((after,)))
    assert loss.average == pytest.approx((0 + 1 / 3 + 1 + 1 + 1 + 0 + 1 + 1 / 3) / 8)


def test_a_single_ordered_category_can_only_be_left():
    only = column("a", ["x", "x"], ordered=True)
    assert category_distance(Microdata((only,)), Microdata((only,))).average == 0
    assert category_distance(Microdata((only,)), table(a=["x", None])).average == 0.5


@given(PAIRED, st.integers(1, 3))
def test_tables_are_what_counters_count(rows, dimensions):
    original, masked = tables(rows)
    loss = table_loss(original, masked, dimensions)
    expected, cells = {}, 0
    for size in range(1, min(dimensions, 2) + 1):
        for chosen in itertools.combinations(range(2), size):
            before = Counter(tuple(row[i] for i in chosen) for row in rows)
            after = Counter(tuple(row[2 + i] for i in chosen) for row in rows)
            difference = sum(abs(before[cell] - after[cell]) for cell in before | after)
            expected[tuple(("one", "two")[i] for i in chosen)] = difference
            cells += math.prod(len({row[i] for row in rows} | {row[2 + i] for row in rows}) for i in chosen)
    assert loss.absolute == sum(expected.values())
    assert loss.each == {names: difference / (2 * len(rows)) for names, difference in expected.items()}
    assert loss.cells == cells
    assert loss.per_cell == loss.absolute / cells
    assert 0 <= loss.share <= 1


@given(PAIRED, st.randoms())
def test_tables_do_not_see_the_order_of_records(rows, random):
    original, masked = tables(rows)
    order = np.array(random.sample(range(len(rows)), len(rows)))
    assert table_loss(original, masked.rows(order)) == table_loss(original, masked)
    assert table_loss(original, original.rows(order)).absolute == 0


def test_records_that_are_gone_are_missing_in_every_table():
    original = table(a=["x", "x", "y"], b=["u", "v", "v"])
    loss = table_loss(original, original.rows(np.array([0, 2])))
    assert loss.absolute == 3
    assert loss.share == 3 / (3 * 5)
    assert table_loss(original, original.rows(np.array([], int))).share == 1


def test_entropy_of_recoding_suppression_and_renaming_by_hand():
    four = column("a", ["n", "e", "s", "w"] * 2)
    assert entropy_loss(four, four).bits == 0
    assert entropy_loss(four, column("a", ["1", "2", "3", "4"] * 2)).bits == 0
    halves = entropy_loss(four, column("a", ["ne", "ne", "sw", "sw"] * 2))
    assert (halves.bits, halves.per_record, halves.share, halves.categories) == (8, 1, 0.5, 4)
    assert entropy_loss(four, column("a", ["*"] * 8)).share == 1
    assert entropy_loss(four, column("a", [None] * 2 + ["s", "w"] + [None] * 2 + ["s", "w"])).bits == 4
    assert entropy_loss(column("a", ["x"]), column("a", [None])).share == 0


@given(PAIRED)
def test_entropy_is_what_a_sum_over_records_finds(rows):
    before, after = [row[0] for row in rows], [row[2] for row in rows]
    bits = 0.0
    for _, seen in zip(before, after, strict=True):
        same = Counter(b for b, a in zip(before, after, strict=True) if a == seen)
        bits -= sum(count / same.total() * math.log2(count / same.total()) for count in same.values())
    loss = entropy_loss(column("a", before, "abc"), column("a", after, "cab"))
    assert loss.bits == pytest.approx(bits, abs=1e-9)
    assert loss.share <= 1 + 1e-12


@given(PAIRED)
def test_recoding_further_loses_no_less(rows):
    before, after = [row[0] for row in rows], [row[2] for row in rows]
    coarser = ["ab" if value in ("a", "b") else value for value in after]
    once, twice = (entropy_loss(column("a", before), column("a", masked)) for masked in (after, coarser))
    assert twice.bits >= once.bits - 1e-9


def test_entropy_by_a_told_matrix_is_bayes():
    """P(x)=3/4, P(y)=1/4; x stays with 2/3, y always: P(x | "y") = (1/4)/(1/2)."""
    before, after = column("a", ["x", "x", "x", "y"]), column("a", ["x", "y", "x", "y"])
    loss = entropy_loss(before, after, np.array([[2 / 3, 1 / 3], [0, 1]]))
    assert loss.bits == pytest.approx(2 * 1)
    assert entropy_loss(before, after).bits == pytest.approx(2)
    assert entropy_loss(before, before, np.eye(2)).bits == 0
    assert entropy_loss(before, before, np.full((2, 2), 0.5)).bits == pytest.approx(
        -4 * (0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    )


def test_what_cannot_be_measured_says_why():
    one = table(a=["x", "y"])
    numbers = Microdata((Numeric("a", np.zeros(2)),))
    for call, message in (
        (lambda: category_distance(numbers, numbers), "no column of categories"),
        (lambda: category_distance(one, numbers), "column 'a' of the masked table holds numbers"),
        (lambda: category_distance(one, table(b=["x", "y"])), "no column 'a'"),
        (lambda: category_distance(one, table(a=["x"])), "1 records and the original 2"),
        (lambda: table_loss(table(a=[]), table(a=[])), "no records"),
        (lambda: entropy_loss(column("a", []), column("a", [])), "both need the same"),
        (lambda: entropy_loss(column("a", ["x"]), column("a", ["x", "x"])), "both need the same"),
        (lambda: entropy_loss(column("a", ["x", None]), column("a", ["x", "x"]), np.ones((1, 1))), "missing values"),
        (lambda: entropy_loss(one["a"], one["a"], np.array([[1.0, 0], [1, 0]])), "gives no chance"),
    ):
        with pytest.raises(DataError, match=message):
            call()
    for matrix, message in ((np.eye(3), "ask for .2, 2."), (np.ones((2, 2)), "of sum 1"), (-np.eye(2), "of sum 1")):
        with pytest.raises(UsageError, match=message):
            entropy_loss(one["a"], one["a"], matrix)
    with pytest.raises(UsageError, match="at least 1"):
        table_loss(one, one, 0)
