"""Labels of parts of a column that do not say which numbers they are of: the counts of the data do."""

import pandas as pd
import pytest

import auditor

AGES = pd.DataFrame({"age": [7 * i % 90 for i in range(270)], "sex": ["F", "M", "M"] * 90})
WAYS = {
    "cut, codes": lambda age: pd.cut(age, [-1, 18, 65, 90], labels=False),
    "cut, names": lambda age: pd.cut(age, [-1, 18, 65, 90], labels=["young", "grown", "old"]),
    "qcut, codes": lambda age: pd.qcut(age, 4, labels=False),
    "names in another order": lambda age: age.map(lambda years: "child" if years < 18 else "adult"),
    "decades": lambda age: age // 10,
    "decades by their first year": lambda age: age // 10 * 10,
    "rounded": lambda age: age.round(-1),
}


def audited(table, tmp_path, **rule):
    path = tmp_path / "table.csv"
    table.to_csv(path)
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"age": "quasi-identifier", "sex": "quasi-identifier"},
        "outputs": [{"type": "frequency-table", "min_cell": 3, **rule}],
    }
    return auditor.check_outputs([path], policy, AGES)


@pytest.mark.parametrize("margins", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_parts_of_the_datas_column_are_no_mismatch(way, margins, tmp_path):
    result = audited(pd.crosstab(WAYS[way](AGES.age), AGES.sex, margins=margins), tmp_path)
    assert result.passed
    assert any("read as parts of a column of numbers" in each for each in result.assumptions)


def test_a_count_that_is_of_no_part_is_a_mismatch(tmp_path):
    table = pd.crosstab(WAYS["cut, codes"](AGES.age), AGES.sex)
    table.iloc[0, 0] += 1
    result = audited(table, tmp_path)
    assert {each.reason for each in result.outputs[0].violations} >= {"mismatch"}


def test_a_small_part_is_a_small_cell_and_two_cuts_tell_who_lies_between_them(tmp_path):
    small = pd.crosstab(pd.cut(AGES.age, [-1, 1, 90], labels=False), AGES.sex)
    assert [each.reason for each in audited(small, tmp_path, min_cell=10).outputs[0].violations] == ["small-cell"] * 2
    tables = []
    for number, cut in enumerate([18, 19]):
        tables.append(tmp_path / f"{number}.csv")
        pd.crosstab(pd.cut(AGES.age, [-1, cut, 90], labels=False), AGES.sex).to_csv(tables[-1])
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"age": "quasi-identifier", "sex": "quasi-identifier"},
        "outputs": [{"type": "frequency-table", "min_cell": 10, "differencing": True}],
    }
    found = auditor.check_outputs(tables, policy, AGES).outputs
    assert {each.reason for output in found for each in output.violations} == {"differencing"}


def test_values_of_the_data_with_other_counts_are_no_parts(tmp_path):
    assert not audited(
        pd.DataFrame({"F": [30, 40], "M": [90, 90]}, index=pd.Index([10, 20], name="age")), tmp_path
    ).passed
