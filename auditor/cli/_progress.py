"""Progress on standard error, and only on a terminal: one line with what is done, the stage, a bar, and the time.

The line is drawn several times a second from the last thing that the work said (`auditor.stages`), so the work never
waits for the terminal. It is gone when the work ends, however it ends.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from auditor.stages import Moment, watching

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

BAR_WIDTH = 28
PER_SECOND = 8


@contextmanager
def progress(what: str, *, quiet: bool) -> Iterator[Live | None]:
    """Show where the body is while it runs; nothing where nobody watches. It gives what is shown, to be stopped."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    from auditor.report.words import visible

    line = ProgressLine(str(visible(what)))
    console = Console(stderr=True)
    with (
        Live(line, console=console, transient=True, refresh_per_second=PER_SECOND, redirect_stdout=False) as live,
        watching(line.tell),
    ):
        yield live


class ProgressLine:
    """What is shown of the last moment that was told."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = monotonic()
        self._latest: Moment | None = None

    def tell(self, moment: Moment) -> None:
        """Remember a moment; from any thread."""
        self._latest = moment

    def __rich__(self) -> RenderableType:
        """One line, no wider than the terminal."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        moment = self._latest
        known = moment is not None and moment.of is not None and moment.done is not None
        bar: dict[str, Any] = {"total": moment.of, "completed": moment.done} if known and moment else {"total": None}
        words = [self._what, *(moment.path if moment else ())]
        line = Table.grid(padding=(0, 1), expand=False)
        for _ in range(4):
            line.add_column(no_wrap=True, overflow="ellipsis")
        line.add_row(
            Text(" · ".join(words), end=""),
            ProgressBar(width=BAR_WIDTH, pulse=not known, **bar),
            Text(amount(moment)),
            Text(elapsed(monotonic() - self._began), style="dim"),
        )
        return line


def amount(moment: Moment | None) -> str:
    """How much is done, in the unit that the work counts in, else the rows that it is about.

    >>> from auditor.stages import Stage
    >>> amount(Moment((Stage.SEARCHING,), 12, 96, "nodes")), amount(Moment((Stage.COUNTING,), 37.4, 100, "%"))
    ('12 of 96 nodes', '37 %')
    >>> amount(Moment((Stage.COUNTING,), rows=30162)), amount(Moment((Stage.COUNTING,), 20.0, 100, "%", 30162))
    ('30,162 rows', '20 % of 30,162 rows')
    """
    if moment is None:
        return ""
    rows = "" if moment.rows is None else f"{moment.rows:,} rows"
    if moment.done is None:
        return rows
    if moment.unit == "%":
        return f"{int(moment.done)} %" + (f" of {rows}" if rows else "")
    whole = "" if moment.of is None else f" of {moment.of:,.0f}"
    return f"{moment.done:,.0f}{whole} {moment.unit}".rstrip()


def elapsed(seconds: float) -> str:
    """Minutes and seconds, or hours too.

    >>> elapsed(7.9), elapsed(3725)
    ('0:07', '1:02:05')
    """
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
