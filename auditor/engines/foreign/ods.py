"""OpenDocument's spreadsheets (ISO/IEC 26300)."""

from __future__ import annotations

import re
from pathlib import Path

from auditor.dialect import CsvDialect
from auditor.engines.foreign import _package, _xml
from auditor.engines.foreign._base import ForeignTable
from auditor.engines.foreign._workbook import MERGED_CELLS, Workbook
from auditor.errors import DataError

KNOWN = re.compile(
    r"mimetype|META-INF/manifest\.xml|manifest\.rdf|(meta|settings|styles|content)\.xml|Thumbnails/thumbnail\.png"
)
"""Parts of a package that hold the cells, how they look, and who saved them."""
META = "meta.xml"
MOST_CELLS = 1 << 24
"""More than a table has whose sheets are read whole; a few bytes can repeat a cell as often as they like."""
WRITER = {"engine": "odf"}
"""How pandas writes a spreadsheet."""
BESIDE = {
    "annotation": "comments",
    "tracked-changes": "tracked changes",
    "frame": "pictures or objects",
    "custom-shape": "shapes",
    "a": "links of cells",
    "data-pilot-table": "pivot tables",
    "filter-condition": "values of a filter",
    "dde-link": "values of other documents",
    "content-validation": "lists of allowed values",
    "description": "a description in its properties",
}
"""Elements of the contents that are no cells, and what they are."""


def read(path: Path, dialect: CsvDialect, most: int) -> ForeignTable:
    """The records of a sheet, and what the document holds besides.

    Raises:
        DataError: it cannot be read, or the sheet has formulas or errors.
        Unsupported: it is too large.
    """
    contents = _Contents(path)
    with _package.opened(path, most) as package:
        try:
            _xml.visit(package.read("content.xml"), contents.element)
            if META in package.namelist():
                _xml.visit(package.read(META), contents.element)
        except (KeyError, ValueError):
            raise DataError(f"{path.name}: is no spreadsheet, or is damaged; save it again") from None
        others = _package.others(package, KNOWN)
    book = Workbook(path)
    sheet = book.chosen(dialect.sheet)
    contents.refuse_doubtful(sheet)
    return book.table(sheet, [*others, *contents.beside])


class _Contents:
    """What the contents hold besides values: which sheets compute, and what is no cell."""

    def __init__(self, path: Path) -> None:
        self.beside: dict[str, None] = {}
        self._path = path
        self._computed: dict[str, str] = {}
        self._merged: set[str] = set()
        self._sheet = ""
        self._rows = 1
        self._cells = 0

    def element(self, name: str, attributes: _xml.Attributes) -> None:
        """Take note of an element."""
        own = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        if name == "table":
            self._sheet = own.get("name", "")
        elif name == "table-row":
            self._rows = int(own.get("number-rows-repeated", 1))
        elif name == "table-cell" and "value-type" in own:
            self._cells += self._rows * int(own.get("number-columns-repeated", 1))
            if self._cells > MOST_CELLS:
                raise DataError(f"{self._path.name}: has more than {MOST_CELLS:,} cells; write the table as Parquet")
            if own.keys() & {"number-rows-spanned", "number-columns-spanned"}:
                self._merged.add(self._sheet)
            if "formula" in own:
                self._computed[self._sheet] = "formulas"
            elif "error" in (attributes.get("calcext:value-type"), own["value-type"]):
                self._computed[self._sheet] = "errors"
        elif name in BESIDE:
            self.beside[BESIDE[name]] = None

    def refuse_doubtful(self, sheet: str) -> None:
        """Refuse cells whose readers see something else than their values: computed, merged, or gone wrong."""
        if sheet in self._merged:
            raise DataError(f"{self._path.name}: the sheet {sheet!r} has {MERGED_CELLS}")
        if sheet in self._computed:
            raise DataError(
                f"{self._path.name}: the sheet {sheet!r} has {self._computed[sheet]}, which show something else where "
                "they are computed anew; copy the cells and paste the values"
            )
