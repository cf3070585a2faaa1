"""Whatever shape pandas gives the numbers of a data frame, they are read as the same numbers of the same people.

What is expected is counted in the records, one by one; pandas only writes it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from statistics import median
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.outputs import fitted
from auditor.outputs._margins import with_margins
from auditor.outputs.published.outputs import FrequencyTable, GroupStatistics, MagnitudeTable, Published
from auditor.outputs.readers import Hints
from auditor.outputs.readers._file import File
from auditor.outputs.readers._read import read_file

Group = frozenset[tuple[str, str]]
"""Whom a number is about: the values of columns."""
Numbers = dict[tuple[Group, str, str], Fraction]
"""Numbers by group, column and statistic; counts are of no column."""

FIRST, SECOND, AMOUNT = "zone", "sex", "cost"
COLUMNS = frozenset({FIRST, SECOND, AMOUNT})


@st.composite
def people(draw: st.DrawFn) -> pd.DataFrame:
    """Records of two columns of labels and one of numbers; some labels are called like statistics."""
    zones = draw(st.lists(st.sampled_from(["a", "b", "7", "mean"]), min_size=2, max_size=3, unique=True))
    sexes = draw(st.lists(st.sampled_from(["F", "M", "1", "max"]), min_size=2, max_size=3, unique=True))
    record = st.tuples(st.sampled_from(zones), st.sampled_from(sexes), st.integers(-50, 1000))
    records = [(zone, sex, draw(st.integers(-50, 1000))) for zone in zones for sex in sexes]
    records += draw(st.lists(record, max_size=12))
    return pd.DataFrame(records, columns=[FIRST, SECOND, AMOUNT])


def groups_of(frame: pd.DataFrame, by: tuple[str, ...], *, margins: bool = False) -> dict[Group, list[int]]:
    """The numbers of each group, and with `margins` of those that groups come to."""
    found: dict[Group, list[int]] = {}
    for record in frame.to_dict("records"):
        values = [(name, str(record[name])) for name in by]
        kept = [[]]
        for value in values:
            kept = [each + more for each in kept for more in ([[value], []] if margins else [[value]])]
        for each in kept:
            found.setdefault(frozenset(each), []).append(record[AMOUNT])
    return found


def counts_of(frame: pd.DataFrame, *by: str, margins: bool = False) -> Numbers:
    return {
        (group, "", "count"): Fraction(len(numbers)) for group, numbers in groups_of(frame, by, margins=margins).items()
    }


STATISTICS: dict[str, Callable[[list[int]], Fraction]] = {
    "sum": lambda numbers: Fraction(sum(numbers)),
    "mean": lambda numbers: Fraction(sum(numbers), len(numbers)),
    "min": lambda numbers: Fraction(min(numbers)),
    "max": lambda numbers: Fraction(max(numbers)),
    "median": lambda numbers: Fraction(median(numbers)),
}


def statistics_of(frame: pd.DataFrame, by: tuple[str, ...], *names: str, margins: bool = False) -> Numbers:
    told = groups_of(frame, by, margins=margins)
    return {(group, AMOUNT, name): STATISTICS[name](told[group]) for group in told for name in names}


def read_of(found: tuple[Published, ...]) -> Numbers:
    """What was read, without the counts of nobody."""
    numbers: Numbers = {}
    for output in (with_margins(each) for each in found):
        assert isinstance(output, FrequencyTable | GroupStatistics)
        assert not output.unread
        of = output.of if isinstance(output, MagnitudeTable | GroupStatistics) else ""
        for cell in output.cells:
            group = frozenset(
                (name, label) for name, label in zip(output.by, cell.key, strict=True) if label is not None
            )
            n = cell.count if hasattr(cell, "count") else cell.n
            told: list[tuple[str, Any]] = [("sum", cell.sum)] if hasattr(cell, "sum") else list(cell.values)
            numbers |= {(group, of, name): number.value for name, number in told if number is not None}
            numbers |= {(group, "", "count"): Fraction(n)} if n else {}
    return numbers


def written(shape: Any, hints: Hints, *, index: bool = True) -> tuple[Published, ...]:
    """A shape as the file that pandas writes."""
    return read_file(File("t.csv", shape.to_csv(index=index).encode()), hints)


COUNTS: dict[str, tuple[Callable[[pd.DataFrame], Any], str | None, bool]] = {
    "crosstab": (lambda f: pd.crosstab(f[FIRST], f[SECOND]), None, False),
    "crosstab, said": (lambda f: pd.crosstab(f[FIRST], f[SECOND]), "count", False),
    "with margins": (lambda f: pd.crosstab(f[FIRST], f[SECOND], margins=True), None, True),
    "named margins": (lambda f: pd.crosstab(f[FIRST], f[SECOND], margins=True, margins_name="Total"), None, True),
    "turned": (lambda f: pd.crosstab(f[FIRST], f[SECOND], margins=True).T, None, True),
    "stacked": (lambda f: pd.crosstab(f[FIRST], f[SECOND]).stack(), None, False),
    "melted": (lambda f: pd.crosstab(f[FIRST], f[SECOND]).reset_index().melt(id_vars=FIRST), "count", False),
    "size": (lambda f: f.groupby([FIRST, SECOND]).size(), None, False),
    "size in a frame": (lambda f: f.groupby([FIRST, SECOND], as_index=False).size(), None, False),
    "size with a name": (lambda f: f.groupby([FIRST, SECOND]).size().reset_index(name="people"), "count", False),
    "unstacked": (lambda f: f.groupby([FIRST, SECOND]).size().unstack(), None, False),
    "value_counts": (lambda f: f[[FIRST, SECOND]].value_counts(), None, False),
    "of groups": (lambda f: f.groupby(FIRST)[SECOND].value_counts(), None, False),
    "count": (lambda f: f.groupby([FIRST, SECOND])[AMOUNT].count(), "count", False),
    "pivot": (lambda f: f.pivot_table(index=FIRST, columns=SECOND, values=AMOUNT, aggfunc="count"), "count", False),
    "pivot of a list": (
        lambda f: f.pivot_table(index=FIRST, columns=SECOND, values=[AMOUNT], aggfunc="count", margins=True),
        "count",
        True,
    ),
    "pivot of lists": (
        lambda f: f.pivot_table(index=FIRST, columns=SECOND, values=[AMOUNT], aggfunc=["count"], margins=True),
        None,
        True,
    ),
}


@pytest.mark.parametrize("name", COUNTS)
@given(frame=people())
def test_counts_are_the_same_in_every_shape(name: str, frame: pd.DataFrame) -> None:
    make, of, margins = COUNTS[name]
    shape, expected = make(frame), counts_of(frame, FIRST, SECOND, margins=margins)
    assert read_of(fitted.published(shape, Hints(COLUMNS, of=of))) == expected
    assert read_of(written(shape, Hints(COLUMNS, by=(FIRST, SECOND), of=of))) == expected


STATED: dict[str, tuple[Callable[[pd.DataFrame], Any], str | None, tuple[str, ...], tuple[str, ...], bool]] = {
    "agg": (lambda f: f.groupby(FIRST)[AMOUNT].agg(["mean", "max"]), AMOUNT, (FIRST,), ("mean", "max"), False),
    "agg of a frame": (
        lambda f: f.groupby([FIRST, SECOND]).agg({AMOUNT: ["sum", "mean"]}),
        None, (FIRST, SECOND), ("sum", "mean"), False,
    ),
    "named agg": (
        lambda f: f.groupby(FIRST).agg(cost_mean=(AMOUNT, "mean"), max_cost=(AMOUNT, "max")).reset_index(),
        None, (FIRST,), ("mean", "max"), False,
    ),
    "mean": (lambda f: f.groupby(FIRST)[AMOUNT].mean(), "mean", (FIRST,), ("mean",), False),
    "sum": (lambda f: f.groupby([FIRST, SECOND])[AMOUNT].sum(), "sum of cost", (FIRST, SECOND), ("sum",), False),
    "median": (lambda f: f.groupby(FIRST)[AMOUNT].median(), "median of cost", (FIRST,), ("median",), False),
    "unstacked": (
        lambda f: f.groupby([FIRST, SECOND])[AMOUNT].agg(["min", "max"]).unstack(),
        AMOUNT, (FIRST, SECOND), ("min", "max"), False,
    ),
    "stacked": (
        lambda f: f.groupby([FIRST, SECOND])[AMOUNT].agg(["min", "mean"]).stack(),
        AMOUNT, (FIRST, SECOND), ("min", "mean"), False,
    ),
    "turned": (lambda f: f.groupby(FIRST)[AMOUNT].agg(["min", "mean"]).T, AMOUNT, (FIRST,), ("min", "mean"), False),
    "pivot": (
        lambda f: f.pivot_table(index=FIRST, columns=SECOND, values=AMOUNT, aggfunc="sum", margins=True),
        "sum of cost", (FIRST, SECOND), ("sum",), True,
    ),
    "pivot of a list": (
        lambda f: f.pivot_table(index=FIRST, columns=SECOND, values=[AMOUNT], aggfunc="mean"),
        "mean", (FIRST, SECOND), ("mean",), False,
    ),
    "pivot of lists": (
        lambda f: f.pivot_table(index=FIRST, columns=SECOND, values=[AMOUNT], aggfunc=["sum", "max"]),
        None, (FIRST, SECOND), ("sum", "max"), False,
    ),
    "pivot of keys": (
        lambda f: f.pivot_table(index=[FIRST, SECOND], values=AMOUNT, aggfunc="mean"),
        "mean", (FIRST, SECOND), ("mean",), False,
    ),
    "crosstab": (
        lambda f: pd.crosstab(f[FIRST], f[SECOND], values=f[AMOUNT], aggfunc="max"),
        "max of cost", (FIRST, SECOND), ("max",), False,
    ),
    "of everybody": (lambda f: f[[AMOUNT]].agg(["sum", "min"]), None, (), ("sum", "min"), False),
    "of everybody, turned": (lambda f: f[[AMOUNT]].agg(["max", "mean"]).T, None, (), ("max", "mean"), False),
    "of everybody, one": (lambda f: f[[AMOUNT]].max(), "max", (), ("max",), False),
    "a series": (lambda f: f[AMOUNT].agg(["max", "mean"]), None, (), ("max", "mean"), False),
}  # fmt: skip


@pytest.mark.parametrize("name", STATED)
@given(frame=people())
def test_statistics_are_the_same_in_every_shape(name: str, frame: pd.DataFrame) -> None:
    make, of, by, names, margins = STATED[name]
    shape, expected = make(frame), statistics_of(frame, by, *names, margins=margins)
    assert_close(read_of(fitted.published(shape, Hints(COLUMNS, by=by, of=of))), expected)
    assert_close(read_of(written(shape, Hints(COLUMNS, by=by, of=of))), expected)


def assert_close(numbers: Numbers, expected: Numbers) -> None:
    assert numbers.keys() == expected.keys()
    assert all(abs(numbers[key] - expected[key]) < Fraction(1, 10**6) for key in expected)


DESCRIBED: dict[str, tuple[Callable[[pd.DataFrame], Any], tuple[str, ...]]] = {
    "of a frame": (lambda f: f[[AMOUNT]].describe(), ()),
    "of everything": (lambda f: f.assign(cost2=f[AMOUNT])[[AMOUNT]].describe(include="all"), ()),
    "of a column": (lambda f: f[AMOUNT].describe(), ()),
    "turned": (lambda f: f[[AMOUNT]].describe().T, ()),
    "by groups": (lambda f: f.groupby(FIRST)[AMOUNT].describe(), (FIRST,)),
    "of a frame by groups": (lambda f: f.groupby([FIRST, SECOND])[[AMOUNT]].describe(), (FIRST, SECOND)),
    "by groups, stacked": (lambda f: f.groupby(FIRST)[AMOUNT].describe().stack(), (FIRST,)),
    "by groups, turned": (lambda f: f.groupby(FIRST)[AMOUNT].describe().T, (FIRST,)),
    "by groups, unstacked": (lambda f: f.groupby([FIRST, SECOND])[AMOUNT].describe().unstack(), (FIRST, SECOND)),
}


@pytest.mark.parametrize("name", DESCRIBED)
@given(frame=people())
def test_what_describe_says_of_each_group(name: str, frame: pd.DataFrame) -> None:
    """Its n, its least and largest value, its mean and its median, whatever the rest is called."""
    make, by = DESCRIBED[name]
    hints = Hints(COLUMNS, by=by, of=AMOUNT)
    expected = counts_of(frame, *by) | statistics_of(frame, by, "mean", "min", "max")
    expected |= {(group, AMOUNT, "p50"): number for (group, _, _), number in statistics_of(frame, by, "median").items()}
    for found in (read_of(fitted.published(make(frame), hints)), read_of(written(make(frame), hints))):
        assert_close({key: number for key, number in found.items() if key in expected}, expected)
        assert {name for _, _, name in found} <= {"count", "mean", "std", "min", "p25", "p50", "p75", "max"}
