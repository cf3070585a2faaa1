"""Dates: days into weeks, months, quarters, years and decades."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, field_validator

from auditor.dialect import DateForm
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
_TIME = r"(?:[ T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?[AaPp][Mm])?)?"


@dataclass(frozen=True)
class Dates(Generated):
    """One level per granularity: ``2026-02-10``, ``2026-W07``, ``2026-02``, ``2026-Q1``, ``2026``, ``2020s``.

    Values are dates or timestamps of ISO 8601, or of the form that `written` names, of which 3/5/2026 is one, too; a
    timestamp counts on the day that is written.

    Weeks are those of ISO 8601 and do not end with the month or year. In a ladder with weeks, a date therefore counts
    to the month, quarter and year of its week's Thursday, as ISO 8601 counts weeks to years; otherwise the levels
    would not nest.
    """

    granularities: tuple[str, ...]
    written: DateForm | None = None

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
        wanted = f"dates written {self.written}" if self.written else "ISO 8601 dates"
        hint = "" if self.written else "; `written: DD.MM.YYYY` beside `date` reads others"
        places = read_all(values, self._place, column, f"{wanted}, which date levels need{hint}")
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
        form = self.written or "YYYY-MM-DDT12:00"
        return form.replace("YYYY", "2026").replace("MM", "02").replace("DD", "10")

    def _place(self, text: str) -> tuple[date, int] | None:
        """A day of the period that `text` names, and the level it stands on."""
        if text == STAR:
            return date.max, TOP
        if self.written is not None and (value := _pattern(self.written).fullmatch(text)):
            day = _of(**value.groupdict())
            return None if day is None else (day, 0)
        if _DAY.match(text):
            day, level = _day(text), self._level("day") if len(text) == len("2026-02-10") else 0
            return None if day is None or (self.written and not level) else (day, level)
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


@cache
def _pattern(form: DateForm) -> re.Pattern[str]:
    """What values look like that are written so; one digit is enough for a day or a month between two marks."""
    mark = re.sub("[YMD]", "", form)[:1]
    digits = "{1,2}" if mark else "{2}"
    parts = {"Y": "(?P<year>[0-9]{4})", "M": f"(?P<month>[0-9]{digits})", "D": f"(?P<day>[0-9]{digits})"}
    order = dict.fromkeys(form.replace(mark, "") if mark else form)
    return re.compile(re.escape(mark).join(parts[each] for each in order) + _TIME)


def _of(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


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
    written: Annotated[DateForm | None, Stricter.REVIEW] = Field(
        None, description="How the values are written; as ISO 8601 has it (2026-02-10) if not given."
    )

    @field_validator("date")
    @classmethod
    def _grows(cls, levels: tuple[DateLevel, ...]) -> tuple[DateLevel, ...]:
        places = [get_args(DateLevel).index(level) for level in levels]
        if any(later <= earlier for earlier, later in pairwise(places)):
            raise ValueError(f"periods must grow: {', '.join(get_args(DateLevel))}")
        return levels

    @classmethod
    def built(cls, given: Any, options: Mapping[str, Any], /) -> Hierarchy:
        """See `Entry`."""
        return Dates(tuple(given), options.get("written"))
