"""A group of missing values is one of the table's groups: the verdict is that of the same table with a word for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.ledger import read_ledger
from auditor.outputs import _history
from auditor.result import Verdict
from auditor.result.outputs import OutputsResult

RULES = [
    {"type": "frequency-table", "min_cell": 3, "differencing": True},
    {"type": "statistics", "min_n": 3, "extremes": "allow"},
    {"type": "magnitude-table", "min_cell": 3},
]
ATTRIBUTES = {"age": "quasi-identifier", "sex": "quasi-identifier", "cost": "sensitive"}
POLICY = {"version": 1, "name": "p", "attributes": ATTRIBUTES, "outputs": RULES}
WORD = "zz"
"""A value that no record has, and that pandas sorts behind the others, as it does missing ones."""


def checked(folder: Path, *texts: str, data: pd.DataFrame | None = None, **more: Any) -> OutputsResult:
    files = [folder / f"t{number}.csv" for number, _ in enumerate(texts)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    return check_outputs(files, POLICY, data, **more)


def found_in(result: OutputsResult) -> tuple[Verdict, set[tuple[str, str]]]:
    told = {(v.item, v.reason) for output in result.outputs for v in output.violations}
    return result.verdict, {(item.replace(f"={WORD}", " missing").replace("no value", WORD), why) for item, why in told}


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """Records of two columns, of which one or both lack values; never as many as have one."""
    sizes = {(a, s): draw(st.integers(1, 9)) for a in ("20", "30", None) for s in ("F", "M", None)}
    rows = [(a, s) for (a, s), n in sizes.items() for _ in range(n)]
    return pd.DataFrame(rows, columns=["age", "sex"])


SHAPES = {
    "long": lambda d: d.groupby(["age", "sex"], dropna=False).size().rename("count").to_csv(),
    "named": lambda d: (
        d.groupby(["age", "sex"], dropna=False).size().reset_index(name="count").to_csv(index=False, na_rep="NaN")
    ),
    "wide": lambda d: pd.crosstab(d["age"], d["sex"], dropna=False, margins=True).to_csv(),
    "one": lambda d: d["sex"].value_counts(dropna=False).to_csv(),
}


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=8, deadline=None)
@given(frames())
def test_with_data_the_verdict_is_that_of_a_word_for_missing_values(tmp_path_factory, shape: str, held) -> None:
    folder, filled = tmp_path_factory.mktemp("missing"), held.fillna(WORD)
    assert found_in(checked(folder, SHAPES[shape](held), data=held)) == found_in(
        checked(folder, SHAPES[shape](filled), data=filled)
    )


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=8, deadline=None)
@given(frames())
def test_without_data_it_is_that_verdict_or_none(tmp_path_factory, shape: str, held) -> None:
    folder = tmp_path_factory.mktemp("missing")
    verdict = checked(folder, SHAPES[shape](held)).verdict
    assert verdict in (checked(folder, SHAPES[shape](held.fillna(WORD))).verdict, Verdict.NOT_EVALUATED)


def test_a_label_that_is_less_than_one_of_the_others_is_no_total(tmp_path: Path) -> None:
    assert found_in(checked(tmp_path, "sex,count\nF,40\nM,50\n,12\n")) == (Verdict.PASS, set())
    assert found_in(checked(tmp_path, "sex,count\nF,40\nM,50\n,2\n")) == (
        Verdict.FAIL,
        {("sex missing", "small-cell")},
    )


@pytest.mark.parametrize("text", ["sex,count\nF,40\nM,*\n,45\n", "sex,count\nF,40\nM,4\n,60\n"])
def test_a_label_that_may_be_a_total_stays_unread(tmp_path: Path, text: str) -> None:
    """Of 45 the other 5 are M, if it is one; 16 are left of 60."""
    assert found_in(checked(tmp_path, text))[0] is not Verdict.PASS


def test_numbers_of_the_data_that_fit_both_are_read_as_a_total(tmp_path: Path) -> None:
    """45 have a sex, and 45 have none: an attacker reads the former, and of these all but 5 are F."""
    held = pd.DataFrame({"sex": ["F"] * 40 + ["M"] * 5 + [None] * 45})
    assert found_in(checked(tmp_path, "sex,count\nF,40\nM,*\n,45\n", data=held))[1] >= {
        ("sex=M", "suppressed-cell-recoverable")
    }


def test_what_one_column_says_tells_of_another(tmp_path: Path) -> None:
    """Of those without an age 3 have a sex, and 3 have none: once ages are read, this may be their total."""
    sizes = {
        ("20", "F"): 4,
        ("20", "M"): 3,
        ("30", "F"): 4,
        ("30", "M"): 2,
        (None, "F"): 1,
        (None, "M"): 2,
        (None, None): 3,
    }
    held = pd.DataFrame([key for key, n in sizes.items() for _ in range(n)], columns=["age", "sex"])
    assert {why for _, why in found_in(checked(tmp_path, SHAPES["long"](held), data=held))[1]} == {"small-cell"}


def test_labels_that_hold_each_other_add_up_to_more_than_their_total(tmp_path: Path) -> None:
    """65 and over lie within 18 and over: 60 may be the total of all, and 5 be under 18."""
    nested = "age,count\n18+,55\n65+,50\n<18,*\n,60\n"
    assert found_in(checked(tmp_path, nested))[0] is not Verdict.PASS


def test_a_total_that_leaves_the_group_out_is_not_that_of_a_group_of_missing_values(tmp_path: Path) -> None:
    text = "age,sex,count\n20,F,40\n20,M,30\n20,,12\n20,All,70\n"
    assert checked(tmp_path, text).verdict is not Verdict.PASS


def test_a_suppressed_group_of_missing_values_follows_from_the_total(tmp_path: Path) -> None:
    held = pd.DataFrame({"sex": ["F"] * 40 + ["M"] * 30 + [None] * 4})
    text = "sex,count\nF,40\nM,30\nNaN,*\nAll,74\n"
    for data in (held, None):
        assert found_in(checked(tmp_path, text, data=data))[1] == {("sex missing", "suppressed-cell-recoverable")}


def test_a_table_with_missing_values_beside_one_without_them_tells_how_many_they_are(tmp_path: Path) -> None:
    """Both say how many are F, and only one of them who has no sex: nothing contradicts."""
    held = pd.DataFrame({"age": ["20"] * 82, "sex": ["F"] * 40 + ["M"] * 30 + [None] * 12})
    with_, without = (held.groupby("sex", dropna=each).size().rename("count").to_csv() for each in (False, True))
    both = held.groupby("age").size().rename("count").to_csv()
    for data in (held, None):
        assert found_in(checked(tmp_path, with_, without, both, data=data)) == (Verdict.PASS, set())
    held = held.iloc[:72]  # 2 without a sex
    text, both = (held.groupby(by).size().rename("count").to_csv() for by in ("sex", "age"))
    assert checked(tmp_path, text, both, data=held).verdict is Verdict.FAIL


def test_means_and_sums_of_groups_of_missing_values_are_read_with_data(tmp_path: Path) -> None:
    held = pd.DataFrame({"sex": ["F"] * 5 + [None] * 2 + ["M"] * 6, "cost": [float(3 * i % 11) for i in range(13)]})
    groups = held.groupby("sex", dropna=False)["cost"]
    for text in (groups.agg(["count", "mean"]).to_csv(), groups.agg(["count", "sum"]).to_csv()):
        verdict, told = found_in(checked(tmp_path, text, data=held))
        assert (verdict, {item for item, _ in told}) == (Verdict.FAIL, {"sex missing"})


def test_the_ledger_remembers_groups_of_missing_values(tmp_path: Path) -> None:
    ledger = tmp_path / "released.jsonl"
    held = pd.DataFrame({"age": ["20"] * 82, "sex": ["F"] * 40 + ["M"] * 30 + [None] * 12})
    text = held.groupby("sex", dropna=False).size().rename("count").to_csv()
    assert checked(tmp_path, text, data=held, ledger=ledger, record=True).passed
    (known,) = _history.released(read_ledger(ledger))
    assert known.missing == ("sex",)  # type: ignore[attr-defined]
    later = held.iloc[:81].groupby("age").size().rename("count").to_csv()
    assert checked(tmp_path, later, ledger=ledger).verdict is Verdict.FAIL
