"""A policy with a wrong hierarchy does not load: the error has the place and what the ladder found."""

import pytest

from auditor.errors import PolicyError
from auditor.policy import load_policy

POLICY = """\
version: 1
name: wrong
attributes:
  area:
    role: quasi-identifier
    hierarchy: {hierarchy}
requirements:
  - {{model: k-anonymity, k: 2}}
"""


@pytest.mark.parametrize(
    ("hierarchy", "message"),
    [
        ("{tree: {A: {Other: [x]}, B: {Other: [y]}}}", "'Other' on level 1 stands under 'A' and under 'B' on level 2"),
        ("{tree: {A: [x], B: [x]}}", "lists 'x' twice"),
        ("{file: area.csv}", "area.csv, line 2: 3 fields where the first row has 2"),
    ],
)
def test_a_wrong_hierarchy_is_a_problem_of_the_policy(hierarchy, message, tmp_path):
    (tmp_path / "area.csv").write_text("a;x\nb;x;y\n", "utf-8")
    (tmp_path / "policy.yaml").write_text(POLICY.format(hierarchy=hierarchy), "utf-8")
    with pytest.raises(PolicyError) as error:
        load_policy(tmp_path / "policy.yaml")
    (problem,) = error.value.problems
    assert problem.where.endswith("policy.yaml:6:16")
    assert message in problem.what


def test_a_missing_file_is_reported_once(tmp_path):
    (tmp_path / "policy.yaml").write_text(POLICY.format(hierarchy="{file: none.csv}"), "utf-8")
    with pytest.raises(PolicyError) as error:
        load_policy(tmp_path / "policy.yaml")
    assert len(error.value.problems) == 1
