"""The lattice as a picture: its nodes by height, and node by node where there are few.

Up is coarser, as in the lattice itself: the bottom is the table as it was, the top the coarsest generalization.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, product

from auditor.report import words
from auditor.report.html._charts import WIDTH, Figure
from auditor.result.remediation import Lattice, LatticeHeight, LatticeNode, RemediationResult, Solution

# Measures of the drawings, in units of their view box.
LEFT, RIGHT = 54, 160
LEGEND = 26
ROOM = 470
"""How high the rows of all heights may be together."""
LEGEND_ENTRIES = {"right": "meets the policy", "wrong": "does not", "open": "undecided", "minimal": "minimal"}
STEP, LEAST_STEP = 20, 5
MOST_LABELS = 26
NOTED_STEP = 12
"""Rows that are closer than this have no room for a note each."""
MOST_RANKS = 20
"""A lattice higher than this is shown by height even where its nodes are few."""
WIDE_NUMBERS = 10**6
"""Numbers from here on are too wide for a table beside the figure, as is one more column."""
PILL = 17


@dataclass(frozen=True)
class RowPart:
    """A piece of a row: nodes that solve (``right``), do not (``wrong``) or are undecided (``open``)."""

    kind: str
    x: float
    width: float


@dataclass(frozen=True)
class HeightRow:
    """The nodes of one height, as a bar of up to three parts."""

    label: str
    y: float
    parts: tuple[RowPart, ...]
    note: str
    chosen: bool


@dataclass(frozen=True)
class Dot:
    """One node of a small lattice, and the lines to the nodes one step finer."""

    label: str
    x: float
    y: float
    width: float
    kind: str
    minimal: bool
    chosen: bool


@dataclass(frozen=True)
class LegendLine:
    """A line of the legend."""

    kind: str
    text: str
    x: float


@dataclass(frozen=True)
class HeightFigure(Figure):
    """The figure of the heights."""

    legend: tuple[LegendLine, ...] = ()
    rows: tuple[HeightRow, ...] = ()
    thickness: float = 0


@dataclass(frozen=True)
class Net(Figure):
    """The figure of single nodes."""

    legend: tuple[LegendLine, ...] = ()
    dots: tuple[Dot, ...] = ()
    edges: tuple[tuple[float, float, float, float], ...] = ()


def figures(shown: RemediationResult) -> list[Figure]:
    """The pictures that the result has something for."""
    solution = shown.solution
    lattice = solution.lattice if solution else None
    if solution is None or lattice is None:
        return []
    if lattice.drawn and len(lattice.by_height) <= MOST_RANKS:
        return [_net(solution, lattice)]
    return [_rows(solution, lattice)] if lattice.by_height else []


def _rows(solution: Solution, lattice: Lattice) -> HeightFigure:
    heights = sorted(lattice.by_height, key=lambda each: -each.height)
    chosen = sum((solution.levels or {}).values())
    step = max(LEAST_STEP, min(STEP, ROOM / len(heights)))
    every = -(-len(heights) // MOST_LABELS)
    widest = max(each.nodes for each in heights)
    undecided = any(each.undecided for each in heights)
    rows = tuple(
        HeightRow(
            label=str(each.height) if i % every == 0 or each.height == chosen else "",
            y=round(LEGEND + i * step, 2),
            parts=_parts(each, widest),
            note=_note(each, chosen, coarsest=i == 0, finest=i == len(heights) - 1, dense=step < NOTED_STEP),
            chosen=each.height == chosen,
        )
        for i, each in enumerate(heights)
    )
    return HeightFigure(
        id="heights",
        drawing="rows",
        title="The lattice by height",
        description=_description(lattice),
        height=round(LEGEND + len(heights) * step + 4),
        columns=("Height", "Nodes", "Meet the policy", "Do not", *(["Undecided"] if undecided else []), "Minimal"),
        table=tuple(_table_row(each, chosen, undecided=undecided) for each in heights),
        stacked=undecided or widest >= WIDE_NUMBERS,
        legend=_legend({part.kind for row in rows for part in row.parts}, LEFT),
        rows=rows,
        thickness=round(step * 0.74, 2),
    )


def _legend(kinds: set[str], x: float) -> tuple[LegendLine, ...]:
    entries = []
    for kind, text in LEGEND_ENTRIES.items():
        if kind in kinds:
            entries.append(LegendLine(kind, text, x))
            x += 34 + 6.2 * len(text)
    return tuple(entries)


def _parts(each: LatticeHeight, widest: int) -> tuple[RowPart, ...]:
    """The parts of a row, left to right; what is there is never too thin to be seen."""
    failing = each.nodes - each.solving - each.undecided
    parts, x = [], float(LEFT)
    for kind, count in (("right", each.solving), ("wrong", failing), ("open", each.undecided)):
        if count:
            width = max(2.0, (WIDTH - LEFT - RIGHT) * count / widest)
            parts.append(RowPart(kind, round(x, 2), round(width, 2)))
            x += width
    return tuple(parts)


def _note(each: LatticeHeight, chosen: int, *, coarsest: bool, finest: bool, dense: bool) -> str:
    """What there is to say of a row; where rows are dense, only the chosen one and the ends have room."""
    minimal = f"{words.number(each.minimal)} minimal" if each.minimal and not dense else ""
    notes = [
        "◆ chosen" if each.height == chosen else "",
        minimal,
        "the coarsest" if coarsest else "",
        ("every value as it was" if each.height == 0 else "the finest allowed") if finest else "",
    ]
    return ", ".join(filter(None, notes))


def _table_row(each: LatticeHeight, chosen: int, *, undecided: bool) -> tuple[str, ...]:
    failing = each.nodes - each.solving - each.undecided
    numbers = [each.nodes, each.solving, failing, *([each.undecided] if undecided else []), each.minimal]
    mark = " ◆ chosen" if each.height == chosen else ""
    return (f"{each.height}{mark}", *map(words.number, numbers))


def _description(lattice: Lattice) -> str:
    meets = "" if lattice.solving is None else f" {words.number(lattice.solving)} meet the policy."
    return (
        f"{words.counted(lattice.nodes, 'node')}, each a way to generalize; one row per height, which is the steps "
        f"climbed on all ladders together: the higher, the coarser.{meets}"
    )


def _net(solution: Solution, lattice: Lattice) -> Net:
    levels = solution.levels or {}
    names, chosen = list(levels), tuple(levels.values())
    ordered = sorted(lattice.drawn, key=lambda node: (-sum(node.levels), node.levels))
    ranks = [list(group) for _, group in groupby(ordered, key=lambda node: sum(node.levels))]
    gap = max(36, min(58, ROOM / len(ranks)))
    pill = max(_pill(node.levels) for node in ordered)
    width = max(WIDTH, (pill + 10) * max(map(len, ranks)))
    dots = {
        tuple(node.levels): Dot(
            label=_label(node.levels),
            x=round(width * (place + 0.5) / len(rank), 2),
            y=round(LEGEND + 22 + row * gap, 2),
            width=_pill(node.levels),
            kind=_kind(node.solves),
            minimal=node.minimal,
            chosen=tuple(node.levels) == chosen,
        )
        for row, rank in enumerate(ranks)
        for place, node in enumerate(rank)
    }
    return Net(
        id="nodes",
        drawing="net",
        title="The lattice, node by node",
        description=(
            f"Each node is one way to generalize: its numbers are the levels of {words.listed(names)}, in this order. "
            "A line leads up to a node with one value one level coarser."
        ),
        height=round(LEGEND + 22 + (len(ranks) - 1) * gap + 24),
        columns=(", ".join(names), "Height", "Meets the policy", "Minimal", "Chosen"),
        table=tuple(_node_row(node, chosen) for node in ordered),
        width=width,
        stacked=width > WIDTH,
        legend=_legend({dot.kind for dot in dots.values()} | {"minimal"}, 4),
        dots=tuple(dots.values()),
        edges=tuple(_edges(dots, ranks)),
    )


def _edges(
    dots: Mapping[tuple[int, ...], Dot], ranks: Sequence[Sequence[LatticeNode]]
) -> list[tuple[float, float, float, float]]:
    """A line between every two nodes of which one has one value one level coarser."""
    pairs = (
        (dots[tuple(coarse.levels)], dots[tuple(fine.levels)])
        for above, below in pairwise(ranks)
        for coarse, fine in product(above, below)
        if all(c >= f for c, f in zip(coarse.levels, fine.levels, strict=True))
    )
    return [(coarse.x, coarse.y, fine.x, fine.y) for coarse, fine in pairs]


def _pill(levels: Sequence[int]) -> float:
    """How wide a node is drawn."""
    return round(8 + 6.4 * len(_label(levels)), 1)


def _label(levels: Sequence[int]) -> str:
    return ("" if len(levels) > 4 and max(levels) < 10 else " ").join(map(str, levels))


def _kind(solves: bool | None) -> str:
    return "open" if solves is None else "right" if solves else "wrong"


def _node_row(node: LatticeNode, chosen: tuple[int, ...]) -> tuple[str, ...]:
    meets = "undecided" if node.solves is None else "yes" if node.solves else "no"
    levels = tuple(node.levels)
    return (
        _label(levels),
        str(sum(levels)),
        meets,
        "yes" if node.minimal else "",
        "chosen" if levels == chosen else "",
    )
