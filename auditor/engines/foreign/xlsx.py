"""Excel's workbooks (Office Open XML, ECMA-376)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn
from zipfile import ZipFile

from auditor.dialect import CsvDialect
from auditor.engines.foreign import _package, _xml
from auditor.engines.foreign._base import ForeignTable
from auditor.engines.foreign._workbook import MERGED_CELLS, Workbook
from auditor.errors import DataError

KNOWN = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core)\.xml|xl/(workbook|styles|sharedStrings|calcChain)\.xml"
    r"|xl/_rels/workbook\.xml\.rels|xl/theme/[^/]+|xl/worksheets/(_rels/)?[^/]+|xl/tables/[^/]+|xl/printerSettings/[^/]+"
)
"""Parts of a package that hold the cells, how they look, and who saved them."""
SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
LINKS = re.compile(r"xl/worksheets/_rels/[^/]+\.rels")
BESIDE = {
    "values of a filter": re.compile(rb"<(?:\w+:)?(?:filter|customFilter|dateGroupItem)\s"),
    "headers or footers of pages": re.compile(rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)>[^<]"),
    "lists of allowed values": re.compile(rb"<(?:\w+:)?formula[12]>\s*(?:\"|&quot;)"),
    "names that stand for values": re.compile(rb"<(?:\w+:)?definedName\b[^>]*>[^<]*?(?:\"|&quot;)"),
    "a description in its properties": re.compile(rb"<(?:\w+:)?description\b[^>]*>\s*[^<\s]"),
}
"""What stands in the known parts and is no cell: values that no row may have any more, and texts."""
FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
WRONG = re.compile(rb"<(?:\w+:)?c\s[^>]*\bt\s*=\s*[\"']e[\"']")
SHARED = re.compile(rb"<(?:\w+:)?c\s[^>]*\bt\s*=\s*[\"']s[\"'][^>]*>\s*<(?:\w+:)?v>\s*(\d+)")
TEXT = re.compile(rb"<(?:\w+:)?si[\s/>]")
MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s")
BOOK, STRINGS, PROPERTIES = "xl/workbook.xml", "xl/sharedStrings.xml", "docProps/core.xml"
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
        book = Workbook(path)
        sheet = book.chosen(dialect.sheet)
        part = _part_of(path, package, sheet)
        _refuse_doubtful(path, package.read(part), sheet)
        beside = [*_package.others(package, KNOWN), *_hidden(package, part)]
    return book.table(sheet, beside)


def _part_of(path: Path, package: ZipFile, sheet: str) -> str:
    """Where the cells of a sheet are."""
    sheets: dict[str, str] = {}
    targets: dict[str, str] = {}

    def of_book(name: str, attributes: _xml.Attributes) -> None:
        if name == "sheet":
            sheets[attributes["name"]] = next(value for key, value in attributes.items() if key.endswith(":id"))

    def of_links(name: str, attributes: _xml.Attributes) -> None:
        if name == "Relationship":
            targets[attributes["Id"]] = attributes["Target"]

    try:
        _xml.visit(package.read(BOOK), of_book)
        _xml.visit(package.read("xl/_rels/workbook.xml.rels"), of_links)
        target = targets[sheets[sheet]]
        part = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
        package.getinfo(part)
    except (KeyError, ValueError, StopIteration):
        _damaged(path)
    return part


def _damaged(path: Path) -> NoReturn:
    raise DataError(f"{path.name}: is no workbook as Excel writes it; open it and save it again")


def _refuse_doubtful(path: Path, cells: bytes, sheet: str) -> None:
    """Refuse cells whose readers see something else than their values: computed, merged, or gone wrong."""
    if not cells.lstrip(b"\xef\xbb\xbf").startswith(b"<"):  # the patterns are of UTF-8
        _damaged(path)
    if FORMULA.search(cells):
        raise DataError(
            f"{path.name}: the sheet {sheet!r} has formulas, which show something else where they are computed anew; "
            "copy their cells and paste the values"
        )
    if MERGED.search(cells):
        raise DataError(f"{path.name}: the sheet {sheet!r} has {MERGED_CELLS}")
    if WRONG.search(cells):
        raise DataError(f"{path.name}: the sheet {sheet!r} has cells with an error, such as #N/A; clear or mend them")


def _hidden(package: ZipFile, part: str) -> Iterator[str]:
    """What stands in the known parts and in no cell: links, values of filters, texts that no cell shows."""
    names = package.namelist()
    for name in names:
        if LINKS.fullmatch(name) and b"/hyperlink" in package.read(name):
            yield "links of cells"
    said = [name for name in names if name in (part, BOOK, PROPERTIES) or name.startswith("xl/tables/")]
    texts = [package.read(name) for name in said]
    yield from (what for what, pattern in BESIDE.items() if any(map(pattern.search, texts)))
    if STRINGS in names:
        sheets = [package.read(name) for name in names if SHEET.fullmatch(name)]
        used = {int(found[1]) for cells in sheets for found in SHARED.finditer(cells)}
        if not used.issuperset(range(len(TEXT.findall(package.read(STRINGS))))):
            yield "texts that no cell shows"
