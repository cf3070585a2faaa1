"""For a terminal: the answer, the facts, the figures."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from auditor.report._screen import Screen, bare_table
from auditor.report.sheet import Figures, Sheet

_STYLES = {"pass": "green", "fail": "bold red"}


def document(sheet: Sheet, width: int = 100, colour: bool = False) -> str:
    """A screen of text, at most `width` columns wide."""
    console = Screen(width, colour=colour)
    console.print(Text(f"{sheet.seal} {sheet.headline}", style=_STYLES.get(sheet.look, "bold")))
    console.paragraph(sheet.sentence)
    console.facts(sheet.facts)
    for figures in sheet.tables:
        console.print()
        console.print(Text(figures.title, style="bold"))
        console.print(_table(figures))
        if figures.legend:
            console.print(Text(figures.legend, style="dim"))
    console.lists(sheet.lists)
    return console.text()


def _table(figures: Figures) -> Table:
    table = bare_table()
    for place, head in enumerate(figures.heads):
        is_text = place < figures.texts
        table.add_column(head, overflow="fold", no_wrap=place == 0, justify="left" if is_text else "right")
    for row in figures.rows:
        table.add_row(*map(Text, row))
    return table
