"""A screen of text for a terminal, and what is put on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from auditor.report.formats.text import inert


class Screen(Console):
    """At most `width` columns wide; escape sequences only where `colour` asks for them."""

    def __init__(self, width: int, *, colour: bool, spare: int = 0) -> None:
        """`spare` columns of a paragraph with ``::`` stay free, for what `inert` adds to a line."""
        self._out, self._spare = StringIO(), spare
        super().__init__(
            file=self._out,
            width=max(width, 40),
            force_terminal=colour,
            color_system="standard" if colour else None,
            legacy_windows=False,
            highlight=False,
        )

    def facts(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Names with texts, below a free line."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in pairs:
            grid.add_row(Text(name), Text(value))
        self.print()
        self.print(grid)

    def lists(self, titled: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Lists with their titles, each below a free line."""
        for title, lines in titled:
            self.print()
            self.print(Text(title, style="bold"))
            for line in lines:
                self.paragraph(f"• {line}")

    def paragraph(self, text: str, style: str = "") -> None:
        """An indented text."""
        self.print(Padding(Text(text, style=style), (0, self._spare if "::" in text else 0, 0, 2)))

    def text(self) -> str:
        """What stands on it."""
        return "\n".join(inert(line.rstrip()) for line in self._out.getvalue().splitlines()) + "\n"


def bare_table() -> Table:
    """A table without lines."""
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
