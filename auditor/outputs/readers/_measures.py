"""What the columns of a table of pandas are: of which column, which statistic, and the labels above them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from auditor.errors import DataError, Unsupported
from auditor.outputs.published.outputs import Stated
from auditor.outputs.published.totals import SIZES, is_total, says_of_how_many
from auditor.outputs.readers._axes import Axes, Axis
from auditor.outputs.readers._csv import as_precise
from auditor.outputs.readers._frame import Frame, is_withheld
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._numbers import stated, whole
from auditor.outputs.readers._reader import Unclear
from auditor.outputs.readers._rows import may_be_records
from auditor.outputs.readers._statistic_names import (
    counts_of,
    is_quantile,
    is_quotient,
    share_of,
    split_of,
    statistic,
)

ONLY_COUNTS = SIZES | {"0", ""}
"""What the column of the sizes of clusters, or of the only counts there are, is called."""
MADE_UP = frozenset({"0", "", "value", "values"})
"""What pandas calls a column that has no name."""


@dataclass(frozen=True)
class Measure:
    """A value column: of which column it is a statistic ("" unknown), which one, and the labels it is by."""

    place: int
    of: str
    statistic: str
    labels: tuple[str, ...]


def parts_at(parts: Sequence[str], levels: Sequence[Axis], kind: Axis = Axis.VALUES) -> tuple[str, ...]:
    """The parts at the levels of one kind."""
    return tuple(part for part, axis in zip(parts, levels, strict=True) if axis is kind)


def measures_of(found: Frame, levels: Axes, hints: Hints) -> tuple[list[Measure], bool]:
    """What each value column is, by its labels and by what the user said; and whether counts were taken for granted.

    Raises:
        DataError: the user says otherwise than the headings.
        Unsupported: neither says it.
    """
    (of, said), in_rows = hints.numbers, Axis.STATISTICS in levels.rows
    told = _by_levels(found, levels) if levels.columns else _flat(found, hints, in_rows=in_rows)
    assumed = not in_rows and not said and len(told) == 1 and not told[0].of and _may_be_any(found.labels[0][-1], hints)
    if assumed and (Axis.COLUMNS in levels.rows or not _are_counts(found)):
        raise _unclear(found)
    if Axis.COLUMNS in levels.rows and any(each.of for each in told):
        raise Unsupported(
            f"{found.table.file.name}: columns by columns, as of correlations; a table of counts or statistics"
        )
    unsaid = not in_rows and not all(each.statistic for each in told)
    named = Axis.COLUMNS in levels.rows or any(each.of for each in told)
    if unsaid and not said and (named or not _looks_like_a_crosstab(found, hints)):
        raise _unclear(found)
    statistics = {each.statistic for each in told} - {"count"} or {"count"}
    contradicted = bool(hints.of and said) and not unsaid and (in_rows or statistics != {said})
    if contradicted or (of and any(each.of not in ("", of) for each in told if each.statistic != "count")):
        raise DataError(f"{found.table.file.name}: headings that say other numbers than was said; leave --of out")
    if unsaid:
        told = [replace(each, statistic=said or "count") for each in told]
    return [replace(each, of=of) if of and each.statistic != "count" else each for each in told], assumed or (
        unsaid and not said
    )


def _by_levels(found: Frame, levels: Axes) -> list[Measure]:
    """The columns, whose labels are said by their levels."""
    return [
        Measure(
            place,
            of=[*parts_at(label, levels.columns, Axis.COLUMNS), ""][0],
            statistic=[*(statistic(each) or "" for each in parts_at(label, levels.columns, Axis.STATISTICS)), ""][0],
            labels=parts_at(label, levels.columns),
        )
        for place, label in enumerate(found.labels)
    ]


def _flat(found: Frame, hints: Hints, *, in_rows: bool) -> list[Measure]:
    """The columns of which a single row of headings says everything; without a statistic where it says none."""
    labels, (of, said) = [label[0] for label in found.labels], hints.numbers
    known = any(label in hints.columns for label in labels)
    if in_rows:
        values = len(labels) > 1 and not known and all(stated(label) for label in labels)
        return [
            Measure(i, *("", "", (label,)) if values else (_column(label, hints), "", ()))
            for i, label in enumerate(labels)
        ]
    is_count = hints.type == "frequency-table" and len(labels) == 1 and is_total(labels[0])
    told = [statistic(label) for label in labels]
    if not is_count and None not in told and told != ["count"]:
        return [Measure(i, "", each, ()) for i, each in enumerate(told) if each is not None]
    named = [_named(label, hints) for label in labels]
    if None not in named and named.count(("", "count")) < len(named):
        return _within_one(found, [Measure(i, *each, labels=()) for i, each in enumerate(named) if each is not None])
    if _is_single_count(found, hints) and not (said and _may_be_any(labels[0], hints)):
        return [Measure(0, "", "count", ())]
    if len(labels) == 1 and (said or known):
        heading = labels[0] if known else _column(labels[0], hints) if hints.type == "magnitude-table" or not of else ""
        return [Measure(0, heading, "", ())]
    return [Measure(i, *(label, "", ()) if known else ("", "", (label,))) for i, label in enumerate(labels)]


def _column(label: str, hints: Hints) -> str:
    """The column that a heading names; "" for those that pandas makes up."""
    return "" if label in MADE_UP - hints.columns else label


def _may_be_any(label: str, hints: Hints) -> bool:
    """Whether a heading of counts may as well stand above other numbers: it is made up, or that of a column."""
    return label in MADE_UP or (label in hints.columns and statistic(label) == "count")


def _named(label: str, hints: Hints) -> tuple[str, str] | None:
    """The column and the statistic that a label names; shares, unless the user says that the numbers are counts."""
    told = split_of(label, hints.columns) or (("", "count") if statistic(label) == "count" else None)
    return share_of(label) if told is None and hints.type != "frequency-table" else told


def _within_one(found: Frame, columns: list[Measure]) -> list[Measure]:
    """The columns, of which shares are at most 1, and percentages at most 100."""
    for column in columns:
        most = {"percent": 100}.get(column.statistic, 1 if share_of(found.labels[column.place][0]) else None)
        known = [number.value for number in numbers_at(found, column.place) if number is not None] if most else []
        if most and any(not 0 <= number <= most for number in known):
            raise _unclear(found)
    return columns


def _is_named_count(found: Frame, columns: Sequence[Measure]) -> bool:
    """Whether a name alone says that the only column is one of counts."""
    return len(columns) == len(found.levels) == 1 and columns[0].statistic == "count"


def _is_single_count(found: Frame, hints: Hints) -> bool:
    """Whether the only column is one of counts.

    `Series.to_csv()` writes a column of records behind the numbers of their rows, as ``value_counts()`` writes counts
    behind the numbers that it counted: of these, what is not called ``count`` is read when it is said to be a table.
    """
    if len(found.labels) != 1:
        return False
    label = found.labels[0][0]
    if hints.type == "frequency-table":
        return label not in hints.columns or label.lower() in SIZES
    named = label.lower() == "count" if found.is_bare else label.lower() in ONLY_COUNTS or counts_of(label)
    return named and not (found.names == ("",) and label in hints.columns)


def _unclear(found: Frame) -> Unclear:
    keys, columns = len(found.names), len(found.labels)
    return Unclear(
        f"{found.table.file.name}: a table by {_several(keys, 'column')} with {_several(columns, 'column')} of numbers "
        "that does not say what they are; columns named by statistics (count, mean, sum, max), or say it: --of count, "
        "--of 'sum of COLUMN', --of 'mean of COLUMN' (in Python of=), and --by where it is by others"
    )


def _several(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _looks_like_a_crosstab(found: Frame, hints: Hints) -> bool:
    """Whether all fields are counts, under labels that are no columns: a table of records must not be taken for one."""
    keys, labels = [key for _, key, _ in found.rows], found.labels
    distinct = len(set(keys)) == len(keys) and len(set(labels)) == len(labels) > 1
    last = [label[-1] for label in labels]
    distinct = distinct and not all(is_total(label) or says_of_how_many(label, last) for label in last)
    distinct = distinct and not all(is_quantile(label) for label in last) and not {"unique", "top", "freq"} <= set(last)
    if _are_percentages(found):
        raise Unsupported(
            f"{found.table.file.name}: whole numbers of which each row, or each column, adds up to 100; counts, or "
            "shares from 0 to 1 with all their digits; where they are counts, --type frequency-table says so"
        )
    named = any(part in hints.columns or is_quotient(part) for label in labels for part in label)
    named = named or (found.names[0] not in hints.columns and may_be_records(found))
    return distinct and not named and _are_counts(found)


def _are_counts(found: Frame) -> bool:
    """Whether all fields are whole numbers, or withheld."""
    fields = (field for _, _, row in found.rows for field in row)
    return all(is_withheld(field) or whole(stated(field)) is not None for field in fields)


def _are_percentages(found: Frame) -> bool:
    """Whether whole numbers may be percentages of their rows or columns: two or more of these add up to 100 each.

    A column of sizes beside them is none of them.
    """
    sizes = {place for place, label in enumerate(found.labels) if label[-1].lower() in SIZES}
    kept = [place for place in range(len(found.labels)) if len(sizes) != 1 or place not in sizes]
    rows = [[whole(stated(row[place])) for place in kept] for _, _, row in found.rows]
    for lines in (rows, [list(column) for column in zip(*rows, strict=True)]):
        known = [[number for number in line if number is not None] for line in lines]
        whole_lines = all(len(each) == len(line) > 1 for each, line in zip(known, lines, strict=True))
        # Each of n percentages is rounded to half a percent.
        if len(lines) > 1 and whole_lines and all(abs(sum(each) - 100) * 2 <= len(each) for each in known):
            return True
    return False


def numbers_at(found: Frame, place: int, *, whole_too: bool = True) -> list[Stated | None]:
    """The numbers of a column; with `whole_too`, those that end in ``.0`` throughout may be rounded to whole ones."""
    fields = [(line, "" if is_withheld(field) else field) for line, field in found.column(place)]
    numbers = [found.table.number(line, field) for line, field in fields]
    full = found.table.is_full([len(found.names) + place])
    known = [number for number in numbers if number is not None]
    if whole_too and all(number.value.denominator == 1 and (number.places or 0) <= 1 for number in known):
        # pandas writes 3.0 of a float that was rounded to whole numbers, or is one.
        return [None if number is None else replace(number, places=0) for number in numbers]
    return as_precise(numbers, full=full, records=None)
