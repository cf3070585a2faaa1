"""The sheet of a workbook that is the table: its first row names the columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from auditor.engines.foreign._base import ForeignTable, tidied
from auditor.errors import DataError

Rows = list[list[Any]]
BYTES_PER_CELL = 100
"""About what a place of a sheet takes in memory, filled or not."""
MOST_FOR_NAMES = 1 << 30
"""Bytes that sheets may take in memory whose headers alone are wanted."""
_LITERAL = re.compile('"((?:[^"]|"")*)"')
DESCRIPTION = "a description in its properties"
MERGED_CELLS = (
    "merged cells, which show one value for several records and hold it for one; unmerge them and fill in the values"
)


def literals(formula: str) -> set[str]:
    """The texts in quotes of a formula."""
    return {text.replace('""', '"') for text in _LITERAL.findall(formula)}


def header_names(look: Callable[[Path, int], object], path: Path) -> list[str]:
    """What stands in the first row with cells of every sheet; nothing if it cannot be read.

    Args:
        look: refuses a file that is none, or whose sheets are too large: reading them would end the process.
        path: the file.

    Raises:
        DataError: `look` refuses the file.
        ModuleNotFoundError: python-calamine is not installed.
        Unsupported: it takes more memory than `MOST_FOR_NAMES`.
    """
    look(path, MOST_FOR_NAMES)
    from python_calamine import CalamineError, load_workbook

    try:
        book = load_workbook(path)
        sheets = map(book.get_sheet_by_name, book.sheet_names)
        return [str(cell) for sheet in sheets for cell in next(filter(any, sheet.iter_rows()), [])]
    except (CalamineError, ValueError, OverflowError):
        return []


class Workbook:
    """A workbook whose cells are read by calamine, of which `package` is a copy that it understands.

    Raises:
        DataError: it cannot be read.
        ModuleNotFoundError: python-calamine is not installed.
    """

    def __init__(self, path: Path, package: BytesIO | None = None) -> None:
        self.path = path
        try:
            from python_calamine import CalamineError, SheetTypeEnum, load_workbook
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(name="python_calamine") from error
        try:
            self._book = load_workbook(package or path)
            sheets = self._book.sheets_metadata
            self.charts = [sheet.name for sheet in sheets if sheet.typ != SheetTypeEnum.WorkSheet]
            self.names = [sheet.name for sheet in sheets if sheet.name not in self.charts]
            self._rows = {name: self._of(name) for name in self.names}
        except (CalamineError, ValueError, OverflowError):
            raise DataError(f"{path.name}: is no workbook, or is damaged; save it again") from None

    def chosen(self, sheet: str | None) -> str:
        """The sheet of that name; without one the only sheet that holds anything.

        Raises:
            DataError: there is none, or several, or it holds nothing.
        """
        filled = [name for name in self.names if self._rows[name]]
        listed = ", ".join(map(repr, filled))
        if sheet is not None:
            if sheet not in filled:
                none = f"has no cells in the sheet {sheet!r}" if sheet in self.names else f"has no sheet {sheet!r}"
                raise DataError(f"{self.path.name}: {none}; those with cells: {listed or 'none'}")
            return sheet
        if len(filled) == 1:
            return filled[0]
        if not filled:
            raise DataError(f"{self.path.name}: holds no cells")
        raise DataError(
            f"{self.path.name}: has several sheets with cells ({listed}); name the one that is the table, such as "
            f"--sheet {filled[0]!r}; save it alone if it is to be released"
        )

    def texts(self, sheet: str) -> set[str]:
        """What the cells of a sheet hold, as texts."""
        return {str(value) for row in self._rows[sheet] for value in row}

    def numbers(self, sheet: str) -> dict[int, int]:
        """How many different values that are no texts each column holds below the header, by its number from 1."""
        left = self._book.get_sheet_by_name(sheet).start
        columns = zip(*self._rows[sheet][1:], strict=True)
        found = ({value for value in column if not isinstance(value, str)} for column in columns)
        return {place: len(values) for place, values in enumerate(found, 1 + (left[1] if left else 0))}

    def table(self, sheet: str, beside: Sequence[str]) -> ForeignTable:
        """A sheet as a table; `beside` is what else the package holds.

        Raises:
            DataError: it has no header, or an empty row between others.
        """
        import pandas as pd

        rows = self._rows[sheet]
        header = [str(int(name) if isinstance(name, float) and name.is_integer() else name) for name in rows[0]]
        nameless = [place for place, name in enumerate(header, 1) if not name]
        if nameless:
            raise DataError(
                f"{self.path.name}: column {nameless[0]} of the sheet {sheet!r} has no name; the first row with cells "
                "names all columns, and no title stands above it"
            )
        blank = next((place for place, row in enumerate(rows, 1) if all(value == "" for value in row)), None)
        if blank is not None:
            raise DataError(f"{self.path.name}: row {blank} of the sheet {sheet!r} is empty; delete it")
        frame = pd.DataFrame(rows[1:], columns=header, dtype=object)
        others = [name for name in self.names if name != sheet and self._rows[name]]
        unread = [f"sheet {name}" for name in (*others, *self.charts)]
        return ForeignTable(tidied(frame), (*unread, *beside))

    def _of(self, name: str) -> Rows:
        rows: Rows = self._book.get_sheet_by_name(name).to_python()
        while rows and all(value == "" for value in rows[-1]):
            rows.pop()
        return rows
