"""Markdown, for a comment on a change."""

from __future__ import annotations

from auditor.report import words
from auditor.report.formats.markdown import safe
from auditor.report.hiding import words as hiding
from auditor.report.redact import Redacted
from auditor.result import HidingResult


def document(redacted: Redacted[HidingResult]) -> str:
    """A comment in GitHub's and GitLab's common dialect."""
    shown = words.view(redacted).result
    blocks = [f"### {safe(hiding.headline(shown))}", safe(hiding.sentence(shown))]
    blocks.append("\n".join(f"- {safe(name)}: {safe(value)}" for name, value in hiding.facts(shown, redacted.audience)))
    for title, heads, rows in hiding.tables(shown):
        lines = [heads, ["---"] * len(heads), *([safe(each) for each in row] for row in rows)]
        blocks.append(f"**{safe(title)}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines))
    for title, items in hiding.lists(shown):
        blocks.append(f"**{safe(title)}**\n\n" + "\n".join(f"- {safe(item)}" for item in items))
    return "\n\n".join(blocks) + "\n"
