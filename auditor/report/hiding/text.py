"""For a terminal: whether everything is hidden, what that cost, the methods side by side."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from auditor.report import words
from auditor.report._screen import Screen, bare_table
from auditor.report.hiding import words as hiding
from auditor.report.redact import Redacted
from auditor.result import HidingResult


def document(redacted: Redacted[HidingResult], width: int = 100, colour: bool = False) -> str:
    """A screen of text, at most `width` columns wide."""
    shown, console = words.view(redacted).result, Screen(width, colour=colour)
    style = "green" if shown.verdict == "pass" else "bold red"
    console.print(Text(hiding.headline(shown), style=style))
    console.paragraph(hiding.sentence(shown))
    console.facts(hiding.facts(shown, redacted.audience))
    for title, heads, rows in hiding.tables(shown):
        console.print()
        console.print(Text(title, style="bold"))
        console.print(_table(heads, rows))
    console.lists(hiding.lists(shown))
    return console.text()


def _table(heads: list[str], rows: list[list[str]]) -> Table:
    table = bare_table()
    for place, head in enumerate(heads):
        table.add_column(head, overflow="fold", no_wrap=place == 0, justify="right" if place > 2 else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    return table
