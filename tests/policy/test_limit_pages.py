"""docs/limits: every limit has its section, with fresh facts and an example that its own tests hold to its bound."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.policy import demands
from auditor.policy.explain import explained, explanation
from auditor.policy.file.yaml_text import yaml_text
from auditor.testing import load_tests, run
from tests.models.pages import replaced
from tests.policy.pages import FOLDER, generated, sections

PARTS = ("Definition", "At the edges", "Attacker")
every_section = pytest.mark.parametrize(("page", "heading"), sections())


def section(page: str, heading: str) -> str:
    """What stands below a heading."""
    text = (FOLDER / f"{page}.md").read_text("utf-8")
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_every_limit_has_a_section_and_every_section_a_limit() -> None:
    found = {
        (path.stem, heading)
        for path in FOLDER.glob("*.md")
        if path.stem != "README"
        for heading in re.findall(r"^## (.+)$", path.read_text("utf-8"), flags=re.MULTILINE)
    }
    assert found == set(sections())


@pytest.mark.parametrize("page", [*dict.fromkeys(page for page, _ in sections()), "README"])
def test_generated_parts_are_fresh(page: str) -> None:
    """If this fails, run ``python -m tests.policy.pages``."""
    text = (FOLDER / f"{page}.md").read_text("utf-8")
    assert replaced(text, generated(page)) == text


@every_section
def test_a_section_says_what_every_section_says(page: str, heading: str) -> None:
    said = re.findall(r"^\*\*(.+?)\.\*\* (.+?)\n\n", section(page, heading), flags=re.MULTILINE | re.DOTALL)
    assert tuple(name for name, _ in said) == PARTS
    assert all(len(text.split()) > 5 for _, text in said)


@pytest.mark.slow
@every_section
def test_the_tests_of_an_example_notice_a_weaker_limit(page: str, heading: str, tmp_path: Path) -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", section(page, heading), flags=re.MULTILINE | re.DOTALL)
    example: dict[str, Any] = yaml.safe_load(text)
    tests = {"policy": "policy.yaml", "tests": example.pop("tests")}
    (tmp_path / "policy.yaml").write_text(yaml_text({"name": "example", **example}), "utf-8")
    (tmp_path / "example_test.yaml").write_text(yaml_text(tests), "utf-8")
    loaded = load_tests(tmp_path / "example_test.yaml")
    found = run([loaded], covered=True)
    assert [(test.name, test.differences, test.achieved, test.reason) for test in found.tests if not test.passed] == []
    declared = [each.limit for each in sections()[page, heading]]
    (demand,) = (each for each in demands.every(loaded.policy) if each.limit in declared)
    mutants = [each for each in found.mutants or () if each.requirement == demand.id]
    assert mutants
    assert [each for each in mutants if each.noticed_by is None] == []


@every_section
def test_explain_names_the_section(page: str, heading: str) -> None:
    assert f"docs/limits/{page}.md#{heading}\n" in explanation(explained()[heading])
