"""The figures: what they show, in numbers and in the coordinates of their drawing.

A figure always comes with the table of its numbers. A number that is hidden from the audience is drawn as hidden, not
as zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from auditor.report import words
from auditor.report.redact import threshold
from auditor.result import RequirementResult, Result, is_hidden
from auditor.result.remediation import RemediationResult

# The drawings' measures, in units of their view box; the templates read them from here.
WIDTH = 440
LABEL = 92
LETTER = 7.6
"""The width of a letter of a label, where it is widest: on a phone."""
VALUE = 132
BAR = 17
STEP = 24
PLOT_HEIGHT = 190
PLOT_LEFT, PLOT_RIGHT, PLOT_TOP, PLOT_BOTTOM = 66, 84, 20, 34


@dataclass(frozen=True)
class Bar:
    """A horizontal bar: its label, length, number, and whether it stands on the wrong side of the bound."""

    label: str
    y: int
    length: float
    value: str
    wrong: bool
    hidden: bool


@dataclass(frozen=True)
class Series:
    """One series: its points in the drawing's coordinates, and the height of its label at the end."""

    name: str
    points: tuple[tuple[float, float], ...]
    label_y: float


@dataclass(frozen=True)
class Tick:
    """A labelled place on an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class Figure:
    """A figure and its table: one row per bar or point, the first cell of a row names it."""

    id: str
    title: str
    description: str
    height: int
    columns: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    bars: tuple[Bar, ...] = ()
    rule: Tick | None = None
    lines: tuple[Series, ...] = ()
    x_ticks: tuple[Tick, ...] = ()
    y_ticks: tuple[Tick, ...] = ()
    x_title: str = ""
    mark: Tick | None = None
    stacked: bool = False
    width: float = WIDTH
    label: int = LABEL
    """The room for the labels of bars."""
    right: int = PLOT_RIGHT
    """The room for the names of lines."""
    whole: float = 0
    """The length of a bar that is everything, drawn around each; 0 draws none."""
    drawing: str = "plot"
    """The macro that draws it: bars, plot, rows or net."""


def sizes(shown: Result, of: str = "", made: str = "") -> Figure | None:
    """How many records stand in classes of which size; bins are cut at k.

    `of` names the table where there are two: before or after what was `made`.
    """
    classes = shown.classes
    if not classes or not classes.sizes:
        return None
    k = classes.required or threshold(shown)
    unset = "" if classes.required or shown.policy.protection_threshold else ", as the policy sets none"
    when = f"The table {of} {made}. " if of else ""
    bins = classes.sizes
    labels = [_span(b.low, b.high) for b in bins]
    wrong = [b.high is not None and b.high < k for b in bins]
    table = tuple(
        (label, words.number(b.classes), words.number(b.records), f"below {k}" if below else f"at least {k}")
        for label, b, below in zip(labels, bins, wrong, strict=True)
    )
    return Figure(
        id="-".join(filter(None, ("sizes", of))),
        title="Records by the size of their class" + (f", {of}" if of else ""),
        description=f"{when}One bar per range of class sizes. Hatched bars are classes smaller than k = {k}{unset}.",
        height=len(bins) * STEP + 6,
        drawing="bars",
        columns=("Class size", "Classes", "Records", "Against k"),
        table=table,
        label=room_of(labels),
        bars=_bars(labels, [b.records for b in bins], wrong),
        rule=_boundary(wrong, f"k = {k}"),
    )


def costs(shown: RemediationResult) -> Figure | None:
    """What each quasi-identifier would cost at its finest level, dearest first."""
    solution = shown.solution
    losses = [cost.loss for cost in solution.costs] if solution else []
    if solution is None or not losses or any(map(is_hidden, (solution.loss, *losses))):
        return None
    ordered = sorted(solution.costs, key=lambda c: -math.inf if c.loss is None else -c.loss)
    names = [cost.attribute for cost in ordered]
    more = [None if cost.loss is None else _more(cost.loss, solution.loss) for cost in ordered]
    labels = [words.shortened(name, 16) for name in names]
    bars = _bars(labels, [m or 0.0 for m in more], [False] * len(names))
    texts = [_dearer(m, proved=cost.proved) for m, cost in zip(more, ordered, strict=True)]
    return Figure(
        id="costs",
        title="What each quasi-identifier costs",
        description=(
            "How much more would be lost if a quasi-identifier were released at its finest level and the others "
            "compensated for it."
        ),
        height=len(bars) * STEP + 6,
        drawing="bars",
        label=room_of(labels),
        columns=("Quasi-identifier", "Level", "Least loss", "More"),
        table=tuple(
            (name, words.number(cost.level), words.number(cost.loss), text)
            for name, cost, text in zip(names, ordered, texts, strict=True)
        ),
        bars=tuple(replace(bar, value=text) for bar, text in zip(bars, texts, strict=True)),
    )


def _dearer(more: float | None, *, proved: bool) -> str:
    """How much more would be lost; what the search did not prove is said so."""
    if more is None:
        return "no release" if proved else "not known"
    text = f"+{words.number(more)}" if more else "nothing"
    return text if proved or not more else f"at most {text}"


def _more(loss: float, least: float | None) -> float:
    """The difference, without the noise of its last digits."""
    return float(f"{max(loss - (least or 0), 0):.9f}")


def _span(low: int, high: int | None) -> str:
    if high is None:
        return f"{low:,} or more"
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def room_of(texts: Sequence[str], least: int = LABEL) -> int:
    """The room that the labels or numbers of bars take."""
    return max(least, 8 + math.ceil(LETTER * max(map(words.columns, texts), default=0)))


def _bars(labels: Sequence[str], values: Sequence[float | None], wrong: Sequence[bool]) -> tuple[Bar, ...]:
    largest = max((v for v in values if isinstance(v, (int, float))), default=0) or 1
    room = max(WIDTH - room_of(labels) - room_of([*map(words.number, values)], VALUE), 0)
    return tuple(
        Bar(
            label=label,
            y=i * STEP + 3,
            length=round(room * value / largest, 2) if isinstance(value, (int, float)) else 0,
            value=words.number(value),
            wrong=bad,
            hidden=is_hidden(value),
        )
        for i, (label, value, bad) in enumerate(zip(labels, values, wrong, strict=True))
    )


def _boundary(wrong: Sequence[bool], label: str) -> Tick | None:
    """The rule between the bars on either side of the bound, where there is exactly one such place."""
    flips = [i for i in range(1, len(wrong)) if wrong[i] != wrong[i - 1]]
    return Tick(flips[0] * STEP, label) if len(flips) == 1 else None


def distributions(shown: Result) -> list[Figure]:
    """For each model with a distribution: how many records stand in classes with which number."""
    return [
        _distribution(f"dist-{i}", requirement)
        for i, requirement in enumerate(shown.requirements)
        if requirement.distribution
    ]


def _distribution(id_: str, requirement: RequirementResult) -> Figure:
    bins = requirement.distribution
    labels = [_interval(b.low, b.high) for b in bins]
    wrong = [b.violates for b in bins]
    sensitive = f" for {requirement.sensitive}" if requirement.sensitive else ""
    return Figure(
        id=id_,
        title=f"Records by the number of their class: {requirement.id}",
        description=(
            f"{requirement.model}{sensitive}. Required {words.required(requirement)}; hatched bars violate it. "
            f"Worst class: {words.achieved(requirement)}."
        ),
        height=len(bins) * STEP + 6,
        drawing="bars",
        columns=("Number", "Classes", "Records", "Against the bound"),
        table=tuple(
            (label, words.number(b.classes), words.number(b.records), "violates" if bad else "holds")
            for label, b, bad in zip(labels, bins, wrong, strict=True)
        ),
        label=room_of(labels),
        bars=_bars(labels, [b.records for b in bins], wrong),
        rule=_boundary(wrong, f"bound {words.number(requirement.bound)}"),
    )


def _interval(low: float | None, high: float | None) -> str:
    if low is high is None:
        return "others"
    if low == high:
        return words.number(low)
    if low is None:
        return f"below {words.number(high)}"
    return f"{words.number(low)} or more" if high is None else f"{words.number(low)} to <{words.number(high)}"


def risk_curve(shown: Result) -> Figure | None:
    """The share of records that stand in classes smaller than k, against k."""
    curve = shown.classes.risk_curve if shown.classes else ()
    if not curve:
        return None
    k, unset = threshold(shown), shown.policy.protection_threshold is None
    return plot(
        id_="curve",
        title="Share of records in classes smaller than k",
        description=f"Rises with k; the policy {'sets no k' if unset else f'protects k = {k}'}.",
        names=[str(point.k) for point in curve],
        series={"below k": [point.share_below for point in curve]},
        columns=("k", "Records below k", "Share"),
        table=[(str(p.k), words.number(p.records_below), words.percent(p.share_below)) for p in curve],
        x_title="k",
        marked=None if unset else str(k),
    )


def dimensionality(shown: Result) -> Figure | None:
    """What each further quasi-identifier does to the table (Aggarwal, section 20.3.4)."""
    check = shown.dimensionality
    if not check or not check.steps:
        return None
    k, steps = check.k, check.steps
    return plot(
        id_="dimensions",
        title="The effect of each further quasi-identifier",
        description=f"Quasi-identifiers joined one by one; the shares of unique records and of records below k = {k}.",
        names=[str(i) for i in range(1, len(steps) + 1)],
        series={
            "unique": [step.unique_share for step in steps],
            f"below {k}": [step.below_k_share for step in steps],
        },
        columns=("Joined", "Distinct values", "Classes", "Unique", "Share unique", f"Below {k}", f"Share below {k}"),
        table=[
            (
                f"{i}. {step.attribute}",
                *map(words.number, (step.distinct_values, step.classes, step.unique_records)),
                words.percent(step.unique_share),
                words.number(step.below_k),
                words.percent(step.below_k_share),
            )
            for i, step in enumerate(steps, 1)
        ],
        x_title="quasi-identifiers joined",
        stacked=True,
    )


def plot(
    *,
    id_: str,
    title: str,
    description: str,
    names: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    columns: tuple[str, ...],
    table: Sequence[tuple[str, ...]],
    x_title: str,
    marked: str | None = None,
    stacked: bool = False,
) -> Figure:
    """Lines over named places, one per series of shares, with the table of their numbers."""
    top = _ceiling(max((s for shares in series.values() for s in shares if isinstance(s, (int, float))), default=0))
    right = room_of([*series], PLOT_RIGHT)
    xs = [PLOT_LEFT + (WIDTH - PLOT_LEFT - right) * (i + 0.5) / len(names) for i in range(len(names))]
    lines = [_line(name, shares, xs, top) for name, shares in series.items()]
    every = -(-len(names) // 12)
    ticks = [Tick(round(x, 2), name) for x, name in zip(xs, names, strict=True)]
    return Figure(
        id=id_,
        title=title,
        description=description,
        height=PLOT_HEIGHT,
        right=right,
        columns=columns,
        table=tuple(table),
        lines=tuple(_apart(lines)),
        x_ticks=tuple(ticks[::every]),
        y_ticks=tuple(Tick(_y(top * i / 4, top), f"{words.number(round(top * i * 25, 6))} %") for i in range(5)),
        x_title=x_title,
        mark=next((tick for tick in ticks if tick.label == marked), None),
        stacked=stacked,
    )


def _ceiling(share: float) -> float:
    """The top of a share's axis: a round number not below the largest share."""
    return next(top for top in (0.001, 0.01, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, share) if top >= share)


def _y(share: float, top: float) -> float:
    return round(PLOT_HEIGHT - PLOT_BOTTOM - (PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM) * share / top, 2)


def _line(name: str, shares: Sequence[float | None], xs: Sequence[float], top: float) -> Series:
    known = [(round(x, 2), _y(s, top)) for x, s in zip(xs, shares, strict=True) if isinstance(s, (int, float))]
    return Series(name, tuple(known), known[-1][1] + 4 if known else 0)


def _apart(lines: list[Series]) -> list[Series]:
    """Labels at the lines' ends, moved so that they do not cover each other."""
    placed: list[Series] = []
    for line in lines:
        y = line.label_y
        for other in placed:
            if abs(other.label_y - y) < 13:
                y = other.label_y - 13
        placed.append(Series(line.name, line.points, y))
    return placed
