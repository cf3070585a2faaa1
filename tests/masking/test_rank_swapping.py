"""Rank swapping against the printed algorithm, step by step with the same draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.masking import registry
from auditor.masking.rank_swapping import RankSwapping, swapped_ranks
from auditor.microdata import Categorical, Microdata, Numeric


def printed_algorithm(n, m, draws):
    """The pairs of ranks, by lists and loops (SDC literature: sort; for i ascending; left, then right)."""
    swapped = [False] * n
    pairs = []
    for i in range(n):
        if swapped[i]:
            continue
        drawn = min(i + 1 + int(m * draws[i]), n - 1)
        candidates = [*range(drawn, i, -1), *range(drawn + 1, min(i + m, n - 1) + 1)]
        partner = next((j for j in candidates if not swapped[j]), None)
        if partner is not None:
            swapped[i] = swapped[partner] = True
            pairs.append((i, partner))
    return pairs


def pairs_of(partners):
    return [(i, j) for i, j in enumerate(partners.tolist()) if j >= 0]


@given(st.integers(1, 60), st.data(), st.integers(0, 2**32))
def test_the_pairs_are_those_of_the_printed_algorithm(n, data, seed):
    m = data.draw(st.integers(1, max(n, 1)))
    expected = printed_algorithm(n, m, np.random.default_rng(seed).random(n))
    assert pairs_of(swapped_ranks(n, m, np.random.default_rng(seed))) == expected


def test_the_pairs_are_those_of_the_printed_algorithm_in_a_large_table():
    for m in (1, 20, 300, 3000):
        expected = printed_algorithm(3000, m, np.random.default_rng(m).random(3000))
        assert pairs_of(swapped_ranks(3000, m, np.random.default_rng(m))) == expected


def ranks(values):
    return np.argsort(np.argsort(values))


@given(st.integers(20, 200), st.integers(5, 100), st.integers(0, 2**32))
def test_values_are_permuted_in_pairs_and_move_by_at_most_p_percent(n, p, seed):
    generator = np.random.default_rng(seed)
    values = generator.permutation(n).astype(float)
    masked = RankSwapping(attributes=("a",), p=p).masked(Microdata((Numeric("a", values),)), generator)
    moved = masked.numeric("a").values
    assert sorted(moved) == sorted(values)
    assert np.abs(moved - values).max() <= n * p // 100
    of_value = dict(zip(values, moved, strict=True))
    assert all(of_value[of_value[value]] == value for value in values)


def test_few_values_stay_where_they_are():
    values = np.random.default_rng(0).standard_normal(20_000)
    masked = RankSwapping(attributes=("a",), p=5).masked(Microdata((Numeric("a", values),)), np.random.default_rng(1))
    moved = masked.numeric("a").values != values
    assert moved.mean() > 0.999
    assert ranks(values)[~moved].min(initial=20_000) >= 20_000 * 0.95


def test_columns_are_swapped_each_by_itself_and_others_not_at_all():
    values = np.arange(1000.0)
    data = Microdata(tuple(Numeric(name, values) for name in "abc"))
    masked = RankSwapping(attributes=("c", "a"), p=50).masked(data, np.random.default_rng(0))
    assert masked["b"] is data["b"]
    assert (masked.numeric("a").values != masked.numeric("c").values).mean() > 0.9
    again = RankSwapping(attributes=("a", "c"), p=50).masked(data, np.random.default_rng(0))
    np.testing.assert_array_equal(again.numbers(["a", "b", "c"]), masked.numbers(["a", "b", "c"]))


def test_missing_values_stay_missing_and_do_not_count():
    values = np.full(300, np.nan)
    values[::3] = np.arange(100)
    data = Microdata((Numeric("a", values),))
    moved = RankSwapping(attributes=("a",), p=10).masked(data, np.random.default_rng(0)).numeric("a").values
    np.testing.assert_array_equal(np.isnan(moved), np.isnan(values))
    assert np.nanmax(np.abs(moved - values)) == 10
    np.testing.assert_array_equal(values[::3], np.arange(100))


def test_a_column_without_any_value_comes_back():
    data = Microdata((Numeric("a", np.full(3, np.nan)),))
    assert RankSwapping(attributes=("a",), p=10).masked(data, np.random.default_rng(0)).numeric("a").missing.all()


def test_the_order_of_equal_values_is_random():
    """Of three 0 and three 1 with m = 1, ranks 2 and 3 change places: one record of each, in all nine ways."""
    data = Microdata((Numeric("a", np.repeat([0.0, 1.0], 3)),))
    method = RankSwapping(attributes=("a",), p=17)
    found = {
        tuple(method.masked(data, np.random.default_rng(seed)).numeric("a").values.tolist()) for seed in range(300)
    }
    ways = ((1.0, 0, 0), (0.0, 1, 0), (0.0, 0, 1))
    assert found == {one + tuple(1 - value for value in other) for one in ways for other in ways}


def test_a_column_of_one_value_stays():
    data = Microdata((Numeric("a", np.full(10, 0.1)),))
    masked = RankSwapping(attributes=("a",), p=50).masked(data, np.random.default_rng(0))
    np.testing.assert_array_equal(masked.numeric("a").values, np.full(10, 0.1))


def test_ordered_categories_are_swapped_by_their_order():
    codes = np.repeat(np.arange(10, dtype=np.int32), 10)
    codes[5] = -1
    labels = tuple("jihgfedcba")
    data = Microdata((Categorical("a", codes, labels, ordered=True),))
    masked = RankSwapping(attributes=("a",), p=12).masked(data, np.random.default_rng(0))["a"]
    assert isinstance(masked, Categorical)
    assert masked.codes.dtype == np.int32
    assert masked.labels == labels
    assert masked.ordered
    assert masked.codes[5] == -1
    np.testing.assert_array_equal(np.bincount(masked.codes[masked.codes >= 0]), np.bincount(codes[codes >= 0]))
    assert set(np.abs(masked.codes - codes).tolist()) == {0, 1, 2}


def test_categories_without_an_order_are_refused():
    data = Microdata((Categorical("a", np.zeros(9, np.int32), ("x",)),))
    with pytest.raises(DataError, match="column 'a' holds categories without an order"):
        RankSwapping(attributes=("a",), p=50).masked(data, np.random.default_rng(0))


@pytest.mark.parametrize(("n", "p"), [(1, 100), (19, 5), (99, 1)])
def test_too_few_values_to_swap_are_refused(n, p):
    data = Microdata((Numeric("a", np.arange(float(n))),))
    with pytest.raises(DataError, match="column 'a' has too few values"):
        RankSwapping(attributes=("a",), p=p).masked(data, np.random.default_rng(0))


def test_the_reach_is_computed_from_decimals():
    """0.57 % of 10,000 is 57 ranks; in binary floating point it is less."""
    assert int(10_000 * 0.57 / 100) == 56
    values = np.arange(10_000.0)
    data = Microdata((Numeric("a", values),))
    moved = RankSwapping(attributes=("a",), p=0.57).masked(data, np.random.default_rng(0)).numeric("a").values
    assert np.abs(moved - values).max() == 57


def test_a_column_that_is_not_there():
    with pytest.raises(DataError, match="no column 'b'"):
        RankSwapping(attributes=("b",), p=5).masked(
            Microdata((Numeric("a", np.arange(9.0)),)), np.random.default_rng(0)
        )


def test_it_has_its_file():
    assert registry()["rank-swapping"] is RankSwapping
