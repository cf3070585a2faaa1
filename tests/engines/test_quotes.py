"""Spaces around quoted fields of CSV: to most readers a part of the field, to DuckDB none."""

from __future__ import annotations

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.errors import DataError

POLICY = {"attributes": {"a": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 1}]}


def text_of(fields, delimiter=",", end="\n"):
    """A table whose first column has these fields, as they are."""
    return "".join(f"{each}{delimiter}x{end}" for each in ("a", *fields))


def classes(path, text, encoding="utf-8"):
    """How many different values the first column has, as they are read from a file."""
    raw = text.encode(encoding)
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return auditor.check(path, POLICY).classes.count


@pytest.mark.parametrize("field", [' "p"', '"p" ', ' "p" ', '   "p"', '"p"  ', ' ""', '"" '])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv"])
@pytest.mark.parametrize(("end", "encoding"), [("\n", "utf-8"), ("\r\n", "utf-8-sig"), ("\r", "utf-8")])
def test_a_space_around_a_quoted_field_is_refused(tmp_path, field, name, end, encoding):
    delimiter = "\t" if "tsv" in name else ","
    with pytest.raises(DataError, match=r"has a space|is not closed"):
        classes(tmp_path / name, text_of(["p", field], delimiter, end), encoding)
    assert classes(tmp_path / name, text_of(["p", '"p"', '" p"'], delimiter, end), encoding) == 2


def test_it_is_refused_in_utf_16_too(tmp_path):
    with pytest.raises(DataError, match="has a space"):
        classes(tmp_path / "t.csv", text_of(["p", ' "p"']), "utf-16")


@pytest.mark.parametrize(
    "field", ['"he said ""p"" , and left"', '"a, ""b"" "', '5" pipe', 'p "', 'p "q" r', '"p\n ""q"""', "' p'"]
)
def test_spaces_and_quotes_inside_a_field_are_text(tmp_path, field):
    assert classes(tmp_path / "t.csv", text_of(["p", field])) == 2
    assert classes(tmp_path / "t.csv.gz", text_of(["p", field])) == 2


@given(st.lists(st.text(' "p', max_size=5), min_size=1, max_size=4))
def test_a_file_is_read_as_python_reads_it_or_refused(tmp_path_factory, fields):
    text = text_of(fields)
    try:
        found = classes(tmp_path_factory.mktemp("quotes") / "t.csv", text)
    except DataError:
        return
    rows = list(csv.reader(io.StringIO(text)))[1:]
    assert found == len({row[0] for row in rows})


@given(st.lists(st.text(' "p,\n', min_size=1, max_size=5), min_size=1, max_size=4), st.booleans())
def test_what_a_program_writes_is_read(tmp_path_factory, values, everything):
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL if everything else csv.QUOTE_MINIMAL, lineterminator="\n")
    writer.writerows([("a", "b"), *((value, "x") for value in values)])
    assert classes(tmp_path_factory.mktemp("quotes") / "t.csv", text.getvalue()) == len(set(values))
