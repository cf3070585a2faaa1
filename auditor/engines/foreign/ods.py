"""OpenDocument's spreadsheets (ISO/IEC 26300)."""

from __future__ import annotations

import re
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import NoReturn
from zipfile import ZipFile

from auditor.dialect import CsvDialect
from auditor.engines.foreign import _package, _xml
from auditor.engines.foreign._base import ForeignTable, refuse_larger
from auditor.engines.foreign._workbook import (
    BYTES_PER_CELL,
    DESCRIPTION,
    MERGED_CELLS,
    Workbook,
    header_names,
    literals,
)
from auditor.errors import DataError

KNOWN = re.compile(
    r"mimetype|META-INF/manifest\.xml|manifest\.rdf|(meta|settings|styles|content)\.xml|Thumbnails/thumbnail\.png"
)
"""Parts of a package that hold the cells, how they look, and who saved them."""
EMPTY = re.compile(r"META-INF/|Thumbnails/|Configurations2/([a-z]+/|[a-z]+/current\.xml|images/Bitmaps/)?")
"""Parts and folders with nothing in them that LibreOffice always writes."""
TYPE = re.compile(rb"application/vnd\.oasis\.opendocument\.spreadsheet(-template)?")
WHO = frozenset(
    (
        *("generator", "creator", "initial-creator", "creation-date", "date", "editing-cycles", "editing-duration"),
        *("print-date", "printed-by", "language", "date-string", "creator-initials"),
    )
)
"""Elements of properties that tell who saved the file, when and with what."""
META, STYLES = "meta.xml", "styles.xml"
MOST_CELLS = 1 << 24
"""More than a table has whose sheets are read whole; a few bytes can repeat a cell as often as they like."""
WRITER = {"engine": "odf"}
"""How pandas writes a spreadsheet."""
VERSION = re.compile(r"[0-9.]*")
SPACE = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
OFFICE, TABLE, TEXT, STYLE, FORM, NUMBER = (
    SPACE.format(name) for name in ("office", "table", "text", "style", "form", "datastyle")
)
VALUES = frozenset(f"{OFFICE} {name}" for name in ("value", "date-value", "time-value", "boolean-value"))
TRUTHS = {("of:=TRUE()", "1"), ("of:=FALSE()", "0")}
"""What LibreOffice makes of a truth value that Excel wrote: a formula, and its value."""
PREFIXES = {"office": OFFICE, "table": TABLE, "text": TEXT}
"""What the reader of cells takes the prefixes for."""
BESIDE = {
    "annotation": "comments",
    "tracked-changes": "tracked changes",
    "frame": "pictures or objects",
    **dict.fromkeys(("shapes", "custom-shape"), "shapes"),
    **dict.fromkeys(("user-field-decl", "variable-decl", "hidden-text", "conditional-text"), "fields"),
    "a": "links of cells",
    "data-pilot-table": "pivot tables",
    "filter-condition": "values of a filter",
    "filter-set-item": "values of a filter",
    **dict.fromkeys(("dde-link", "dde-source", "table-source", "cell-range-source"), "values of other documents"),
    **dict.fromkeys(("consolidation", "database-source-sql", "database-source-table"), "values of other documents"),
    "scenario": "scenarios",
    "library-embedded": "macros",
    "event-listener": "macros",
}
"""Elements of the contents that are no cells, and what they are."""
OTHER = ""
"""Of elements that are not known."""
CELL = "cell"
NAMED = "names that stand for values"
MESSAGES = ("help-message", "error-message")
HEARD = {
    **dict.fromkeys(("title", "subject", "keyword", "description"), DESCRIPTION),
    "user-defined": "properties of its own",
    "version": "properties of its own",
    "script": "macros",
    "desc": "descriptions of sheets",
    OTHER: "texts of extensions",
}
"""Elements that say something if they have a text."""
CELLS = ("table-cell", "covered-table-cell")
CONSTANT = re.compile(r"(of:)?=?[-+({\s]*[0-9.][^\[]*")
"""What begins with a number, and refers to no cell."""
PLAIN = frozenset(("p", "span", "s", "soft-page-break"))
"""What the text of a cell consists of; a tab or a field is read in several ways."""
HEADER = re.compile("(header|footer)(-left|-first)?")
BETWEEN = re.compile(rb">\s+(?=<(/?table:|text:p\b|/?office:spreadsheet))")
"""Spaces before an element that stands in no text."""
WORD = re.compile(r"[^\W\d_]{2,}")


def read(path: Path, dialect: CsvDialect, most: int) -> ForeignTable:
    """The records of a sheet, and what the document holds besides.

    Raises:
        DataError: it cannot be read, or the sheet has formulas or errors.
        Unsupported: it is too large.
    """
    contents, pages, others, book = _looked_at(path, most)
    if contents.sheets != [*book.names, *book.charts]:
        _damaged(path)
    sheet = book.chosen(dialect.sheet)
    contents.refuse_doubtful(sheet)
    beside = dict.fromkeys(others) | contents.beside
    if contents.named.difference(contents.sheets):
        beside[NAMED] = None
    if pages.says_more:
        beside[HEARD[OTHER]] = None
    if pages.words():
        beside["headers or footers of pages"] = None
    if contents.literals - book.texts(sheet):
        beside["texts of conditional formats"] = None
    return book.table(sheet, list(beside))


def _looked_at(path: Path, most: int) -> tuple[_Contents, _PageStyles, tuple[str, ...], Workbook]:
    """What a document consists of: its contents, styles of pages, other parts, and cells.

    Raises:
        DataError: it is no spreadsheet.
        Unsupported: its cells take more bytes.
    """
    contents, pages = _Contents(path, most), _PageStyles()
    with _package.opened(path, most) as package:
        try:
            _xml.visit(package.read("content.xml"), contents.element, contents.text, contents.bound, contents.closed)
            contents.ended()
            contents.saved = True
            if META in package.namelist():
                _xml.visit(package.read(META), contents.element, contents.text)
            if STYLES in package.namelist():
                _xml.visit(package.read(STYLES), pages.element, pages.text)
        except (KeyError, ValueError):
            _damaged(path)
        others = _package.others(package, KNOWN, EMPTY)
        if not TYPE.fullmatch(package.read("mimetype") if "mimetype" in package.namelist() else b""):
            others = (*others, "mimetype")
        book = Workbook(path, _joined(package))
    return contents, pages, others, book


NAMES = partial(header_names, _looked_at)


def _joined(package: ZipFile) -> BytesIO:
    """A package without the spaces between elements, which the reader of cells takes for texts."""
    copy = BytesIO()
    with ZipFile(copy, "w") as joined:
        for part in package.namelist():
            joined.writestr(part, BETWEEN.sub(b">", package.read(part)))
    copy.seek(0)
    return copy


def _damaged(path: Path) -> NoReturn:
    raise DataError(f"{path.name}: is no spreadsheet, or is damaged; save it again") from None


class _Contents:
    """What the contents hold besides values: which sheets compute, and what is no cell.

    `saved` tells that what is looked at says who saved the document.
    """

    def __init__(self, path: Path, most: int) -> None:
        self.saved = False
        self.beside: dict[str, None] = {}
        self.sheets: list[str] = []
        self.literals: set[str] = set()
        self.named: set[str] = set()
        self._path, self._most = path, most
        self._doubts: dict[str, str] = {}
        self._sheet = ""
        self._row = self._rows = self._column = self._columns = 0
        self._cells = self._size = 0
        self._stated: str | None = None
        self._value: str | None = None
        self._numeric = self._message = False
        self._shown, self._heard = "", OTHER
        self._among = False
        self._words: dict[tuple[str, int], list[str]] = {}
        self._shown_as: dict[tuple[str, int, str], str] = {}

    def bound(self, prefix: str, space: str) -> None:
        """Refuse prefixes that the reader of cells would take for others."""
        if PREFIXES.get(prefix, space) != space or (space in PREFIXES.values() and prefix not in PREFIXES):
            raise ValueError("another prefix")

    def element(self, space: str, name: str, attributes: _xml.Attributes) -> str:
        """Take note of an element; what is to be heard of its text."""
        if space == TABLE and name == "table":
            self.ended()
            self._sheet = attributes.get(f"{TABLE} name", "")
            self.sheets.append(self._sheet)
            self._row = self._rows = 0
        elif space == TABLE and name == "table-row":
            self.ended()
            self._row, self._column, self._columns = self._row + self._rows, 0, 0
            self._rows = int(attributes.get(f"{TABLE} number-rows-repeated", 1))
        elif space == TABLE and name in CELLS:
            self.ended()
            self._cell(name, attributes)
        elif space == TEXT and self._rows and self._stated is None and name not in (*PLAIN, *BESIDE):
            self.beside["tabs, line breaks or fields in cells"] = None
        elif name in BESIDE:
            self.beside[BESIDE[name]] = None
        elif space == FORM and (name != "form" or attributes):  # Gnumeric writes one with nothing in it
            self.beside["forms"] = None
        self.literals |= {text for key, value in attributes.items() if name == "condition" for text in literals(value)}
        if name == "content-validation" and '"' in attributes.get(f"{TABLE} condition", ""):
            self.beside["lists of allowed values"] = None
        self._message = name in MESSAGES or (self._message and space == TEXT)
        if self._message and (space == TEXT or f"{TABLE} title" in attributes):
            self.beside["messages beside cells"] = None
        if name == "named-expression":
            self.named = self.named.union(*map(literals, attributes.values()))
            if CONSTANT.fullmatch(attributes.get(f"{TABLE} expression", "")):
                self.beside[NAMED] = None
        self._among |= space == TABLE and name in CELLS
        return self._hears(space, name, attributes)

    def _hears(self, space: str, name: str, attributes: _xml.Attributes) -> str:
        """What is to be heard of an element's text."""
        self._heard = OTHER
        if name in HEARD:
            # LibreOffice keeps the version of Excel.
            version = "AppVersion" in attributes.values()
            self._heard = "version" if version else name
        elif space == TEXT and self._among:
            self._heard = CELL
            return _xml.WHOLE
        elif space == NUMBER or (name in WHO and (self.saved or "comments" in self.beside)):
            return _xml.SILENT
        return _xml.LEAF

    def closed(self, name: str) -> None:
        """An element ended."""
        self._among &= name not in CELLS

    def text(self, data: str) -> None:
        """Hear a piece of a text."""
        if self._heard == CELL:
            self._shown += data
            self._grow(len(data) * self._repeated * 8)
        elif data.strip() and not (self._heard == "version" and VERSION.fullmatch(data)):
            self.beside[HEARD[self._heard]] = None

    def ended(self) -> None:
        """A cell has ended: it may state another text than it shows, and readers take either."""
        shown, place = "".join(self._shown.split()), (self._sheet, self._column)
        if self._stated is not None:
            other = "".join(self._stated.split()) != shown
        elif self._value is None:
            other = False
        elif self._numeric:  # such as 30 EUR: the words of a format are those of all its cells
            words = WORD.findall(self._shown)
            other = self._words.setdefault(place, words) != words
        else:
            other = self._shown_as.setdefault((*place, self._value), shown) != shown
        if other:
            self.beside["texts that cells show in place of their own"] = None
        self._stated = self._value = None
        self._shown = ""

    def refuse_doubtful(self, sheet: str) -> None:
        """Refuse cells whose readers see something else than their values: computed, merged, or gone wrong."""
        if sheet in self._doubts:
            raise DataError(f"{self._path.name}: the sheet {sheet!r} has {self._doubts[sheet]}")

    @property
    def _repeated(self) -> int:
        return self._rows * self._columns

    def _cell(self, name: str, attributes: _xml.Attributes) -> None:
        self._column += self._columns
        self._columns = int(attributes.get(f"{TABLE} number-columns-repeated", 1))
        kinds = [value for key, value in attributes.items() if key.endswith("value-type")]
        formula, value = attributes.get(f"{TABLE} formula"), attributes.get(f"{OFFICE} value")
        truth = (formula, value) in TRUTHS
        spans = (attributes.get(f"{TABLE} number-{side}-spanned", "1") for side in ("rows", "columns"))
        if name == "covered-table-cell" or any(int(span) > 1 for span in spans):
            self._doubts[self._sheet] = MERGED_CELLS
        elif (formula is not None and not truth) or "error" in kinds:
            what = "errors" if formula is None else "formulas"
            self._doubts[self._sheet] = (
                f"{what}, which show something else where they are computed anew; copy the cells and paste the values"
            )
        if not kinds:
            return
        self._stated = attributes.get(f"{OFFICE} string-value")
        self._value = next((value for key, value in attributes.items() if key in VALUES), None)
        self._numeric = value is not None and not truth
        self._cells += self._repeated
        if self._cells > MOST_CELLS:
            raise DataError(f"{self._path.name}: has more than {MOST_CELLS:,} cells; write the table as Parquet")
        self._grow((self._row + self._rows) * (self._column + self._columns) * BYTES_PER_CELL - self._size)

    def _grow(self, size: int) -> None:
        """The document takes so many bytes more; `Unsupported` if that is too many."""
        self._size += max(size, 0)
        refuse_larger(self._path, self._size, self._most)


class _PageStyles:
    """What the headers and footers of pages say, beside the number of a page, with one word before it.

    `says_more` tells whether anything else has a text.
    """

    def __init__(self) -> None:
        self.says_more = False
        self._among = False
        self._text = self._said = ""

    def element(self, space: str, name: str, _: _xml.Attributes) -> object:
        """Take note of an element; what is to be heard of its text."""
        if space == STYLE and not name.startswith("region-"):
            self._among = HEADER.fullmatch(name) is not None
        if name == "p":
            self._said, self._text = self._said + self._text, " "
        if name in ("page-number", "page-count") and len(WORD.findall(self._text)) < 2:
            self._text = ""
        return self._among or (_xml.SILENT if space == NUMBER else _xml.LEAF)

    def text(self, data: str) -> None:
        """Hear a piece of a text."""
        if self._among:
            self._text += data
        else:
            self.says_more |= bool(data.strip())

    def words(self) -> list[str]:
        """The words."""
        return WORD.findall(self._said + self._text)
