"""A table as pandas writes it: keys in the first columns, then a column per statistic, per label, or per both.

A frame whose columns have several levels begins with a row per level, and with a row of the names of its keys that is
empty behind them::

    ,cost,cost            sex,F,F,M              zip,count,mean        age,F,M,All
    ,mean,max             zip,a,b,a              a,2,1.75              26,1,1,2
    zip,,                 age,,,                                       All,3,1,4
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from auditor.outputs.readers._asked import Asked
from auditor.outputs.readers._csv import ABSENT, Table
from auditor.outputs.readers._numbers import stated, whole
from auditor.outputs.readers._statistic_names import statistic

MOST_LEVELS = 4

Key = tuple[str | None, ...]
Level = tuple[str, ...]


@dataclass(frozen=True)
class Frame:
    """`names` are the columns of the keys, `levels` the names of the levels of the columns, "" where there is none.

    `labels` has each value column by level, and `rows` the line, the key and the fields of each row.
    """

    table: Table
    names: tuple[str, ...]
    levels: tuple[str, ...]
    labels: tuple[Level, ...]
    rows: tuple[tuple[int, Level, tuple[str, ...]], ...]

    def column(self, place: int) -> list[tuple[int, str]]:
        """The fields of a value column with their lines."""
        return [(line, fields[place]) for line, _, fields in self.rows]

    @property
    def is_bare(self) -> bool:
        """Whether the keys are numbers without a name: those of rows, as of a column of records, or of groups."""
        return self.names == ("",) and all(whole(stated(key[0])) is not None for _, key, _ in self.rows)

    def keys(self) -> list[Key]:
        """The key of each row; those of margins have their words in them (see `auditor.outputs._margins`)."""
        return [key for _, key, _ in self.rows]


def frame(table: Table, asked: Asked) -> Frame:
    """A table as a frame."""
    rows = [tuple(name.strip() for name in table.header), *(tuple(map(str.strip, fields)) for _, fields in table.rows)]
    lines = [0, *(line for line, _ in table.rows)]
    numbered = not rows[0][0] and [row[0] for row in rows[1:]] == [str(number) for number in range(len(rows) - 1)]
    if numbered and len(rows[0]) > 2:
        rows = [row[1:] for row in rows]  # the numbers of the rows, of which no one is a key
    for place in range(2, min(MOST_LEVELS, len(rows))):
        width = _names(rows[place])
        if width and _are_levels(rows[:place], width, asked):
            return _of(table, rows, lines, place, width)
    return _of(table, rows, lines, 0, _width(rows, asked))


def _names(row: tuple[str, ...]) -> int:
    """How many names a row begins with that is empty behind them; 0 where it is none such."""
    width = next((i for i, field in enumerate(row) if not field), 0)
    return width if width and not any(row[width:]) else 0


def _are_levels(heads: list[tuple[str, ...]], width: int, asked: Asked) -> bool:
    """Whether these rows are levels of columns, and no rows of a table of which one is withheld as a whole.

    pandas repeats the labels of the first level, or has no name for it.
    """
    first = heads[0][width:]
    return not heads[0][0] or len(set(first)) < len(first) or all(head[0] in asked.columns for head in heads)


def _of(table: Table, rows: list[tuple[str, ...]], lines: list[int], place: int, width: int) -> Frame:
    """The frame whose names of keys stand in row `place`; where it is 0, with the labels of its columns."""
    heads = rows[:place] or rows[:1]
    return Frame(
        table=table,
        names=rows[place][:width],
        levels=tuple(head[0] if place else "" for head in heads),
        labels=tuple(zip(*(head[width:] for head in heads), strict=True)),
        rows=tuple(
            (line, row[:width], row[width:]) for line, row in zip(lines[place + 1 :], rows[place + 1 :], strict=True)
        ),
    )


def _width(rows: list[tuple[str, ...]], asked: Asked) -> int:
    """How many columns are keys: those of known columns and those that hold other things than numbers, at least one.

    Behind rows without a name stand no keys that are numbers: `describe()` has a column per known column there.
    """
    header = rows[0]
    width = 1
    while width < len(header) - 1 and _is_key(
        header[width], [row[width] for row in rows[1:]], asked, named=bool(header[0])
    ):
        width += 1
    return width


def _is_key(name: str, fields: list[str], asked: Asked, *, named: bool) -> bool:
    if statistic(name) is not None:
        return False
    return (named and name in asked.columns) or any(_is_label(field) for field in fields)


def _is_label(field: str) -> bool:
    return (
        field.lower() not in ABSENT
        and field.lower() not in SUPPRESSED
        and not is_bound(field)
        and stated(field.removesuffix("%")) is None
    )


_BOUND = re.compile(r"(?:<=|=<|≤|<)\s*(?P<number>.+)")
SUPPRESSED = frozenset({"*", "**", "***", "x", "c", "s", ".", "..", "...", "-", "–", "—", "[c]", "[x]", "suppressed"})
"""How programs and people write that a number is withheld, in small letters."""


def is_bound(field: str) -> bool:
    """Whether a field says that a number is withheld because it is small: ``<10``."""
    return bound(field) is not None


def bound(field: str) -> int | None:
    """The largest whole number that such a field stands for: 9 for ``<10``, 10 for ``≤10`` and ``<=10``; else None."""
    most = end(field)
    if most is None:
        return None
    return ceil(most) - 1 if field.startswith("<") and not field.startswith("<=") else floor(most)


def end(field: str) -> Fraction | None:
    """The number that such a field names: 10 for ``<10``, which no number of any kind passes; else None."""
    found = _BOUND.fullmatch(field)
    number = stated(found["number"]) if found is not None else None
    return None if number is None else number.value
