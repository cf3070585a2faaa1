"""For a terminal: what to take, and the methods side by side."""

from __future__ import annotations

from rich.text import Text

from auditor.report import words
from auditor.report._screen import Screen, bare_table
from auditor.report.redact import Redacted
from auditor.report.tradeoff import words as told
from auditor.result import TradeoffResult


def document(redacted: Redacted[TradeoffResult], width: int = 100, colour: bool = False) -> str:
    """A screen of text, at most `width` columns wide."""
    shown, console = words.view(redacted).result, Screen(width, colour=colour)
    console.print(Text(told.headline(shown), style="bold"))
    console.paragraph(told.sentence(shown))
    console.facts(told.facts(shown, redacted.audience))
    console.print()
    table = bare_table()
    for place, head in enumerate(told.COLUMNS):
        table.add_column(head, no_wrap=place < 2, justify="right" if place > 1 else "left")
    for method in shown.methods:
        table.add_row(*map(Text, told.row(method)))
    console.print(table)
    console.print(Text(told.LEGEND, style="dim"))
    console.lists(told.lists(shown))
    return console.text()
