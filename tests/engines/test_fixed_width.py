"""Fixed-width files: read as they are cut, and nothing of a line is passed over."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.cli import invoke
from auditor.engines import ColumnUse, open_data
from auditor.engines._layout import read_layout
from auditor.errors import DataError, UsageError

POLICY = """
version: 1
name: census
attributes: {age: quasi-identifier, place: quasi-identifier, wage: {role: sensitive, type: number}}
requirements: [{model: k-anonymity, k: 2}]
"""
COLUMNS = "name,start,end\nage,1,3\nplace,4,9\nwage,11,17\n"
LINES = [" 31Oslo    1234,5", " 31Oslo     999,0", "104Zürich       7", "104Zürich    8,25"]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "columns.csv").write_text(COLUMNS)
    (tmp_path / "p.yaml").write_text(POLICY)
    (tmp_path / "data.dat").write_text("\n".join(LINES) + "\n", encoding="latin-1")
    return tmp_path


def dialect(folder, **told):
    return auditor.CsvDialect(columns=str(folder / "columns.csv"), **told)


def read(path, how):
    with open_data(path, csv=how) as source:
        names = [column.name for column in source.columns]
        coded = source.coded([ColumnUse(name) for name in names])
        texts = coded.dictionaries
        return names, [tuple(texts[i][code] for i, code in enumerate(row)) for row in coded.codes.tolist()]


def test_columns_are_cut_and_blanks_around_them_left_out(files):
    names, rows = read(files / "data.dat", dialect(files, encoding="latin-1", decimal=","))
    assert names == ["age", "place", "wage"]
    assert rows[0] == ("31", "Oslo", "1234.5")
    assert rows[3] == ("104", "Zürich", "8.25")


def test_it_is_judged_and_released(files, monkeypatch):
    monkeypatch.chdir(files)
    options = ["data.dat", "-p", "p.yaml", "--columns", "columns.csv", "--encoding", "latin-1", "--decimal", ","]
    assert invoke(["check", *options, "-q"]) == 0
    assert invoke(["check", *options, "--dry-run"]) == 0
    assert invoke(["remediate", *options, "-o", "release.csv", "-q"]) == 0
    assert (files / "release.csv").read_text(encoding="utf-8").splitlines()[1] == '104,Zürich,"7"'.replace('"', "")
    assert invoke(["remediate", *options, "-o", "release.dat", "-q"]) == 2


@given(
    rows=st.lists(
        st.tuples(*[st.text(alphabet="aé7,", min_size=0, max_size=width) for width in (3, 1, 5)]),
        min_size=1,
        max_size=9,
    )
)
def test_what_was_laid_out_is_read(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("f")
    (folder / "columns.csv").write_text("name,width\na,3\nb,1\nc,5\n")
    lines = ["".join(text.ljust(width) for text, width in zip(row, (3, 1, 5), strict=True)) for row in rows]
    (folder / "d.fwf").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert read(folder / "d.fwf", dialect(folder))[1] == [tuple(text or None for text in row) for row in rows]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (" 31Oslo  x 1234,5", "lines hold text outside the columns of the column file"),
        (" 31Oslo    1234,5 secret", "lines hold text outside the columns of the column file"),
        (" 31Oslo    1234,5 \u00a0", "lines hold text outside the columns of the column file"),
        (" 31Oslo  \u2003 1234,5", "lines hold text outside the columns of the column file"),
        (" 31Oslo\t  1234,5", "lines hold tabs"),
        ("31 Oslo    1234,5", "column 'age' has texts that differ only in the blanks before them"),
    ],
)
def test_nothing_of_a_line_is_passed_over(files, line, message):
    (files / "data.dat").write_text("\n".join([*LINES[:1], line]) + "\n")
    with pytest.raises(DataError, match=message):
        read(files / "data.dat", dialect(files))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", ":1: the header is another one; write name,start,end or name,start,width or name,width"),
        ("name,width\n", ": names no column"),
        ("", ":1: the header is another one"),
        ("name,width\na,1,3\n", ":2: has another number of fields than the header"),
        ("name,width\na\n", ":2: has another number of fields than the header"),
        ("name,width\na,0\n", ":2: width is no whole number from 1"),
        ("name,width\na,x\n", ":2: width is no whole number from 1"),
        ("name,start,end\na,3,2\n", ":2: the column ends before it begins"),
        ("name,width\na,1\na,1\n", ":3: the column stands there twice"),
        ("Ann Smith,1958\nBo,1960\n", ":1: the header is another one; write"),
        ("name,width\n,1\n", ":2: the column has no name"),
    ],
)
def test_a_column_file_that_is_none_is_told(tmp_path, text, message):
    path = tmp_path / "c.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=re.escape(f"--columns c.csv{message}")) as raised:
        read_layout(str(path))
    assert "ann smith" not in str(raised.value).lower()


def test_a_line_of_a_control_character_is_a_text(files):
    (files / "columns.csv").write_text("name,width\na,3\n")
    (files / "data.dat").write_text("\x02\n   \n")
    assert read(files / "data.dat", dialect(files))[1] == [("\x02",), (None,)]


def test_without_a_column_file_nothing_is_guessed(files):
    with pytest.raises(DataError, match="--columns FILE has to say where the columns of a fixed-width file stand"):
        read(files / "data.dat", auditor.CsvDialect())
    with pytest.raises(UsageError, match="cannot be read"):
        read_layout(str(files / "none.csv"))


def test_a_file_with_delimiters_beside_it_is_read_as_one(files):
    out = files / "out"
    out.mkdir()
    (out / "a.csv").write_text("age,place,wage\n1,x,2\n")
    (files / "data.dat").rename(out / "data.dat")
    assert read(out / "a.csv", dialect(files))[1] == [("1", "x", "2")]
    with open_data(out, csv=dialect(files)) as source:
        assert source.facts.unread == ("data.dat",)


def test_a_space_of_another_kind_is_a_character_of_its_value(files):
    (files / "data.dat").write_text("\n".join([*LINES[:1], " 31Oslo\u00a0   1234,5"]) + "\n", encoding="utf-8")
    assert [place for _, place, _ in read(files / "data.dat", dialect(files))[1]] == ["Oslo", "Oslo\u00a0"]
