"""Mining outputs drawn: rules by support and confidence, itemsets by size, a tree, a table, clusters.

What violates is hatched, never only coloured. Each figure has the table of what it draws; labels are for the internal
audience, so below it the places are numbered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditor.report import outputs, words
from auditor.report.html._charts import Tick
from auditor.result.outputs import OutputResult, OutputsResult, Picture, PictureItem

WIDTH = 440
LEFT, RIGHT, TOP, BOTTOM = 54, 14, 20, 40
PLOT = 220
BOX, LEVEL, CELL = 30, 52, 24
MOST_ROWS = 40
MOST_BOXES = 400
ROW_LABEL = 84
_STATUSES = {
    "safe": "no violation",
    "unsafe": "violates",
    "suppressed": "suppressed",
    "recoverable": "suppressed, but can be computed",
}

_HATCHED = "Hatched is what the policy does not allow."
_MEANINGS = {
    "rules": "The hatched region is what the policy does not allow; its bound on confidence is about sensitive values."
}


@dataclass(frozen=True)
class Shape:
    """One item in the drawing's coordinates: its middle, its size, how it is drawn and what is written on it."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    text: str = ""


@dataclass(frozen=True)
class Region:
    """What the policy does not allow, as a rectangle."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Drawing:
    """The figure of one output; shaped as `_charts.Figure`, so that it gets its table the same way."""

    id: str
    title: str
    description: str
    height: float
    columns: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    shapes: tuple[Shape, ...]
    regions: tuple[Region, ...] = ()
    edges: tuple[tuple[float, float, float, float], ...] = ()
    x_ticks: tuple[Tick, ...] = ()
    y_ticks: tuple[Tick, ...] = ()
    x_title: str = ""
    y_title: str = ""
    drawing: str = "shapes"
    stacked: bool = True
    width: float = WIDTH


@dataclass(frozen=True)
class _Drawn:
    """The output that is drawn: its place among all, its facts, and its picture."""

    place: int
    output: OutputResult
    picture: Picture


@dataclass(frozen=True)
class _Layout:
    """Boxes in levels: the middle of each, how many stand side by side at most, and how many levels there are."""

    middles: Mapping[int, tuple[float, float]]
    widest: int
    levels: int
    edges: tuple[tuple[float, float, float, float], ...] = ()
    ticks: tuple[Tick, ...] = ()


def drawings(shown: OutputsResult) -> list[Drawing]:
    """The figure of every output that has one."""
    found = []
    for place, output in enumerate(shown.outputs):
        picture = output.picture
        if picture and picture.items:
            drawn = _KINDS[picture.kind](_Drawn(place, output, picture))
            found += [_noted(drawn, picture)] if drawn else []
    return found


def _noted(drawn: Drawing, picture: Picture) -> Drawing:
    """The figure, which says so where some of its numbers do not fit; a suppressed cell has none."""
    texts, unknown = (
        [shape.text for shape in drawn.shapes],
        sum(not isinstance(each.count, int) for each in picture.items),
    )
    if not any(texts) or texts.count("") <= unknown:
        return drawn
    return replace(drawn, description=f"{drawn.description} Numbers that do not fit are left out.")


def _scatter(drawn: _Drawn) -> Drawing | None:
    """Rules: support on a logarithmic axis, confidence upwards; what is not allowed is a region."""
    items = [
        (each.count, each.share, _kind(each))
        for each in drawn.picture.items
        if isinstance(each.count, int) and isinstance(each.share, int | float)
    ]
    if not items:
        return None
    largest = max(*(count for count, _, _ in items), drawn.picture.least or 1, 2)
    across = WIDTH - LEFT - RIGHT

    def x(count: float) -> float:
        return round(LEFT + across * math.log(max(count, 1)) / math.log(largest), 2)

    def y(share: float) -> float:
        return round(TOP + PLOT * (1 - share), 2)

    regions = []
    if drawn.picture.least:
        regions.append(Region(LEFT, TOP, x(drawn.picture.least) - LEFT, PLOT))
    if drawn.picture.most is not None:
        left = x(drawn.picture.least or 1)
        regions.append(Region(left, TOP, LEFT + across - left, y(drawn.picture.most) - TOP))
    powers = [10**power for power in range(12) if 10**power <= largest]
    return Drawing(
        **_named(drawn),
        height=TOP + PLOT + BOTTOM,
        shapes=tuple(Shape(x(n), y(share), 6, 6, kind) for n, share, kind in sorted(items, key=lambda item: item[2])),
        regions=tuple(regions),
        x_ticks=tuple(Tick(x(power), words.number(power)) for power in powers),
        y_ticks=tuple(Tick(y(share), words.percent(share)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)),
        x_title="records (logarithmic)",
        y_title="confidence",
    )


def _levels(drawn: _Drawn) -> Drawing | None:
    """Itemsets: a row for each number of items."""
    items = drawn.picture.items[:MOST_BOXES]
    rows: dict[int, list[int]] = {}
    for i, each in enumerate(items):
        rows.setdefault(each.at[0] if each.at else 0, []).append(i)
    middles: dict[int, tuple[float, float]] = {}
    for level, size in enumerate(sorted(rows)):
        step = (WIDTH - LEFT - RIGHT) / len(rows[size])
        middles |= {i: (LEFT + step * (n + 0.5), TOP + LEVEL * (level + 0.5)) for n, i in enumerate(rows[size])}
    ticks = tuple(Tick(TOP + LEVEL * (n + 0.5), words.counted(size, "item")) for n, size in enumerate(sorted(rows)))
    widest = max(map(len, rows.values()))
    return _boxes(drawn, _Layout(middles, widest, len(rows), ticks=ticks))


def _tree(drawn: _Drawn) -> Drawing | None:
    """A tree: leaves side by side, each node above the middle of its children."""
    items = drawn.picture.items[:MOST_BOXES]
    parents = [each.at[0] if each.at and 0 <= each.at[0] < i else None for i, each in enumerate(items)]
    depths: list[int] = []
    children: list[list[int]] = [[] for _ in items]
    for i, parent in enumerate(parents):
        depths.append(0 if parent is None else depths[parent] + 1)
        if parent is not None:
            children[parent].append(i)
    leaves = _leaves(parents, children)
    step = (WIDTH - LEFT - RIGHT) / max(len(leaves), 1)
    across = {leaf: LEFT + step * (n + 0.5) for n, leaf in enumerate(leaves)}
    for i in range(len(items) - 1, -1, -1):
        if i not in across:
            across[i] = sum(across[child] for child in children[i]) / len(children[i])
    middles = {i: (across[i], TOP + LEVEL * (depths[i] + 0.5)) for i in range(len(items))}
    edges = tuple(
        (*_rounded(*middles[parent]), *_rounded(*middles[i])) for i, parent in enumerate(parents) if parent is not None
    )
    return _boxes(drawn, _Layout(middles, len(leaves), max(depths) + 1, edges))


def _leaves(parents: Sequence[int | None], children: Sequence[Sequence[int]]) -> list[int]:
    """The leaves from left to right."""
    waiting = [i for i, parent in enumerate(parents) if parent is None][::-1]
    found = []
    while waiting:
        node = waiting.pop()
        waiting += children[node][::-1]
        if not children[node]:
            found.append(node)
    return found


def _boxes(drawn: _Drawn, layout: _Layout) -> Drawing:
    width = min(BOX, (WIDTH - LEFT - RIGHT) / max(layout.widest, 1) * 0.86)
    shapes = tuple(
        Shape(*_rounded(*layout.middles[i]), round(width, 2), 18, _kind(each), _written(each.count, width))
        for i, each in enumerate(drawn.picture.items[:MOST_BOXES])
    )
    height = TOP + LEVEL * layout.levels + 8
    return Drawing(**_named(drawn), height=height, shapes=shapes, edges=layout.edges, y_ticks=layout.ticks)


def _grid(drawn: _Drawn) -> Drawing | None:
    """A table: its cells where they stand, up to as many rows as a page shows."""
    items = [each for each in drawn.picture.items if len(each.at) == 2 and each.at[0] < MOST_ROWS]
    if not items:
        return None
    rows, columns = (1 + max(each.at[axis] for each in items) for axis in (0, 1))
    step = (WIDTH - ROW_LABEL - RIGHT) / columns
    shapes = tuple(
        Shape(
            round(ROW_LABEL + step * (each.at[1] + 0.5), 2),
            TOP + CELL * (each.at[0] + 0.5),
            round(min(step * 0.9, 2.4 * BOX), 2),
            CELL - 4,
            _kind(each),
            _written(each.count, min(step * 0.9, 2.4 * BOX)),
        )
        for each in items
    )
    names, tops = drawn.picture.rows or (), drawn.picture.columns or ()
    room = int(step // 6)
    return Drawing(
        **_named(drawn),
        height=TOP + CELL * rows + 10,
        shapes=shapes,
        y_ticks=tuple(
            Tick(TOP + CELL * (n + 0.5), words.shortened(names[n], 12) if n < len(names) else f"row {n + 1}")
            for n in range(rows)
        ),
        x_ticks=tuple(
            Tick(round(ROW_LABEL + step * (n + 0.5), 2), words.shortened(name, room))
            for n, name in enumerate(tops[:columns])
            if room > 2
        ),
    )


def _row(drawn: _Drawn) -> Drawing | None:
    """Clusters, or whatever has no place of its own: one row of boxes."""
    items = drawn.picture.items[:MOST_BOXES]
    step = (WIDTH - LEFT - RIGHT) / len(items)
    middles = {i: (LEFT + step * (i + 0.5), TOP + LEVEL / 2) for i in range(len(items))}
    return _boxes(drawn, _Layout(middles, len(items), 1))


_KINDS = {"rules": _scatter, "lattice": _levels, "tree": _tree, "table": _grid, "clusters": _row}


def _named(drawn: _Drawn) -> dict[str, Any]:
    """What every figure says in words: its title, its description and its table."""
    items = drawn.picture.items
    told = [i for i, each in enumerate(items) if each.count is not None or each.status != "safe"]
    worst = sorted(told, key=lambda i: items[i].status == "safe")
    shares = any(isinstance(each.share, int | float) for each in items)
    left = f"; {words.number(drawn.picture.left_out)} of them are not drawn" if drawn.picture.left_out else ""
    cut = f", the first {MOST_ROWS} of {words.number(len(worst))}" if len(worst) > MOST_ROWS else ""
    return {
        "id": f"picture-{drawn.place}",
        "title": f"{words.shortened(drawn.output.file, 40)}: {drawn.picture.kind}{cut}",
        "description": f"{outputs.named(drawn.output)}{left}. {_MEANINGS.get(drawn.picture.kind, _HATCHED)}",
        "columns": ("Item", "Status", "Records", "Share")[: 4 if shares else 3],
        "table": tuple(
            (
                items[i].label or f"item {i + 1}",
                _STATUSES.get(items[i].status, items[i].status),
                words.number(items[i].count),
                words.percent(items[i].share) if isinstance(items[i].share, int | float) else "–",
            )[: 4 if shares else 3]
            for i in worst[:MOST_ROWS]
        ),
    }


def _kind(item: PictureItem) -> str:
    return {"safe": "right", "suppressed": "empty"}.get(item.status, "wrong")


def _written(count: object, width: float) -> str:
    """The count where it fits."""
    text = words.number(count) if isinstance(count, int) else ""
    return text if 7 * len(text) <= width else ""


def _rounded(x: float, y: float) -> tuple[float, float]:
    return round(x, 2), round(y, 2)
