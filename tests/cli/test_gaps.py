"""Values that a hierarchy does not cover: named for the internal audience, and for nobody else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import auditor
from auditor.cli import invoke
from auditor.errors import UncoveredValues
from auditor.ladders import column_ladders

POLICY = """\
version: 1
name: regions
attributes:
  region:
    role: quasi-identifier
    hierarchy: {tree: {Any: [north, east]}}
requirements:
  - {model: k-anonymity, k: 1}
"""
HELD = ["north", "north", "south", "west", "south", "east", "north"]
"""south stands in two records and west in one, and neither in the tree."""
COMMANDS = [["hierarchy"], ["remediate", "--plan", "--quiet"]]


def written(folder: Path, values: list[str], policy: str = POLICY) -> list[str]:
    (folder / "data.csv").write_text("region\n" + "".join(f'"{value}"\n' for value in values), "utf-8")
    (folder / "policy.yaml").write_text(policy, "utf-8")
    return [str(folder / "data.csv"), "-p", str(folder / "policy.yaml")]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("audience", [[], ["--audience", "reviewer"], ["--audience", "public"]])
def test_below_the_internal_audience_no_value_shows(command, audience, tmp_path, capsys):
    assert invoke([*command, *written(tmp_path, HELD), *audience]) == 3
    shown = "".join(capsys.readouterr())
    assert "south" not in shown
    assert "west" not in shown
    assert "policy.yaml:6:16: column 'region': holds values that are not in the tree" in shown
    assert "2 of" not in shown
    assert "3 of" not in shown
    assert "[uncovered]\nauditor: --audience internal names them\n" in shown


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_the_internal_audience_sees_values_and_counts_on_standard_error(command, tmp_path, capsys):
    assert invoke([*command, *written(tmp_path, HELD), "--audience", "internal"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    counted = "auditor: 2 of its 4 distinct values, in 3 of 7 records:\n"
    assert err.endswith(f"[uncovered]\n{counted}auditor:   'south': 2 records\nauditor:   'west': 1 record\n")
    assert "names them" not in err


def test_ten_values_are_named_and_the_others_counted(tmp_path, capsys):
    values = [f"v{n:02}" for n in range(13) for _ in range(20 - n)]
    assert invoke(["hierarchy", *written(tmp_path, values), "--audience", "internal"]) == 3
    named = capsys.readouterr().err.splitlines()[2:]
    assert named == [f"auditor:   'v{n:02}': {20 - n} records" for n in range(10)] + ["auditor:   and 3 more"]


def test_control_characters_are_shown_and_not_obeyed(tmp_path, capsys):
    assert invoke(["hierarchy", *written(tmp_path, ["a\x1b[2J\nb\u202e\u2028"]), "--audience", "internal"]) == 3
    assert "'a\\u001b[2J\\u000ab\\u202e\\u2028': 1 record\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("hierarchy", "values", "wrong"),
    [
        ("{tree: {Any: ['1']}}", ["1", "2", "2", ""], {"2": 2}),
        ("{intervals: {widths: [5]}}", ["1", "ten", "ten", "x", ""], {"ten": 2, "x": 1}),
        ("{date: [year]}", ["2026-01-01", "soon", "2026-02-30", "soon"], {"soon": 2, "2026-02-30": 1}),
        ("{groups: [[a, b]]}", ["a", "c", "b", "c", "c"], {"c": 3}),
    ],
)
def test_every_hierarchy_says_which_values_and_how_often(hierarchy, values, wrong, tmp_path):
    policy = POLICY.replace("{tree: {Any: [north, east]}}", hierarchy)
    data, _, path = written(tmp_path, values, policy)
    for run in (lambda: column_ladders(data, path), lambda: auditor.remediate(data, path)):
        with pytest.raises(UncoveredValues) as error:
            run()
        assert dict(error.value.details) == wrong
        assert list(error.value.details) == Counter(wrong).most_common()
        distinct = len(set(values) - {""})
        assert f"{len(wrong)} of its {distinct} distinct values, in {sum(wrong.values())} of" in error.value.extent
        assert "distinct" not in str(error.value)
        assert not any(repr(value) in repr(error.value) for value in wrong)


def test_a_policy_without_lines_is_named_with_the_keys():
    policy = {
        "version": 1,
        "name": "regions",
        "attributes": {"reg*": {"role": "quasi-identifier", "hierarchy": {"groups": [["north"]]}}},
        "requirements": [{"model": "k-anonymity", "k": 1}],
    }
    pandas = pytest.importorskip("pandas")
    with pytest.raises(UncoveredValues, match=r"^regions at attributes/reg\*/hierarchy: column 'region': holds values"):
        auditor.remediate(pandas.DataFrame({"region": HELD}), policy)
