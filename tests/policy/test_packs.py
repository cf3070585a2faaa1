"""Starter packs: where they are found, and what they may contain."""

from pathlib import Path

import pytest

from auditor.policy import load_policy, packs, starter_names, starter_policies
from tests.policy.conftest import Desk


@pytest.fixture
def shelf(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of starter packs for one test, outside the policy's own."""
    folder = desk.folder / "shelf"
    folder.mkdir()
    monkeypatch.setattr(packs, "starter_policies", lambda: folder)
    return folder


def own(desk: Desk, text: str) -> Path:
    return desk.write(text, "own/p.yaml")


def test_the_shipped_packs_are_found() -> None:
    assert Path(str(starter_policies())).is_dir()
    assert {"cms-cell-11", "hipaa-safe-harbor"} <= set(starter_names())


def test_a_pack_is_a_file_or_a_folder_with_a_policy(desk: Desk, shelf: Path) -> None:
    (shelf / "one.yaml").write_text("requirements: [{id: one, model: k-anonymity, k: 5}]\n")
    (shelf / "two").mkdir()
    (shelf / "two" / "policy.yaml").write_text(
        "attributes: {a: {role: quasi-identifier, hierarchy: {file: ladder.csv}}}\n"
        "requirements: [{id: two, model: max-risk, max: 0.1}]\n"
    )
    (shelf / "two" / "ladder.csv").write_text("x;*\n")
    (shelf / "three").mkdir()
    assert starter_names() == ["one", "two"]
    policy = load_policy(own(desk, "extends: [one, two]\n"))
    assert [requirement.id for requirement in policy.requirements] == ["one", "two"]
    assert policy.file_at("attributes/a/hierarchy/file") == (shelf / "two" / "ladder.csv").resolve()
    assert str(policy.origin("requirements/1/max")).startswith("policies/two/policy.yaml:2:")


@pytest.mark.parametrize(
    "block", ["remediation: {}", "queries: {protects: [a]}", "waivers: []", "undeclared: insensitive"]
)
def test_a_pack_demands_and_does_nothing_else(desk: Desk, shelf: Path, block: str) -> None:
    (shelf / "one.yaml").write_text(f"requirements: [{{model: k-anonymity, k: 5}}]\n{block}\n")
    problems = desk.problems("extends: [one]\n")
    assert [(problem.code, problem.where) for problem in problems] == [("pack", "policies/one.yaml:2:1")]


def test_a_pack_reaches_no_file_but_its_own(desk: Desk, shelf: Path) -> None:
    (desk.folder / "secret.csv").write_text("x;*\n")
    (shelf / "one.yaml").write_text("attributes: {a: {role: sensitive, hierarchy: {file: ../secret.csv}}}\n")
    problems = desk.problems("extends: [one]\nrequirements: [{model: k-anonymity, k: 5}]\n")
    assert [problem.code for problem in problems] == ["escape"]


def test_a_pack_with_nothing_to_judge_is_one_to_build_on(desk: Desk, shelf: Path) -> None:
    (shelf / "roles.yaml").write_text("attributes: {age: quasi-identifier}\n")
    policy = desk.load("extends: [roles]\nrequirements: [{model: k-anonymity, k: 5}]\n")
    assert policy.attributes["age"].role == "quasi-identifier"
    assert "nothing to judge" in desk.problems("extends: [roles]\n")[0].what
