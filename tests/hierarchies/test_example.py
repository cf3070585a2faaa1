"""The example of a ladder: labels that the policy gives or implies, whatever the data holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.hierarchies import build, hierarchy


@pytest.mark.parametrize(
    ("spec", "height", "labels"),
    [
        ({"intervals": {"widths": [5, 10]}}, 3, ("[0, 5)", "[0, 10)", "*")),
        ({"intervals": {"widths": [5, 20], "bottom": 15, "top": 90}}, 3, ("[15, 20)", "[15, 20)", "*")),
        ({"mask": {"side": "right", "character": "*"}}, 3, ("XX*", "X**", "***")),
        ({"mask": {"side": "left", "character": "X"}}, 2, ("X0", "XX")),
        ({"prefix": [3, 1]}, 3, ("XXX*", "X*", "*")),
        ({"date": ["day", "week", "year"]}, 4, ("2026-02-10", "2026-W07", "2026", "*")),
        ({"groups": [["north", "east"], ["south", "west"]]}, 2, ("{south, west}", "*")),
        ({"tree": {"Any": {"Europe": ["DE", "FR"], "Asia": ["JP"]}}}, 2, ("Europe", "Any")),
        ({"tree": {"Any": {"Europe": ["DE", "FR"], "XK": ["XK"]}}}, 2, ("Europe", "Any")),
        ({"common": ["north", "east"], "keep": [2, 1]}, 3, ("all others", "all others", "*")),
        ("country", 3, ("Northern Europe", "Europe", "*")),
        ("icd10", 3, ("E11", "E00-E90", "*")),
        ("suppress", 1, ("*",)),
    ],
)
def test_the_labels_above_a_value_of_the_policys_own(spec, height, labels):
    assert hierarchy(spec).example(height) == labels


def test_a_label_that_is_the_listed_value_itself_is_left_out():
    assert hierarchy({"tree": {"Any": {"DE": ["DE"], "FR": ["FR"]}}}).example(2) == (None, "Any")


def test_a_file_gives_the_labels_of_a_listed_value(tmp_path: Path):
    (tmp_path / "age.csv").write_text("20;20s;*\n21;20s;*\n30;30s;*\n")
    assert hierarchy({"file": str(tmp_path / "age.csv")}).example(2) == ("20s", "*")


@pytest.mark.parametrize("spec", [{"intervals": {"widths": [5, 10]}}, {"mask": {}}, {"prefix": [2, 1]}, "suppress"])
def test_the_example_reaches_as_high_as_the_ladder_of_the_data(spec):
    ladder = build(spec, ["41", "77", "1003"])
    assert len(hierarchy(spec).example(ladder.height)) == ladder.height
