"""The glossary fixes the words: pages and texts of the program use no other ones for the same things."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "glossary.md"
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ?([^|]*?) ?\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)[1:]
INSTEAD = [(other.strip(), term) for term, _, others in ROWS for other in others.split(",") if other.strip()]


def texts() -> Iterator[tuple[str, str]]:
    """Every page but the glossary, and every text in the program, with its place."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if page != PAGE:
            yield str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")
    for file in sorted((ROOT / "auditor").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{file.relative_to(ROOT)}:{node.lineno}", node.value


@pytest.fixture(scope="module")
def written() -> list[tuple[str, str]]:
    return list(texts())


def test_the_terms_stand_once() -> None:
    terms = [term for term, _, _ in ROWS]
    assert len(terms) > 25
    assert len(terms) == len(set(terms))


@pytest.mark.parametrize(("other", "term"), INSTEAD)
def test_no_page_and_no_text_says_it_otherwise(other: str, term: str, written: list[tuple[str, str]]) -> None:
    word = re.compile(rf"(?<![\w-]){re.escape(other)}s?(?![\w-])", re.IGNORECASE)
    found = [place for place, text in written if word.search(text)]
    assert not found, f"{other!r} is called {term!r} here (docs/glossary.md)"
