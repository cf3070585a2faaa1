"""A table as pandas writes it: keys in the first columns, then a column per statistic, per label, or per both.

A frame whose columns have several levels begins with a row per level, and with a row of the names of its keys that is
empty behind them::

    ,cost,cost            sex,F,F,M              zip,count,mean        age,F,M,All
    ,mean,max             zip,a,b,a              a,2,1.75              26,1,1,2
    zip,,                 age,,,                                       All,3,1,4
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction

from auditor.errors import Unsupported
from auditor.interval import Interval
from auditor.outputs.published.outputs import Stated
from auditor.outputs.published.spans import span_of
from auditor.outputs.published.totals import is_total
from auditor.outputs.readers._csv import ABSENT, CsvTable
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._numbers import stated, whole
from auditor.outputs.readers._statistic_names import row_statistic, split, statistic
from auditor.outputs.readers._written import Shares, as_counts

MOST_LEVELS = 4

Key = tuple[str | None, ...]
Level = tuple[str, ...]


@dataclass(frozen=True)
class Frame:
    """`names` are the columns of the keys, `levels` the names of the levels of the columns, "" where there is none.

    `labels` has each value column by level, and `rows` the line, the key and the fields of each row.
    """

    table: CsvTable
    names: tuple[str, ...]
    levels: tuple[str, ...]
    labels: tuple[Level, ...]
    rows: tuple[tuple[int, Level, tuple[str, ...]], ...]
    shares: Shares = field(default_factory=dict)

    def share(self, line: int, place: int) -> Stated | None:
        """The share that stood beside a count."""
        return self.shares.get((line, len(self.labels) - place))

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


def frame(table: CsvTable, hints: Hints) -> Frame:
    """A table as a frame."""
    rows = [tuple(name.strip() for name in table.header), *(tuple(map(str.strip, fields)) for _, fields in table.rows)]
    lines = [0, *(line for line, _ in table.rows)]
    if len(rows) > 2 and len(rows[0]) > 2 and not any(rows[0][2:]) and all(rows[1]):
        rows, lines = rows[1:], lines[1:]  # the title of a pivot table: "Count of id", "Column Labels"
    numbers = [row[0] for row in rows[1:]]
    first = 1 if statistic(rows[0][-1]) == "count" else 0  # R numbers the rows of a data frame from 1
    numbered = not rows[0][0] and numbers in ([str(start + at) for at in range(len(numbers))] for start in (0, first))
    if numbered and len(rows[0]) > 2:
        rows = [row[1:] for row in rows]  # the numbers of the rows, of which no one is a key
    flat = _of_r(rows)
    if flat is not None:
        return _of(table, flat, lines, 1, rows[0].index(next(filter(None, rows[0]))))
    rows, shares = as_counts(rows, lines, is_withheld)
    described = not rows[0][0] and all(row_statistic(row[0]) is not None for row in rows[1:])
    for place in range(2, 0 if described else min(MOST_LEVELS, len(rows))):
        width = _names(rows[place])
        if width and _are_levels(rows[:place], width, hints):
            return _of(table, rows, lines, place, width)
    if len(rows) > 2 and not rows[0][0] and not rows[1][0] and _are_headings(rows[1]):
        names = ("",) * len(rows[0])  # rows without a name have no row for it
        return _of(table, [*rows[:2], names, *rows[2:]], [*lines[:2], 0, *lines[2:]], 2, 1)
    width = 1 if described else _width(table, rows, hints)
    found = _of(table, _filled(rows, width), lines, 0, width)
    return replace(found, levels=(hints.across,), shares=shares)


def _of_r(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]] | None:
    """The rows of a table of R's `ftable`, with each label in every row; None where it is none.

    Its columns are called by a name before their labels, its keys in a row that is empty behind, and labels that are
    those above are left out::

        "","","Survived","No","Yes"
        "Class","Sex","","",""
        "1st","Male","",118,57
        "","Female","",4,140
    """
    width = next((at for at, name in enumerate(rows[0]) if name), 0)
    if (
        not width
        or len(rows) < 3
        or not all(rows[1][:width])
        or any(rows[1][width:])
        or any(r[width] for r in rows[2:])
    ):
        return None
    found = [(rows[0][width], *rows[0][1:width], *rows[0][width + 1 :]), (*rows[1][:width], *rows[1][width + 1 :])]
    above = rows[2][:width]
    for row in rows[2:]:
        above = tuple(own or last for own, last in zip(row[:width], above, strict=True))
        found.append((*above, *row[width + 1 :]))
    return found


def _filled(rows: list[tuple[str, ...]], width: int) -> list[tuple[str, ...]]:
    """The rows of a pivot table, which leaves the keys empty that are those above, with these keys.

    So it is where each label of the first column stands but once, one at least has several rows and is not the last,
    and no key appears twice then. Otherwise what is empty is a total of SQL's, or a group of missing values.
    """
    firsts = [row[0] for row in rows[1:]]
    named = [at for at, first in enumerate(firsts) if first]
    together = named == list(range(len(named)))  # all that is empty stands below the last one
    if width < 2 or together or firsts[0] == "" or len({firsts[at] for at in named}) < len(named):
        return rows
    found, above = rows[:1], rows[1][:width]
    for row in rows[1:]:
        start = next((at for at in range(width) if row[at]), width)
        above = (*above[:start], *row[start:width]) if start < width else row[:width]
        found.append((*above, *row[width:]))
    keys = [row[:width] for row in found[1:]]
    return found if len(set(keys)) == len(keys) else rows


def _are_headings(row: tuple[str, ...]) -> bool:
    """Whether a row names a statistic in every column behind its first fields, which are empty."""
    given = [field for field in row if field]
    return bool(given) and all(statistic(field) is not None for field in given) and all(row[row.index(given[0]) :])


def _names(row: tuple[str, ...]) -> int:
    """How many names a row begins with that is empty behind them; 0 where it is none such."""
    width = next((i for i, field in enumerate(row) if not field), 0)
    return width if width and not any(row[width:]) else 0


def _are_levels(heads: list[tuple[str, ...]], width: int, hints: Hints) -> bool:
    """Whether these rows are levels of columns, and no rows of a table of which one is withheld as a whole.

    pandas repeats the labels of the first level, or has no name for it.
    """
    first = heads[0][width:]
    return not heads[0][0] or len(set(first)) < len(first) or all(head[0] in hints.columns for head in heads)


def _of(table: CsvTable, rows: list[tuple[str, ...]], lines: list[int], place: int, width: int) -> Frame:
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


def _width(table: CsvTable, rows: list[tuple[str, ...]], hints: Hints) -> int:
    """How many columns are keys: those of known columns and those that hold other things than numbers, at least one.

    Behind rows without a name stand no keys that are numbers: `describe()` has a column per known column there.
    """
    header, width = rows[0], 1
    if hints.keys:
        return hints.keys + next(
            (i for i, _ in enumerate(header[hints.keys : -1]) if not _holds_labels(rows, hints.keys + i)), 0
        )
    if set(hints.by) & set(header):
        told = max(header.index(name) + 1 for name in hints.by if name in header)
        return min(told + next((i for i, name in enumerate(header[told:]) if name), 0), len(header) - 1)
    numbers = header[-1] in hints.columns and statistic(header[-1]) is None
    while width < len(header) - 1 and _is_key(table, rows, width, hints):
        if numbers and len({row[:width] for row in rows[1:]}) == len(rows) - 1 and not _holds_labels(rows, width):
            break  # the names of columns of which there are numbers; the keys before them say everything
        width += 1
    return width


def _holds_labels(rows: list[tuple[str, ...]], place: int) -> bool:
    return any(_is_label(row[place]) for row in rows[1:])


def _is_key(table: CsvTable, rows: list[tuple[str, ...]], place: int, hints: Hints) -> bool:
    """Whether a column behind keys is one, too.

    Raises:
        Unsupported: it may as well be a column of counts of which some are written in words that say no number.
    """
    name, fields = rows[0][place], [row[place] for row in rows[1:]]
    if not name:
        return True  # pandas writes nothing for a key without a name; a column of numbers has one, if only 0
    if statistic(name) is not None:
        return False
    if rows[0][0] and name in hints.columns:
        return True
    texts = [field for field in fields if _is_label(field)]
    if texts and _may_be_counts(rows, place, texts, hints):
        raise Unsupported(
            f"{table.file.name}: a column of a table of counts holds texts that are not numbers; numbers, *, or bounds "
            "such as <10 (where it is one of the key, name it in the policy, and call the column of counts count)"
        )
    return bool(texts)


def _may_be_counts(rows: list[tuple[str, ...]], place: int, texts: list[str], hints: Hints) -> bool:
    """Whether a column with texts may be one of counts by a label, as by its numbers, or by the names that are known.

    It is none where the keys before it stand twice, and where the last column is called one of counts.
    """
    keys = [row[:place] for row in rows[1:]]
    last = rows[0][-1]
    if hints.type is None or statistic(last) is not None or split(last) is not None or len(set(keys)) < len(keys):
        return False
    if is_total(last) or (rows[0][0] in hints.columns and rows[0][place] not in hints.columns):
        return True
    numbers = any(stated(row[place]) is not None for row in rows[1:])
    return numbers and not all(is_total(text) or span_of(text) is not None for text in texts)


def _is_label(field: str) -> bool:
    return (
        field.lower() not in ABSENT
        and field.lower() not in SUPPRESSED
        and bounds(field) is None
        and stated(field.removesuffix("%")) is None
    )


_MARKS = re.compile(r"(?:n|count|\*+|\()?\s*(?:=\s*(?![<>]))?(.+?)\s*[*)]*", re.IGNORECASE)
SUPPRESSED = frozenset({"*", "**", "***", "x", "c", "s", ".", "..", "...", "-", "–", "—", "[c]", "[x]", "suppressed"})
"""How programs and people write that a number is withheld, in small letters."""


def is_withheld(field: str) -> bool:
    """Whether a field says that a number is withheld, or its bounds."""
    return field.lower() in ABSENT or field.lower() in SUPPRESSED or bounds(field) is not None


def bounds(field: str) -> Interval[Fraction] | None:
    """What a field says that stands in place of a small number: ``<10``, ``n<10``, ``1-9``, ``fewer than 10``.

    None for a number, and for an interval that begins behind 1, as labels of ages do.
    """
    marked = _MARKS.fullmatch(field)
    span = span_of(field) or (None if marked is None else span_of(marked[1]))
    if span is None or span.high is None:
        return None
    return span if span.low is None or 0 <= span.low <= 1 else None


def end(field: str) -> Fraction | None:
    """The number that such a field names as the most: 10 for ``<10``, which no number of any kind passes; else None."""
    span = bounds(field)
    return None if span is None else span.high
