"""Common values, worked by hand from the contract: kept on fewer and fewer levels, all others under one label."""

import pytest

from auditor.errors import HierarchyError, PolicyError
from auditor.hierarchies import TOP, build, hierarchy
from auditor.policy import load_policy

BORN = {"common": ["AT", "DE", "TR"], "keep": [3, 1]}


def test_each_level_keeps_the_first_values_and_joins_the_others():
    ladder = build(BORN, ["AT", "DE", "TR", "FR", "IT"], "born")
    assert ladder.levels[1:] == (
        ("AT", "DE", "TR", "all others", "all others"),
        ("AT", "all others", "all others", "all others", "all others"),
        ("*", "*", "*", "*", "*"),
    )
    assert [leaves.tolist() for leaves in ladder.leaves] == [[1] * 5, [1, 1, 1, 2], [1, 4], [5]]


def test_all_are_kept_on_one_level_where_nothing_is_said():
    assert build({"common": ["a", "b"]}, ["a", "b", "c", "d"], "v").levels[1:] == (
        ("a", "b", "all others", "all others"),
        ("*", "*", "*", "*"),
    )


def test_a_value_named_like_the_rest_is_of_the_rest():
    ladder = build(BORN, ["AT", "all others", "FR", "*", None], "born")
    assert ladder.levels[1] == ("AT", "all others", "all others", "*", None)
    assert ladder.levels[-1] == ("*",) * 5


def test_a_number_is_common_however_it_is_written():
    ladder = build({"common": ["1", "no"]}, ["1.0", "1", "01", "no", "2"], "code")
    assert ladder.levels[1] == ("1", "1", "all others", "no", "all others")


@pytest.mark.parametrize(
    ("label", "level"), [("AT", 2), ("DE", 1), ("FR", 0), ("all others", 2), ("All others", 0), ("*", TOP)]
)
def test_labels_are_understood_without_the_values(label, level):
    assert hierarchy(BORN).level_of(label) == level


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"common": []}, "is empty, or has a value twice"),
        ({"common": ["a", "a"]}, "has a value twice"),
        ({"common": ["a", "b"], "keep": [1, 1]}, "does not fall"),
        ({"common": ["a"], "keep": [2]}, "does not fit 1 values"),
        ({"common": ["a"], "keep": [0]}, "does not fit 1 values"),
        ({"common": ["a", "all others"]}, "a common value and the rest"),
        ({"common": ["1.0"], "rest": "1"}, "a common value and the rest"),
        ({"common": ["a", "*"]}, "stands for every value"),
        ({"common": ["a"], "rest": "*"}, "stands for every value"),
    ],
)
def test_a_wrong_list_is_refused(spec, message):
    with pytest.raises(HierarchyError, match=message):
        hierarchy(spec)


POLICY = """\
version: 1
name: p
attributes: {v: {role: quasi-identifier, hierarchy: HIERARCHY}}
requirements: [{model: k-anonymity, k: 2}]
"""


def loaded(tmp_path, spec):
    (tmp_path / "policy.yaml").write_text(POLICY.replace("HIERARCHY", spec), "utf-8")
    return load_policy(tmp_path / "policy.yaml").attributes["v"].hierarchy


def test_a_policy_reads_values_as_text(tmp_path):
    """``no`` and ``1e3`` are values as they stand, not a truth and a number."""
    assert loaded(tmp_path, "{common: [no, 01, 1e3]}").common == ("no", "01", "1e3")


def test_a_wrong_list_is_a_problem_of_the_policy(tmp_path):
    with pytest.raises(PolicyError, match="does not fit 1 values"):
        loaded(tmp_path, "{common: [a], keep: [2]}")
