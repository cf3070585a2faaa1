"""Texts that stand in a workbook where no program shows one, and in a spreadsheet beside its cells."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import auditor
from auditor.engines.foreign import ods, xlsx
from auditor.errors import DataError
from tests.engines.test_foreign import SHEET1, WRITERS, people, replaced, with_parts

SHEET, BOOK, APP = b"</worksheet>", b"</workbook>", b"</Properties>"
WORKBOOK, STRINGS, PROPERTIES = "xl/workbook.xml", "xl/sharedStrings.xml", "docProps/app.xml"


def told(path: Path) -> list[str]:
    """What nobody judges; how the file is refused, where it is."""
    try:
        found = {".xlsx": xlsx.read, ".ods": ods.read}[path.suffix](path, auditor.CsvDialect(), 1 << 30)
    except DataError as error:
        return [str(error).partition(": ")[2].partition(" as ")[0].partition(";")[0]]
    return list(found.unread)


DAMAGED, EXTENSIONS = ["is no workbook"], ["texts of extensions"]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "t.xlsx"
    people().to_excel(path, index=False, engine="xlsxwriter")
    return path


@pytest.fixture(scope="module")
def spreadsheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "t.ods"
    WRITERS["ods"](people(), path)
    return path


def copied(path: Path, folder: Path) -> Path:
    copy = folder / path.name
    copy.write_bytes(path.read_bytes())
    return copy


@pytest.mark.parametrize(
    ("part", "end", "text", "unread"),
    [
        (SHEET1, SHEET, b"<extLst><ext><note>Maria</note></ext></extLst>", EXTENSIONS),
        (SHEET1, SHEET, b"<extLst><ext>Maria</ext></extLst>", EXTENSIONS),
        (SHEET1, SHEET, b'<ext xmlns:x="u"><x:f>"Maria"</x:f></ext>', ["texts of conditional formats"]),
        (SHEET1, SHEET, b'<ext xmlns:x="u"><x:f>Sheet1!A2:A9</x:f><x:sqref>A2</x:sqref></ext>', []),
        (SHEET1, SHEET, b"Maria", DAMAGED),
        (SHEET1, b"</row>", b"Maria", DAMAGED),
        (SHEET1, b"<v>", b"Maria", DAMAGED),
        (SHEET1, b"</c>", b"Maria", DAMAGED),
        (SHEET1, SHEET, b'<cellSmartTagPr key="of" val="Maria"/>', ["smart tags"]),
        (WORKBOOK, BOOK, b"<extLst><ext><note>Maria</note></ext></extLst>", EXTENSIONS),
        (WORKBOOK, BOOK, b'<definedName name="of">1980</definedName>', ["names that stand for values"]),
        (WORKBOOK, BOOK, b'<definedName name="of">Sheet1!$A$1</definedName>', []),
        (WORKBOOK, BOOK, b'<definedName name="of" help="Maria">Sheet1!$A$1</definedName>', ["comments of names"]),
        (WORKBOOK, BOOK, b"Maria", DAMAGED),
        (STRINGS, b"</si>", b"Maria", DAMAGED),
        (PROPERTIES, APP, b"<Company>Maria</Company>", []),
        (PROPERTIES, APP, b"<HLinks>Maria</HLinks>", EXTENSIONS),
        ("xl/styles.xml", b"</styleSheet>", b"<extLst><ext>Maria</ext></extLst>", DAMAGED),
        ("xl/theme/theme1.xml", b"</a:theme>", b"Maria", DAMAGED),
        ("[Content_Types].xml", b"</Types>", b"Maria", DAMAGED),
        ("xl/_rels/workbook.xml.rels", b"</Relationships>", b"Maria", DAMAGED),
    ],
)
def test_a_text_where_no_program_shows_one(
    part: str, end: bytes, text: bytes, unread: list[str], book: Path, tmp_path: Path
) -> None:
    assert told(replaced(copied(book, tmp_path), part, end, text + end)) == unread


URN = "urn:oasis:names:tc:opendocument:xmlns"
TABLE, BODY, CELL = b'<table:table table:name="Sheet1">', b"</office:spreadsheet>", b"</table:table-cell>"
META = f'<office:document-meta xmlns:office="{URN}:office:1.0" xmlns:meta="{URN}:meta:1.0"><office:meta>{{}}'
META += "</office:meta></office:document-meta>"


@pytest.mark.parametrize(
    ("old", "new", "unread"),
    [
        (TABLE, TABLE + b"<table:desc>Maria</table:desc>", ["descriptions of sheets"]),
        (TABLE, TABLE + b"<table:title>Maria</table:title>", ["a description in its properties"]),
        (TABLE, TABLE + b"<table:shapes/>", ["shapes"]),
        (TABLE, TABLE + b'<x:note xmlns:x="urn:x">Maria</x:note>', EXTENSIONS),
        (TABLE, TABLE + b"Maria", EXTENSIONS),
        (CELL, b"Maria</table:table-cell>", DAMAGED),
        (b"</table:table-row>", b"Maria</table:table-row>", DAMAGED),
        (BODY, b"<text:p>Maria</text:p>" + BODY, EXTENSIONS),
        (BODY, b"<table:dde-links><office:dde-source/></table:dde-links>" + BODY, ["values of other documents"]),
        (BODY, b'<text:user-field-decl office:string-value="Maria"/>' + BODY, ["fields"]),
        (
            BODY,
            b'<table:named-expression table:expression="of:=1980"/>' + BODY,
            ["names that stand for values"],
        ),
        (BODY, b'<table:named-expression table:expression="of:=2*[.A1]"/>' + BODY, []),
        (b"<table:table-row>", b'<table:table-row table:visibility="collapse">', []),
    ],
)
def test_a_text_beside_the_cells_of_a_spreadsheet(
    old: bytes, new: bytes, unread: list[str], spreadsheet: Path, tmp_path: Path
) -> None:
    found = told(replaced(copied(spreadsheet, tmp_path), "content.xml", old, new))
    assert found == (["is no spreadsheet, or is damaged"] if unread == DAMAGED else unread)


@pytest.mark.parametrize(
    ("part", "content", "unread"),
    [
        ("meta.xml", META.format("<meta:generator>LibreOffice</meta:generator>"), []),
        ("meta.xml", META.format("<meta:of>Maria</meta:of>"), EXTENSIONS),
        ("meta.xml", META.format('<meta:user-defined meta:name="AppVersion">15.0</meta:user-defined>'), []),
        (
            "meta.xml",
            META.format('<meta:user-defined meta:name="AppVersion">Maria</meta:user-defined>'),
            ["properties of its own"],
        ),
        ("styles.xml", "<a>Maria</a>", EXTENSIONS),
        ("styles.xml", f'<n:text xmlns:n="{URN}:datastyle:1.0">EUR</n:text>', []),
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet of Maria", ["mimetype"]),
        ("Maria.txt", "", ["Maria.txt"]),
        ("Maria/", "", ["Maria/"]),
        ("Configurations2/toolbar/", "", []),
        ("Configurations2/accelerator/current.xml", "<a>Maria</a>", ["Configurations2/accelerator/current.xml"]),
    ],
)
def test_other_parts_of_a_spreadsheet(
    part: str, content: str, unread: list[str], spreadsheet: Path, tmp_path: Path
) -> None:
    assert told(with_parts(copied(spreadsheet, tmp_path), {part: content.encode()})) == unread


@pytest.mark.parametrize(
    ("extra", "refused"),
    [
        (b"\x55\x54\x05\x00\x03abcd", False),
        (b"\x20\xa2\x06\x00" + bytes(6), False),
        (b"\x35\xd9\x06\x00\x04\x00" + bytes(4), False),
        (b"\x99\x99\x0f\x00" + b"Maria in Vienna", True),
    ],
)
def test_an_extra_field_of_no_known_kind_says_no_more_than_how_a_part_is_aligned(
    extra: bytes, refused: bool, book: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(tmp_path / "t.xlsx", "w") as new:
        for part in old.infolist():
            part.extra = extra if part.filename == SHEET1 else b""
            new.writestr(part, old.read(part))
    assert told(tmp_path / "t.xlsx") == (["has something beside its parts, which no policy judges"] if refused else [])


def test_a_folder_of_no_part_is_told(book: Path, tmp_path: Path) -> None:
    assert told(with_parts(copied(book, tmp_path), {"xl/worksheets/": b"", "Maria/": b""})) == ["Maria/"]
