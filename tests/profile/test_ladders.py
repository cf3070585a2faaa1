"""Ladders that `init` draws from a distribution: round, nested, covering, and without a value of one person."""

import random
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.hierarchies import build
from auditor.profile import _ladders
from auditor.profile._ladders import FEWEST, NAMED, Distribution, ages, common, covers, days, intervals

numbers = st.lists(
    st.one_of(
        st.integers(-10**6, 10**6).map(str),
        st.floats(-1e9, 1e9, allow_nan=False).map(repr),
        st.integers(-500, 500).map(lambda hundredths: f"{hundredths / 100:.2f}"),
        st.sampled_from(["0", "1", "1e3", "-0.0"]),
    ),
    min_size=2,
    max_size=300,
)  # fmt: skip


def of(values):
    """The distribution of the values of records."""
    counted = Counter(values)
    return Distribution(tuple(counted), tuple(counted.values()))


def draws(distribution, count=2000):
    generator = random.Random(7)
    return [f"{distribution(generator):.3f}" for _ in range(count)]


@given(numbers)
def test_intervals_are_round_and_no_bound_is_of_a_few(values):
    found = of(values)
    spec = intervals(found)
    if spec is None:
        return
    told = spec["intervals"]
    assert covers(spec, found)
    widths = [Decimal(str(width)) for width in told["widths"]]
    assert {width.normalize().as_tuple().digits for width in widths} <= {(1,), (2,), (5,), (2, 5), (4,), (8,), (1, 6)}
    plain = [float(value) for value in values]
    if "bottom" in told:
        assert sum(value < told["bottom"] for value in plain) >= FEWEST
    if "top" in told:
        assert sum(value >= told["top"] for value in plain) >= FEWEST
    bounds = [Decimal(str(told[key])) for key in ("bottom", "top") if key in told]
    assert all(bound % widths[0] == 0 for bound in bounds)


@given(numbers)
def test_every_level_of_intervals_joins_some_and_not_all(values):
    found = of(values)
    spec = intervals(found)
    if spec is not None:
        plain = {"intervals": {"widths": spec["intervals"]["widths"]}}
        groups = [len(set(labels)) for labels in build(plain, found.labels).levels]
        assert groups == sorted(set(groups), reverse=True)


def test_one_far_value_does_not_widen_the_intervals():
    """The widths of a normal distribution are those of its middle, whatever a single record holds."""
    middle = draws(lambda generator: generator.gauss(100, 10))
    assert intervals(of(middle)) == intervals(of([*middle, "1000000000"]))


def test_the_widths_are_an_eighth_of_the_middle_half_and_wider():
    """The middle half of 0 to 99 reaches over 50, an eighth is 6.25, and 10 is the next round number."""
    assert intervals(of(map(str, range(100))))["intervals"]["widths"] == [10, 50]


def test_numbers_that_are_mostly_one_are_spread_by_the_others():
    """Nine of ten are 0, and the others are 10 to 990: an eighth of their middle half, 500, is 62.5."""
    spec = intervals(of(["0"] * 900 + [str(10 * i) for i in range(100)]))
    assert spec["intervals"]["widths"] == [100, 500]


@pytest.mark.parametrize(
    "values", [["5"], ["5", "5", "7"], ["1e300", "2e300", "3e300"], ["1e-300", "2e-300", "3e-300"]]
)
def test_numbers_without_a_spread_have_no_intervals(values):
    assert intervals(of(values)) is None


@pytest.mark.parametrize(
    ("values", "bounds"),
    [
        ([20 + i % 40 for i in range(1000)] + [90] * 11, (None, 90)),
        ([20 + i % 40 for i in range(1000)] + [90] * 10, (None, 55)),
        ([20 + i % 40 for i in range(1000)] + [3], (25, 55)),
        ([3, 50, 99], (None, 90)),
        ([i % 3 for i in range(300)], (None, 90)),
    ],
)
def test_ages_have_a_top_that_several_are_beyond(values, bounds):
    told = ages(of(map(str, values)))["intervals"]
    assert (told["widths"], told.get("bottom"), told["top"]) == ([5, 10, 20, 40], *bounds)


categories = st.lists(st.tuples(st.text(max_size=3), st.integers(1, 400)), max_size=30, unique_by=lambda pair: pair[0])


@given(categories)
def test_values_are_named_only_where_many_share_them(pairs):
    found = Distribution(tuple(label for label, _ in pairs), tuple(count for _, count in pairs))
    spec = common(found)
    if spec == "suppress":
        return
    counts = dict(pairs)
    assert all(counts[value] >= NAMED for value in spec["common"])
    assert covers(spec, found)
    for keep in spec["keep"]:
        others = set(counts) - set(spec["common"][:keep])
        assert len(others) >= 2
        assert sum(map(counts.__getitem__, others)) >= NAMED


def test_levels_keep_values_of_one_five_and_twenty_percent_and_at_last_the_most_frequent():
    found = Distribution(("a", "b", "c", "d", "e", "f"), (5000, 3000, 1000, 800, 120, 80))
    assert common(found) == {"common": ["a", "b", "c", "d"], "keep": [4, 2, 1]}


def test_the_rest_has_no_name_of_a_value():
    found = Distribution(("a", "All others", "all other values", "b"), (900, 60, 30, 30))
    assert common(found)["rest"] == "every other value"
    names = Distribution(("a", *_ladders.RESTS), (900, 60, 30, 30))
    assert common(names) == "suppress"


@pytest.mark.parametrize(
    ("values", "spec"),
    [
        (["10.02.2026", "31.1.2025"], {"date": ["month", "quarter", "year"], "written": "DD.MM.YYYY"}),
        (["2/10/2026", "1/31/2025"], {"date": ["month", "quarter", "year"], "written": "MM/DD/YYYY"}),
        (["2/10/2026", "31/1/2025"], {"date": ["month", "quarter", "year"], "written": "DD/MM/YYYY"}),
        (["2/10/2026", "1/3/2025"], {"date": ["year"], "written": "DD/MM/YYYY"}),
        (["2026-02-10", "2025-01-31"], {"date": ["month", "quarter", "year"]}),
        (["2026-02", "2025-11"], {"date": ["month", "quarter", "year"]}),
        (["2026-Q1", "2025-Q4"], {"date": ["month", "quarter", "year"]}),
        (["2/10/2026", "2026-02-10"], None),
        (["2/10/26", "1/31/25"], None),
        ([f"1.1.{year}" for year in range(1990, 2002)] + ["31.1.2002"],
         {"date": ["month", "quarter", "year", "decade"], "written": "DD.MM.YYYY"}),
    ],
)  # fmt: skip
def test_dates_are_read_in_one_form_or_only_their_years(values, spec):
    assert days(of(values)) == spec
