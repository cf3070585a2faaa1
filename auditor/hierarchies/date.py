"""Dates: days into weeks, months, quarters, years and decades."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, field_validator

from auditor.direction import Stricter
from auditor.errors import HierarchyError, nearest
from auditor.hierarchies._base import STAR, TOP, Hierarchy, read_all
from auditor.hierarchies._entry import HierarchyEntry
from auditor.hierarchies._generated import Generated

GRANULARITIES = ("day", "week", "month", "quarter", "year", "decade")
"""From fine to coarse."""

_LABEL = re.compile(
    r"(?P<year>[0-9]{3}[0-9])(?:-(?:W(?P<week>[0-9]{2})|Q(?P<quarter>[1-4])|(?P<month>[0-9]{2})))?|(?P<decade>[0-9]{3})0s"
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Dates(Generated):
    """One level per granularity: ``2026-02-10``, ``2026-W07``, ``2026-02``, ``2026-Q1``, ``2026``, ``2020s``.

    Values are ISO 8601 dates or timestamps; a timestamp counts on the day that is written.

    Weeks are those of ISO 8601 and do not end with the month or year. In a ladder with weeks, a date therefore counts
    to the month, quarter and year of its week's Thursday, as ISO 8601 counts weeks to years; otherwise the levels
    would not nest.
    """

    granularities: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in self.granularities:
            if name not in GRANULARITIES:
                raise HierarchyError(
                    f"unknown granularity {name!r}{nearest(name, GRANULARITIES)}", f"one of {', '.join(GRANULARITIES)}"
                )
        if not self.granularities or list(self.granularities) != sorted(
            set(self.granularities), key=GRANULARITIES.index
        ):
            raise HierarchyError(
                f"the granularities {list(self.granularities)} do not grow coarser", "as in [week, month, year]"
            )

    def rungs(self, values: Sequence[str], column: str) -> list[list[str]]:
        """See `Generated`."""
        places = read_all(values, self._place, column, "ISO 8601 dates, which date levels need")
        return [
            [value if own > level else self._label(day, name) for value, (day, own) in zip(values, places, strict=True)]
            for level, name in enumerate(self.granularities, start=1)
        ]

    def level_of(self, label: str) -> int | None:
        """See `Hierarchy`."""
        place = self._place(label)
        return None if place is None else place[1]

    def specimen(self, height: int) -> str:  # noqa: ARG002  (periods are the policy's, whatever the values)
        """See `Hierarchy`. A time of the calendar."""
        return "2026-02-10T12:00"

    def _place(self, text: str) -> tuple[date, int] | None:
        """A day of the period that `text` names, and the level it stands on."""
        if text == STAR:
            return date.max, TOP
        if _DAY.match(text):
            day = _day(text)
            return None if day is None else (day, self._level("day") if len(text) == len("2026-02-10") else 0)
        match = _LABEL.fullmatch(text)
        name, day = _middle(match.groupdict()) if match else ("", None)
        level = self._level(name)
        return (day, level) if day is not None and level else None

    def _level(self, name: str) -> int:
        """The level of a granularity; 0 for one that the ladder does not have."""
        return self.granularities.index(name) + 1 if name in self.granularities else 0

    def _label(self, day: date, name: str) -> str:
        if "week" in self.granularities and GRANULARITIES.index(name) > GRANULARITIES.index("week"):
            day = _thursday(day)
        return _FORMATS[name](day)


def _week(day: date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


_FORMATS: dict[str, Callable[[date], str]] = {
    "day": date.isoformat,
    "week": _week,
    "month": lambda day: day.isoformat()[:7],
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10:03}0s",
}


def _thursday(day: date) -> date:
    return day + timedelta(days=4 - day.isoweekday())


def _day(text: str) -> date | None:
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        return None


def _middle(parts: dict[str, str | None]) -> tuple[str, date | None]:
    """The granularity of a label and a day in the middle of its period, so that its week lies inside too."""
    year = int(parts["year"] or f"{parts['decade']}5")
    try:
        if parts["week"]:
            return "week", date.fromisocalendar(year, int(parts["week"]), 4)
        if parts["month"]:
            return "month", date(year, int(parts["month"]), 15)
    except ValueError:
        return "", None
    if parts["quarter"]:
        return "quarter", date(year, 3 * int(parts["quarter"]) - 1, 15)
    return "decade" if parts["decade"] else "year", date(year, 7, 1)


DateLevel = Literal["day", "week", "month", "quarter", "year", "decade"]


class DateHierarchy(HierarchyEntry):
    """Generalize dates to calendar periods."""

    date: Annotated[tuple[DateLevel, ...], Stricter.REVIEW] = Field(
        min_length=1, description="The period of each level, from short to long."
    )

    @field_validator("date")
    @classmethod
    def _grows(cls, levels: tuple[DateLevel, ...]) -> tuple[DateLevel, ...]:
        places = [get_args(DateLevel).index(level) for level in levels]
        if any(later <= earlier for earlier, later in pairwise(places)):
            raise ValueError(f"periods must grow: {', '.join(get_args(DateLevel))}")
        return levels

    @classmethod
    def built(cls, given: Any, _: Mapping[str, Any], /) -> Hierarchy:
        """See `Entry`."""
        return Dates(tuple(given))
