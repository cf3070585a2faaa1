"""Writing a release as a workbook: texts, and numbers where every value of a column is written as one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from auditor import registry
from auditor.distribution import installation
from auditor.errors import DeliveryError

ROOM = "auditor.engines.foreign"
CREATED = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""What a workbook tells as its day; when it was written is nobody's business."""
MOST_ROWS = (1 << 20) - 1
"""What a sheet holds below its header (Excel's specifications and limits)."""
LONGEST = 32_767
"""Characters of a cell; a program would cut the rest off."""
MOST_DIGITS = 15
"""Of a number; programs round the others."""


@cache
def is_written(kind: str) -> bool:
    """Whether a format of this room is written, too."""
    return kind in registry.names(ROOM) and hasattr(registry.module(ROOM, kind), "WRITER")


def write(frame: Any, target: Path) -> None:
    """Write a pandas DataFrame of texts (None: missing) as the only sheet of a workbook.

    Raises:
        DeliveryError: a sheet does not hold it, or what writes it is not installed.
    """
    import pandas as pd

    kind = target.suffix[1:].lower()
    writer: Mapping[str, Any] = registry.module(ROOM, kind).WRITER
    if len(frame) > MOST_ROWS:
        raise DeliveryError(f"{target.name}: a sheet holds {MOST_ROWS:,} records, and these are {len(frame):,}")
    columns = {place: _cells(target, frame.iloc[:, place]) for place in range(frame.shape[1])}
    cells = pd.DataFrame(columns, dtype=object).set_axis(list(frame.columns), axis="columns")
    try:
        with pd.ExcelWriter(target, **writer) as book:
            cells.to_excel(book, sheet_name="release", index=False)
            if hasattr(book.book, "set_properties"):
                book.book.set_properties({"created": CREATED})
    except ImportError:
        raise DeliveryError(f"{target.name}: needs packages for it: {installation('formats')}") from None
    _undate(target)


def _undate(target: Path) -> None:
    """Give all parts of a package one day: the same release is the same file, whenever it is written."""
    with ZipFile(target) as package:
        parts = [(part, package.read(part)) for part in package.infolist()]
    with ZipFile(target, "w") as package:
        for part, content in parts:
            part.date_time = CREATED.timetuple()[:6]
            package.writestr(part, content)


def _cells(target: Path, column: Any) -> list[Any]:
    """The values of a column as cells.

    Raises:
        DeliveryError: one is too long.
    """
    texts = [None if value is None or value != value else str(value) for value in column]  # noqa: PLR0124  (NaN)
    if any(text is not None and len(text) > LONGEST for text in texts):
        raise DeliveryError(f"{target.name}: column {column.name!r} has texts of more than {LONGEST:,} characters")
    numbers = {text: _number(text) for text in set(texts) if text is not None}
    if None in numbers.values():
        return list(texts)
    return [None if text is None else numbers[text] for text in texts]


def _number(text: str) -> int | float | None:
    """The number that a text is, if a program shows it with the same digits; else None."""
    if sum(character.isdigit() for character in text) > MOST_DIGITS:
        return None
    for kind in (int, float):
        try:
            number: int | float = kind(text)
        except ValueError:
            continue
        if str(number) == text and text not in ("nan", "inf", "-inf", "-0.0"):
            return number
    return None
