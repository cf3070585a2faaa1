"""The log drawn query by query: what became of each, and when the first disclosure was complete.

Every lane is one outcome. Of a long log neighbouring queries share a column, whose height says how many they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.report import queries, words
from auditor.report.html._charts import Tick
from auditor.result.queries import QueriesResult, QueryResult

WIDTH = 440
LEFT = 112
RIGHT = 8
TOP = 22
LANE = 34
BAR = 24
MOST_COLUMNS = 40
_DISCLOSING = "discloses"
_WRONG = ("denied", "not evaluated", _DISCLOSING)


@dataclass(frozen=True)
class TimelineMark:
    """The queries of one column that share an outcome."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Lane:
    """One outcome: its name, the height of its base line, and where it happened."""

    name: str
    base: int
    wrong: bool
    marks: tuple[TimelineMark, ...]


@dataclass(frozen=True)
class Timeline:
    """The figure; shaped as `_charts.Figure`, so that it gets its table the same way."""

    title: str
    description: str
    height: int
    columns: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    lanes: tuple[Lane, ...]
    x_ticks: tuple[Tick, ...]
    first: Tick | None
    id: str = "timeline"
    drawing: str = "timeline"
    stacked: bool = True
    width: int = WIDTH


@dataclass(frozen=True)
class _QueryColumn:
    """Neighbouring queries: the first and last of them, and how often each outcome occurs."""

    first: str
    last: str
    outcomes: Counter[str]

    @property
    def label(self) -> str:
        return self.first if self.first == self.last else f"{self.first} to {self.last}"


def timeline(shown: QueriesResult) -> Timeline | None:
    """The log, or None where it holds no query."""
    if not shown.queries:
        return None
    columns = _columns(shown)
    lanes = [name for name in (*queries.OUTCOMES, _DISCLOSING) if any(c.outcomes[name] for c in columns)]
    step = (WIDTH - LEFT - RIGHT) / len(columns)
    most = max(max(column.outcomes.values(), default=1) for column in columns)
    height = TOP + LANE * len(lanes) + 34
    every = -(-len(columns) // 8)
    ticks = [Tick(round(LEFT + step * (i + 0.5), 2), words.shortened(c.first, 9)) for i, c in enumerate(columns)]
    return Timeline(
        title="The log, query by query",
        description=_description(shown),
        height=height,
        columns=("Query", *lanes),
        table=tuple((c.label, *(_cell(name, c, shown) for name in lanes)) for c in columns),
        lanes=tuple(_lane(name, i, columns, step, most) for i, name in enumerate(lanes)),
        x_ticks=tuple(ticks[::every]),
        first=_first(shown, columns, step),
    )


def _columns(shown: QueriesResult) -> list[_QueryColumn]:
    listed = shown.queries
    completing = Counter(disclosure.first_query for disclosure in shown.disclosures)
    size = -(-len(listed) // MOST_COLUMNS)
    return [
        _QueryColumn(part[0].index, part[-1].index, _outcomes(part, completing))
        for part in (listed[start : start + size] for start in range(0, len(listed), size))
    ]


def _outcomes(part: Sequence[QueryResult], completing: Counter[str]) -> Counter[str]:
    outcomes = Counter(queries.became(query) for query in part)
    outcomes[_DISCLOSING] = sum(query.index in completing for query in part)
    return outcomes


def _cell(name: str, column: _QueryColumn, shown: QueriesResult) -> str:
    """A count; of the disclosures only that there are some, where their number is not for this audience."""
    count = column.outcomes[name]
    if name == _DISCLOSING and shown.disclosures_count != len(shown.disclosures):
        return "yes" if count else "–"
    return words.number(count)


def _lane(name: str, index: int, columns: Sequence[_QueryColumn], step: float, most: int) -> Lane:
    base = TOP + LANE * (index + 1) - 4
    marks = []
    for i, column in enumerate(columns):
        count = column.outcomes[name]
        if count:
            height = round(max(BAR * count / most, 3), 2)
            width = round(min(step * 0.8, BAR), 2)
            marks.append(
                TimelineMark(round(LEFT + step * (i + 0.5) - width / 2, 2), round(base - height, 2), width, height)
            )
    return Lane(name, base, name in _WRONG, tuple(marks))


def _first(shown: QueriesResult, columns: Sequence[_QueryColumn], step: float) -> Tick | None:
    """Where the first disclosure was complete."""
    wanted = shown.first_compromise
    at = next((i for i, column in enumerate(columns) if column.outcomes[_DISCLOSING]), None)
    if wanted is None or at is None:
        return None
    return Tick(round(LEFT + step * (at + 0.5), 2), f"first disclosure: query {words.shortened(wanted, 12)}")


def _description(shown: QueriesResult) -> str:
    facts, each = shown.log, -(-len(shown.queries) // MOST_COLUMNS)
    span = ""
    if facts.first_time is not None:
        span = f", from {words.shortened(facts.first_time, 40)} to {words.shortened(facts.last_time or '–', 40)}"
    together = f" Each column stands for up to {words.number(each)} queries." if each > 1 else ""
    return f"{queries.asked(shown).capitalize()}{span}; in the order of the log.{together}"
