"""Methods bound to columns and applied: globs, order, random streams, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from auditor.errors import DataError, InternalError, OutOfMemory, UsageError
from auditor.masking.noise import Noise
from auditor.masking.rounding import Rounding
from auditor.microdata import Microdata, Numeric
from auditor.policy import load_policy
from auditor.protect._apply import Applied, bound, masked, seed_of
from tests.protect.tables import masking


def table(*names, records=50):
    chance = np.random.default_rng(3)
    return Microdata(tuple(Numeric(name, chance.normal(size=records)) for name in names))


def methods(*entries, columns=("a", "b", "c")):
    return bound(load_policy(masking(*entries)), columns)


def test_a_glob_stands_for_the_columns_in_their_order_each_once():
    (found,) = methods(
        {"method": "rounding", "attributes": ["lab_2", "lab_*"], "base": 5}, columns=("lab_1", "x", "lab_2", "lab_3")
    )
    assert found.method.attributes == ("lab_2", "lab_1", "lab_3")
    assert (found.name, found.parameters) == ("rounding", {"base": 5})


def test_an_exact_name_goes_before_a_glob():
    (found,) = methods({"method": "rounding", "attributes": ["a*"], "base": 5}, columns=("a*", "ab"))
    assert found.method.attributes == ("a*",)


@pytest.mark.parametrize("name", ["d", "x*"])
def test_a_column_that_is_not_there_is_refused(name):
    with pytest.raises(DataError, match="has no column"):
        methods({"method": "rounding", "attributes": [name], "base": 5})


def test_a_secret_parameter_is_confidential(monkeypatch):
    monkeypatch.setenv("BASE", "4711")
    (found,) = methods({"method": "rounding", "attributes": ["a"], "base": {"secret": "BASE"}})
    assert found.parameters == {"base": "confidential"}
    assert found.method.base == 4711


def test_methods_are_applied_in_their_order():
    data = Microdata((Numeric("a", np.array([14.0, 26.0])),))
    one, two = ({"method": "rounding", "attributes": ["a"], "base": base} for base in (10, 8))
    assert masked(methods(one, two, columns="a"), data, 0).numeric("a").values.tolist() == [8.0, 32.0]
    assert masked(methods(two, one, columns="a"), data, 0).numeric("a").values.tolist() == [20.0, 20.0]


def test_a_seed_repeats_and_another_one_does_not():
    noisy = methods({"method": "noise", "attributes": ["a", "b"], "p": 10})
    data = table("a", "b", "c")
    first, again, other = (masked(noisy, data, seed).numbers(["a", "b"]) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()
    np.testing.assert_array_equal(masked(noisy, data, 5)["c"].values, data["c"].values)


def test_every_method_has_random_numbers_of_its_own():
    """What comes first does not change what another method draws, and two methods do not draw the same."""
    noise = {"method": "noise", "attributes": ["a"], "p": 10}
    data = Microdata((Numeric("a", np.arange(50.0)), Numeric("b", np.arange(50.0))))
    twice = masked(methods(noise, {**noise, "attributes": ["b"]}), data, 1)
    assert (twice["a"].values != twice["b"].values).all()
    rounded = methods({"method": "rounding", "attributes": ["a"], "base": 1}, {**noise, "attributes": ["b"]})
    np.testing.assert_array_equal(masked(rounded, data, 1)["b"].values, twice["b"].values)


def test_without_a_seed_every_run_differs_and_cannot_be_guessed():
    seeds = {seed_of(None) for _ in range(20)}
    assert len(seeds) == 20
    assert max(seeds).bit_length() > 200
    assert seed_of(0) == 0
    with pytest.raises(UsageError, match="from 0"):
        seed_of(-1)


class Broken(Rounding):
    def masked(self, data, generator):
        return Microdata((Numeric("a", np.array([np.inf])),))


class Losing(Rounding):
    def masked(self, data, generator):
        values = data.numeric("a").values.copy()
        values[1] = np.nan
        return data.replaced([Numeric("a", values)])


class Greedy(Noise):
    def masked(self, data, generator):
        raise MemoryError


def test_a_method_that_breaks_the_table_is_a_fault():
    applied = Applied(Broken(attributes=("a",), base=1), "broken", {})
    with pytest.raises(InternalError, match="broken"):
        masked([applied], table("a", records=2), 0)


def test_an_infinity_is_an_error_of_the_data_and_names_the_column():
    with pytest.raises(DataError, match=r"rounding: masked values of column 'a' are beyond"):
        masked(methods({"method": "rounding", "attributes": ["a"], "base": 1e-320}, columns="a"), table("a"), 0)


def test_a_value_that_got_lost_is_an_error_and_one_that_was_missing_is_none():
    applied = Applied(Losing(attributes=("a",), base=1), "losing", {})
    with pytest.raises(
        DataError, match=r"losing: values of column 'a' were lost, although the method suppresses nothing"
    ):
        masked([applied], table("a"), 0)
    gap = Microdata((Numeric("a", np.array([1.0, np.nan, 3.0])),))
    assert np.isnan(masked([applied], gap, 0).numeric("a").values).tolist() == [False, True, False]


def test_a_method_that_needs_too_much_memory_says_so():
    with pytest.raises(OutOfMemory, match="greedy"):
        masked([Applied(Greedy(attributes=("a",), p=1), "greedy", {})], table("a"), 0)
