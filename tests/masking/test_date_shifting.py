"""Date shifting: what is kept within a unit, what is not between units, and the law of the shifts."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import chisquare

from auditor.errors import DataError
from auditor.masking.date_shifting import DateShifting
from auditor.microdata import MISSING, Categorical, Microdata, Numeric

DATES = st.dates(date(1900, 1, 1), date(2100, 1, 1))
ROWS = st.lists(st.tuples(st.sampled_from("uvw"), DATES | st.none(), DATES | st.none()), max_size=12)


def column(name, values, ordered=False):
    labels = tuple(dict.fromkeys(value for value in values if value is not None))
    codes = [MISSING if value is None else labels.index(value) for value in values]
    return Categorical(name, np.array(codes, np.int32), labels, ordered)


def said(data, name):
    found = data.categorical(name)
    return [None if code == MISSING else found.labels[code] for code in found.codes]


def iso(value):
    return None if value is None else value.isoformat()


def shifted(data, seed=0, attributes=("a",), **kind):
    masked = DateShifting(attributes=attributes, unit="u", **kind).masked(data, np.random.default_rng(seed))
    assert masked["u"] is data["u"]
    return masked


@given(ROWS, st.integers(1, 400), st.integers(0, 2**32), st.booleans())
def test_every_unit_has_one_shift(rows, days, seed, nonzero):
    names, first, second = zip(*rows, strict=True) if rows else ((), (), ())
    data = Microdata((column("u", names), column("a", map_iso(first)), column("b", map_iso(second))))
    masked = shifted(data, seed, ("a", "b"), days=days, nonzero=nonzero)
    shifts = {}
    for name, before in (("a", first), ("b", second)):
        for unit, old, new in zip(names, before, said(masked, name), strict=True):
            assert (old is None) == (new is None)
            if old is not None:
                shifts.setdefault(unit, set()).add(date.fromisoformat(new) - old)
    for steps in shifts.values():
        (step,) = steps
        assert timedelta(-days) <= step <= timedelta(days)
        assert step or not nonzero


def map_iso(values):
    return [iso(value) for value in values]


@pytest.mark.parametrize(("nonzero", "possible"), [(True, [-3, -2, -1, 1, 2, 3]), (False, [-3, -2, -1, 0, 1, 2, 3])])
def test_shifts_are_uniform(nonzero, possible):
    """One test of fit, which fails by chance with probability 1e-6; the seed is fixed."""
    n = 7000
    data = Microdata((Numeric("u", np.arange(n, dtype=float)), Numeric("a", np.zeros(n))))
    steps, counts = np.unique(shifted(data, days=3, nonzero=nonzero).numeric("a").values, return_counts=True)
    np.testing.assert_array_equal(steps, possible)
    assert chisquare(counts).pvalue > 1e-6


def test_labels_are_in_the_order_of_time():
    days = [f"2026-{month:02}-15" for month in (12, 1, 6)]
    data = Microdata((column("u", ["x", "x", "y"]), column("a", days, ordered=True)))
    found = shifted(data, days=30).categorical("a")
    assert list(found.labels) == sorted(found.labels)
    assert found.ordered


def test_days_as_numbers_keep_their_fraction_and_what_is_missing():
    data = Microdata((column("u", ["x", "x", "y"]), Numeric("a", np.array([10.25, np.nan, 7]))))
    found = shifted(data, days=5).numeric("a").values
    assert np.isnan(found[1])
    assert found[0] % 1 == 0.25
    assert found[2] % 1 == 0


@pytest.mark.parametrize("unit", [Numeric("u", np.full(400, np.nan)), column("u", [None] * 400)])
def test_without_a_unit_every_record_is_one(unit):
    data = Microdata((unit, Numeric("a", np.zeros(400))))
    assert len(np.unique(shifted(data, days=3).numeric("a").values)) == 6


def test_a_unit_that_is_missing_is_none_of_the_known_ones():
    data = Microdata((column("u", ["x", None, "x"]), Numeric("a", np.zeros(3))))
    steps = np.array([shifted(data, seed, days=1000).numeric("a").values for seed in range(50)])
    np.testing.assert_array_equal(steps[:, 0], steps[:, 2])
    assert np.any(steps[:, 0] != steps[:, 1])


def test_none_one_and_labels_that_do_not_occur():
    empty = Microdata((column("u", []), column("a", [])))
    assert shifted(empty, days=1).categorical("a").labels == ()
    one = Microdata((column("u", ["x"]), Categorical("a", np.array([1], np.int32), ("no date", "2026-03-01"))))
    assert said(shifted(one, days=1), "a")[0] in {"2026-02-28", "2026-03-02"}


@pytest.mark.parametrize("wrong", ["2026-3-1", "20260301", "2026-W07-1", "2026-02-30", "2026-03-01T10:00", "yesterday"])
def test_what_is_no_date_is_an_error(wrong):
    with pytest.raises(DataError, match="column 'a' holds text that is not a date") as raised:
        shifted(Microdata((column("u", ["x"]), column("a", [wrong]))), days=1)
    assert wrong not in str(raised.value)


def test_the_ends_of_the_calendar_are_an_error():
    for edge in ("0001-01-01", "9999-12-31"):
        table = Microdata((column("u", list("abcdefgh")), column("a", [edge] * 8)))
        with pytest.raises(DataError, match="column 'a': a shifted date lies before the year 1"):
            shifted(table, days=5)


def test_parameters_that_do_not_fit_each_other():
    with pytest.raises(ValidationError, match="cannot be one of the dates"):
        DateShifting(attributes=("a", "u"), unit="u", days=3)
    with pytest.raises(DataError, match="no column 'u'"):
        DateShifting(attributes=("a",), unit="u", days=3).masked(
            Microdata((Numeric("a", np.zeros(1)),)), np.random.default_rng(0)
        )
