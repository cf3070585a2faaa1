"""`auditor hierarchy`: group sizes that are counted by hand, and files that load again as the same ladder."""

import json
from pathlib import Path

import pytest

from auditor.cli import invoke
from auditor.hierarchies import build
from auditor.ladders import column_ladders

TABLE = "age,zip,job\n" + "".join(
    f"{age},{code},x\n" for age, code in [(21, "1234"), (24, "1299"), (37, "1234"), (38, "")]
)
POLICY = """
name: ladders
attributes:
  age: {role: quasi-identifier, hierarchy: {intervals: {widths: [10, 20], start: 20}}}
  zip: {role: quasi-identifier, hierarchy: {mask: {side: right}}}
  job: insensitive
requirements: [{model: k-anonymity, k: 2}]
"""


@pytest.fixture
def table(tmp_path: Path) -> tuple[str, str]:
    data, policy = tmp_path / "data.csv", tmp_path / "policy.yaml"
    data.write_text(TABLE)
    policy.write_text(POLICY)
    return str(data), str(policy)


def test_group_sizes_are_those_counted_by_hand(table, capsys):
    data, policy = table
    assert invoke(["hierarchy", data, "-p", policy, "--format", "json"]) == 0
    age, code = json.loads(capsys.readouterr().out)
    assert age == {
        "column": "age",
        "role": "quasi-identifier",
        "levels": [
            {"groups": 4, "smallest": 1, "largest": 1},
            {"groups": 2, "smallest": 2, "largest": 2},  # [20, 30) and [30, 40)
            {"groups": 1, "smallest": 4, "largest": 4},  # [20, 40)
        ],
    }
    # 1234 twice, 1299 once, one missing: a branch of its own until everything is masked
    assert [level["groups"] for level in code["levels"]] == [3, 3, 2, 2, 1]
    assert code["levels"][2] == {"groups": 2, "smallest": 1, "largest": 3}


def test_text_names_columns_and_no_value(table, capsys):
    data, policy = table
    assert invoke(["hierarchy", data, "-p", policy]) == 0
    out = capsys.readouterr().out
    assert "age (quasi-identifier)" in out
    assert "1299" not in out


def test_an_exported_ladder_loads_again_as_the_same(table, tmp_path):
    data, policy = table
    assert invoke(["hierarchy", data, "-p", policy, "--export", str(tmp_path)]) == 0
    for ladder in column_ladders(data, policy):
        present = [value for value in ladder.ladder.values if value is not None]
        again = build({"file": str(tmp_path / f"{ladder.column}.csv"), "separator": ";"}, present)
        here = [i for i, value in enumerate(ladder.ladder.values) if value is not None]
        assert again.levels == tuple(tuple(level[i] for i in here) for level in ladder.ladder.levels)


def test_an_export_overwrites_nothing(table, tmp_path, capsys):
    data, policy = table
    (tmp_path / "age.csv").write_text("mine")
    assert invoke(["hierarchy", data, "-p", policy, "--export", str(tmp_path)]) == 2
    assert (tmp_path / "age.csv").read_text() == "mine"
    assert "age.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ladder", "code", "said"),
    [
        ("{tree: {Any: ['21', '24']}}", 3, "holds values that are not in the tree"),
        ("{intervals: {widths: [10, 15]}}", 2, "multiple"),
    ],
)
def test_a_wrong_ladder_is_told(table, ladder, code, said, tmp_path, capsys):
    data, _ = table
    policy = tmp_path / "wrong.yaml"
    policy.write_text(POLICY.replace("{intervals: {widths: [10, 20], start: 20}}", ladder))
    assert invoke(["hierarchy", data, "-p", str(policy)]) == code
    err = capsys.readouterr().err
    assert said in err
    assert "38" not in err


def test_a_policy_without_hierarchies_is_a_usage_error(table, tmp_path, capsys):
    data, _ = table
    policy = tmp_path / "none.yaml"
    policy.write_text("name: none\nattributes: {age: quasi-identifier}\nrequirements: [{model: k-anonymity, k: 2}]\n")
    assert invoke(["hierarchy", data, "-p", str(policy)]) == 2
    assert "hierarchy" in capsys.readouterr().err


def test_how_csv_is_written_and_what_may_be_used_can_be_said(table, tmp_path, capsys):
    data, policy = table
    assert invoke(["hierarchy", data, "-p", policy]) == 0
    shown = capsys.readouterr().out
    odd = tmp_path / "odd.csv"
    odd.write_bytes(TABLE.replace(",", "#").encode("utf-16-le"))
    options = ["--delimiter", "#", "--encoding", "utf-16-le", "--memory", "1GB", "--time-limit", "5m"]
    assert invoke(["hierarchy", str(odd), "-p", policy, *options]) == 0
    assert capsys.readouterr().out == shown
    assert invoke(["hierarchy", data, "-p", policy, "--time-limit", "0.0001s"]) == 3
    assert "the time limit of 0.0001 s was reached" in capsys.readouterr().err
