"""For a terminal: what to take, and the methods side by side."""

from __future__ import annotations

from io import StringIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from auditor.report import words
from auditor.report.formats.text import inert
from auditor.report.redact import Redacted
from auditor.report.tradeoff import words as told
from auditor.result import TradeoffResult


def document(redacted: Redacted[TradeoffResult], width: int = 100, colour: bool = False) -> str:
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
    console.print(Text(told.headline(shown), style="bold"))
    console.print(Padding(Text(told.sentence(shown)), (0, 0, 0, 2)))
    console.print()
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in told.facts(shown, redacted.audience):
        grid.add_row(Text(name), Text(value))
    console.print(grid)
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for place, head in enumerate(told.COLUMNS):
        table.add_column(head, no_wrap=place < 2, justify="right" if place > 1 else "left")
    for method in shown.methods:
        table.add_row(*map(Text, told.row(method)))
    console.print(table)
    console.print(Text(told.LEGEND, style="dim"))
    for title, lines in told.lists(shown):
        console.print()
        console.print(Text(title, style="bold"))
        for line in lines:
            console.print(Padding(Text(f"• {line}"), (0, 0, 0, 2)))
    return "\n".join(inert(line.rstrip()) for line in out.getvalue().splitlines()) + "\n"
