"""Markdown, for a comment on a change."""

from __future__ import annotations

from auditor.report.formats.markdown import safe
from auditor.report.sheet import Figures, Sheet


def document(sheet: Sheet) -> str:
    """A comment in GitHub's and GitLab's common dialect."""
    blocks = [f"### {sheet.seal} {safe(sheet.headline)}", safe(sheet.sentence)]
    blocks.append("\n".join(f"- {safe(name)}: {safe(value)}" for name, value in sheet.facts))
    for figures in sheet.tables:
        blocks += [f"**{safe(figures.title)}**", _table(figures), *([safe(figures.legend)] if figures.legend else [])]
    for title, items in sheet.lists:
        blocks.append(f"**{safe(title)}**\n\n" + "\n".join(f"- {safe(item)}" for item in items))
    return "\n\n".join(blocks) + "\n"


def _table(figures: Figures) -> str:
    ruler = ["---"] * figures.texts + ["---:"] * (len(figures.heads) - figures.texts)
    rows = [figures.heads, ruler, *([safe(each) for each in row] for row in figures.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
