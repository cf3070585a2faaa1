"""Excel's workbooks (Office Open XML, ECMA-376)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path
from typing import NoReturn
from zipfile import ZipFile

from auditor.dialect import CsvDialect
from auditor.engines.foreign import _links, _package, _xml
from auditor.engines.foreign._base import ROUNDED, ForeignTable, refuse_larger
from auditor.engines.foreign._part import DESCRIBED, PackagePart
from auditor.engines.foreign._shared import MAIN, TEXT, CellFormats, SharedTexts
from auditor.engines.foreign._workbook import (
    BYTES_PER_CELL,
    MERGED_CELLS,
    Workbook,
    header_names,
    literals,
)
from auditor.errors import DataError

CELLS = frozenset(("row", "c", "v", "f", "is")) | TEXT
"""What stands among cells."""
TEXTS = frozenset(("s", "str", "inlineStr"))
KINDS = TEXTS | {None, "n", "b", "d", "e"}
FORMULAS = "formulas, which show something else where they are computed anew; copy their cells and paste the values"
OF_FORMATS = "texts in formats of cells"
TRUTHS = {"TRUE()": "1", "FALSE()": "0"}
"""What LibreOffice makes of a truth value that Excel wrote."""
BYTES_PER_CHARACTER = 8
"""About what a character takes, which is kept for each cell that shows it, by two programs, as up to four bytes."""
MOST_COLUMNS, MOST_ROWS = 1 << 14, 1 << 20
"""Of a sheet (Excel's specifications and limits)."""
PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
STRINGS, STYLES = "xl/sharedStrings.xml", "xl/styles.xml"
WRITER = {
    "engine": "xlsxwriter",
    "engine_kwargs": {"options": {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}},
}
"""How pandas writes a workbook in which every text stays one."""


def read(path: Path, dialect: CsvDialect, most: int) -> ForeignTable:
    """The records of a sheet, and what the workbook holds besides.

    Raises:
        DataError: it cannot be read, or the sheet has formulas or errors.
        Unsupported: it is too large.
    """
    links, formats, texts, names, cells, beside = _looked_at(path, most)
    book = Workbook(path)
    if sorted(cells) != sorted(book.names) or len(names) != len(cells) + len(book.charts):
        _damaged(path)
    name = book.chosen(dialect.sheet)
    sheet = cells[name]
    sheet.refuse_doubtful(path, name)
    read_as = book.numbers(name)
    if any(len(values) > read_as.get(column, 0) for column, values in sheet.numbers.items()):
        raise DataError(f"{path.name}: the sheet {name!r} has {ROUNDED}")
    if texts.alike:
        raise DataError(
            f"{path.name}: has texts that differ in spaces or escapes (_x0041_) that not every "
            "program reads; write them alike"
        )
    used = {index for each in cells.values() for index in each.uses}
    beside |= texts.readings
    if not used.issuperset(range(len(texts.lengths))):
        beside["texts that no cell shows"] = None
    if links.outside:
        beside["links of cells"] = None
    if formats.doubtful or any(len(shown) > 1 for shown in sheet.shown.values()):
        beside[OF_FORMATS] = None
    if sheet.literals - book.texts(name):
        beside["texts of conditional formats"] = None
    return book.table(name, list(beside | sheet.part.beside()))


def _looked_at(
    path: Path, most: int
) -> tuple[_links.Links, CellFormats, SharedTexts, dict[str, str], dict[str, _Sheet], dict[str, None]]:
    """What a workbook consists of: its links, formats, texts, the parts of its sheets, their cells, and what is beside.

    Raises:
        DataError: it is none.
        Unsupported: its cells take more bytes.
    """
    with _package.opened(path, most) as package:
        try:
            links = _links.followed(package)
            names = _named(package, links)
            formats = CellFormats(package.read(STYLES) if STYLES in links.parts else None)
            texts = SharedTexts(package.read(STRINGS) if STRINGS in links.parts else None)
            worksheets = links.of_kind("worksheet")
            cells = {
                name: _Sheet(package.read(part), formats, texts) for name, part in names.items() if part in worksheets
            }
            beside = dict.fromkeys([*_links.unknown(package, links), *sorted({*worksheets} - {*names.values()})])
            _links.refuse_texts(package, links)
            beside |= PackagePart(package.read(_links.BOOK)).beside()
            for kind, known in DESCRIBED.items():
                for part in links.of_kind(kind):
                    beside |= PackagePart(package.read(part), known).beside()
        except (KeyError, ValueError):
            _damaged(path)
        refuse_larger(path, sum(sheet.size(texts) for sheet in cells.values()), most)
    return links, formats, texts, names, cells, beside


NAMES = partial(header_names, _looked_at)


def _named(package: ZipFile, links: _links.Links) -> dict[str, str]:
    """The part of each sheet, by its name.

    Raises:
        ValueError: two sheets have one name.
    """
    found: dict[str, str] = {}

    def seen(space: str, name: str, attributes: _xml.Attributes) -> str:
        if name == "sheet":
            (id_,) = (value for key, value in attributes.items() if key.endswith(" id"))
            if space not in MAIN or attributes["name"].casefold() in map(str.casefold, found):
                raise ValueError("another sheet")
            found[attributes["name"]] = links.sheets[id_]
        return _xml.SILENT

    _xml.visit(package.read(_links.BOOK), seen)
    return found


def _damaged(path: Path) -> NoReturn:
    raise DataError(f"{path.name}: is no workbook as Excel writes it; open it and save it again")


class _Sheet:
    """A sheet's cells, as every reader of them sees them: in order, each once.

    Raises:
        ValueError: some readers would see other cells.
    """

    def __init__(self, content: bytes, formats: CellFormats, texts: SharedTexts) -> None:
        self.part = PackagePart()
        self.doubts: dict[str, None] = {}
        self.uses: Counter[int] = Counter()
        self.shown: defaultdict[tuple[int, bool], set[str]] = defaultdict(set)
        self.literals: set[str] = set()
        self.numbers: defaultdict[int, set[float | str]] = defaultdict(set)
        self._formats, self._texts = formats, texts
        self._state = "before"
        self._row = self._column = self._first = self._right = 0
        self._style = 0
        self._empty, self._index, self._kind, self._formula = True, "", "", ""
        _xml.visit(content, self._element, self._text)
        self._count()
        texts.ended()
        self.literals |= literals(self.part.texts["formula"])

    def size(self, texts: SharedTexts) -> int:
        """About how many bytes its cells take."""
        length = sum(count * texts.lengths[index] for index, count in self.uses.items() if index < len(texts.lengths))
        rows = self._row - self._first + 1 if self._first else 0
        return rows * self._right * BYTES_PER_CELL + length * BYTES_PER_CHARACTER

    def refuse_doubtful(self, path: Path, name: str) -> None:
        """Refuse cells whose readers see something else than their values: computed, merged, or gone wrong."""
        if self.doubts:
            raise DataError(f"{path.name}: the sheet {name!r} has {next(iter(self.doubts))}")

    def _element(self, space: str, name: str, attributes: _xml.Attributes) -> object:
        main = space in MAIN
        if self._state == "among":
            if main and name in CELLS:
                return self._among(name, attributes)
            if not main:
                raise ValueError("something among the cells")
            self._state = "after"
        if name in ("c", "v", "is", "sheetData") or (main and name == "row"):
            if self._state != "before" or name != "sheetData" or not main:
                raise ValueError("other cells")
            self._state = "among"
            return False
        if main and name == "mergeCell":
            self.doubts[MERGED_CELLS] = None
        if name == "cfRule" and attributes.get("text"):
            self.literals.add(attributes["text"])
        return self.part.element(space, name, attributes)

    def _among(self, name: str, attributes: _xml.Attributes) -> object:
        if name == "c":
            self._cell(attributes)
        elif name == "row":
            self._count()
            row = int(attributes.get("r", self._row + 1))
            if not self._row < row <= MOST_ROWS:
                raise ValueError("rows in another order")
            self._row, self._column = row, 0
        elif name in ("v", "is"):
            return self._value(name, attributes)
        elif name == "f":
            self._formula = " "
            return _xml.LEAF
        elif name == "rPh":
            self.part.found["phonetic readings"] = None
        elif name == "t":
            self._texts.piece(attributes)
            return _xml.LEAF
        return False

    def _value(self, name: str, attributes: _xml.Attributes) -> object:
        if not self._empty:
            raise ValueError("two values of a cell")
        self._empty = False
        self._first = self._first or self._row
        self._right = max(self._right, self._column)
        if self._row > self._first:
            text = self._kind in TEXTS
            self.shown[self._column, text].add(self._formats.shown(self._style, text))
        if name == "is" or self._kind == "str":
            self._texts.begun(attributes)
        if self._formula:
            self._formula, self._index = self._index or self._formula, ""
        if name == "is":
            return False
        number = self._kind in "nd" and not self._formats.is_plain(self._style)
        return _xml.LEAF if self._kind in ("s", "str") or self._formula or number else _xml.SILENT

    def _cell(self, attributes: _xml.Attributes) -> None:
        self._count()
        kind = attributes.get("t")
        column = self._column + 1
        if "r" in attributes:
            place = PLACE.fullmatch(attributes["r"])
            if place is None or int(place[2]) != self._row:
                raise ValueError("a cell of another row")
            column = _number(place[1])
        if not self._column < column <= MOST_COLUMNS or kind not in KINDS:
            raise ValueError("cells in another order")
        if kind == "e":
            self.doubts["cells with an error, such as #N/A; clear or mend them"] = None
        self._column, self._empty, self._kind = column, True, kind or "n"
        self._style = int(attributes.get("s", 0))

    def _text(self, data: str) -> None:
        if self._state != "among":
            self.part.text(data)
        elif self._kind in ("inlineStr", "str") and not self._formula:
            self._texts.text(data)
        else:
            self._index += data

    def _count(self) -> None:
        """Take note of the last cell's text, or of its number where a format may show it as a day or a time."""
        said, self._index = self._index.strip(), ""
        formula, self._formula = self._formula, ""
        if formula and (self._kind != "b" or TRUTHS.get(formula) != said):
            self.doubts[FORMULAS] = None
        elif said and self._kind == "s":
            self.uses[int(said)] += 1
        elif said and self._row > self._first:
            self.numbers[self._column].add(said if self._kind == "d" else float(said))


def _number(letters: str) -> int:
    """The number of a column, from 1."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
