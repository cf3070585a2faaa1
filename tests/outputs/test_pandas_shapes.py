"""Tables of real people in the shapes of pandas: what is found in them, against what the records say one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from auditor.errors import UsageError
from auditor.outputs import check_outputs

sm = pytest.importorskip("statsmodels.api")
LEAST = 25
KINDS = ("frequency-table", "magnitude-table", "statistics")
POLICY: dict[str, Any] = {
    "version": 1,
    "name": "p",
    "attributes": {"religious": "quasi-identifier", "educ": "quasi-identifier", "affairs": "sensitive"},
    "undeclared": "insensitive",
    "outputs": [
        {"type": "frequency-table", "min_cell": LEAST},
        {"type": "magnitude-table", "min_cell": LEAST},
        {"type": "statistics", "min_n": LEAST, "extremes": "deny", "identical": "allow"},
    ],
}


@pytest.fixture(scope="module")
def fair() -> pd.DataFrame:
    """Women asked about affairs (Fair 1978), 6,366 of them."""
    return sm.datasets.fair.load_pandas().data.round(3)


def small(frame: pd.DataFrame, *by: str) -> int:
    """How many groups are too small."""
    sizes = Counter(tuple(record[name] for name in by) for record in frame.to_dict("records"))
    return sum(size < LEAST for size in sizes.values())


ROWS, TOP, OF = "educ", "religious", "affairs"
SHAPES: dict[str, tuple[Callable[[pd.DataFrame], Any], str, tuple[str, ...]]] = {
    "crosstab": (lambda f: pd.crosstab(f[ROWS], f[TOP]), "frequency-table", (ROWS, TOP)),
    "shares": (lambda f: pd.crosstab(f[ROWS], f[TOP], normalize="index"), "frequency-table", (ROWS, TOP)),
    "melted": (
        lambda f: f.groupby([ROWS, TOP]).size().reset_index(name="value"), "frequency-table", (ROWS, TOP),
    ),
    "count": (lambda f: f.groupby([ROWS, TOP])[OF].count(), "frequency-table", (ROWS, TOP)),
    "counts of columns": (lambda f: f.groupby(ROWS)[[OF, "age"]].count(), "frequency-table", (ROWS,)),
    "sums": (lambda f: f.groupby([ROWS, TOP])[OF].sum(), "magnitude-table", (ROWS, TOP)),
    "whole sums": (
        lambda f: f.pivot_table(index=ROWS, columns=TOP, values="children", aggfunc="sum").round().astype("Int64"),
        "magnitude-table", (ROWS, TOP),
    ),
    "sums of values": (
        lambda f: f.pivot_table(index=ROWS, columns=TOP, values=[OF], aggfunc="sum"), "magnitude-table", (ROWS, TOP),
    ),
    "means": (lambda f: f.pivot_table(index=ROWS, columns=TOP, values=OF), "statistics", (ROWS, TOP)),
    "means of columns": (lambda f: f.groupby(ROWS)[[OF, "age"]].mean(), "statistics", (ROWS,)),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("as_file", [False, True])
def test_numbers_without_a_heading_are_those_of_the_data(
    name: str, as_file: bool, fair: pd.DataFrame, tmp_path: Path
) -> None:
    make, kind, by = SHAPES[name]
    data = fair.assign(children=fair["children"].round()) if name == "whole sums" else fair
    shape = make(data)
    if as_file:
        shape.to_csv(tmp_path / "t.csv")
    outputs = check_outputs(tmp_path / "t.csv" if as_file else shape, POLICY, data).outputs
    assert {each.type for each in outputs} == {kind}
    reasons = Counter(violation.reason for each in outputs for violation in each.violations)
    assert reasons["mismatch"] == 0
    assert reasons["small-cell"] == small(data, *by) * len(outputs)
    assert not [reason for each in outputs for reason in each.not_evaluated]


def test_the_largest_value_of_each_group_is_a_persons(fair: pd.DataFrame) -> None:
    """Whether it stands under its name or not: one for each group and column."""
    groups = len({record[ROWS] for record in fair.to_dict("records")})
    for shape, columns in (
        (fair.groupby(ROWS)[OF].max(), 1),
        (fair.groupby(ROWS)[[OF, "age"]].agg(["mean", "max"]), 2),
        (fair.groupby(ROWS).agg({OF: "max", "rate_marriage": "mean"}), 1),
        (fair.groupby(ROWS)[OF].agg(["count", "max"]).T, 1),
    ):
        outputs = check_outputs(shape, POLICY, fair).outputs
        reasons = Counter(violation.reason for each in outputs for violation in each.violations)
        assert reasons["extreme"] == groups * columns
        assert reasons["mismatch"] == 0


def test_without_data_numbers_are_asked_for_and_what_is_said_is_taken(fair: pd.DataFrame) -> None:
    means = fair.pivot_table(index=ROWS, columns=TOP, values=OF)
    (asked,) = check_outputs(means, POLICY).outputs
    assert "--of count, --of 'sum of COLUMN', --of 'mean of COLUMN'" in asked.not_evaluated[0]
    (told,) = check_outputs(means, POLICY, by=[ROWS, TOP], of=f"mean of {OF}").outputs
    assert (told.type, told.items) == ("statistics", means.size)
    sums = fair.pivot_table(index=ROWS, columns=TOP, values=OF, aggfunc="count")
    assert check_outputs(sums, POLICY, of="sum of age").outputs[0].type == "magnitude-table"
    (assumed,) = check_outputs(sums, POLICY).outputs
    assert assumed.type == "frequency-table"
    assert any("were taken for counts" in note for note in assumed.notes)


@pytest.mark.parametrize(
    "said",
    [
        {"of": "mean"},
        {"of": "sum of age"},
        {"by": [ROWS]},
        {"by": [ROWS, TOP, "age"]},
        {"by": ["age", TOP, "children"]},
        {"by": ["age", TOP]},
    ],
)
def test_what_is_said_must_not_contradict_the_headings(said: dict[str, Any], fair: pd.DataFrame) -> None:
    counts = fair.groupby([ROWS, TOP])[OF].agg(["count"])
    result = check_outputs(counts, POLICY, **said)
    assert result.verdict.value == "not-evaluated"
    assert result.outputs[0].type == "unknown"


@pytest.mark.parametrize("by", [["educ", ""], ["educ", "educ"]])
def test_columns_are_named_once(by: list[str], fair: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="each once"):
        check_outputs(pd.crosstab(fair[ROWS], fair[TOP]), POLICY, by=by)


@pytest.mark.parametrize("said", [{"by": ["ward"]}, {"of": "mean"}])
def test_other_formats_say_it_themselves(said: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('{"type": "frequency-table", "by": ["educ"], "cells": [{"key": ["9"], "count": 3}]}')
    (found,) = check_outputs(path, POLICY, **said).outputs
    assert "leave --by and --of out" in found.not_evaluated[0]
    assert check_outputs(path, POLICY, by=["educ"], of="count").outputs[0].violations_count == 1


def test_what_a_function_without_a_name_gives_is_nobodys_count(fair: pd.DataFrame) -> None:
    shape = fair.groupby(ROWS)["age"].agg(["count", lambda ages: int(ages.iloc[0])])
    (found,) = check_outputs(shape, POLICY).outputs
    assert found.type == "statistics"
    assert any("a name that is not known" in reason for reason in found.not_evaluated)


def test_columns_by_columns_are_no_table_of_people(fair: pd.DataFrame) -> None:
    (found,) = check_outputs(fair[["educ", "affairs", "religious"]].corr(), POLICY).outputs
    assert "as of correlations" in found.not_evaluated[0]


def test_what_describe_says_of_texts_is_a_count_and_no_list_of_values(fair: pd.DataFrame) -> None:
    """How many have the most frequent one; that one is rare breaks the rule, that others are left out does not."""
    texts = pd.DataFrame({"educ": ["nine"] * 30 + ["ten"] * 28, "religious": [f"r{i}" for i in range(58)]})
    common, rare = (check_outputs(texts[[name]].describe(), POLICY, texts) for name in ("educ", "religious"))
    assert common.verdict.value == "pass"
    assert [violation.reason for each in rare.outputs for violation in each.violations] == ["small-cell"]
    by_groups = check_outputs(texts.assign(educ="nine").groupby("educ")[["religious"]].describe(), POLICY)
    assert by_groups.outputs[0].type == "unknown"
    for column in ("educ", "affairs"):  # first and last of the frame, with a field of nothing behind it or before
        with_text = fair.assign(**{column: "x"})[["educ", "age", "affairs"]].describe(include="all")
        kinds = [each.type for each in check_outputs(with_text, POLICY).outputs]
        assert sorted(kinds) == ["frequency-table"] * 2 + ["statistics"] * 2


# Counts of records, where the policy counts units

VISITS = pd.DataFrame(
    [(person, "ab"[person % 2], "xyz"[visit % 3]) for person in range(60) for visit in range(person % 4 + 1)],
    columns=["person", "ward", "ill"],
)
BY_PERSON = {
    "version": 1,
    "name": "p",
    "unit": "person",
    "attributes": {"person": "pseudonym", "ward": "quasi-identifier", "ill": "sensitive"},
    "undeclared": "insensitive",
    "outputs": [{"type": "frequency-table", "min_cell": 5}, {"type": "magnitude-table", "min_cell": 5}],
}


def mismatches(output: Any, policy: Any = BY_PERSON, data: pd.DataFrame = VISITS) -> list[str]:
    found = check_outputs(output, policy, data).outputs
    return [each.sentence for output in found for each in output.violations if each.reason == "mismatch"]


def test_counts_of_records_are_told_once_where_the_policy_counts_units() -> None:
    tables = [
        pd.crosstab(VISITS.ward, VISITS.ill, margins=True),
        VISITS.groupby(["ward", "ill"]).size(),
        VISITS.assign(day=1).groupby("ward").day.agg(["count", "sum"]),
    ]
    for table in tables:
        (told,) = mismatches(table, data=VISITS.assign(day=1))
        assert told.startswith("The counts are of records, while the policy counts units")
        assert not mismatches(table, BY_PERSON | {"unit": None}, VISITS.assign(day=1))


def test_counts_of_units_and_other_counts_are_told_as_before() -> None:
    persons = VISITS.groupby(["ward", "ill"]).person.nunique()
    assert not mismatches(persons)
    assert len(mismatches(persons.to_frame("count") + 1)) == len(persons)


def test_without_data_the_counts_are_taken_for_those_of_units() -> None:
    table = pd.crosstab(VISITS.ward, VISITS.ill)
    assert any("are of units, as the policy counts" in each for each in check_outputs(table, BY_PERSON).assumptions)
    by_record = check_outputs(table, BY_PERSON | {"unit": None})
    assert not any("are of units" in each for each in by_record.assumptions)


# Columns that are called like statistics, or like what pandas makes up

PARTIES = pd.DataFrame({"day": ["thu", "fri", "sun"] * 20, "size": [2, 3, 4, 5, 7] * 12, 0: list("xyyx") * 15})


def test_a_column_called_size_is_told_from_counts_by_the_data() -> None:
    data = PARTIES.rename(columns=str)
    sizes, sums = PARTIES.groupby("day").size(), PARTIES.groupby("day")["size"].sum()
    largest, means = PARTIES.groupby("day")["size"].max(), PARTIES.groupby("day")["size"].mean()
    policy = POLICY | {"attributes": {"day": "quasi-identifier", "size": "sensitive"}}
    kinds = {
        "frequency-table": [sizes, sizes.to_frame("size")],
        "magnitude-table": [sums],
        "statistics": [largest, means],
    }
    for kind, shapes in kinds.items():
        for shape in shapes:
            (found,) = check_outputs(shape, policy, data).outputs
            assert found.type == kind
            assert "mismatch" not in {violation.reason for violation in found.violations}


def test_a_frame_says_itself_how_many_of_its_columns_are_keys() -> None:
    """Without it, the label 1 of the column ``1`` is taken for the name of a key."""
    numbered = pd.DataFrame({0: list("aabb") * 15, 1: ["0", "1"] * 30})
    expected = Counter((record[0], record[1]) for record in numbered.to_dict("records"))
    policy = POLICY | {"attributes": {"0": "quasi-identifier", "1": "quasi-identifier"}}
    (found,) = check_outputs(pd.crosstab(numbered[0], numbered[1]), policy, numbered.rename(columns=str)).outputs
    assert (found.type, found.items) == ("frequency-table", 4)
    assert Counter(violation.reason for violation in found.violations) == Counter(
        "small-cell" for size in expected.values() if 0 < size < LEAST
    )


@pytest.mark.parametrize("names", [["total"], ["total", "size"], ["range"]])
def test_what_describe_says_of_columns_called_like_statistics(names: list[str]) -> None:
    data = pd.DataFrame({name: range(60) for name in names})
    for shape in (data.describe(), data.describe().T, data[names[0]].describe()):
        outputs = check_outputs(shape, POLICY | {"attributes": dict.fromkeys(names, "sensitive")}, data).outputs
        assert {each.type for each in outputs} == {"statistics"}
        assert len(outputs) == (len(names) if hasattr(shape, "columns") else 1)
        reasons = {violation.reason for each in outputs for violation in each.violations}
        assert reasons == {"extreme"}
