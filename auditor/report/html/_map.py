"""The figures of a sweep: loss against risk, linkage by what is known, attributes and correlations before and after.

Geometry only; who may see which number was decided before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from auditor.report import words
from auditor.report.html._charts import WIDTH, Figure, Tick, plot
from auditor.result import is_hidden
from auditor.result.tradeoff import AttributeChange, TradeoffResult, WeighedMethod

LEFT, RIGHT, TOP, BOTTOM = 46, 14, 28, 40
SIDE = WIDTH - LEFT - RIGHT
"""The map is a square: both axes run from 0 to 100."""
ISO_SCORES = (10, 20, 30, 40, 50)
ALONG = (0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
"""Where a line of equal Score may have its label, the best place first."""
LABEL_HEIGHT, LETTER, GAP = 12, 6.2, 7
HISTOGRAM_HEIGHT = 120
CELL_LABEL = 92
MOST_VARIABLES = 30
SERIES = 3

Rectangle: TypeAlias = tuple[float, float, float, float]
"""Left, top, width, height."""


@dataclass(frozen=True)
class Point:
    """One method: its place, its shape by family, whether the policy is met, and its label where there is room."""

    x: float
    y: float
    shape: str
    kind: str
    label: str
    label_x: float
    anchor: str


@dataclass(frozen=True)
class Iso:
    """A line of equal Score, with its label."""

    x1: float
    y1: float
    x2: float
    y2: float
    label: Point


@dataclass(frozen=True)
class Map(Figure):
    """The risk-utility map."""

    points: tuple[Point, ...] = ()
    isos: tuple[Iso, ...] = ()
    frontier: tuple[tuple[float, float], ...] = ()
    corners: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Box:
    """A bar of a histogram, or a cell of a matrix: its rectangle, its class, its strength from 0 to 1."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    strength: float = 1.0
    text: str = ""


@dataclass(frozen=True)
class Boxes(Figure):
    """A histogram with the outline of the one before, or a matrix."""

    boxes: tuple[Box, ...] = ()
    outline: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class MapEntry:
    """A method on a map: its loss, its Score, and whether it is on the frontier."""

    method: WeighedMethod
    loss: float
    score: float
    frontier: bool


def risk_utility(shown: TradeoffResult) -> Map | None:
    """Loss against risk: one point per method, lines of equal Score, the frontier, the two corners."""
    entries = [
        MapEntry(each, each.apil, each.score, each.frontier)
        for each in shown.methods
        if not is_hidden(each.apil) and not is_hidden(each.dr)
    ]
    taken = shown.recommended.name if shown.recommended else None
    return _map("map", ("Risk-utility map", "information loss (aPIL)"), entries, taken, (shown.identity, 0.0))


def by_use(shown: TradeoffResult) -> list[Map]:
    """The same for each use: its loss against risk."""
    maps = (_of_use(shown, place) for place in range(len(shown.uses)))
    return [each for each in maps if each is not None]


def _of_use(shown: TradeoffResult, place: int) -> Map | None:
    use = shown.uses[place]
    lines = [(each, each.uses[place]) for each in shown.methods]
    entries = [
        MapEntry(each, line.loss, line.score, line.frontier)
        for each, line in lines
        if isinstance(line.loss, int | float) and isinstance(line.score, int | float)
    ]
    name = words.shortened(use.name, 40)
    names = (f"Risk-utility map of {name}", f"loss of {name}")
    return _map(f"map-{place}", names, entries, use.best, (shown.identity, 0.0))


def _map(
    id_: str,
    names: tuple[str, str],
    entries: Sequence[MapEntry],
    taken: str | None,
    identity: tuple[WeighedMethod, float],
) -> Map | None:
    """A map with its title and the name of its loss; `identity` is the table as it is, with its loss."""
    if not entries:
        return None
    title, loss = names
    front = sorted((each.loss, each.method.dr) for each in entries if each.frontier)
    corners = _corners(*identity)
    isos = _isos([_place(each.loss, each.method.dr) for each in entries])
    return Map(
        id=id_,
        title=title,
        description=(
            f"{loss[0].upper()}{loss[1:]} against disclosure risk (DR). Lower left is better; the dashed diagonals are "
            "equal Scores. Filled: meets the policy; hollow: does not. The thin line joins the methods that no other "
            "beats in both. Circles: rank swapping; squares: microaggregation; triangles: others."
        ),
        height=TOP + SIDE + BOTTOM,
        drawing="map",
        stacked=True,
        columns=(),
        table=(),  # the page lists the methods with these figures and more
        points=_points(entries, taken, isos, corners),
        isos=isos,
        frontier=tuple(_place(x, y) for x, y in front),
        corners=corners,
        x_ticks=tuple(Tick(_place(n, 0)[0], str(n)) for n in range(0, 101, 20)),
        y_ticks=tuple(Tick(_place(0, n)[1], str(n)) for n in range(0, 101, 20)),
        x_title=loss,
    )


def _place(loss: float, risk: float) -> tuple[float, float]:
    return round(LEFT + SIDE * loss / 100, 2), round(TOP + SIDE * (1 - risk / 100), 2)


def _points(
    entries: Sequence[MapEntry], taken: str | None, isos: Sequence[Iso], corners: Sequence[Point]
) -> tuple[Point, ...]:
    """The points, the most telling ones labelled first: what is recommended, the frontier, the least Scores."""
    order = sorted(entries, key=lambda each: (each.method.name != taken, not each.frontier, each.score))
    places = [_place(each.loss, each.method.dr) for each in order]
    taken_up = [
        *map(_around, places),
        *(_of_line(each.label) for each in isos),
        *(_beside(each.x, each.y + 8, each.label, each.anchor) for each in corners),
    ]
    found = []
    for each, (x, y) in zip((entry.method for entry in order), places, strict=True):
        anchor = next((side for side in ("start", "end") if _is_free(_beside(x, y, each.name, side), taken_up)), "")
        if anchor:
            taken_up.append(_beside(x, y, each.name, anchor))
        found.append(
            Point(
                x=x,
                y=y,
                shape=_SHAPES.get(each.method, "triangle"),
                kind=("taken " if each.name == taken else "") + ("right" if each.compliant else "empty"),
                label=each.name if anchor else "",
                label_x=x - GAP if anchor == "end" else x + GAP,
                anchor=anchor or "start",
            )
        )
    return tuple(reversed(found))


def _around(place: tuple[float, float]) -> Rectangle:
    return place[0] - GAP / 2, place[1] - GAP / 2, GAP, GAP


def _beside(x: float, y: float, text: str, anchor: str = "start") -> Rectangle:
    """What a label takes up, to the right of its point or to the left."""
    width = LETTER * len(text)
    return (x - GAP - width if anchor == "end" else x + GAP), y - LABEL_HEIGHT / 2, width, LABEL_HEIGHT


def _is_free(label: Rectangle, taken_up: Sequence[Rectangle]) -> bool:
    inside = label[0] > LEFT and label[0] + label[2] < WIDTH
    return inside and not any(_overlap(label, other) for other in taken_up)


_SHAPES = {"rank-swapping": "circle", "microaggregation": "square"}


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )


def _isos(points: Sequence[tuple[float, float]]) -> tuple[Iso, ...]:
    """The lines of equal Score, each labelled where no point of a method is, if there is such a place."""
    around = [_around(point) for point in points]
    found = []
    for score in ISO_SCORES:
        labels = [_label_of_line(score, share) for share in ALONG]
        free = (label for label in labels if not any(_overlap(_of_line(label), each) for each in around))
        found.append(Iso(*_place(0, 2 * score), *_place(2 * score, 0), next(free, labels[0])))
    return tuple(found)


def _label_of_line(score: int, share: float) -> Point:
    """The label of the line loss + risk = 2 · score, at a share of the way from the axis of risk to that of loss."""
    x, y = _place(2 * score * share, 2 * score * (1 - share))
    return Point(x, y, "", "", f"Score {score}", x + 6, "start")


def _of_line(label: Point) -> Rectangle:
    """What the label of a line takes up."""
    return _beside(label.x, label.y - 4, label.label)


def _corners(identity: WeighedMethod, loss: float) -> tuple[Point, ...]:
    """The table as it is, and one that says nothing any more."""
    places = [(0.0, 100.0, "unprotected", "start"), (100.0, 0.0, "destroyed", "end")]
    if isinstance(identity.dr, int | float):
        places[0] = (loss, identity.dr, "unprotected", "start")
    found = []
    for across, risk, label, anchor in places:
        x, y = _place(across, risk)
        found.append(Point(x, y, "corner", "corner", label, x + (8 if anchor == "start" else -8), anchor))
    return tuple(found)


def linkage(shown: TradeoffResult) -> Figure | None:
    """The share of linked records against how many variables the attacker knows."""
    lines = {"as it is": shown.identity, **{each.name: each for each in _telling(shown)}}
    if any(is_hidden(each.linkage) for each in lines.values()):
        return None
    longest = max(len(each.linkage) for each in lines.values())
    if not longest:
        return None
    return plot(
        id_="linkage",
        title="Linked records by how many variables are known",
        description=(
            f"An attacker who knows {_known(shown)} links each record to its nearest masked one; "
            "the share of right links, ties sharing their credit."
        ),
        names=[str(n) for n in range(1, longest + 1)],
        series={name: [rate / 100 for rate in each.linkage] for name, each in lines.items()},
        columns=("Known", *lines),
        table=[
            (
                str(n + 1),
                *(f"{each.linkage[n]:.2f} %" if n < len(each.linkage) else "–" for each in lines.values()),
            )
            for n in range(longest)
        ],
        x_title="variables known",
        stacked=True,
    )


def _known(shown: TradeoffResult) -> str:
    """What an attacker knows; documents of older versions do not name it."""
    known = shown.known
    if not known:
        return "the first variables of the original"
    part = "" if len(known) == 1 else "the first, the first two, … of "
    return f"the original values of {part}{words.listed(known)}"


def _telling(shown: TradeoffResult) -> list[WeighedMethod]:
    """What is recommended, then the least Score of each other method."""
    taken = shown.recommended.name if shown.recommended else None
    first: dict[str, WeighedMethod] = {}
    for each in sorted(shown.methods, key=lambda each: each.name != taken):
        first.setdefault(each.method, each)
    return list(first.values())[:SERIES]


def distributions(shown: TradeoffResult) -> list[Boxes]:
    """Each attribute after the recommended method, with the outline of what it was before."""
    changes = shown.recommended.distributions if shown.recommended else []
    seen = [each for each in changes if not is_hidden(each.before) and not is_hidden(each.after)]
    return [_of_attribute(place, each) for place, each in enumerate(seen)]


def _of_attribute(place: int, change: AttributeChange) -> Boxes:
    rows = [
        (_range(change.edges, n), words.percent(one), words.percent(other))
        for n, (one, other) in enumerate(zip(change.before, change.after, strict=True))
    ]
    return histogram(f"change-{place}", change.name, rows, change.before, change.after)


def histogram(
    id_: str, name: str, rows: Sequence[tuple[str, ...]], before: Sequence[float], after: Sequence[float]
) -> Boxes:
    """Shares of the records after a masking as bars, with the outline of those before; `rows` has their numbers."""
    largest = max((*before, *after), default=0) or 1
    step = (WIDTH - LEFT - RIGHT) / max(len(before), 1)
    floor = HISTOGRAM_HEIGHT - 18

    def height(share: float) -> float:
        return round((floor - 8) * share / largest, 2)

    corners = []
    for n, share in enumerate(before):
        y = round(floor - height(share), 2)
        corners += [(round(LEFT + step * n, 2), y), (round(LEFT + step * (n + 1), 2), y)]
    return Boxes(
        id=id_,
        title=name,
        description=f"{words.shortened(name, 40)}: bars after masking, the line before.",
        height=HISTOGRAM_HEIGHT,
        drawing="boxes",
        columns=("Range", "Before", "After"),
        table=tuple(rows),
        boxes=tuple(
            Box(round(LEFT + step * n + 1, 2), round(floor - height(s), 2), round(step - 2, 2), height(s), "right")
            for n, s in enumerate(after)
        ),
        outline=((LEFT, floor), *corners, (LEFT + SIDE, floor)) if corners else (),
        y_ticks=(Tick(floor - height(largest), words.percent(largest)), Tick(floor, "0 %")),
    )


def _range(edges: Sequence[float] | None, n: int) -> str:
    return f"bin {n + 1}" if edges is None else f"{edges[n]:,.6g} to {edges[n + 1]:,.6g}"


def correlations(shown: TradeoffResult) -> Boxes | None:
    """By how much the recommended method changes each correlation."""
    matrix = shown.recommended.correlations if shown.recommended else ()
    names = shown.attributes
    if not matrix or is_hidden(matrix) or len(matrix) != len(names) or len(names) > MOST_VARIABLES:
        return None
    step = (WIDTH - CELL_LABEL - RIGHT) / len(names)
    room = max(int(CELL_LABEL // LETTER), 3)
    return Boxes(
        id="correlations",
        title="What happens to the correlations",
        description="After less before; the darker, the greater the change; hatched where it falls.",
        height=TOP + round(step * len(names)) + 8,
        drawing="boxes",
        stacked=True,
        columns=("Attribute", *names),
        table=tuple((name, *(f"{value:+z.2f}" for value in line)) for name, line in zip(names, matrix, strict=True)),
        boxes=tuple(
            Box(
                x=round(CELL_LABEL + step * j + 1, 2),
                y=round(TOP + step * i + 1, 2),
                width=round(step - 2, 2),
                height=round(step - 2, 2),
                kind="wrong" if value < 0 else "right",
                strength=round(min(abs(value), 1.0), 3),
                text=f"{value:+.1f}" if step >= 26 and abs(value) >= 0.05 else "",
            )
            for i, line in enumerate(matrix)
            for j, value in enumerate(line)
            if i != j
        ),
        y_ticks=tuple(Tick(round(TOP + step * (i + 0.5), 2), words.shortened(n, room)) for i, n in enumerate(names)),
    )
