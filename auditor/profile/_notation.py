"""How numbers of CSV files are written, told from their values; nothing where they can be read in two ways."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from auditor.dialect import DecimalMark, ThousandsMark
from auditor.engines import Allowed, ColumnUse, Source
from auditor.profile._measure import ColumnProfile

Marks = tuple[str, str | None]
"""The decimal mark, and the one of thousands."""
_KNOWN: tuple[Marks, ...] = tuple(
    (decimal, thousands)
    for decimal in get_args(DecimalMark)
    for thousands in (None, *get_args(ThousandsMark))
    if decimal != thousands and (decimal, thousands) != (".", None)
)
_MARKED = re.compile(rf"[0-9][{re.escape(''.join((',', *get_args(ThousandsMark))))}][0-9]")


def common_marks(fitting: Sequence[frozenset[Marks]]) -> tuple[Marks, ...]:
    """The ways in which all columns can be read, given those of each that has such numbers; none where there is none.

    Of ways that differ only in a mark of thousands that no column has, the one without is taken.
    """
    common = [marks for marks in _KNOWN if fitting and all(marks in fits for fits in fitting)]
    return tuple(marks for marks in common if not any(_says_less(other, marks) for other in common))


def _says_less(one: Marks, other: Marks) -> bool:
    return one[0] == other[0] and one[1] is None and other[1] is not None


def fitting_marks(source: Source, column: ColumnProfile) -> frozenset[Marks]:
    """The ways in which every value of a column is a number; none where it is no such column."""
    if not column.usable or column.numeric or not column.present:
        return frozenset()
    if column.found is None:
        return frozenset(marks for marks in _KNOWN if not _others(source, column, marks))
    labels: Sequence[str] = column.found.labels
    if not any(map(_MARKED.search, labels)):
        return frozenset()
    return frozenset(marks for marks in _KNOWN if all(map(re.compile(_number(marks)).fullmatch, labels)))


def _others(source: Source, column: ColumnProfile, marks: Marks) -> int:
    return source.outside(ColumnUse(column.name), Allowed(pattern=_number(marks)))


def _number(marks: Marks) -> str:
    decimal, thousands = marks
    whole = "[0-9]+" if thousands is None else f"(?:[0-9]{{1,3}}|[1-9][0-9]{{0,2}}(?:[{thousands}][0-9]{{3}})+)"
    return f"[+-]?{whole}(?:[{decimal}][0-9]+)?"
