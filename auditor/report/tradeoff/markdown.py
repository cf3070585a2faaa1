"""Markdown, for a comment on a change."""

from __future__ import annotations

from auditor.report import words
from auditor.report.formats.markdown import safe
from auditor.report.redact import Redacted
from auditor.report.tradeoff import words as told
from auditor.result import TradeoffResult


def document(redacted: Redacted[TradeoffResult]) -> str:
    """A comment in GitHub's and GitLab's common dialect."""
    shown = words.view(redacted).result
    blocks = [f"### {safe(told.headline(shown))}", safe(told.sentence(shown))]
    blocks.append("\n".join(f"- {safe(name)}: {safe(value)}" for name, value in told.facts(shown, redacted.audience)))
    rows = [[safe(each) for each in told.row(method)] for method in shown.methods]
    lines = [list(told.COLUMNS), ["---", "---", *["---:"] * (len(told.COLUMNS) - 2)], *rows]
    blocks.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    blocks.append(safe(told.LEGEND))
    for title, items in told.lists(shown):
        blocks.append(f"**{safe(title)}**\n\n" + "\n".join(f"- {safe(item)}" for item in items))
    return "\n\n".join(blocks) + "\n"
