"""The page of the threat model: what it says is tested is tested, by a test of that name."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.workshop.pages import ROOT

PAGE = ROOT / "docs" / "threat-model.md"
TEXT = PAGE.read_text(encoding="utf-8")
NAMED = re.findall(r"\[(test_\w+)\]\(([^)#]+)\)", TEXT)


@cache
def functions_of(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize(("name", "link"), NAMED, ids=[name for name, _ in NAMED])
def test_a_test_that_the_page_names_exists(name: str, link: str) -> None:
    assert name in functions_of((PAGE.parent / link).resolve()), f"{link} has no {name}"


def test_every_attack_has_an_answer_and_a_test() -> None:
    attacks = TEXT[TEXT.index("## Attacks") : TEXT.index("## What is not protected")]
    rows = [line.strip("| ").split(" | ") for line in attacks.splitlines() if line.startswith("| ")]
    rows = [row for row in rows if row[0] != "attack"]
    assert len(rows) >= 30
    for row in rows:
        assert len(row) == 3, row
        assert re.match(r"\[test_\w+\]\(\S+\)", row[2]), row[0]


def test_the_twelve_ways_around_the_gate_have_tests() -> None:
    ways = TEXT[TEXT.index("## The twelve ways") : TEXT.index("## Attacks")]
    items = re.findall(r"(?m)^(\d+)\. .+: \[test_\w+\]\(\S+\).*\.$", ways)
    assert items == [str(number) for number in range(1, 13)]


def test_no_test_is_named_that_is_skipped_for_good() -> None:
    """What is marked as skipped or expected to fail proves nothing."""
    for name, link in NAMED:
        source = (PAGE.parent / link).resolve().read_text(encoding="utf-8")
        before = source[: source.index(f"def {name}(")].rsplit("\n\n\n", 1)[-1]
        assert not re.search(r"mark\.(skip\b|xfail)", before), name
