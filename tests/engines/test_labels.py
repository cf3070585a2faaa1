"""What files of statistics packages say besides their rows: labels are told, and other texts are not judged."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pyreadstat
import pytest

import auditor
from auditor.engines.foreign import dta, sav
from auditor.errors import DataError
from tests.engines.test_foreign import POLICY, people


def unjudged(path: Path) -> list[str]:
    """What of a file nobody judges."""
    return list({".sav": sav.read, ".dta": dta.read}[path.suffix](path, auditor.CsvDialect(), 1 << 30).unread)


def noted(path: Path) -> list[str]:
    found = auditor.check(path, POLICY)
    assert found.verdict == "pass"
    assert "Maria" not in str(found.to_dict())
    return [note.partition(":")[0] for note in found.assumptions if "label" in note]


WRITERS: dict[str, Any] = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}


@pytest.mark.parametrize("form", WRITERS)
def test_labels_are_told_and_no_text_of_them(form: str, tmp_path: Path) -> None:
    path, frame = tmp_path / f"t.{form}", people().astype({"zip": int})
    WRITERS[form](frame, path)
    assert (unjudged(path), noted(path)) == ([], [])
    WRITERS[form](frame, path, column_labels={"age": "Age of Maria"})
    assert noted(path) == ["Columns, or values of them, have labels"]
    WRITERS[form](frame, path, variable_value_labels={"zip": {1: "Maria's", 8010: "Graz"}})
    assert noted(path) == ["Columns, or values of them, have labels"]
    WRITERS[form](frame, path, file_label="Patients of Maria")
    assert unjudged(path) == ["a label of the file"]
    assert auditor.check(path, POLICY).verdict == "not-evaluated"
    named = {**POLICY, "not_released": ["a label of the file"]}
    assert auditor.check(path, named).verdict == "pass"


def extended(path: Path, kind: int, text: bytes) -> Path:
    """A file of SPSS with one more part of its dictionary (PSPP's manual, record type 7)."""
    pyreadstat.write_sav(people(), path)
    content = path.read_bytes()
    at = content.index(struct.pack("<3i", 7, 3, 4))
    path.write_bytes(content[:at] + struct.pack("<4i", 7, kind, 1, len(text)) + text + content[at:])
    return path


@pytest.mark.parametrize(
    ("kind", "text", "unread"),
    [
        (5, b"Maria= age zip\n", ["sets of columns"]),
        (7, b"$a=C 5 Maria age cost\n", ["sets of multiple responses"]),
        (17, b"of('Maria'\n)", ["attributes of the file or of columns"]),
        (18, b"AGE:$@Role('0'\n)of('Maria'\n)", ["attributes of the file or of columns"]),
        (18, b"AGE:$@Role('0'\n)/ZIP:$@Role('1'\n)", []),
        (24, b"<settings/>", []),
        (99, b"Maria", ["parts of unknown use"]),
    ],
)
def test_parts_of_a_dictionary_that_are_no_labels_are_not_judged(
    kind: int, text: bytes, unread: list[str], tmp_path: Path
) -> None:
    assert unjudged(extended(tmp_path / "t.sav", kind, text)) == unread


def test_a_part_of_no_known_kind_is_refused(tmp_path: Path) -> None:
    path = extended(tmp_path / "t.sav", 24, b"")
    content = path.read_bytes().replace(struct.pack("<4i", 7, 24, 1, 0), struct.pack("<4i", 7, 24, -16, 1))
    path.write_bytes(content)
    with pytest.raises(DataError):
        unjudged(path)


def spliced(path: Path, before: bytes, text: bytes) -> Path:
    """A file of Stata with more bytes before a tag, whose map says where its sections begin now."""
    content = path.read_bytes()
    at = content.index(before)
    content = content[:at] + text + content[at:]
    first = content.index(b"<map>") + len(b"<map>")
    places = [place + len(text) * (place >= at) for place in struct.unpack_from("<14Q", content, first)]
    path.write_bytes(content[:first] + struct.pack("<14Q", *places) + content[first + 8 * 14 :])
    return path


@pytest.mark.parametrize("version", [117, 118, 119])
def test_characteristics_of_stata_are_not_judged(version: int, tmp_path: Path) -> None:
    path, width = tmp_path / "t.dta", 33 if version == 117 else 129
    said = b"_dta".ljust(width, b"\0") + b"_lang_v_de".ljust(width, b"\0") + b"Maria\0"
    people().to_stata(path, write_index=False, version=version)
    assert unjudged(path) == []
    assert unjudged(spliced(path, b"</characteristics>", b"<ch>" + struct.pack("<I", len(said)) + said + b"</ch>")) == [
        "characteristics of the file or of columns"
    ]


def test_labels_of_a_column_that_was_dropped_are_not_judged(tmp_path: Path) -> None:
    """Stata keeps the list that `encode` made of names when the column is dropped."""
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(people(), path, variable_value_labels={"age": {1: "Maria"}})
    content = path.read_bytes()
    first = content.index(b"<value_label_names>") + len(b"<value_label_names>")
    path.write_bytes(content[:first] + bytes(129) + content[first + 129 :])
    assert unjudged(path) == ["labels of values that no column has"]


@pytest.mark.parametrize("before", [b"<data>", b"<strls>", b"<value_labels>", b"</value_labels>"])
def test_bytes_between_the_sections_of_stata_are_refused(before: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(people(), path, variable_value_labels={"age": {30: "thirty"}, "cost": {1: "one"}})
    assert unjudged(path) == []
    with pytest.raises(DataError, match="has something between its sections"):
        unjudged(spliced(path, before, b"Maria and her doctor"))
