"""Workbooks and files of statistics packages: read as the same table in CSV is, and all of the file is the release."""

from __future__ import annotations

import datetime as dt
import io
import random
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from PIL import Image as Picture

import auditor
from auditor.engines import FOREIGN, ColumnUse, look_at, open_data
from auditor.errors import DataError, NotEvaluated, UsageError
from auditor.report import redact
from auditor.result import Audience
from tests.documents import without_work

POLICY: dict[str, Any] = {
    "name": "p",
    "attributes": {"age": "quasi-identifier", "zip": "quasi-identifier", "dx": "sensitive", "cost": "insensitive"},
    "requirements": [{"model": "k-anonymity", "k": 2}, {"model": "distinct-l-diversity", "l": 2}],
}


def people(records: int = 60) -> pd.DataFrame:
    chance = random.Random(7)
    rows = [
        (chance.choice((30, 40, 50)), chance.choice(("01", "8010")), chance.choice(("flu", "hiv")), chance.random() * 9)
        for _ in range(records)
    ]
    return pd.DataFrame(rows, columns=["age", "zip", "dx", "cost"])


WRITERS = {
    "xlsx": lambda frame, path: frame.to_excel(path, index=False, engine="openpyxl"),
    "ods": lambda frame, path: frame.to_excel(path, index=False, engine="odf"),
    "sav": pyreadstat.write_sav,
    "dta": pyreadstat.write_dta,
}


def test_each_format_that_a_library_writes_is_tried():
    assert set(FOREIGN) - set(WRITERS) == {"sas7bdat"}  # which SAS alone writes


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.xlsx"
    WRITERS["xlsx"](people(), path)
    return path


def document(data: Any, **how: Any) -> dict[str, Any]:
    found = without_work(auditor.check(data, POLICY, **how).to_dict())
    del found["data"]
    return found


@pytest.mark.parametrize("form", WRITERS)
def test_the_document_is_that_of_csv(form, tmp_path):
    people().to_csv(tmp_path / "t.csv", index=False)
    WRITERS[form](people(), tmp_path / f"t.{form}")
    assert document(tmp_path / f"t.{form}") == document(tmp_path / "t.csv")
    found = auditor.check(tmp_path / f"t.{form}", POLICY).data
    assert (found.format, found.rows, found.columns) == (form, 60, 4)
    seen = look_at(tmp_path / f"t.{form}")
    assert (seen.rows, seen.known, [each.name for each in seen.columns]) == (60, "exact", list(people().columns))


@pytest.mark.parametrize("form", ["xlsx", "sav"])
def test_a_folder_is_one_table_with_its_partitions(form, tmp_path):
    whole = people()
    for place, part in enumerate((whole[:25], whole[25:])):
        folder = tmp_path / "d" / f"year=202{place}"
        folder.mkdir(parents=True)
        WRITERS[form](part, folder / f"{place}.{form}")
    policy = {**POLICY, "attributes": {**POLICY["attributes"], "year": "quasi-identifier"}}
    found = auditor.check(tmp_path / "d", policy)
    classes = Counter(zip(whole["age"], whole["zip"], [0] * 25 + [1] * 35, strict=True))
    assert (found.data.rows, found.classes.smallest) == (60, min(classes.values()))
    WRITERS[form](whole.rename(columns={"cost": "costs"}), tmp_path / "d" / "year=2021" / f"z.{form}")
    with pytest.raises(DataError, match="has other columns than"):
        auditor.check(tmp_path / "d", policy)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


CELLS = st.one_of(
    st.none(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.booleans(),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=4).filter(
        lambda text: not text.startswith("=") and not is_number(text)
    ),
    st.dates(dt.date(1950, 1, 1), dt.date(2060, 1, 1)),
)


def meant(value: Any) -> Any:
    """A cell by what a reader of it sees: a number is a number whatever its type, an empty one is missing."""
    if value is None or value == "":
        return None
    return str(value) if isinstance(value, bool | dt.date | str) else ("number", float(value))


@given(st.lists(CELLS, min_size=1, max_size=12))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_column_of_a_workbook_holds_the_values_of_its_cells(tmp_path, values):
    book = openpyxl.Workbook()
    for row in (("place", "a"), *enumerate(values)):
        book.active.append(row)
    for cells in book.active.iter_rows(min_row=2, min_col=2):
        if isinstance(cells[0].value, str):
            cells[0].data_type = "s"
    book.save(tmp_path / "t.xlsx")
    with open_data(tmp_path / "t.xlsx") as source:
        counted = source.count([ColumnUse("a")])
        found = dict(zip(counted.labels("a"), counted.frequencies("a"), strict=True))
    wanted = Counter(map(meant, values))
    assert sorted(found.values()) == sorted(wanted.values())


# What else the file holds


def changed(path: Path, change: Any) -> Path:
    book = openpyxl.load_workbook(path)
    change(book, book.active)
    book.save(path)
    return path


def with_parts(path: Path, parts: dict[str, bytes], **how: bytes) -> Path:
    """A workbook with parts of its package added or replaced."""
    with zipfile.ZipFile(path) as old:
        kept = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w") as new:
        for name, content in (kept | parts).items():
            new.writestr(name, content)
        new.comment = how.get("comment", b"")
    return path


def other_sheet(book: Any, _: Any) -> None:
    book.create_sheet("Raw")["A1"] = "Maria"


def hidden_sheet(book: Any, _: Any) -> None:
    sheet = book.create_sheet("Raw")
    sheet["A1"], sheet.sheet_state = "Maria", "veryHidden"


def comment(_: Any, sheet: Any) -> None:
    sheet["A2"].comment = Comment("Maria", "me")


def link(_: Any, sheet: Any) -> None:
    sheet["B2"].hyperlink = "mailto:maria@example.org"


def filtered(_: Any, sheet: Any) -> None:
    sheet.auto_filter.ref = "A1:D61"
    sheet.auto_filter.add_filter_column(1, ["8010", "Maria"])


def picture(_: Any, sheet: Any) -> None:
    drawn = io.BytesIO()
    Picture.new("1", (1, 1)).save(drawn, "png")
    sheet.add_image(Image(drawn), "F1")


def chart(_: Any, sheet: Any) -> None:
    drawn = BarChart()
    drawn.add_data(Reference(sheet, min_col=4, min_row=1, max_row=9))
    sheet.add_chart(drawn, "F1")


def property_of_document(book: Any, _: Any) -> None:
    from openpyxl.packaging.custom import StringProperty

    book.custom_doc_props.append(StringProperty(name="of", value="Maria"))


def header_of_pages(_: Any, sheet: Any) -> None:
    sheet.oddHeader.center.text = "Patients of Dr Maria"


def allowed(_: Any, sheet: Any) -> None:
    listed = DataValidation("list", formula1='"01,8010,Maria"', sqref="B2:B61")
    sheet.add_data_validation(listed)


def name(book: Any, _: Any) -> None:
    book.defined_names["who"] = DefinedName("who", attr_text='"Maria"')


def description(book: Any, _: Any) -> None:
    book.properties.description = "without Maria"


def title(book: Any, _: Any) -> None:
    book.properties.title = "Maria"


def status(book: Any, _: Any) -> None:
    book.properties.contentStatus = "without Maria"


@pytest.mark.parametrize(
    "change",
    [
        *(other_sheet, hidden_sheet, comment, link, filtered, picture, chart, property_of_document),
        *(header_of_pages, allowed, name, description, title, status),
    ],
)
def test_what_else_a_workbook_holds_is_released_and_not_judged(change, book):
    found = auditor.check(changed(book, change), POLICY, csv=auditor.CsvDialect(sheet="Sheet1"))
    (unread,) = [each for each in found.requirements if each.id == "unread"]
    assert (found.verdict, unread.status) == ("not-evaluated", "not-evaluated")
    assert not any("Maria" in detail for detail in unread.details)
    names = [detail.strip("'") for detail in unread.details]
    assert (
        auditor.check(book, {**POLICY, "not_released": names}, csv=auditor.CsvDialect(sheet="Sheet1")).verdict == "pass"
    )
    assert auditor.check(book, POLICY, csv=auditor.CsvDialect(sheet="Sheet1"), source=True).verdict == "pass"


CORE, APP = "docProps/core.xml", "docProps/app.xml"


def test_a_description_stands_in_whatever_part_a_link_leads_to(book):
    """Programs find the properties by the relationship, whatever the part is called."""
    changed(book, description)
    with zipfile.ZipFile(book) as package:
        core = package.read(CORE)
    for part in ("[Content_Types].xml", "_rels/.rels"):
        replaced(book, part, CORE.encode(), b"docProps/said.xml")
    with_parts(book, {"docProps/said.xml": core, CORE: b""})
    assert auditor.check(book, POLICY).verdict == "not-evaluated"


@pytest.mark.parametrize("name", ["Manager", "HyperlinkBase"])
def test_a_text_among_the_properties_of_the_program_is_not_judged(name, book):
    people().to_excel(book, index=False, engine="openpyxl")
    assert auditor.check(book, POLICY).verdict == "pass"
    replaced(book, APP, b"</Properties>", f"<{name}>Maria</{name}></Properties>".encode())
    assert auditor.check(book, POLICY).verdict == "not-evaluated"


def test_texts_that_no_cell_shows_are_part_of_the_file(book):
    people().to_excel(book, index=False, engine="xlsxwriter")
    assert auditor.check(book, POLICY).verdict == "pass"
    with zipfile.ZipFile(book) as package:
        texts = package.read("xl/sharedStrings.xml")
    with_parts(book, {"xl/sharedStrings.xml": texts.replace(b"</sst>", b"<si><t>Maria</t></si></sst>")})
    found = auditor.check(book, POLICY)
    assert [each.id for each in found.requirements if each.status == "not-evaluated"] == ["unread"]


@pytest.mark.parametrize(
    "part", ["xl/pivotCache/pivotCacheRecords1.xml", "xl/worksheets/deep/x.bin", "customXml/a.xml"]
)
def test_a_part_of_unknown_use_is_not_judged(part, book):
    assert auditor.check(with_parts(book, {part: b"<a/>"}), POLICY).verdict == "not-evaluated"


@pytest.mark.parametrize(
    "inserted",
    [
        b"<office:annotation><text:p>Maria</text:p></office:annotation>",
        b'<text:p><text:a xlink:href="mailto:maria@example.org" xmlns:xlink="http://www.w3.org/1999/xlink">x</text:a></text:p>',
    ],
)
def test_what_else_a_spreadsheet_holds_is_not_judged(inserted, tmp_path):
    path = tmp_path / "t.ods"
    WRITERS["ods"](people(), path)
    with zipfile.ZipFile(path) as package:
        contents = package.read("content.xml")
    assert b"<text:p>" in contents
    at = contents.index(b"<text:p>", contents.index(b"<table:table-cell"))
    with_parts(path, {"content.xml": contents[:at] + inserted + contents[at:]})
    assert auditor.check(path, POLICY).verdict == "not-evaluated"


def test_a_text_in_an_extension_of_a_sheet_is_not_judged(book):
    said = b'<extLst><ext xmlns:x="u"><x:note>Maria</x:note></ext></extLst></worksheet>'
    replaced(book, SHEET1, b"</worksheet>", said)
    assert auditor.check(book, POLICY).verdict == "not-evaluated"


@pytest.mark.parametrize("days", [("59", "60"), ("-1", "-2"), ("43831.000000001", "43831.000000002")])
def test_days_and_times_that_are_read_as_one_are_refused(days, book):
    """Excel's 60 is a day that never was, and no day lies before 0; a nanosecond of a day is less than is read."""

    def dated(_: Any, sheet: Any) -> None:
        for cell in sheet["D"][1:]:
            cell.value, cell.number_format = 43831, "yyyy-mm-dd"

    changed(book, dated)
    with zipfile.ZipFile(book) as package:
        cells = package.read(SHEET1)
    for day in days:
        cells = cells.replace(b"<v>43831</v>", f"<v>{day}</v>".encode(), 1)
    with_parts(book, {SHEET1: cells})
    with pytest.raises(DataError, match="the sheet 'Sheet1' has days or times that differ by less than is read"):
        auditor.check(book, POLICY)


@pytest.mark.parametrize(
    ("shown", "verdict"), [(b"Maria", "not-evaluated"), (b"1.5", "pass"), (b"7 EUR", "not-evaluated")]
)
def test_a_number_that_is_shown_as_another_text_is_not_judged(shown, verdict, spreadsheet):
    with zipfile.ZipFile(spreadsheet) as package:
        contents = package.read("content.xml")
    first = contents.index(b"<text:p>", contents.index(b'office:value-type="float"')) + len(b"<text:p>")
    after = contents.index(b"</text:p>", first)
    with_parts(spreadsheet, {"content.xml": contents[:first] + shown + contents[after:]})
    assert auditor.check(spreadsheet, POLICY).verdict == verdict


def test_a_unit_that_every_number_of_a_column_shows_is_its_format(spreadsheet):
    with zipfile.ZipFile(spreadsheet) as package:
        contents = package.read("content.xml")
    money = re.sub(rb'(office:value-type="float"[^>]*><text:p>)([^<]*)', rb"\1\2 EUR", contents)
    with_parts(spreadsheet, {"content.xml": money})
    assert auditor.check(spreadsheet, POLICY).verdict == "pass"


def test_notes_of_a_statistics_package_are_not_judged_and_labels_without_records_are_told(tmp_path):
    frame = people().assign(zip=lambda table: table["zip"].astype(int))
    pyreadstat.write_sav(frame, tmp_path / "n.sav", note="Maria was left out")
    assert auditor.check(tmp_path / "n.sav", POLICY).verdict == "not-evaluated"
    labels = {"zip": {1: "Vienna", 8010: "Graz", 9999: "Maria's house"}}
    pyreadstat.write_sav(frame, tmp_path / "l.sav", variable_value_labels=labels)
    found = auditor.check(tmp_path / "l.sav", POLICY)
    assert found.verdict == "pass"
    assert [note for note in found.assumptions if "labels of values that no record has" in note]
    assert "Maria" not in str(found.to_dict())
    told = redact(found, Audience.PUBLIC)
    glob = {"undeclared": "quasi-identifier", "requirements": POLICY["requirements"][:1]}
    hidden = auditor.check(tmp_path / "l.sav", glob)
    assert not any("'zip'" in note for note in redact(hidden, Audience.REVIEWER).result.assumptions)
    assert any("labels of values that no record has" in note for note in told.result.assumptions)


def test_an_encoding_of_spss_is_the_one_that_is_declared(tmp_path):
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(people().assign(dx=lambda table: table["dx"].replace("flu", "fl\u00fc")), path)
    path.write_bytes(path.read_bytes().replace("fl\u00fc".encode(), "fl\u00fc ".encode("latin-1")))
    said = auditor.CsvDialect(encoding="latin-1")
    assert auditor.check(path, POLICY, csv=said).data.rows == 60


def test_two_codes_with_one_label_are_one_value_to_whoever_reads_them(tmp_path):
    frame = people().assign(dx=lambda table: (table["dx"] == "flu").astype(int))
    pyreadstat.write_dta(frame, tmp_path / "t.dta", variable_value_labels={"dx": {0: "HIV", 1: " HIV"}})
    with pytest.raises(DataError, match="column 'dx' has several values with the same label"):
        auditor.check(tmp_path / "t.dta", POLICY)


def test_two_codes_with_one_label_are_found_beside_missing_values_of_several_kinds(tmp_path):
    frame = people().assign(dx=lambda table: [*(table["dx"] == "flu").astype(int)[:-1], "a"])
    labels = {"dx": {0: "HIV", 1: "HIV"}}
    pyreadstat.write_dta(frame, tmp_path / "t.dta", variable_value_labels=labels, missing_user_values={"dx": ["a"]})
    with pytest.raises(DataError, match="column 'dx' has several values with the same label"):
        auditor.check(tmp_path / "t.dta", POLICY)


def test_values_that_a_package_calls_missing_are_values(tmp_path):
    frame = pd.DataFrame({"age": [30, 30, 98, 99]})
    pyreadstat.write_sav(frame, tmp_path / "t.sav", missing_ranges={"age": [98, 99]})
    policy = {
        "missing": "wildcard",
        "attributes": {"age": "quasi-identifier"},
        "requirements": POLICY["requirements"][:1],
    }
    assert auditor.check(tmp_path / "t.sav", policy).classes.sample_uniques == 2
    missing = {"role": "quasi-identifier", "missing_values": ["98", "99"]}
    assert auditor.check(tmp_path / "t.sav", {**policy, "attributes": {"age": missing}}).classes.smallest == 4


# What is refused


@pytest.mark.parametrize("value", ["=A2*2", "=Raw!A1"])
def test_formulas_are_refused_with_or_without_a_value(value, book):
    def computed(_: Any, sheet: Any) -> None:
        sheet["D2"] = value

    with pytest.raises(DataError, match="the sheet 'Sheet1' has formulas"):
        auditor.check(changed(book, computed), POLICY)


def test_errors_are_refused(book):
    def wrong(_: Any, sheet: Any) -> None:
        sheet["D2"] = "#N/A"

    with pytest.raises(DataError, match="has cells with an error"):
        auditor.check(changed(book, wrong), POLICY)


@pytest.mark.parametrize(
    ("added", "said"),
    [
        (b' table:formula="of:=1" ', "formulas"),
        (b' calcext:value-type="error" xmlns:calcext="urn:c" ', "errors"),
        (b' table:number-rows-spanned="3" ', "merged cells"),
    ],
)
def test_a_spreadsheet_whose_readers_see_other_values_is_refused(added, said, tmp_path):
    path = tmp_path / "t.ods"
    WRITERS["ods"](people(), path)
    with zipfile.ZipFile(path) as package:
        contents = package.read("content.xml")
    typed = b'office:value-type="float"'
    with_parts(path, {"content.xml": contents.replace(typed, typed + added, 1)})
    with pytest.raises(DataError, match=f"the sheet 'Sheet1' has {said}"):
        auditor.check(path, POLICY)


def titled(_: Any, sheet: Any) -> None:
    sheet.insert_rows(1)
    sheet["A1"] = "Patients of 2026"


def gap(_: Any, sheet: Any) -> None:
    sheet.insert_rows(9)


def merged(_: Any, sheet: Any) -> None:
    sheet.merge_cells("C2:C5")


def emptied(_: Any, sheet: Any) -> None:
    sheet.delete_rows(1, 99)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (titled, "column 2 of the sheet 'Sheet1' has no name"),
        (gap, "row 9 of the sheet 'Sheet1' is empty; delete it"),
        (merged, "the sheet 'Sheet1' has merged cells, which show one value for several records"),
        (emptied, "holds no cells"),
        (other_sheet, "has several sheets with cells .'Sheet1', 'Raw'.; name the one .*--sheet 'Sheet1'"),
    ],
)
def test_a_sheet_that_is_no_table_is_refused(change, said, book):
    with pytest.raises(DataError, match=said):
        auditor.check(changed(book, change), POLICY)


def test_a_sheet_that_is_not_there_is_refused(book):
    with pytest.raises(DataError, match="has no sheet 'data'; those with cells: 'Sheet1'"):
        auditor.check(book, POLICY, csv=auditor.CsvDialect(sheet="data"))


@pytest.mark.parametrize("form", FOREIGN)
@pytest.mark.parametrize(
    "content", [b"", b"age,zip\n1,2\n", b"PK\x03\x04nothing", b"$FL2" + bytes(300), bytes(range(256)) * 9]
)
def test_what_is_no_such_file_is_refused(content, form, tmp_path):
    (tmp_path / f"t.{form}").write_bytes(content)
    with pytest.raises(DataError, match=f"t.{form}: (is no|is in another)"):
        auditor.check(tmp_path / f"t.{form}", POLICY)


def test_an_encrypted_workbook_is_refused(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512))
    with pytest.raises(DataError, match="is encrypted, or a workbook of Excel before 2007; save it"):
        auditor.check(tmp_path / "t.xlsx", POLICY)


def test_what_stands_around_the_package_is_refused(book):
    whole = book.read_bytes()
    with_parts(book, {}, comment=b"Maria")
    with pytest.raises(DataError, match="has something beside its parts"):
        auditor.check(book, POLICY)
    for changed_bytes in (b"Maria" + whole, whole + b"Maria"):
        book.write_bytes(changed_bytes)
        with pytest.raises(DataError, match=r"has something beside its parts|is no workbook"):
            auditor.check(book, POLICY)


@pytest.mark.parametrize("kind", ["comment", "extra", "between"])
def test_what_stands_among_the_parts_is_refused(kind, book):
    told = zipfile.ZipInfo("xl/theme/more.xml")
    if kind == "comment":
        told.comment = b"Maria"
    if kind == "extra":
        told.extra = b"\xfe\xca" + (80).to_bytes(2, "little") + b"Maria" * 16
    with zipfile.ZipFile(book, "a") as package:
        if kind == "between":
            package.fp.seek(package.start_dir)
            package.fp.write(b"Maria and her doctor were here")
            package.start_dir = package.fp.tell()
        package.writestr(told, b"<a/>")
    with pytest.raises(DataError, match="has something beside its parts"):
        auditor.check(book, POLICY)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_parts_of_one_name_are_refused(book):
    with zipfile.ZipFile(book, "a") as package:
        package.writestr("xl/worksheets/Sheet1.xml", b"<a/>")
    with pytest.raises(DataError, match="several parts of the same name"):
        auditor.check(book, POLICY)


def test_a_document_type_is_refused(book):
    with zipfile.ZipFile(book) as package:
        said = package.read("xl/workbook.xml")
    bomb = b'<!DOCTYPE a [<!ENTITY b "cc">]>'
    start = said.index(b"<workbook")
    with_parts(book, {"xl/workbook.xml": said[:start] + bomb + said[start:]})
    with pytest.raises(DataError, match="is no workbook"):
        auditor.check(book, POLICY)


@pytest.mark.parametrize("form", ["xlsx", "ods", "sav"])
def test_what_memory_does_not_hold_is_not_evaluated(form, tmp_path):
    chance = random.Random(1)
    frame = pd.DataFrame({"age": [chance.random() for _ in range(60_000)]})
    frame = pd.concat([frame] * 8, axis="columns").set_axis(list("abcdefgh"), axis="columns")
    if form == "sav":
        WRITERS["sav"](frame, tmp_path / "t.sav")
    else:  # a few bytes that become many
        with zipfile.ZipFile(tmp_path / f"t.{form}", "w", zipfile.ZIP_DEFLATED) as package:
            package.writestr("content.xml", bytes(64 << 20))
    with pytest.raises(NotEvaluated, match="give --memory more, or write the table as Parquet"):
        auditor.check(tmp_path / f"t.{form}", POLICY, memory="64MiB")


def test_a_cell_that_is_repeated_a_billion_times_is_refused(tmp_path):
    path = tmp_path / "t.ods"
    WRITERS["ods"](people(), path)
    with zipfile.ZipFile(path) as package:
        contents = package.read("content.xml")
    first = contents.index(b"<table:table-row")
    repeated = b'<table:table-row table:number-rows-repeated="1000000000"'
    with_parts(path, {"content.xml": contents[:first] + repeated + contents[first + len(b"<table:table-row") :]})
    with pytest.raises(DataError, match="more than 16,777,216 cells"):
        auditor.check(path, POLICY)


@pytest.mark.parametrize(("form", "module"), [("xlsx", "python_calamine"), ("sav", "pyreadstat")])
def test_without_its_reader_a_file_is_not_evaluated(form, module, tmp_path, monkeypatch):
    WRITERS[form](people(), tmp_path / f"t.{form}")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(NotEvaluated, match=rf"\.{form} files need the package {module.replace('_', '-')}: pip install"):
        auditor.check(tmp_path / f"t.{form}", POLICY)


# What one reader sees and another does not


MAIN = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def replaced(path: Path, part: str, old: bytes, new: bytes) -> Path:
    """A package in one of whose parts the first `old` is `new`."""
    with zipfile.ZipFile(path) as package:
        content = package.read(part)
    assert old in content
    return with_parts(path, {part: content.replace(old, new, 1)})


SHEET1 = "xl/worksheets/sheet1.xml"
END = b"</sheetData>"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'<c r="A2"', b'<c r="A2"><v>99</v></c><c r="A2"', "as Excel writes it"),
        (END, b'<row r="3"><c r="A3"><v>99</v></c></row></sheetData>', "as Excel writes it"),
        (END, END + b'<sheetData><row r="99"><c r="A99"><v>9</v></c></row></sheetData>', "as Excel writes it"),
        (END, b'<z:row xmlns:z="urn:z" r="99"><c r="A99"><v>9</v></c></z:row></sheetData>', "as Excel writes it"),
        (END, b'<row r="99"><z:c xmlns:z="urn:z" r="A99"><z:v>9</z:v></z:c></row></sheetData>', "as Excel writes it"),
        (END, b'<row r="99"><c r="A99"><v>3<![CDATA[0]]></v></c></row></sheetData>', "as Excel writes it"),
        (END, b'<row r="99"><c r="A99"><v>3<!-- -->0</v></c></row></sheetData>', "as Excel writes it"),
        (END, b'<row r="99"><c r="A99"><v>3<?a?>0</v></c></row></sheetData>', "as Excel writes it"),
        (END, b'<row r="4294967295"><c r="ZZZZZZZ4294967295"><v>9</v></c></row></sheetData>', "as Excel writes it"),
        (END, b'<row r="99"><c r="A98"><v>9</v></c></row></sheetData>', "as Excel writes it"),
        (
            b'<c r="A2"',
            b'<a-b:f xmlns:a-b="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/><c r="A2"',
            "formulas",
        ),
        (
            END,
            END + b'<a-b:mergeCell xmlns:a-b="http://purl.oclc.org/ooxml/spreadsheetml/main" ref="A2:A3"/>',
            "merged cells",
        ),
    ],
)
def test_cells_that_not_every_reader_sees_are_refused(old, new, said, book):
    with pytest.raises(DataError, match=said):
        auditor.check(replaced(book, SHEET1, old, new), POLICY)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "iso-8859-1"])
def test_other_encodings_are_refused(encoding, book):
    with zipfile.ZipFile(book) as package:
        text = package.read(SHEET1).decode()
    said = f'<?xml version="1.0" encoding="{encoding}"?>' if encoding != "utf-16-le" else ""
    with pytest.raises(DataError, match="as Excel writes it"):
        auditor.check(with_parts(book, {SHEET1: (said + text[text.index("<worksheet") :]).encode(encoding)}), POLICY)


@pytest.mark.parametrize(
    "part",
    ["xl/worksheets/sheet9.xml", "xl/worksheets/a.txt", "xl/theme/a.txt", "xl/tables/a.xml", "xl/printerSettings/a"],
)
def test_a_part_to_which_nothing_leads_is_not_judged(part, book):
    assert auditor.check(with_parts(book, {part: b"<a>Maria</a>"}), POLICY).verdict == "not-evaluated"


@pytest.mark.parametrize(
    ("home", "old"), [("_rels/.rels", b"xl/workbook.xml"), ("xl/_rels/workbook.xml.rels", b"styles.xml")]
)
def test_a_part_that_is_not_where_it_is_read_is_refused(home, old, book):
    replaced(book, home, old, b"theme/x.xml")
    with pytest.raises(DataError, match="as Excel writes it"):
        auditor.check(with_parts(book, {"xl/theme/x.xml": b"<a/>", "theme/x.xml": b"<a/>"}), POLICY)


@pytest.mark.parametrize(
    "after",
    [
        b'<hyperlinks><hyperlink ref="A2" location="Sheet1!A1" display="Maria"/></hyperlinks>',
        b'<dataValidations><dataValidation sqref="A2" prompt="Maria"/></dataValidations>',
        b'<conditionalFormatting sqref="A2"><cfRule type="containsText" text="Maria"/></conditionalFormatting>',
        b'<conditionalFormatting><cfRule type="cellIs"><formula>"Maria"</formula></cfRule></conditionalFormatting>',
        b'<scenarios><scenario name="Maria"><inputCells r="C2" val="hiv"/></scenario></scenarios>',
    ],
)
def test_what_stands_in_a_sheet_beside_its_cells_is_not_judged(after, book):
    assert auditor.check(replaced(book, SHEET1, END, END + after), POLICY).verdict == "not-evaluated"


def numbered(code: str) -> Any:
    def change(_: Any, sheet: Any) -> None:
        sheet["A2"].number_format = code

    return change


def test_formats_that_show_other_texts_are_not_judged(book):
    assert auditor.check(changed(book, numbered('0" years"')), POLICY).verdict == "not-evaluated"

    def all_alike(_: Any, sheet: Any) -> None:
        for cell in sheet["A"][1:]:
            cell.number_format = '0" years"'

    assert auditor.check(changed(book, all_alike), POLICY).verdict == "pass"
    assert auditor.check(changed(book, numbered("0.00;[Red]-0.00")), POLICY).verdict == "not-evaluated"


READINGS = (
    b"<sst " + MAIN + b"><si><t>zip</t></si><si><t>age</t></si><si><t>dx</t></si>"
    b"<si><t>a</t><rPh><t>one</t></rPh></si><si><t>b</t><rPh><t>two</t></rPh></si></sst>"
)


def test_readings_of_texts_are_judged_with_them_unless_one_has_two(book):
    header = b"".join(b'<c r="%s1" t="s"><v>%d</v></c>' % each for each in ((b"A", 0), (b"B", 1), (b"C", 2)))
    rows = b"".join(
        b'<row r="%d"><c r="A%d"><v>1</v></c><c r="B%d"><v>2</v></c><c r="C%d" t="s"><v>%d</v></c></row>'
        % (row, row, row, row, 3 + row % 2)
        for row in range(2, 8)
    )
    cells = b"<worksheet " + MAIN + b'><sheetData><row r="1">' + header + b"</row>" + rows + b"</sheetData></worksheet>"
    people().to_excel(book, index=False, engine="xlsxwriter")
    with_parts(book, {SHEET1: cells, "xl/sharedStrings.xml": READINGS})
    policy = {**POLICY, "attributes": {name: POLICY["attributes"][name] for name in ("age", "zip", "dx")}}
    assert auditor.check(book, policy).verdict == "pass"
    with_parts(book, {"xl/sharedStrings.xml": READINGS.replace(b"<t>b<", b"<t>a<")})
    assert [each.id for each in auditor.check(book, policy).requirements if each.status == "not-evaluated"] == [
        "unread"
    ]


def test_a_few_bytes_that_take_much_memory_are_not_evaluated(book, tmp_path):
    far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    with pytest.raises(NotEvaluated, match="give --memory more, or write the table as Parquet"):
        auditor.check(replaced(book, SHEET1, END, far), POLICY)
    people(5000).assign(dx="flu" * 9000).to_excel(tmp_path / "l.xlsx", index=False, engine="xlsxwriter")
    with pytest.raises(NotEvaluated, match="give --memory more, or write the table as Parquet"):
        auditor.check(tmp_path / "l.xlsx", POLICY, memory="256MiB")


def test_a_workbook_as_the_programs_of_others_write_it_is_judged(book):
    sheets = {"xl/_rels/workbook.xml.rels": (b"worksheets/", b"sheets/"), SHEET1: (END, END + b'<drawing id="rId1"/>')}
    for part, (old, new) in sheets.items():
        replaced(book, part, old, new)
    with zipfile.ZipFile(book) as package:
        kept = {name.replace("worksheets/", "sheets/"): package.read(name) for name in package.namelist()}
    book.unlink()
    drawn = (
        b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    )
    drawn += b'Type="http://purl.oclc.org/ooxml/officeDocument/relationships/drawing" Target="../drawings/d.xml"/>'
    kept["xl/sheets/_rels/sheet1.xml.rels"] = drawn + b"</Relationships>"
    kept["xl/drawings/d.xml"] = (
        b'<x:wsDr xmlns:x="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"/>'
    )
    sparkline = (
        b'<extLst><ext xmlns:x="u"><x:sparkline><x:f>Sheet1!A2:A9</x:f></x:sparkline></ext></extLst></worksheet>'
    )
    kept["xl/sheets/sheet1.xml"] = kept["xl/sheets/sheet1.xml"].replace(b"</worksheet>", sparkline)
    with zipfile.ZipFile(book, "w") as package:
        for name, content in kept.items():
            package.writestr(name, content)
    assert auditor.check(book, POLICY).verdict == "pass"
    with_parts(book, {"xl/drawings/d.xml": b"<a><b>Maria</b></a>"})
    assert auditor.check(book, POLICY).verdict == "not-evaluated"


@pytest.fixture
def spreadsheet(tmp_path: Path) -> Path:
    WRITERS["ods"](people(), tmp_path / "t.ods")
    return tmp_path / "t.ods"


ROWS = b"</table:table>"
OTHER = b'<b:table-row xmlns:b="urn:oasis:names:tc:opendocument:xmlns:table:1.0"/>'
SPANNED = b'<table:table-row><table:table-cell table:number-rows-spanned="2"/></table:table-row>'
COMPUTED = b'<table:table-row><table:table-cell table:formula="of:=1"/></table:table-row>'
SPACED = b'<table:table-row><table:table-cell office:value-type="string"><text:p>a<text:%s/></text:p>'
SPACED += b"</table:table-cell></table:table-row>"
UNBOUND = b'<table:table-row xmlns:table="urn:z"/>'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (ROWS, COMPUTED + ROWS, "formulas"),
        (ROWS, SPANNED + ROWS, "merged cells"),
        (ROWS, OTHER + ROWS, "is no spreadsheet"),
        (ROWS, UNBOUND + ROWS, "is no spreadsheet"),
        (b"<text:p>", b"<text:p><![CDATA[Maria]]>", "is no spreadsheet"),
        (ROWS, b"<!-- Maria --></table:table>", "is no spreadsheet"),
        (ROWS, b'<table:table table:name="x"/></table:table>', "is no spreadsheet"),
    ],
)
def test_cells_of_a_spreadsheet_that_not_every_reader_sees_are_refused(old, new, said, spreadsheet):
    with pytest.raises(DataError, match=said):
        auditor.check(replaced(spreadsheet, "content.xml", old, new), POLICY)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (ROWS, SPACED % b"tab" + ROWS),
        (b' office:value-type="float"', b' office:value-type="string" office:string-value="a"'),
        (ROWS, SPACED % b"line-break" + ROWS),
        (b"<office:body>", b"<office:scripts><office:script>Maria</office:script></office:scripts><office:body>"),
        (ROWS, b'<table:scenario table:comment="Maria"/></table:table>'),
        (ROWS, b'</table:table><table:named-expression table:expression="&quot;Maria&quot;"/>'),
        (ROWS, b'<c:condition xmlns:c="urn:c" c:value="=&quot;Maria&quot;"/></table:table>'),
    ],
)
def test_what_stands_in_a_spreadsheet_beside_its_cells_is_not_judged(old, new, spreadsheet):
    found = auditor.check(replaced(spreadsheet, "content.xml", old, new), POLICY)
    assert [each.id for each in found.requirements if each.status == "not-evaluated"] == ["unread"]


URN = "urn:oasis:names:tc:opendocument:xmlns"
PAGES = f"""<office:document-styles xmlns:office="{URN}:office:1.0" xmlns:style="{URN}:style:1.0"
  xmlns:text="{URN}:text:1.0"><office:master-styles><style:master-page><style:header><text:p
  ><text:sheet-name>???</text:sheet-name>{{}}</text:p></style:header><style:footer><text:p>Seite <text:page-number
  >1</text:page-number> von <text:page-count>9</text:page-count></text:p></style:footer></style:master-page
  ></office:master-styles></office:document-styles>"""
OWN = f"""<office:document-meta xmlns:office="{URN}:office:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:meta="{URN}:meta:1.0"><office:meta><dc:description/><meta:user-defined meta:name="of">{{}}</meta:user-defined
  ><meta:user-defined meta:name="AppVersion">15.0</meta:user-defined></office:meta></office:document-meta>"""


TITLE = OWN.replace("<dc:description/>", "<dc:title>{}</dc:title>").replace('"of">{}', '"of">')


@pytest.mark.parametrize(("part", "text"), [("styles.xml", PAGES), ("meta.xml", OWN), ("meta.xml", TITLE)])
def test_pages_and_properties_of_a_spreadsheet_are_judged_if_they_say_nothing(part, text, spreadsheet):
    with_parts(spreadsheet, {part: text.format("").encode(), "Configurations2/accelerator/current.xml": b""})
    assert auditor.check(spreadsheet, POLICY).verdict == "pass"
    with_parts(spreadsheet, {part: text.format("of Maria").encode()})
    assert auditor.check(spreadsheet, POLICY).verdict == "not-evaluated"


def test_a_spreadsheet_whose_last_cell_is_far_away_is_not_evaluated(spreadsheet):
    far = b'<table:table-row table:number-rows-repeated="900000"/><table:table-row><table:table-cell '
    far += b'table:number-columns-repeated="16000"/><table:table-cell office:value-type="float" office:value="1"/>'
    with pytest.raises(NotEvaluated, match="give --memory more, or write the table as Parquet"):
        auditor.check(replaced(spreadsheet, "content.xml", ROWS, far + b"</table:table-row></table:table>"), POLICY)


# What Excel, LibreOffice, Gnumeric and SPSS write beside the table


def unjudged(path: Path) -> list[str]:
    return [each.id for each in auditor.check(path, POLICY).requirements if each.status == "not-evaluated"]


@pytest.mark.parametrize(
    ("said", "unread"),
    [
        ('&amp;C&amp;"DejaVu Serif,Book"&amp;12&amp;A</oddHeader><oddFooter>&amp;CPage &amp;P', []),
        ("&amp;LSeite &amp;P von &amp;N&amp;C&amp;K04+010&amp;D &amp;T&amp;R&amp;F", []),
        ("&amp;CPatients of Maria, page &amp;P", ["unread"]),
        ('&amp;"Arial,Bold"Maria', ["unread"]),
        ("&amp;L12345678", ["unread"]),
        ("Maria</oddHeader><oddFooter>&amp;P", ["unread"]),
    ],
)
def test_the_number_of_a_page_and_the_name_of_the_sheet_are_no_texts(said, unread, book):
    header = f"<headerFooter><oddHeader>{said}</oddHeader></headerFooter>"
    if "<oddFooter>" in said:
        header = header.replace("</oddHeader></headerFooter>", "</oddFooter></headerFooter>")
    assert unjudged(replaced(book, SHEET1, END, END + header.encode())) == unread


def test_a_sheet_of_a_chart_is_told(book):
    with pd.ExcelWriter(book, engine="xlsxwriter") as writer:
        people().to_excel(writer, index=False)
        chart = writer.book.add_chart({"type": "column"})
        chart.add_series({"values": "=Sheet1!$D$2:$D$9"})
        writer.book.add_chartsheet("Costs").set_chart(chart)
    (unread,) = [each for each in auditor.check(book, POLICY).requirements if each.status == "not-evaluated"]
    assert "'sheet Costs'" in unread.details


def test_a_sheet_without_cells_is_no_table(book):
    changed(book, lambda book, _: book.create_sheet("Empty"))
    assert auditor.check(book, POLICY).verdict == "pass"
    with pytest.raises(DataError, match="has no cells in the sheet 'Empty'; those with cells: 'Sheet1'"):
        auditor.check(book, POLICY, csv=auditor.CsvDialect(sheet="Empty"))


def test_a_sheet_that_the_workbook_does_not_list_is_not_judged(book):
    with zipfile.ZipFile(book) as package:
        sheet = package.read(SHEET1)
    linked = (
        b'<Relationship Id="rId99" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"'
    )
    linked += b' Target="/xl/worksheets/more.xml"/></Relationships>'
    with_parts(book, {"xl/worksheets/more.xml": sheet})
    assert unjudged(replaced(book, "xl/_rels/workbook.xml.rels", b"</Relationships>", linked)) == ["unread"]


def test_properties_as_strict_open_xml_links_them_are_known(book):
    old = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/extended-properties"
    new = b"http://purl.oclc.org/ooxml/officeDocument/relationships/extendedProperties"
    assert unjudged(replaced(book, "_rels/.rels", old, new)) == []


def custom_properties(path: Path, within: bytes) -> Path:
    linked = b'<Relationship Id="rId99" Type="x/custom-properties" Target="docProps/custom.xml"/></Relationships>'
    space = b'xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"'
    with_parts(path, {"docProps/custom.xml": b"<Properties " + space + b">" + within + b"</Properties>"})
    return replaced(path, "_rels/.rels", b"</Relationships>", linked)


@pytest.mark.parametrize(("within", "unread"), [(b"", []), (b'<property name="of"/>', ["unread"])])
def test_properties_of_its_own_without_any_are_none(within, unread, book):
    assert unjudged(custom_properties(book, within)) == unread


@pytest.mark.parametrize(("title", "unread"), [("Sheet1", []), ("Maria", ["unread"])])
def test_a_name_that_stands_for_the_name_of_a_sheet_says_no_more(title, unread, book, spreadsheet):
    def named(workbook: Any, _: Any) -> None:
        workbook.defined_names["_xlnm.Sheet_Title"] = DefinedName("_xlnm.Sheet_Title", attr_text=f'"{title}"')

    assert unjudged(changed(book, named)) == unread
    told = f'<table:named-expression table:expression="of:=&quot;{title}&quot;"/></office:spreadsheet>'
    assert unjudged(replaced(spreadsheet, "content.xml", b"</office:spreadsheet>", told.encode())) == unread


@pytest.mark.parametrize(("code", "unread"), [('0" years"', []), ('0;0;0;@" Maria"', ["unread"])])
def test_formats_of_numbers_say_nothing_of_texts_among_them(code, unread, book):
    def formatted(_: Any, sheet: Any) -> None:
        for place, cell in enumerate(sheet["A"][1:]):
            if place % 3:
                cell.value = "unknown"
            if place % 3 != 1:
                cell.number_format = code

    assert unjudged(changed(book, formatted)) == unread


@pytest.mark.parametrize(("formula", "verdict"), [("TRUE()", "pass"), ("FALSE()", ""), ("TRUE()+0", ""), ("", "")])
def test_a_truth_value_is_one_as_libreoffice_writes_it(formula, verdict, book, spreadsheet):
    people().assign(dx=[True, False] * 30).to_excel(book, index=False)
    computed = f'<c r="C2" t="b"><f aca="false">{formula}</f>'.encode()
    with zipfile.ZipFile(book) as package:
        cells = re.sub(rb'<c r="C2" [^>]*>', computed, package.read(SHEET1))
    assert computed in cells
    with_parts(book, {SHEET1: cells})
    value = f'office:value-type="float" office:value="1" table:formula="of:={formula}"><text:p>TRUE</text:p>'.encode()
    with zipfile.ZipFile(spreadsheet) as package:
        contents = package.read("content.xml")
    contents = re.sub(rb'office:value-type="float" office:value="30"[^>]*><text:p>30</text:p>', value, contents)
    with_parts(spreadsheet, {"content.xml": contents})
    for path in (book, spreadsheet):
        if verdict:
            assert auditor.check(path, POLICY).verdict == verdict
        else:
            with pytest.raises(DataError, match="has formulas"):
                auditor.check(path, POLICY)


def test_a_rule_for_formats_without_a_text_says_nothing(book):
    rule = b'<conditionalFormatting><cfRule type="cellIs" text=""><formula>3</formula></cfRule></conditionalFormatting>'
    assert unjudged(replaced(book, SHEET1, END, END + rule)) == []


@pytest.mark.parametrize(
    ("condition", "within", "unread"),
    [
        ("cell-content-is-whole-number()", '<table:error-message table:display="true"/>', []),
        ("cell-content-is-in-list(&quot;Maria&quot;)", "", ["unread"]),
        ("", '<table:help-message table:title="Maria"/>', ["unread"]),
        ("", "<table:error-message><text:p>Maria</text:p></table:error-message>", ["unread"]),
    ],
)
def test_what_cells_of_a_spreadsheet_may_hold_is_no_value_without_a_text(condition, within, unread, spreadsheet):
    told = f'<table:content-validation table:condition="of:{condition}">{within}</table:content-validation>'
    start = b"<office:spreadsheet>"
    assert unjudged(replaced(spreadsheet, "content.xml", start, start + told.encode())) == unread


@pytest.mark.parametrize("engine", ["xlsxwriter", "openpyxl"])
@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (b"<t>flu </t>", True),
        (b"<t>flu</t>\n  ", False),
        (b'<t xml:space="preserve">flu </t>', False),
        (b"<r><t>fl</t></r><r><t> u</t></r>", True),
        (b"<t> </t>", True),
        (b"<t>_x0066_lu</t>", True),
        (b"<t>f_x006C_u</t>", True),
        (b"<t>_x005F_x0066_lu</t>", False),
    ],
)
def test_texts_that_differ_in_what_only_excel_reads_alike_are_refused(other, alike, engine, book):
    people().assign(dx=["flu", "x"] * 30).to_excel(book, index=False, engine=engine)
    part = "xl/sharedStrings.xml" if engine == "xlsxwriter" else SHEET1
    replaced(book, part, b"<t>x</t>", other)
    if alike:
        with pytest.raises(DataError, match="has texts that differ in spaces or escapes"):
            auditor.check(book, POLICY)
    else:
        assert auditor.check(book, POLICY).data.rows == 60


@pytest.mark.parametrize(("text", "alike"), [(b"_x0066_lu", True), (b"cold", False)])
def test_a_text_in_the_place_of_a_value_is_held_to_the_others(text, alike, book):
    people().assign(dx=["flu", "x"] * 30).to_excel(book, index=False, engine="openpyxl")
    replaced(book, SHEET1, b't="inlineStr"><is><t>x</t></is>', b't="str"><v>' + text + b"</v>")
    with pytest.raises(DataError, match="spaces or escapes") if alike else nullcontext():
        auditor.check(book, POLICY)


def test_spaces_between_elements_of_a_spreadsheet_are_no_texts(spreadsheet):
    people().to_csv(spreadsheet.with_suffix(".csv"), index=False)
    with zipfile.ZipFile(spreadsheet) as package:
        contents = package.read("content.xml")
    form = b'<office:forms xmlns:form="urn:oasis:names:tc:opendocument:xmlns:form:1.0"><form:form%s</office:forms>'
    table = contents.index(b">", contents.index(b"<table:table ")) + 1
    spaced = re.sub(rb"(?=</?table:|<text:p>)", b"\n    ", contents[table:])
    with_parts(spreadsheet, {"content.xml": contents[:table] + form % b"/>" + spaced})
    assert document(spreadsheet) == document(spreadsheet.with_suffix(".csv"))
    box = b'><form:textarea form:current-value="Maria"/></form:form>'
    with_parts(spreadsheet, {"content.xml": contents[:table] + form % box + spaced})
    assert unjudged(spreadsheet) == ["unread"]


@pytest.mark.parametrize("form", ["sav", "dta"])
def test_a_moment_that_is_missing_is_missing(form, tmp_path):
    when = ["2026-03-29T08:30:00", None] * 2
    WRITERS[form](pd.DataFrame({"when": pd.to_datetime(when), "n": range(4)}), tmp_path / f"t.{form}")
    with open_data(tmp_path / f"t.{form}") as source:
        counted = source.count([ColumnUse("when")])
        assert set(counted.labels("when")) == {"2026-03-29 08:30:00", None}


def test_lengths_of_time_that_are_no_times_of_a_day_are_the_numbers_of_the_file(tmp_path):
    frame = pd.DataFrame({"age": [3600.0 * hours for hours in (2, 26, 50)] * 2})
    pyreadstat.write_sav(frame, tmp_path / "t.sav", variable_format={"age": "TIME8"})
    policy = {"attributes": {"age": "quasi-identifier"}, "requirements": POLICY["requirements"][:1]}
    found = auditor.check(tmp_path / "t.sav", policy)
    assert (found.classes.smallest, found.classes.count) == (2, 3)
    assert any("Lengths of time are read as the numbers" in note for note in found.assumptions)


def compressed(path: Path, records: int, **how: bool) -> bytes:
    frame = people(records).assign(note=["a text of more than 255 bytes " * 9, *[""] * (records - 1)])
    pyreadstat.write_sav(frame, path, **how, missing_ranges={"age": [98, 99]}, column_labels=list("abcde"))
    return path.read_bytes()


@pytest.mark.parametrize("records", range(58, 66))
@pytest.mark.parametrize("how", ["row_compress", "compress"])
def test_bytes_behind_records_that_are_compressed_are_refused(how, records, tmp_path):
    path = tmp_path / "t.sav"
    content = compressed(tmp_path / "t.zsav", records, **{how: True})
    policy = {**POLICY, "undeclared": "insensitive"}
    path.write_bytes(content)
    assert auditor.check(path, policy).data.rows == records
    for behind in (b"Maria", bytes(8), b"\xfc" + bytes(7) + b"Maria is"):
        path.write_bytes(content + behind)
        with pytest.raises(DataError, match="holds more than the records that its header tells of"):
            auditor.check(path, policy)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="there is no LibreOffice")
@pytest.mark.parametrize("form", ["xlsx", "ods"])
def test_what_libreoffice_saves_is_judged_as_the_text_that_it_opened(form, tmp_path):
    people().assign(dx=lambda table: table["dx"].replace("hiv", "\u00e4 ")).to_csv(tmp_path / "t.csv", index=False)
    opened = ["--infilter=CSV:44,34,76,1,2/2", "--convert-to", form, "--outdir", str(tmp_path), str(tmp_path / "t.csv")]
    home = f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
    subprocess.run(["soffice", home, "--headless", *opened], check=True, capture_output=True, timeout=300)
    assert document(tmp_path / f"t.{form}") == document(tmp_path / "t.csv")


# Files of statistics packages that hold more than is read


def test_records_that_the_header_of_spss_leaves_out_are_found(tmp_path):
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(people(), path)
    content = bytearray(path.read_bytes())
    content[80:84] = (58).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(DataError, match="holds more than the records that its header tells of"):
        auditor.check(path, POLICY)


@pytest.mark.parametrize("form", ["sav", "dta"])
def test_bytes_behind_the_end_are_refused(form, tmp_path):
    path = tmp_path / f"t.{form}"
    WRITERS[form](people(), path)
    path.write_bytes(path.read_bytes() + b"Maria")
    with pytest.raises(DataError, match=r"header tells of|something follows its end"):
        auditor.check(path, POLICY)


def test_a_file_of_stata_may_end_in_a_line_as_hooks_of_git_leave_it(tmp_path):
    path = tmp_path / "t.dta"
    WRITERS["dta"](people(), path)
    path.write_bytes(path.read_bytes() + b"\n")
    assert auditor.check(path, POLICY).data.rows == 60


def test_a_file_of_spss_that_does_not_count_its_records_is_read_to_its_end(tmp_path):
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(people(), path)
    content = bytearray(path.read_bytes())
    content[80:84] = b"\xff" * 4
    path.write_bytes(content)
    assert auditor.check(path, POLICY).data.rows == 60


def test_a_file_of_an_old_stata_is_refused(tmp_path):
    people().to_stata(tmp_path / "t.dta", write_index=False, version=114)
    with pytest.raises(DataError, match="a file of Stata 12 or older"):
        auditor.check(tmp_path / "t.dta", POLICY)


def test_days_with_a_time_that_is_not_shown_are_refused(tmp_path):
    frame = pd.DataFrame({"day": [13_800_000_000.0, 13_800_000_001.0], "n": [1, 1]})
    pyreadstat.write_sav(frame, tmp_path / "t.sav", variable_format={"day": "DATE11"})
    with pytest.raises(DataError, match="column 'day' has days or times that differ by less than is read"):
        auditor.check(
            tmp_path / "t.sav", {"undeclared": "quasi-identifier", "requirements": POLICY["requirements"][:1]}
        )


# Releases


REMEDIATION: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [20], "start": 20}}},
        "zip": "quasi-identifier",
        "dx": "sensitive",
        "cost": "insensitive",
    },
    "requirements": [{"model": "k-anonymity", "k": 8}],
}


@pytest.mark.parametrize("form", ["xlsx", "ods"])
def test_a_release_is_that_in_csv(form, tmp_path):
    WRITERS["sav"](people(), tmp_path / "t.sav")
    results = [
        auditor.remediate(tmp_path / "t.sav", REMEDIATION, output=tmp_path / f"r.{each}") for each in ("csv", form)
    ]
    first, second = (without_work(each.to_dict()) for each in results)
    for each in (first, second):
        for data in (each["data"], each["after"]["data"]):
            del data["sha256"], data["source"], data["format"]
    assert first["verdict"] == "pass"
    assert first == second
    shown = pd.read_excel(tmp_path / f"r.{form}", dtype={"zip": str}, engine={"xlsx": "openpyxl", "ods": "odf"}[form])
    text = pd.read_csv(tmp_path / "r.csv", dtype={"zip": str})
    pd.testing.assert_frame_equal(shown, text, check_dtype=False)


@pytest.mark.parametrize("form", ["xlsx", "ods"])
def test_the_same_release_is_the_same_workbook(form, tmp_path):
    people().to_csv(tmp_path / "t.csv", index=False)
    made = []
    for name in ("a", "b"):
        auditor.remediate(tmp_path / "t.csv", REMEDIATION, output=tmp_path / f"{name}.{form}")
        made.append((tmp_path / f"{name}.{form}").read_bytes())
    assert made[0] == made[1]
    with zipfile.ZipFile(tmp_path / f"a.{form}") as package:
        assert {part.date_time for part in package.infolist()} == {(2000, 1, 1, 0, 0, 0)}
        assert form == "ods" or b"2000-01-01" in package.read("docProps/core.xml")


def test_texts_stay_texts(tmp_path):
    texts = ["=1+1", "007", "1e5", "http://example.org", "-0", "1.50", "+1", " x ", "1234567890123456", "nan", "TRUE"]
    frame = pd.DataFrame({"age": [1] * len(texts), "note": texts, "size": [str(n) for n in range(len(texts))]})
    policy = {
        "attributes": {"age": "quasi-identifier", "note": "insensitive", "size": "insensitive"},
        "requirements": [{"model": "k-anonymity", "k": 2}],
    }
    frame.to_csv(tmp_path / "t.csv", index=False)
    auditor.remediate(tmp_path / "t.csv", policy, output=tmp_path / "r.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "r.xlsx").active
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
    assert sorted(row[1] for row in rows) == sorted(texts)
    assert {cell.data_type for cell in sheet["B"][1:]} == {"s"}
    assert sorted(row[2] for row in rows) == list(range(len(texts)))


def test_a_line_break_is_released(tmp_path):
    pd.DataFrame({"note": ["a\nb", "a\nb"]}).to_excel(tmp_path / "t.ods", index=False, engine="odf")
    policy = {"attributes": {"note": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 2}]}
    assert auditor.check(tmp_path / "t.ods", policy).verdict == "pass"


def test_what_a_sheet_does_not_hold_is_not_written(tmp_path):
    pd.DataFrame({"age": [1, 1], "note": ["a" * 40_000, "b"]}).to_csv(tmp_path / "t.csv", index=False)
    policy = {
        "attributes": {"age": "quasi-identifier", "note": "insensitive"},
        "requirements": [{"model": "k-anonymity", "k": 2}],
    }
    with pytest.raises(auditor.errors.DeliveryError, match="column 'note' has texts of more than 32,767 characters"):
        auditor.remediate(tmp_path / "t.csv", policy, output=tmp_path / "r.xlsx")
    assert not (tmp_path / "r.xlsx").exists()


@pytest.mark.parametrize("form", ["sav", "dta", "sas7bdat"])
def test_no_release_is_written_for_a_statistics_package(form, tmp_path):
    people().to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(UsageError, match=r"is written as .*\.xlsx or \.ods"):
        auditor.remediate(tmp_path / "t.csv", REMEDIATION, output=tmp_path / f"r.{form}")
