"""Dates: labels by the calendar (ISO 8601 weeks checked against the standard's own examples), nesting, refusals."""

from datetime import date, timedelta
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, HierarchyError
from auditor.hierarchies import TOP, build, hierarchy
from auditor.hierarchies.date import DateForm

ALL = {"date": ["day", "week", "month", "quarter", "year", "decade"]}


def test_one_day_on_every_level():
    ladder = build(ALL, ["2026-02-10T23:59:59+02:00", "1950-01-01"], "admitted")
    labels = [level[0] for level in ladder.levels[1:]]
    assert labels == ["2026-02-10", "2026-W07", "2026-02", "2026-Q1", "2026", "2020s", "*"]


@pytest.mark.parametrize(  # from the section "Week dates" of ISO 8601: the week belongs to the year of its Thursday
    ("day", "week"),
    [("1977-01-01", "1976-W53"), ("1977-01-02", "1976-W53"), ("1977-12-31", "1977-W52"), ("1978-01-02", "1978-W01"),
     ("1979-12-31", "1980-W01"), ("1981-12-31", "1981-W53"), ("1982-01-03", "1981-W53")],
)  # fmt: skip
def test_weeks_are_those_of_iso_8601(day, week):
    assert build({"date": ["week"]}, [day, "2000-01-01"], "day").levels[1][0] == week


def test_without_weeks_months_are_calendar_months():
    ladder = build({"date": ["month", "quarter", "year"]}, ["2026-03-31", "2026-04-01", "1969-12-31"], "day")
    assert ladder.levels[1:] == (
        ("2026-03", "2026-04", "1969-12"),
        ("2026-Q1", "2026-Q2", "1969-Q4"),
        ("2026", "2026", "1969"),
        ("*", "*", "*"),
    )


def test_with_weeks_a_day_counts_to_the_month_of_its_weeks_thursday():
    ladder = build({"date": ["week", "month"]}, ["2026-03-30", "2026-04-01", "2026-02-10"], "day")
    assert ladder.levels[1:3] == (("2026-W14", "2026-W14", "2026-W07"), ("2026-04", "2026-04", "2026-02"))


def test_three_thousand_days_nest():
    days = [(date(1968, 12, 1) + timedelta(days=n)).isoformat() for n in range(3000)]
    levels = build(ALL, days, "day").levels
    for finer, coarser in pairwise(levels):
        assert len(set(zip(finer, coarser, strict=True))) == len(set(finer))


@pytest.mark.parametrize(
    "value", ["31/12/2025", "2026-02-30", "20260210", "2026-2-1", "infinity", "0000-01-01", "", "2026-W60"]
)
def test_what_is_no_date_is_counted_and_not_repeated(value):
    with pytest.raises(DataError, match="'day': holds values that are not ISO 8601 dates") as error:
        build({"date": ["week", "year"]}, ["2026-01-01", value], "day")
    assert not value or value not in str(error.value)


@pytest.mark.parametrize(
    ("label", "level"),
    [
        ("2026-02-10T10:00:00", 0),
        ("2026-02-10", 1),
        ("2026-W07", 2),
        ("2026-02", 3),
        ("2026-Q1", 4),
        ("2026", 5),
        ("2020s", 6),
        ("*", TOP),
        ("2026-W60", None),
        ("2026-13", None),
        ("soon", None),
    ],
)
def test_labels_are_understood_without_the_values(label, level):
    assert hierarchy(ALL).level_of(label) == level


def test_a_label_of_a_level_that_the_ladder_lacks_is_none():
    years = hierarchy({"date": ["year"]})
    assert (years.level_of("2026-02"), years.level_of("2026-02-10")) == (None, 0)


@pytest.mark.parametrize("names", [[], ["year", "month"], ["month", "month"], ["weak"]])
def test_wrong_granularities_are_refused(names):
    with pytest.raises(HierarchyError):
        hierarchy({"date": names})


FORMS = {form: form.replace("YYYY", "%Y").replace("MM", "%m").replace("DD", "%d") for form in get_args(DateForm)}


@given(st.lists(st.dates(date(1000, 1, 1)), min_size=2, max_size=20, unique=True), st.sampled_from([*FORMS]))
def test_other_forms_stand_where_iso_8601_stands(days, form):
    """What strftime writes in a form has the labels of the same day in ISO 8601."""
    written = build({**ALL, "written": form}, [day.strftime(FORMS[form]) for day in days], "born")
    assert written.levels[1:] == build(ALL, list(map(date.isoformat, days)), "born").levels[1:]


@pytest.mark.parametrize(
    ("form", "value", "month"),
    [
        ("MM/DD/YYYY", "2/1/2026", "2026-02"),
        ("DD/MM/YYYY", "2/1/2026", "2026-01"),
        ("MM/DD/YYYY", "12/31/2026 11:59 PM", "2026-12"),
        ("DD.MM.YYYY", "1.12.2026 23:59:59,5", "2026-12"),
        ("YYYYMMDD", "20261201T10:00", "2026-12"),
    ],
)
def test_days_of_one_digit_and_times(form, value, month):
    assert build({"date": ["month"], "written": form}, [value, "*"], "born").levels[1][0] == month


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("DD.MM.YYYY", "2026-02-10"),
        ("DD.MM.YYYY", "10/02/2026"),
        ("DD.MM.YYYY", "31.02.2026"),
        ("DD.MM.YYYY", "10.02.26"),
        ("MM/DD/YYYY", "13/01/2026"),
        ("YYYYMMDD", "2026211"),
        (None, "10.02.2026"),
    ],
)
def test_no_other_form_is_guessed(form, value):
    with pytest.raises(DataError, match="which date levels need"):
        build({"date": ["month", "year"], **({"written": form} if form else {})}, [value, "10.02.2026"], "born")


@pytest.mark.parametrize(("label", "level"), [("10.02.2026", 0), ("2026-02-10", None), ("2026-02", 1), ("2026", 2)])
def test_labels_of_another_form(label, level):
    assert hierarchy({"date": ["month", "year"], "written": "DD.MM.YYYY"}).level_of(label) == level
