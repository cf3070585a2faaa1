"""The figures of a masking: its columns before and after, and who is linked to a masked record.

Geometry only; who may see which number was decided before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from auditor.report import masking, words
from auditor.report.html._charts import LETTER, STEP, WIDTH, Bar, Figure, Tick, room_of
from auditor.report.html._map import LEFT, RIGHT, Box, Boxes, histogram

if TYPE_CHECKING:
    from auditor.result.masking import ColumnDistribution, LinkedBy, MaskingResult

MOST_KNOWN = 10
"""So many bars of what an attacker knows; of more, some between the first and the last are left out."""
FOOT = 14
BAR, PAIR, GAP = 9, 28, 6
"""Of categories: the height of a bar, from one pair to the next, and above the first."""
LABEL = 16


def distributions(shown: MaskingResult) -> list[Boxes]:
    """Masked columns before and after, as many as a page has room for."""
    return [_change(place, each, masking.whole(shown)) for place, each in enumerate(masking.drawn(shown))]


def _change(place: int, column: ColumnDistribution, whole: int) -> Boxes:
    rows = masking.rows(column)
    before, after = ([counts[n] / whole for _, *counts in rows] for n in (0, 1))
    texts = [(name, *(f"{words.number(n)} ({words.percent(n / whole)})" for n in counts)) for name, *counts in rows]
    figure = histogram(f"change-{place}", column.name, texts, before, after)
    if column.edges is not None:
        return replace(figure, height=figure.height + FOOT, x_ticks=_edges(column, len(rows)))
    return _pairs(figure, before, after)


def _edges(column: ColumnDistribution, bins: int) -> tuple[Tick, ...]:
    """The round numbers between bins, as many as have room, and the word for what has no value."""
    step = (WIDTH - LEFT - RIGHT) / bins
    ticks = [Tick(round(LEFT + step * n, 2), name) for n, name in enumerate(masking.ends(column), 1)]
    if masking.has_missing(column):
        ticks.append(Tick(round(LEFT + step * (bins - 0.5), 2), masking.MISSING))
    shown, right = [], float(WIDTH)
    for tick in reversed(ticks):
        half = LETTER * len(tick.label) / 2
        if tick.at + half <= right:
            shown.append(tick)
            right = tick.at - half - LETTER
    return tuple(reversed(shown))


def _pairs(figure: Boxes, before: Sequence[float], after: Sequence[float]) -> Boxes:
    """Two bars for each category, the dashed one before."""
    largest = max(*before, *after)
    names = [words.shortened(row[0], LABEL) for row in figure.table]
    left, end = room_of(names), words.percent(largest)
    room = WIDTH - left - LETTER * len(end)

    def bar(n: int, share: float, *, second: bool) -> Box:
        y, kind = GAP + PAIR * n + (BAR + 1) * second, "right" if second else "empty"
        return Box(left, y, round(room * share / largest, 2), BAR, kind)

    pairs = enumerate(zip(before, after, strict=True))
    return replace(
        figure,
        description=f"{words.shortened(figure.title, 40)}: full bars after masking, dashed ones before.",
        height=GAP + PAIR * len(names) + FOOT + 4,
        columns=("Category", "Before", "After"),
        boxes=tuple(
            bar(n, share, second=second) for n, both in pairs for second, share in zip((False, True), both, strict=True)
        ),
        outline=(),
        y_ticks=tuple(Tick(GAP + PAIR * n + BAR, name) for n, name in enumerate(names)),
        x_ticks=(Tick(left, "0 %"), Tick(round(left + room, 2), end)),
    )


def linkage(shown: MaskingResult) -> list[Figure]:
    """How many records an attacker finds by what he knows; besides, by what he would know if codes were no numbers."""
    figures = [masking.linked(shown), masking.linked_otherwise(shown)]
    return [_linkage(place, *each, masking.whole(shown)) for place, each in enumerate(figures) if each is not None]


def _linkage(place: int, title: str, linked: LinkedBy, known: Sequence[str], whole: int) -> Figure:
    rates = linked.rates or ()
    names = [name if n == 0 else f"and {name}" for n, name in enumerate(known)]
    every = range(len(rates))
    shown = every if len(rates) <= MOST_KNOWN else [round(n * every[-1] / (MOST_KNOWN - 1)) for n in range(MOST_KNOWN)]
    labels = [words.shortened(names[n], LABEL) for n in shown]
    values = [words.percent(rates[n] / 100) for n in shown]
    left = room_of(labels) + 12  # names may be of wide letters
    room = WIDTH - left - room_of(values, 0)
    return Figure(
        id=f"linked-{place}",
        title=title,
        description=masking.how_linked(linked, known, whole),
        height=len(shown) * STEP + 6,
        drawing="bars",
        label=left,
        whole=room,
        columns=("Known", "Found", "Records"),
        table=tuple((names[n], words.percent(rates[n] / 100), words.number(_found(rates[n], whole))) for n in every),
        bars=tuple(
            Bar(label, place * STEP + 3, round(room * rates[n] / 100, 2), value, wrong=True, hidden=False)
            for place, (n, label, value) in enumerate(zip(shown, labels, values, strict=True))
        ),
    )


def _found(rate: float, whole: int) -> int:
    return round(rate * whole / 100)
