"""The page of SQL lists exactly the constructs that the code refuses."""

from __future__ import annotations

import re
from pathlib import Path

from auditor.queries.sql import _parse

ROOT = Path(__file__).parent.parent.parent


def test_the_page_lists_every_construct():
    written = {name for name, _ in _parse._NAMED} | set(_parse._CLAUSES.values())
    for file in sorted((ROOT / "auditor" / "queries").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for call in re.findall(r"(?:Refusal|Refused)\(([^)]*)", text):
            written.update(re.findall(r'(?<!\[)"([a-z]+(?:-[a-z]+)*)"', call))
    page = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8").split("## What is not read")[1]
    listed = [
        name for line in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for name in re.findall(r"`(.*?)`", line)
    ]
    assert len(listed) == len(set(listed))
    assert set(listed) == written
