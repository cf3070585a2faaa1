"""Coefficients: statsmodels' summary and tables as CSV and JSON, and the forms of R and broom."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.outputs.published.conditions import equal
from auditor.outputs.published.outputs import Regression, Stated
from auditor.outputs.readers import read
from auditor.outputs.readers._indicators import group_of_term, indicator
from tests.outputs.readers.conftest import Write, sample

R = '"","Estimate","Std. Error","t value","Pr(>|t|)"\n"(Intercept)",0.54,0.13,4.1,0.0003\n"wardb",0.1,0.1,0.7,0.4\n'
R_TABLE = '"Estimate" "Std. Error"\n"(Intercept)" 0.54 0.13\n"age" 0.1 0.1\n'
BROOM = "term,estimate,std.error,statistic,p.value\n(Intercept),0.54,0.13,4.1,3e-04\nage,NA,NA,NA,NA\n"
RECORDS = '[{"term": "age", "estimate": 0.25, "p.value": 0.5}, {"term": "sex", "estimate": null}]'


def regression(write: Write, text: str, **asked: object) -> Regression:
    (found,) = read(write(text), **asked)  # type: ignore[arg-type]
    assert isinstance(found, Regression)
    return found


def test_a_summary_of_statsmodels(write: Write) -> None:
    found = regression(write, sample("statsmodels_summary.csv"))
    assert (found.outcome, found.records, found.dof) == ("y", 30, 23)
    assert [term.name for term in found.terms] == [
        "Intercept",
        "C(ward, Treatment('a'))[T.b]",
        "C(ward, Treatment('a'))[T.c]",
        "x",
        "C(ward)[T.b]:x",
        "C(ward)[T.c]:x",
        "w",
    ]
    assert found.terms[1].coefficient == Stated(Fraction(2786, 10000), 4)
    assert [term.condition for term in found.terms] == [
        None,
        {equal("ward", "b")},
        {equal("ward", "c")},
        None,
        {equal("ward", "b")},
        {equal("ward", "c")},
        None,
    ]


def test_a_table_of_statsmodels(write: Write) -> None:
    found = regression(write, sample("statsmodels_coefficients.csv"), records=30)
    assert (found.records, found.dof) == (30, None)
    assert [term.name for term in found.terms] == ["Intercept", "C(ward)[T.b]", "C(ward)[T.c]", "x", "w"]
    assert found.terms[1].condition == {equal("ward", "b")}


def test_json_of_statsmodels_says_the_same(write: Write) -> None:
    table = regression(write, sample("statsmodels_coefficients.csv"))
    whole = regression(write, sample("statsmodels_coefficients.json"))
    alone = regression(write, sample("statsmodels_params.json"), type_="regression")
    assert [(t.name, t.condition) for t in table.terms] == [(t.name, t.condition) for t in whole.terms]
    assert whole.terms == alone.terms


def test_tables_of_r_and_of_broom(write: Write) -> None:
    assert [term.name for term in regression(write, R).terms] == ["(Intercept)", "wardb"]
    assert [term.name for term in regression(write, R_TABLE).terms] == ["(Intercept)", "age"]
    broom = regression(write, BROOM)
    assert [term.coefficient for term in broom.terms] == [Stated(Fraction(54, 100), 2), None]


def test_rows_as_json(write: Write) -> None:
    found = regression(write, RECORDS)
    assert [(term.name, term.coefficient) for term in found.terms] == [
        ("age", Stated(Fraction(1, 4), 2)),
        ("sex", None),
    ]


@pytest.mark.parametrize(
    ("name", "columns", "expected"),
    [
        ("sex_F", {"sex"}, equal("sex", "F")),
        ("sex_F", {"sex", "sex_F"}, None),
        ("sex_F", set(), None),
        ("age_group_20_30", {"age", "age_group"}, equal("age_group", "20_30")),
        ("sex=F", {"sex"}, equal("sex", "F")),
        ("C(sex)[T.M]", set(), equal("sex", "M")),
        ("C(sex, Treatment(reference='F'))[T.M]", set(), equal("sex", "M")),
        ("ward[T.ICU]", set(), equal("ward", "ICU")),
        ("ward[ICU]", set(), equal("ward", "ICU")),
        ("C(Q('marital status'))[T.a:b]", set(), equal("marital status", "a:b")),
        ("age", {"age"}, None),
        ("Intercept", {"age"}, None),
    ],
)
def test_indicators(name: str, columns: set[str], expected: object) -> None:
    assert indicator(name, frozenset(columns)) == expected


def test_a_product_is_about_those_with_all_its_indicators() -> None:
    assert group_of_term("C(sex)[T.M]:ward[T.a:b]:age", frozenset()) == {equal("sex", "M"), equal("ward", "a:b")}


@given(st.text(max_size=40), st.frozensets(st.text(max_size=3), max_size=3))
def test_any_name_is_read(name: str, columns: frozenset[str]) -> None:
    found = indicator(name, columns)
    assert found is None or name.endswith((found.values[0], "]"))


@pytest.mark.parametrize(
    "text",
    [
        "term,estimate\nage,x\n",
        "term,estimate\nage,1e999999999\n",
        sample("statsmodels_summary.csv").replace("    30 ", "   30.5"),
        sample("statsmodels_summary.csv").split("coef")[0],
        '[{"term": "a", "estimate": 1}, {"estimate": 2}]',
        '[{"term": "a", "estimate": "x"}]',
    ],
)
def test_what_is_wrong_is_refused(write: Write, text: str) -> None:
    with pytest.raises(DataError):
        read(write(text))
