"""Whole numbers that may be codes: when masking warns of them, what linkage finds without them, what declares them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

import auditor
from auditor.masking.local_suppression import LocalSuppression
from auditor.masking.microaggregation import Microaggregation
from auditor.microdata import Microdata, Numeric
from auditor.report import redact, render
from auditor.result import Audience

KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
NUMBERS = ("expend", "income", "savings")


def table(rows: int = 60) -> pd.DataFrame:
    chance = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "region": chance.integers(1, 6, rows),
            "income": chance.normal(1000, 200, rows),
            "tax": chance.normal(100, 20, rows),
            "area": ["north", "south"] * (rows // 2),
        }
    )


def policy(columns: dict[str, Any], masked: list[str]) -> dict[str, Any]:
    named = {"income": "sensitive", "tax": "sensitive", "area": "quasi-identifier", **columns}
    return {
        "version": 1,
        "name": "p",
        "attributes": named,
        "requirements": [{"model": "k-anonymity", "k": 2}],
        "protection": [{"method": "microaggregation", "attributes": masked, "k": 3}],
    }


def masked(data: pd.DataFrame, columns: dict[str, Any], names: list[str]) -> Any:
    return auditor.mask(data, policy(columns, names), seed=1).result


def test_few_whole_numbers_without_a_type_are_named_with_the_line_to_paste():
    result = masked(table(), {"region": "sensitive"}, ["region", "income", "tax"])
    codes = result.masking.codes
    assert codes.columns == ("region",)
    assert yaml.safe_load("\n".join(codes.lines)) == {"region": {"role": "sensitive", "type": "category"}}
    (warning,) = [each for each in result.findings if each.level == "warning"]
    assert "'region'" in warning.message
    assert result.exit_code == 0
    for format_ in ("text", "markdown", "html", "json"):
        assert "region: {role: sensitive, type: category}" in render(redact(result, Audience.PUBLIC), format_)
    assert "region" in render(redact(result, Audience.PUBLIC), "sarif")


@pytest.mark.parametrize("type_", ["category", "integer", "number", "text"])
def test_a_declared_type_is_taken_at_its_word(type_):
    result = masked(table(), {"region": {"role": "sensitive", "type": type_}}, ["region", "income", "tax"])
    assert result.masking.codes is None
    assert not [each for each in result.findings if each.level == "warning"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", range(20, 80)),  # many
        ("share", [0.5, 1.0, 1.5] * 20),  # parts
        ("children", [0, 1, 2, 3] * 15),  # its name says that they are counted
        ("area2", ["1a", "2b"] * 30),  # no numbers
    ],
)
def test_other_columns_are_no_codes(name, values):
    data = table().assign(**{name: list(values)})
    assert masked(data, {"region": "insensitive", name: "sensitive"}, [name, "income"]).masking.codes is None


def test_columns_that_are_not_masked_are_not_named():
    assert masked(table(), {"region": "insensitive"}, ["income", "tax"]).masking.codes is None


def test_a_column_that_the_policy_does_not_name_has_no_line():
    """Its name may be a value; a glob that matches it may match others that are no codes."""
    result = masked(table(), {"reg*": "sensitive"}, ["region", "income"])
    assert (result.masking.codes.columns, result.masking.codes.lines) == (("region",), ())


def test_the_line_keeps_what_the_policy_says_of_the_column():
    given = {"role": "sensitive", "missing_values": ["-9", "?"], "hierarchy": "suppress"}
    result = masked(table(), {"region": given}, ["region", "income"])
    (line,) = result.masking.codes.lines
    assert yaml.safe_load(line) == {"region": {**given, "type": "category"}}
    assert masked(table(), yaml.safe_load(line), ["region", "income"]).masking.codes is None


def shares_found(original: np.ndarray, released: np.ndarray) -> list[float]:
    """The percent of the records that are found by the first 1, 2, … columns, each distance computed."""
    with np.errstate(invalid="ignore"):
        a, b = ((each - np.nanmean(each, axis=0)) / np.nanstd(each, axis=0) for each in (original, released))
    a, b = np.nan_to_num(a), np.nan_to_num(b)
    found = np.zeros(a.shape[1])
    for i, row in enumerate(a):
        distances = np.sqrt(np.cumsum((row - b) ** 2, axis=1))
        nearest = distances <= distances.min(axis=0) + 1e-9
        found += nearest[i] / nearest.sum(axis=0)
    return list(100 * found / len(a))


@pytest.mark.slow
def test_codes_of_a_household_survey_hide_what_linkage_finds(shared_data: Path):
    """sdcMicro's testdata: RD is 0.59 % undeclared, as codes are what the attacker knows, and 3.59 % as categories.

    The methods are applied here one by one, and linkage tries every pair.
    """
    rows = np.genfromtxt(shared_data / "testdata.csv", delimiter=",", names=True)
    data = Microdata(tuple(Numeric(name, rows[name].astype(float)) for name in (*KEYS, *NUMBERS)))
    after = LocalSuppression(attributes=KEYS, k=3, missing="wildcard").masked(data, np.random.default_rng(0))
    after = Microaggregation(attributes=NUMBERS, k=3).masked(after, np.random.default_rng(0))
    by_codes = np.mean(shares_found(data.numbers(KEYS[:5]), after.numbers(KEYS[:5])))
    by_numbers = np.mean(shares_found(data.numbers(NUMBERS[:2]), after.numbers(NUMBERS[:2])))
    assert (round(by_codes, 2), round(by_numbers, 2)) == (0.59, 3.59)

    asked = {
        "version": 1,
        "name": "survey",
        "missing": "wildcard",
        "undeclared": "insensitive",
        "attributes": {**dict.fromkeys(KEYS, "quasi-identifier"), **dict.fromkeys(NUMBERS, "sensitive")},
        "requirements": [{"model": "k-anonymity", "k": 3}],
        "protection": [
            {"method": "local-suppression", "attributes": list(KEYS), "k": 3, "missing": "wildcard"},
            {"method": "microaggregation", "attributes": list(NUMBERS), "k": 3},
        ],
    }
    undeclared = auditor.mask(shared_data / "testdata.csv", asked).result
    assert undeclared.protection.linkage_risk == pytest.approx(by_codes)
    assert undeclared.masking.codes.columns == KEYS
    assert undeclared.masking.codes.others.percent == pytest.approx(by_numbers)
    pasted = yaml.safe_load("\n".join(undeclared.masking.codes.lines))
    declared = auditor.mask(shared_data / "testdata.csv", {**asked, "attributes": {**asked["attributes"], **pasted}})
    assert declared.result.protection.linkage_risk == pytest.approx(by_numbers)
    assert declared.result.masking.codes is None
