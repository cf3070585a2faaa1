"""Counts as people write them: ``4,000``, and ``40 (88%)`` with the share beside the count.

A column is read so where all of it is written so, as plain whole numbers, or withheld; of shares, one has a sign of
percent, or the column is called ``n (%)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from auditor.outputs.published.outputs import Stated
from auditor.outputs.readers._numbers import stated

Rows = list[tuple[str, ...]]
Shares = Mapping[tuple[int, int], Stated]
"""The shares beside counts, by the line and the place from the right."""
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:[,'’\u00a0\u202f ]\d{3})+", re.ASCII)
_MARKS = re.compile(r"[,'’\u00a0\u202f ]")
_COUNT = re.compile(r"\d+(?:\.0)?", re.ASCII)
_WITH_SHARE = re.compile(r"(.*?\S)\s*[(\[]\s*(\d+(?:[.,]\d+)?)\s*(%?)\s*[)\]]\s*(%?)", re.ASCII)
_NAME_OF_SHARES = re.compile(r"\s*[(\[,/]?\s*%\s*[)\]]?")


def as_counts(rows: Rows, lines: Sequence[int], is_withheld: Callable[[str], bool]) -> tuple[Rows, Shares]:
    """The rows, the header among them, with plain counts behind the first column; and the shares beside these."""
    columns, shares = [list(column) for column in zip(*rows, strict=True)], dict[tuple[int, int], Stated]()
    for at, column in enumerate(columns[1:], start=1):
        for row, share in _split(column, is_withheld).items():
            shares[lines[row], len(columns) - at] = share
        if all(_GROUPED.fullmatch(field) or _COUNT.fullmatch(field) or is_withheld(field) for field in column[1:]):
            column[1:] = [_MARKS.sub("", field) if _GROUPED.fullmatch(field) else field for field in column[1:]]
    return [tuple(row) for row in zip(*columns, strict=True)], shares


def _split(column: list[str], is_withheld: Callable[[str], bool]) -> dict[int, Stated]:
    """The shares of a column by their rows, which are taken out of it; none where it holds other things."""
    found = {row: match for row, field in enumerate(column) if row and (match := _WITH_SHARE.fullmatch(field))}
    told = [match[1] if (match := found.get(row)) else field for row, field in enumerate(column)]
    are_counts = all(_GROUPED.fullmatch(each) or _COUNT.fullmatch(each) or is_withheld(each) for each in told[1:])
    numbers = {row: stated(match[2].replace(",", ".")) for row, match in found.items()}
    said = column[0].strip().endswith(("(%)", "[%]", "%")) or any(match[3] or match[4] for match in found.values())
    if not (found and are_counts and said):
        return {}
    column[:] = [_NAME_OF_SHARES.sub("", column[0]), *told[1:]]
    return {row: Stated(each.value / 100, (each.places or 0) + 2) for row, each in numbers.items() if each is not None}
