"""Violations of outputs that are alike are told in one sentence, with how many they are and the worst."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.report import outputs, redact, render
from auditor.report.text import document
from auditor.result import Audience
from auditor.result.outputs import OutputsResult

LEAST = 10


def policy(**rule: Any) -> dict[str, Any]:
    """A policy of tables."""
    columns = dict.fromkeys(["town", "sex"], "quasi-identifier")
    return {"version": 1, "name": "tables", "attributes": columns, "outputs": [{"type": "frequency-table", **rule}]}


def judged(folder: Path, counts: list[int]) -> OutputsResult:
    """A table with a line for each count."""
    file = folder / "t.csv"
    pd.DataFrame({"town": [f"town {i}" for i in range(len(counts))], "count": counts}).to_csv(file, index=False)
    result: OutputsResult = auditor.check_outputs([str(file)], policy(min_cell=LEAST))
    return result


@given(counts=st.lists(st.integers(1, 30), min_size=2, max_size=12))
def test_the_sentence_counts_what_violates_and_tells_the_worst(
    counts: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    small = sorted(count for count in counts if count < LEAST)
    result = judged(tmp_path_factory.mktemp("t"), counts)
    told = outputs.violations(redact(result, Audience.REVIEWER).result)
    if len(small) > 1:
        said = f"{len(small)} of {len(counts)} cells: a published number counts fewer people than the policy allows"
        assert told == [f"t.csv: {said} (needed 10, smallest {small[0]})"]
    else:
        assert len(told) == len(small)
    named = outputs.violations(result)
    shown = [int(number) for text in named for number in re.findall(r"reached (\d+)\)$", text)]
    assert shown == (small[:3] if len(small) > 1 else small)


def test_who_may_not_see_the_cells_is_told_how_to(tmp_path: Path) -> None:
    result = judged(tmp_path, [1, 2, 3, 40])
    assert outputs.NAMES_HIDDEN in document(redact(result, Audience.REVIEWER), width=200)
    assert outputs.NAMES_HIDDEN not in document(redact(result, Audience.INTERNAL), width=200)
    public = render(redact(result, Audience.PUBLIC), "text")
    assert outputs.NAMES_HIDDEN not in public
    assert "3 of 4" not in public


def test_each_limit_and_file_has_its_sentence(tmp_path: Path) -> None:
    first, second = judged(tmp_path, [1, 2, 40]), tmp_path / "u.csv"
    second.write_text("sex,count\nf,4\nm,5\n", encoding="utf-8")
    both = auditor.check_outputs([str(tmp_path / "t.csv"), str(second)], policy(min_cell=LEAST))
    assert len(first.outputs[0].violations) == 2
    told = outputs.violations(redact(both, Audience.REVIEWER).result)
    assert [text.partition(":")[0] for text in told] == ["t.csv", "u.csv"]


def test_a_column_that_the_file_does_not_name_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "crosstab.csv"
    table = pd.DataFrame({"town": ["a"] * 12 + ["b"] * 14, "sex": ["f", "m"] * 10 + ["f"] * 6})
    pd.crosstab(table["town"], table["sex"]).to_csv(file)
    result = auditor.check_outputs([str(file)], policy(min_cell=LEAST))
    told = outputs.violations(result)
    assert any("town=a, f: " in text for text in told)
    assert not any("unnamed" in text for text in told)


@pytest.mark.parametrize(
    ("audience", "rows"),
    [
        (Audience.REVIEWER, [("1", "2"), ("2", "1"), ("3", "3")]),
        (Audience.INTERNAL, [("1", ""), ("1", ""), ("2", ""), ("3", ""), ("3", ""), ("3", "")]),
        (Audience.PUBLIC, [("–", "")]),
    ],
)
def test_the_page_has_a_row_for_what_looks_alike_the_worst_first(
    audience: Audience, rows: list[tuple[str, str]], tmp_path: Path
) -> None:
    """How many items a row stands for is told to whom no item is named, and to nobody else."""
    page = render(redact(judged(tmp_path, [3, 1, 3, 2, 1, 3, 40]), audience), "html")
    table = page.split("Each item that the policy does not allow", 1)[1].split("</table>", 1)[0]
    cells = [re.findall(r'data-label="(Reached|Items)"[^>]*>([^<]*)<', row) for row in table.split("<tr>")[2:]]
    assert [(dict(row)["Reached"], dict(row).get("Items", "")) for row in cells] == rows
    assert ("<code>--audience internal</code>" in page) is (audience is Audience.REVIEWER)
