"""docs/comparison.md: the numbers "by the definition" are this program's numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from auditor.audit import check
from tests.workshop.pages import ROOT

PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
DEFINED = {row[0]: row[3] for row in ROWS if len(row) == 5}
ENTROPY = {"model": "entropy-l-diversity", "l": 1}
RECURSIVE = {"model": "recursive-l-diversity", "c": 1, "l": 3}
DELTA = {"model": "delta-disclosure", "delta": 1}


def _achieved(classes: list[str], model: Mapping[str, Any], folder: Path) -> float | None:
    """The number of a table, given the sensitive values of each class as letters."""
    rows = [f"{number},{value}" for number, values in enumerate(classes) for value in values]
    table = folder / "table.csv"
    table.write_text("\n".join(["q,s", *rows]) + "\n", encoding="utf-8")
    attributes = {"q": "quasi-identifier", "s": "sensitive"}
    result = check(table, {"version": 1, "name": "n", "attributes": attributes, "requirements": [dict(model)]})
    return result.requirements[0].achieved


@pytest.mark.parametrize(
    ("row", "classes", "model"),
    [
        ("3 values, equally frequent", ["abc"], ENTROPY),
        ("counts 3, 3, 2", ["aaabbbcc"], ENTROPY),
        ("counts 8, 1, 1, ℓ = 3", ["aaaaaaaabc"], RECURSIVE),
        ("counts 10, 1, 1, ℓ = 3", ["aaaaaaaaaabc"], RECURSIVE),
        ("classes (a, a) and (a, b)", ["aa", "ab"], DELTA),
    ],
)
def test_a_number_by_the_definition(row: str, classes: list[str], model: Mapping[str, Any], tmp_path: Path) -> None:
    said = DEFINED[row]
    number = math.inf if "∞" in said else float(re.sub(r"[^\d.]", "", said))
    assert _achieved(classes, model, tmp_path) == pytest.approx(number, abs=0.005)


def test_as_many_equal_values_as_the_page_lists_are_counted_whole(tmp_path: Path) -> None:
    for values in (2, 3, 4, 6, 7, 8, 10):
        assert _achieved(["abcdefghij"[:values]], ENTROPY, tmp_path) == pytest.approx(values, rel=1e-12)
