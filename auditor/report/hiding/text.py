"""For a terminal: whether everything is hidden, what that cost, the methods side by side."""

from __future__ import annotations

from io import StringIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from auditor.report import words
from auditor.report.formats.text import inert
from auditor.report.hiding import words as hiding
from auditor.report.redact import Redacted
from auditor.result import HidingResult


def document(redacted: Redacted[HidingResult], width: int = 100, colour: bool = False) -> str:
    """A screen of text, at most `width` columns wide."""
    shown, out = words.view(redacted).result, StringIO()
    console = Console(
        file=out,
        width=max(width, 40),
        force_terminal=colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
        highlight=False,
    )
    style = "green" if shown.verdict == "pass" else "bold red"
    console.print(Text(hiding.headline(shown), style=style))
    console.print(Padding(Text(hiding.sentence(shown)), (0, 0, 0, 2)))
    console.print()
    console.print(_grid(hiding.facts(shown, redacted.audience)))
    for title, heads, rows in hiding.tables(shown):
        console.print()
        console.print(Text(title, style="bold"))
        console.print(_table(heads, rows))
    for title, lines in hiding.lists(shown):
        console.print()
        console.print(Text(title, style="bold"))
        for line in lines:
            console.print(Padding(Text(f"• {line}"), (0, 0, 0, 2)))
    return "\n".join(inert(line.rstrip()) for line in out.getvalue().splitlines()) + "\n"


def _grid(pairs: list[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in pairs:
        grid.add_row(Text(name), Text(value))
    return grid


def _table(heads: list[str], rows: list[list[str]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for place, head in enumerate(heads):
        table.add_column(head, overflow="fold", no_wrap=place == 0, justify="right" if place > 2 else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    return table
