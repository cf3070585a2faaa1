"""Margins are found whatever a table calls them and wherever they stand: the verdict is that of plain margins."""

from __future__ import annotations

import csv
import io
import json
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.outputs._margins import BY_NUMBERS, DOUBTFUL_TOTAL, NOT_A_TOTAL, TAKEN_FOR_TOTAL
from auditor.result import Verdict
from auditor.result.outputs import OutputsResult

LABELS = {"age": ("20", "30", "40"), "sex": ("F", "M"), "ward": ("a", "b")}
POLICY = {
    "version": 1,
    "name": "p",
    "attributes": dict.fromkeys(LABELS, "quasi-identifier"),
    "outputs": [{"type": "frequency-table", "min_cell": 3}],
}
WORDS = [
    "All",
    "Total",
    "Sum",
    "(all)",
    "Grand Total",
    "Overall",
    "Both",
    "Insgesamt",
    "TOTAL:",
    "All persons",
    "_total_",
]
Key = tuple[str | None, ...]
Table = dict[Key, int | None]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], Table]:
    """A table by one to three columns with some of its margins, and some of its inner cells suppressed."""
    by = draw(st.permutations(list(LABELS)))[: draw(st.integers(1, 3))]
    keys = list(product(*(LABELS[column] for column in by)))
    inner = {key: draw(st.integers(1, 30)) for key in keys}
    found: Table = {key: None if draw(st.integers(0, 3)) == 0 else n for key, n in inner.items()}
    places = [places for size in range(len(by)) for places in combinations(range(len(by)), size)]
    for kept in draw(st.lists(st.sampled_from(places), min_size=1, unique=True)):
        for key, n in inner.items():
            margin = tuple(part if at in kept else None for at, part in enumerate(key))
            found[margin] = (found.get(margin) or 0) + n
    return by, dict(draw(st.permutations(list(found.items()))))


def neutral(by: list[str], table: Table) -> dict[str, Any]:
    return {"type": "frequency-table", "by": by, "cells": [{"key": list(k), "count": n} for k, n in table.items()]}


def long(by: list[str], table: Table) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([[*by, "count"], *([*key, "*" if n is None else n] for key, n in table.items())])
    return text.getvalue()


def wide(by: list[str], table: Table) -> str:
    text = io.StringIO()
    rows, columns = dict.fromkeys(key[:-1] for key in table), dict.fromkeys(key[-1] for key in table)
    fields = [[*row, *("*" if (n := table.get((*row, at))) is None else n for at in columns)] for row in rows]
    csv.writer(text).writerows([[*by[:-1], *columns], *fields])
    return text.getvalue()


def checked(folder: Path, text: str, **more: Any) -> OutputsResult:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return check_outputs(folder / "t.csv", POLICY, **more)


def found_in(result: OutputsResult) -> tuple[Verdict, list[str]]:
    return result.verdict, sorted(v.reason for output in result.outputs for v in output.violations)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tables(), st.lists(st.sampled_from(WORDS), min_size=3, max_size=3))
def test_margins_under_any_word_and_in_any_place_are_margins(tmp_path_factory, drawn, words) -> None:
    by, table = drawn
    plain = found_in(check_outputs(neutral(by, table), POLICY))
    named = {tuple(words[at] if part is None else part for at, part in enumerate(key)): n for key, n in table.items()}
    folder = tmp_path_factory.mktemp("margins")
    assert found_in(check_outputs(neutral(by, named), POLICY)) == plain
    assert found_in(checked(folder, long(by, named))) == plain


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(tables(), st.lists(st.sampled_from(WORDS), min_size=3, max_size=3))
def test_margins_of_a_wide_table_are_margins(tmp_path_factory, drawn, words) -> None:
    """Cells that a table leaves out stand in a wide one as suppressed: the plain table has them, too."""
    by, table = drawn
    if len(by) < 2 or len({key[-1] for key in table}) < 2:
        return
    table = {
        (*row, column): table.get((*row, column))
        for row in dict.fromkeys(key[:-1] for key in table)
        for column in dict.fromkeys(key[-1] for key in table)
    }
    named = {tuple(words[at] if part is None else part for at, part in enumerate(key)): n for key, n in table.items()}
    plain = found_in(check_outputs(neutral(by, table), POLICY))
    text = wide(by, named)
    assert found_in(checked(tmp_path_factory.mktemp("margins"), text, output_type="frequency-table")) == plain


def test_a_total_that_stands_first_and_one_of_a_pivot_table(tmp_path: Path) -> None:
    assert found_in(checked(tmp_path, "age,count\nAll,57\n20,40\n30,12\n40,\n"))[1] == ["suppressed-cell-recoverable"]
    north = "age,sex,count\n20,F,40\n20,M,*\n20 Total,,45\n30,F,30\n30,M,20\n30 Total,,50\nGrand Total,,95\n"
    assert found_in(checked(tmp_path, north))[1] == ["suppressed-cell-recoverable"]


def test_an_empty_key_of_sql_is_a_margin_where_its_numbers_are_sums(tmp_path: Path) -> None:
    rollup = "age,sex,count\n20,F,40\n20,M,*\n20,,45\n30,F,30\n30,M,20\n30,,50\n,F,70\n,M,25\n,,95\n"
    assert found_in(checked(tmp_path, rollup))[1] == ["suppressed-cell-recoverable"]
    assert found_in(checked(tmp_path, rollup.replace("*", "5")))[0] is Verdict.PASS


def test_a_group_of_missing_values_is_none(tmp_path: Path) -> None:
    table = "age,sex,count\n20,F,40\n20,M,5\n20,,4\n30,F,30\n30,M,20\n30,,5\n"
    assert found_in(checked(tmp_path, table)) == (Verdict.PASS, [])
    assert found_in(checked(tmp_path, table.replace(",,4", ",,2"))) == (Verdict.FAIL, ["small-cell"])


@pytest.mark.parametrize("data", [True, False])
@pytest.mark.parametrize("by", [["sex"], ["age", "sex"]])
def test_a_group_of_missing_values_that_pandas_writes_is_no_mismatch(tmp_path: Path, by: list[str], data: bool) -> None:
    """A total without a name looks the same, and would be 25."""
    many = {"F": 12, "M": 13, None: 17}
    rows = [(age, sex) for age in ("20", "30") for sex, count in many.items() for _ in range(count)]
    held = pd.DataFrame(rows, columns=["age", "sex"])
    text = held.groupby(by, dropna=False).size().rename("count").to_csv()
    assert found_in(checked(tmp_path, text, data=held if data else None)) == (Verdict.PASS, [])


@pytest.mark.parametrize("data", [True, False])
def test_a_name_of_margins_that_nobody_knows_is_known_by_its_numbers(tmp_path: Path, *, data: bool) -> None:
    rows = [("20", "F")] * 40 + [("20", "M")] * 2 + [("30", "F")] * 30 + [("30", "M")] * 20
    rows += [("40", "F")] * 31 + [("40", "M")] * 22
    held = pd.DataFrame(rows, columns=["age", "sex"])
    text = pd.crosstab(held["age"], held["sex"], margins=True, margins_name="Zsfg").to_csv()
    result = checked(tmp_path, text.replace(",2,", ",*,"), data=held if data else None)
    assert found_in(result)[1] == ["suppressed-cell-recoverable"]
    assert any(BY_NUMBERS in said for said in result.assumptions)


def test_a_value_that_is_called_like_a_total_is_none_where_its_numbers_are_too_small(tmp_path: Path) -> None:
    ears = "age,ear,count\n20,left,40\n20,right,*\n20,both,12\n30,left,50\n30,right,30\n30,both,9\n"
    result = checked(tmp_path, ears)
    assert found_in(result) == (Verdict.PASS, [])
    assert any(NOT_A_TOTAL in said for said in result.assumptions)


def test_totals_that_are_none_in_some_lines_are_told(tmp_path: Path) -> None:
    result = checked(tmp_path, "age,sex,count\n20,F,40\n20,M,10\n20,All,49\n30,F,50\n30,M,30\n30,All,80\n")
    assert result.verdict is Verdict.FAIL
    assert any(DOUBTFUL_TOTAL in said for said in result.assumptions)


def test_with_data_a_value_of_it_is_a_value(tmp_path: Path) -> None:
    """Leukaemias ALL and AML: nobody's total."""
    held = pd.DataFrame({"age": ["20"] * 60, "sex": ["AML"] * 10 + ["CLL"] * 15 + ["ALL"] * 35})
    text = "age,sex,count\n20,AML,10\n20,CLL,15\n20,ALL,35\n20,All,60\n"
    assert found_in(checked(tmp_path, text, data=held)) == (Verdict.PASS, [])
    alone = "age,sex,count\n20,AML,10\n20,CLL,\n20,ALL,35\n"
    assert found_in(checked(tmp_path, alone, data=held)) == (Verdict.PASS, [])


def test_margins_of_sums_and_statistics(tmp_path: Path) -> None:
    policy = {
        **POLICY,
        "outputs": [{"type": "magnitude-table", "min_cell": 3}, {"type": "statistics", "min_n": 3}],
    }
    cells = [("F", 40, "400"), ("M", None, None), ("All", 42, "500")]
    sums = {
        "type": "magnitude-table",
        "of": "cost",
        "by": ["sex"],
        "cells": [{"key": [key], "count": n, "sum": total} for key, n, total in cells],
    }
    reasons = {v.reason for v in check_outputs(json.loads(json.dumps(sums)), policy).outputs[0].violations}
    assert "suppressed-cell-recoverable" in reasons
    means = {"type": "statistics", "of": "cost", "by": ["sex"]}
    means["cells"] = [{"key": ["F"], "n": 40, "mean": "10.5"}, {"key": ["All"], "n": 42, "mean": "11.5"}]
    plain = {**means, "cells": [means["cells"][0], {**means["cells"][1], "key": [None]}]}
    assert found_in(check_outputs(means, policy)) == found_in(check_outputs(plain, policy))


SHAPES = {
    "pandas, names of totals beside": "age,F,M,n\n20,40,*,45\n30,30,20,50\n",
    "R, as.data.frame(addmargins(t))": '"","age","sex","Freq"\n"1","20","F",40\n"2","30","F",30\n"3","20","M",NA\n'
    '"4","30","M",20\n"5","20","Sum",45\n"6","30","Sum",50\n',
    "R, write.csv(addmargins(t))": '"","F","M","Sum"\n"20",40,NA,45\n"30",30,20,50\n"Sum",70,25,95\n',
    "Stata": "age,F,M,Total\n20,40,.,45\n30,30,20,50\nTotal,70,25,95\n",
    "SQL": "age,sex,n\n20,F,40\n20,M,\n20,NULL,45\n30,F,30\n30,M,20\n30,NULL,50\nNULL,NULL,95\n",
    "pivot, compact": "Count of id,Column Labels,,\nRow Labels,F,M,Grand Total\n"
    "20,40,*,45\n30,30,20,50\nGrand Total,70,25,95\n",
    "pivot, tabular": "age,sex,Count of id\n20,F,40\n,M,*\n20 Total,,45\n"
    "30,F,30\n,M,20\n30 Total,,50\nGrand Total,,95\n",
    "pivot, as above": "age,sex,count\n20,F,40\n,M,*\n,Total,45\n30,F,30\n,M,20\n,Total,50\n",
    "pandas, levels": "sex,F,F,M,M,All\ndx,a,b,a,b,\nage,,,,,\n20,40,*,20,10,75\n"
    "30,20,10,13,14,57\nAll,60,15,33,24,132\n",
    "names of nobody": ",F,M,\n20,40,*,45\n30,30,20,50\n,70,25,95\n",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_tables_of_other_programs_have_margins(tmp_path: Path, shape: str) -> None:
    """In each of them 5 of 45, or of 75, follow."""
    assert found_in(checked(tmp_path, SHAPES[shape]))[1] == ["suppressed-cell-recoverable"]


def test_a_column_of_no_is_no_total(tmp_path: Path) -> None:
    assert found_in(checked(tmp_path, "age,n,y\n20,40,*\n30,30,20\n")) == (Verdict.PASS, [])


def test_statistics_of_which_some_have_no_sum(tmp_path: Path) -> None:
    policy = {**POLICY, "outputs": [{"type": "statistics", "min_n": 3}]}
    cells = [{"key": ["F"], "n": 40, "sum": 400}, {"key": ["M"], "n": 5}, {"key": ["All"], "n": 45, "sum": 500}]
    found = check_outputs({"type": "statistics", "of": "cost", "by": ["sex"], "cells": cells}, policy)
    assert found.outputs[0].items == 3


@pytest.mark.parametrize(
    "word",
    [
        *("All age groups", "All usual residents", "Both sexes combined", "Persons", "_T", "T", "Total - Sex group"),
        *("All categories: Sex", "Total (N=45)", "Row sum", "TOT", "Whole sample", "Overall population", "Σ", "<All>"),
        *("Any sex", "n=", "-", "*", "Cohort total", "T\u200botal", "Ｔｏｔａｌ", "Subtotal F/M", "All (n)"),
    ],
)
def test_what_statistical_offices_call_a_margin_is_one(tmp_path: Path, word: str) -> None:
    """Of 45, 40 are F: 5 are M, which was suppressed."""
    long = f"age,sex,count\n20,F,40\n20,M,x\n20,{word},45\n"
    assert found_in(checked(tmp_path, long))[1] == ["suppressed-cell-recoverable"]
    cells = [{"key": [key], "count": n} for key, n in (("F", 40), ("M", None), (word, 45))]
    table = {"type": "frequency-table", "by": ["sex"], "cells": cells}
    assert found_in(check_outputs(table, POLICY))[1] == ["suppressed-cell-recoverable"]


@pytest.mark.parametrize(
    "table",
    [
        "ward,count\nTotal hip,40\nTotal knee,52\nPartial knee,12\n",
        "ward,count\nBoth parents,120\nOne parent,40\nNo parent,15\n",
        "ward,count\nAny,60\nNone,57\n",
        "ward,count\nAll other causes,40\nCancer,20\nInjury,*\n",
        "ward,count\n+,40\n-,*\n",
        "ward,count\nN,*\nS,*\nE,30\nAll,90\n",
        "ward,count\nT,20\nM,*\nN,9\n",
        "ward,count\nFull time,120\nPart time,*\n",
        "ward,count\nAll asthma,40\nCOPD,30\nOther,20\n",
        "ward,count\nAll asthma,90\nCOPD,30\nOther,20\n",
        "ward,count\nGrand Rapids,120\nLansing,40\nFlint,*\n",
    ],
)
def test_values_that_speak_of_all_of_something_are_values(tmp_path: Path, table: str) -> None:
    assert found_in(checked(tmp_path, table)) == (Verdict.PASS, [])


@pytest.mark.parametrize("word", ["All", "All wards", "Both sexes", "All age groups"])
def test_a_total_of_everybody_is_one_beside_a_row_that_was_left_out(tmp_path: Path, word: str) -> None:
    """45 are more than the 40 who are listed: the other 5 follow."""
    assert found_in(checked(tmp_path, f"ward,count\na,40\n{word},45\n"))[1] == ["suppressed-cell-recoverable"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ward,count\nAll Saints,40\nNorth,*\nSouth,20\n", True),
        ("ward,count\nAll,60\nSome,*\nNone,30\n", True),
        ("ward,count\nAll,60\nNorth,*\nSouth,30\n", False),
        ("ward,count\nAll Saints,60\nNorth,30\nSouth,30\n", False),
    ],
)
def test_a_value_that_may_be_taken_for_a_total_is_told_as_that(tmp_path: Path, text: str, told: bool) -> None:
    assert any(TAKEN_FOR_TOTAL in said for said in checked(tmp_path, text).assumptions) is told


def test_totals_of_parts_hide_no_total(tmp_path: Path) -> None:
    """The total is less than it and those of a and b together: they are no values beside it."""
    parts = "ward,count\na1,40\na2,*\nSubtotal a,46\nb1,30\nb2,20\nSubtotal b,50\nTotal,96\n"
    assert found_in(checked(tmp_path, parts))[0] is not Verdict.PASS


def test_totals_that_are_rounded_to_either_neighbour_are_totals(tmp_path: Path) -> None:
    """12 + 15 may be 10 + 13, and 23 be written as 21: then nobody is left for X."""
    policy = {**POLICY, "outputs": [{"type": "frequency-table", "min_cell": 3, "rounded_to": 3}]}
    (tmp_path / "t.csv").write_text("sex,count\nF,12\nM,15\nX,*\nTotal,21\n", encoding="utf-8")
    assert found_in(check_outputs(tmp_path / "t.csv", policy))[1] == ["suppressed-cell-recoverable"]


def test_a_ledger_of_before_margins_were_looked_for_has_them(tmp_path: Path) -> None:
    from tests.ledgers import append

    ledger = tmp_path / "released.jsonl"
    cells = [{"key": ["20", "All"], "count": 45}, {"key": ["30", "All"], "count": 50}]
    published = {"type": "frequency-table", "by": ["age", "sex"], "cells": cells}
    append(ledger, "output", {"file": "x.csv", "policy": "0" * 64, "published": published}, "2026-01-01")
    inner = {("20", "F"): 40, ("20", "M"): None, ("30", "F"): 30, ("30", "M"): 20}
    assert found_in(check_outputs(neutral(["age", "sex"], inner), POLICY, ledger=ledger))[0] is Verdict.FAIL


def test_sums_of_records_that_lack_a_value_find_their_column(tmp_path: Path) -> None:
    """pandas leaves records without a value out of its margins."""
    held = pd.DataFrame(
        {"age": ["20", "30"] * 30, "sex": ["F", "F", "M", "M", None, None] * 10, "cost": [float(i) for i in range(60)]}
    )
    table = held.pivot_table(index="age", columns="sex", values="cost", aggfunc="sum", margins=True)
    policy = {**POLICY, "outputs": [{"type": "magnitude-table", "min_cell": 3}]}
    (tmp_path / "t.csv").write_text(table.to_csv(), encoding="utf-8")
    assert check_outputs(tmp_path / "t.csv", policy, held, output_type="magnitude-table").passed


def counts_of(column: str, **counts: int | None) -> dict[str, Any]:
    cells = [{"key": [label], "count": count} for label, count in counts.items()]
    return {"type": "frequency-table", "by": [column], "cells": cells}


def reasons_of(*tables: dict[str, Any], data: Any = None) -> set[tuple[str, str]]:
    spec = POLICY | {"outputs": [{"type": "frequency-table", "min_cell": 3, "differencing": True}]}
    result = check_outputs(list(tables), spec, data)
    return {(v.item, v.reason) for output in result.outputs for v in output.violations}


@pytest.mark.parametrize(
    "label", ["F+M", "F or M", "F/M", "M & F", "\u0410ll", "\u0422\u043et\u0430l", "\u0412\u0441\u0435\u0433\u043e"]
)
def test_a_total_in_letters_of_another_script_and_a_union_of_all(label: str) -> None:
    assert reasons_of(counts_of("sex", **{"F": None, "M": 30, label: 35})) == {("sex=F", "suppressed-cell-recoverable")}


def test_a_union_of_some_labels_counts_those() -> None:
    """35 of F or M are 30 and five; of two wards that count 70 together, 68 cannot be."""
    with_total = counts_of("sex", **{"F": None, "M": 30, "X": 20, "F or M": 35, "All": 55})
    assert reasons_of(with_total) == {("sex=F", "suppressed-cell-recoverable")}
    wards = counts_of("ward", a=40, b=30, c=8)
    told = {("ward=a/b", "differencing"), ("ward=c", "differencing")}
    assert reasons_of(wards, counts_of("ward", **{"a/b": 68, "c": 10})) == told
    assert not reasons_of(wards, counts_of("ward", **{"a/b": 70, "c": 8}))


def test_a_union_that_another_output_counts_otherwise() -> None:
    """40 and 60, and 98 of both together: the records of the two differ by two, of which each table tells."""
    told = reasons_of(counts_of("ward", a=40, b=60, c=20), counts_of("ward", **{"a+b": 98, "c": 20}))
    assert told == {("ward=a+b", "differencing")}
    assert not reasons_of(counts_of("ward", a=40, b=60, c=20), counts_of("ward", **{"a+b": 5, "c": 20}))


def test_a_label_of_two_that_is_no_union_is_a_value() -> None:
    """Five have both; what was suppressed beside the numbers of its parts is none of these; the data has the value."""
    assert not reasons_of(counts_of("sex", **{"F": 40, "M": 30, "F+M": 5}))
    assert not reasons_of(counts_of("sex", **{"F": 40, "M": 30, "F+M": None}))
    data = pd.DataFrame({"sex": ["F"] * 5 + ["M"] * 30 + ["F+M"] * 9})
    assert not reasons_of(counts_of("sex", **{"F": 5, "M": 30, "F+M": 9}), data=data)
    of_two = pd.DataFrame({"sex": ["F"] * 5 + ["M"] * 30 + ["X"] * 9})
    assert reasons_of(counts_of("sex", **{"F": 5, "M": 30, "X": 9, "F+M": 36}), data=of_two) == {
        ("sex=F+M", "mismatch")
    }


def test_labels_that_speak_of_all_of_different_things_are_values() -> None:
    assert not reasons_of(counts_of("ward", **{"Total hip": 120, "Total knee": None, "Other": 50}))
    assert not reasons_of(counts_of("ward", **{"All Saints": 120, "All Souls": 40, "St Paul": None}))
    assert reasons_of(counts_of("ward", **{"Total hip": None, "Knee": 50, "Total sample": 70}))


@pytest.mark.parametrize("value", ["All", "Total", "n", "Both", "-", "All Saints"])
def test_the_data_says_what_is_a_value(value: str, tmp_path: Path) -> None:
    data = pd.DataFrame({"ward": [value] * 40 + ["b"] * 30 + ["c"] * 8, "sex": ["F", "M"] * 39})
    assert not reasons_of(counts_of("ward", **{value: 40, "b": None, "c": 8}), data=data)
    for table in (pd.crosstab(data.ward, data.sex), data.groupby("ward").size(), pd.crosstab(data.sex, data.ward)):
        table.to_csv(tmp_path / "t.csv")
        assert check_outputs(tmp_path / "t.csv", POLICY, data).verdict is Verdict.PASS


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=4).filter(
        lambda w: sum(map(sum, w))
    ),
    st.sampled_from(["n", "N", "count", "size", "patients", "total_n", "Denominator", "cases total"]),
    st.booleans(),
)
def test_numbers_beside_those_of_all_leave_the_others(tmp_path_factory, wards, name, first) -> None:
    """In a ward of n where so many died, n less these did not: a small number of either is one."""
    table = pd.DataFrame([{"ward": f"w{i}", "died": a, name: a + b} for i, (a, b) in enumerate(wards)])
    path = tmp_path_factory.mktemp("sizes") / "t.csv"
    table[["ward", *([name, "died"] if first else ["died", name])]].to_csv(path, index=False)
    small = any(0 < part < 3 for a, b in wards for part in (a, b, a + b))
    assert (check_outputs(path, POLICY).verdict is Verdict.FAIL) == small


def test_a_suppressed_number_beside_that_of_all_does_not_follow(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ward,died,n\na,*,50\nb,30,70\n", encoding="utf-8")
    assert found_in(check_outputs(tmp_path / "t.csv", POLICY)) == (Verdict.PASS, [])


def test_numbers_that_come_to_more_than_those_of_all_overlap(tmp_path: Path) -> None:
    """48 of 50 died and 30 smoked: of the others are two, which no table of disjoint values says."""
    (tmp_path / "t.csv").write_text("ward,died,smoker,n\na,48,30,50\nb,30,40,60\n", encoding="utf-8")
    assert check_outputs(tmp_path / "t.csv", POLICY).verdict is Verdict.NOT_EVALUATED


@pytest.mark.parametrize("other", ["s", "east", "y"])
def test_a_label_n_that_may_be_north_or_no_is_a_value(other: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"age,n,{other}\n20,50,49\n30,40,60\n", encoding="utf-8")
    assert check_outputs(tmp_path / "t.csv", POLICY).passed
