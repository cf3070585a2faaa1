"""Excel's workbooks (Office Open XML, ECMA-376)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import NoReturn
from zipfile import ZipFile

from auditor.dialect import CsvDialect
from auditor.engines.foreign import _links, _package, _xml
from auditor.engines.foreign._base import ROUNDED, ForeignTable, refuse_larger
from auditor.engines.foreign._workbook import BYTES_PER_CELL, MERGED_CELLS, Workbook, literals
from auditor.errors import DataError

MAIN = frozenset(
    {
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
        "http://purl.oclc.org/ooxml/spreadsheetml/main",
    }
)
"""The namespace of cells, transitional and strict."""
FONT = ("rFont", "charset", "family", "b", "i", "strike", "outline", "shadow", "condense", "extend", "color", "sz", "u")
TEXT = frozenset((*FONT, "t", "r", "rPr", "vertAlign", "scheme", "rPh", "phoneticPr"))
CELLS = frozenset(("row", "c", "v", "f", "is")) | TEXT
"""What stands among cells."""
KINDS = frozenset((None, "n", "s", "str", "inlineStr", "b", "d", "e"))
ELEMENTS = {
    "filter": "values of a filter",
    "customFilter": "values of a filter",
    "dateGroupItem": "values of a filter",
    "hyperlink": "links of cells",
    "scenario": "scenarios",
}
ATTRIBUTES = {
    "prompt": "messages beside cells",
    "promptTitle": "messages beside cells",
    "error": "messages beside cells",
    "errorTitle": "messages beside cells",
    "tooltip": "messages beside cells",
    "customList": "values of a filter",
    "totalsRowLabel": "texts of a table",
    "altText": "texts of a table",
    "altTextSummary": "texts of a table",
    "comment": "comments of names",
}
EXTENSION = "extension"
OF_FORMULAS = frozenset(("f", "sqref", "formula", "formula1", "formula2"))
"""Elements of extensions whose texts are formulas and places."""
HEADER = re.compile("(odd|even|first)(Header|Footer)")
HEARD = {
    "formula1": ('"', "lists of allowed values"),
    "formula2": ('"', "lists of allowed values"),
    "definedName": ('"', "names that stand for values"),
    "description": ("", "a description in its properties"),
    "header": ("", "headers or footers of pages"),
    EXTENSION: ("", "texts of extensions"),
}
"""Elements whose texts hold values where they hold a character ("" for any)."""
SHOWN = re.compile(r'"([^"]*)"|\\(.)')
"""What a format of numbers shows whatever the number."""
FORMULAS = "formulas, which show something else where they are computed anew; copy their cells and paste the values"
OF_FORMATS = "texts in formats of cells"
BYTES_PER_CHARACTER = 8
"""About what a character takes, which is kept for each cell that shows it, by two programs, as up to four bytes."""
MOST_COLUMNS, MOST_ROWS = 1 << 14, 1 << 20
"""Of a sheet (Excel's specifications and limits)."""
PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
STRINGS, STYLES, PROPERTIES = "xl/sharedStrings.xml", "xl/styles.xml", "docProps/core.xml"
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
    with _package.opened(path, most) as package:
        try:
            links = _links.followed(package)
            names = _named(package, links)
            formats = _Formats(package.read(STYLES) if STYLES in links.parts else None)
            sheets = {part: _Sheet(package.read(part), formats) for part in names.values()}
            texts = _Texts(package.read(STRINGS) if STRINGS in links.parts else None)
            beside = dict.fromkeys(_links.unknown(package, links))
            for part in (_links.BOOK, PROPERTIES, *links.of_kind("table")):
                if part in package.namelist():
                    beside |= _PackagePart(package.read(part)).beside()
        except (KeyError, ValueError):
            _damaged(path)
        refuse_larger(path, sum(sheet.size(texts) for sheet in sheets.values()), most)
    book = Workbook(path)
    if sorted(names) != sorted([*book.names, *book.charts]):
        _damaged(path)
    name = book.chosen(dialect.sheet)
    sheet = sheets[names[name]]
    sheet.refuse_doubtful(path, name)
    read_as = book.numbers(name)
    if any(len(values) > read_as.get(column, 0) for column, values in sheet.numbers.items()):
        raise DataError(f"{path.name}: the sheet {name!r} has {ROUNDED}")
    used = {index for each in sheets.values() for index in each.uses}
    beside |= texts.readings
    if not used.issuperset(range(len(texts.lengths))):
        beside["texts that no cell shows"] = None
    if links.outside:
        beside["links of cells"] = None
    if formats.doubtful or any(len(set(map(formats.shown, styles))) > 1 for styles in sheet.styles.values()):
        beside[OF_FORMATS] = None
    if sheet.literals - book.texts(name):
        beside["texts of conditional formats"] = None
    return book.table(name, list(beside | sheet.part.beside()))


def _named(package: ZipFile, links: _links.Links) -> dict[str, str]:
    """The part of each sheet, by its name.

    Raises:
        ValueError: two sheets have one name.
    """
    found: dict[str, str] = {}

    def seen(space: str, name: str, attributes: _xml.Attributes) -> None:
        if name == "sheet":
            (id_,) = (value for key, value in attributes.items() if key.endswith(" id"))
            if space not in MAIN or attributes["name"].casefold() in map(str.casefold, found):
                raise ValueError("another sheet")
            found[attributes["name"]] = links.sheets[id_]

    _xml.visit(package.read(_links.BOOK), seen)
    return found


def _damaged(path: Path) -> NoReturn:
    raise DataError(f"{path.name}: is no workbook as Excel writes it; open it and save it again")


class _PackagePart:
    """What an XML part holds beside cells."""

    def __init__(self, content: bytes | None = None) -> None:
        self.found: dict[str, None] = {}
        self.texts: defaultdict[str, str] = defaultdict(str)
        self._heard = ""
        if content is not None:
            _xml.visit(content, self.element, self.text)

    def element(self, space: str, name: str, attributes: _xml.Attributes) -> bool:
        """Take note of an element; whether its text is to be heard."""
        if name in ELEMENTS:
            self.found[ELEMENTS[name]] = None
        for key in attributes.keys() & ATTRIBUTES.keys():
            if attributes[key].strip():
                self.found[ATTRIBUTES[key]] = None
        if name != "f" or self._heard == EXTENSION:  # it stands in formulas of extensions, and is one of others
            self._heard = "header" if HEADER.fullmatch(name) else name
        if space == EXTENSION and name not in HEARD:
            self._heard = EXTENSION
        return self._heard in HEARD or self._heard == "formula"

    def text(self, data: str) -> None:
        """Hear a piece of an element's text."""
        self.texts[self._heard] += data

    def beside(self) -> dict[str, None]:
        """What is no cell."""
        told = [what for name, (sign, what) in HEARD.items() if self.texts[name].strip() and sign in self.texts[name]]
        return self.found | dict.fromkeys(told)


class _Sheet:
    """A sheet's cells, as every reader of them sees them: in order, each once.

    Raises:
        ValueError: some readers would see other cells.
    """

    def __init__(self, content: bytes, formats: _Formats) -> None:
        self.part = _PackagePart()
        self.doubts: dict[str, None] = {}
        self.uses: Counter[int] = Counter()
        self.styles: defaultdict[int, set[int]] = defaultdict(set)
        self.literals: set[str] = set()
        self.numbers: defaultdict[int, set[float | str]] = defaultdict(set)
        self._formats = formats
        self._state = "before"
        self._row = self._column = self._first = self._right = 0
        self._style = 0
        self._empty, self._index, self._kind = True, "", ""
        _xml.visit(content, self._element, self._text)
        self._count()
        self.literals |= literals(self.part.texts["formula"])

    def size(self, texts: _Texts) -> int:
        """About how many bytes its cells take."""
        length = sum(count * texts.lengths[index] for index, count in self.uses.items() if index < len(texts.lengths))
        rows = self._row - self._first + 1 if self._first else 0
        return rows * self._right * BYTES_PER_CELL + length * BYTES_PER_CHARACTER

    def refuse_doubtful(self, path: Path, name: str) -> None:
        """Refuse cells whose readers see something else than their values: computed, merged, or gone wrong."""
        if self.doubts:
            raise DataError(f"{path.name}: the sheet {name!r} has {next(iter(self.doubts))}")

    def _element(self, space: str, name: str, attributes: _xml.Attributes) -> bool:
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
        if name == "cfRule" and "text" in attributes:
            self.literals.add(attributes["text"])
        return self.part.element(space if main or name in OF_FORMULAS else EXTENSION, name, attributes)

    def _among(self, name: str, attributes: _xml.Attributes) -> bool:
        if name == "c":
            self._cell(attributes)
        elif name == "row":
            self._count()
            row = int(attributes.get("r", self._row + 1))
            if not self._row < row <= MOST_ROWS:
                raise ValueError("rows in another order")
            self._row, self._column = row, 0
        elif name in ("v", "is"):
            if not self._empty:
                raise ValueError("two values of a cell")
            self._empty = False
            self._first = self._first or self._row
            self._right = max(self._right, self._column)
            if self._row > self._first:
                self.styles[self._column].add(self._style)
            return self._kind == "s" or (self._kind in "nd" and not self._formats.is_plain(self._style))
        elif name == "f":
            self.doubts[FORMULAS] = None
        elif name == "rPh":
            self.part.found["phonetic readings"] = None
        return False

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
        if self._state == "among":
            self._index += data
        else:
            self.part.text(data)

    def _count(self) -> None:
        """Take note of the last cell's text, or of its number where a format may show it as a day or a time."""
        said, self._index = self._index.strip(), ""
        if said and self._kind == "s":
            self.uses[int(said)] += 1
        elif said and self._row > self._first:
            self.numbers[self._column].add(said if self._kind == "d" else float(said))


def _number(letters: str) -> int:
    """The number of a column, from 1."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


class _Texts:
    """The texts that cells share.

    Raises:
        ValueError: some readers would read others.
    """

    def __init__(self, content: bytes | None) -> None:
        self.lengths: list[int] = []
        self.readings: dict[str, None] = {}
        self._said: dict[str, str] = {}
        self._text = self._reading = ""
        self._reads = False
        if content is not None:
            _xml.visit(content, self._element, self._heard)
            self._ended()

    def _element(self, space: str, name: str, _: _xml.Attributes) -> bool:
        if space not in MAIN or not (name in TEXT or name in ("sst", "si")):
            raise ValueError("something among the texts")
        if name == "si":
            self._ended()
            self.lengths.append(0)
        self._reads = name == "rPh" or (self._reads and name == "t")
        return name == "t"

    def _heard(self, data: str) -> None:
        if self._reads:
            self._reading += data
        else:
            self._text += data

    def _ended(self) -> None:
        """A text ended: one that is read in two ways says more than a cell shows."""
        if self.lengths:
            self.lengths[-1] = len(self._text)
            if self._said.setdefault(self._text.strip(), self._reading) != self._reading:
                self.readings["phonetic readings"] = None
        self._text = self._reading = ""


class _Formats:
    """What formats of cells show whatever the cell holds."""

    def __init__(self, content: bytes | None) -> None:
        self.doubtful = False
        self._codes: dict[int, str] = {}
        self._cells: list[int] = []
        self._place = ""
        if content is not None:
            _xml.visit(content, self._element)

    def shown(self, style: int) -> str:
        """The letters and digits that a style adds."""
        return self._codes.get(self._number(style), "")

    def is_plain(self, style: int) -> bool:
        """Whether a style shows a number as it is, so that it is no day and no time."""
        return self._number(style) == 0

    def _number(self, style: int) -> int:
        return self._cells[style] if style < len(self._cells) else 0

    def _element(self, _: str, name: str, attributes: _xml.Attributes) -> None:
        if name in ("cellXfs", "cellStyleXfs", "dxfs", "numFmts"):
            self._place = name
        elif name == "xf" and self._place == "cellXfs":
            self._cells.append(int(attributes.get("numFmtId", 0)))
        elif name == "numFmt":
            shown = "".join(quoted or escaped for quoted, escaped in SHOWN.findall(attributes["formatCode"]))
            shown = "".join(character for character in shown if character.isalnum())
            if self._place == "numFmts":
                self._codes[int(attributes["numFmtId"])] = shown
            elif shown:  # of a conditional format
                self.doubtful = True
