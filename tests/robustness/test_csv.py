"""CSV files as they come: every broken one ends in a clear message, every odd one is read as what it is."""

from __future__ import annotations

import json

import pytest

from tests.robustness.conftest import POLICY, SECRET

GOOD = "a,b\nx,1\nx,2\n"


def classes(outcome):
    assert outcome.code in (0, 1), outcome.err
    return json.loads(outcome.out)["classes"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "data.csv: the file is empty; a header and at least one record are needed"),
        (b"\n\n \n", "data.csv: the file is empty; a header and at least one record are needed"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"\na,b\nx,1\n", "data.csv:1: the first line is empty; it must name the columns"),
        (b"a,b\n%s,1\r\nx,2\n", "data.csv:2: mixes ways to end a line (\\n, \\r\\n, \\r)"),
        (b'a,b\r\n"%s\ny",1\r\nx,2\n', "data.csv:4: mixes ways to end a line"),
        (b"a,b\r\nx,1\r\n\nx,%s\r\n", "data.csv:3: mixes ways to end a line"),
        (b"a,b\nx,1\r%s\nx,2\n", "data.csv:2: mixes ways to end a line"),
        (b"a,b\n", "has no records; there is nothing to judge"),
        (b"a,b", "has no records; there is nothing to judge"),
        (b"a,b\nx,1\nx,2,%s\n", "data.csv:3: should have 2 fields and has 3"),
        (b"a,b\nx,1\n%s\n", "data.csv:3: should have 2 fields and has 1"),
        (b'a,b\nx,1\n"%s,2\n', "data.csv:3: has a quote that is not closed"),
        (b'a,b\nx,1\n"x"%s,2\n', "data.csv:3: has a quote that is not closed, or text after a closing quote"),
        (b"a,b\nx,1\n%s\xff\xfe,2\n", "data.csv:3: holds bytes that are not UTF-8; declare its encoding (--encoding"),
        (b"a,\xe4\nx,%s\n", "data.csv:1: holds bytes that are not UTF-8"),
        (b"a,b,a\nx,1,%s\n", "data.csv:1: columns 1 and 3 have the same name; names must differ"),
        (b"a,,b\nx,1,%s\n", "data.csv:1: column 2 has no name; every column needs one"),
        (b"a,b,\nx,1,%s\n", "data.csv:1: column 3 has no name; every column needs one"),
        (b"a, ,b\nx,1,%s\n", "data.csv:1: column 2 has no name; every column needs one"),
        (b"a\0,b\nx,%s\n", "data.csv:1: the header holds NUL bytes; is this a CSV file?"),
    ],
)  # fmt: skip
def test_a_broken_file_ends_in_a_clear_message(content, message, audit, csv):
    outcome = audit(csv(content.replace(b"%s", SECRET.encode())))
    assert outcome.code == 3
    assert outcome.out == ""
    assert message in outcome.err


def test_a_late_byte_that_is_not_utf8_is_found(audit, csv):
    lines = [b"a,b"] + [b"x,1"] * 400_000 + [SECRET.encode() + b"\xe9,1"]
    outcome = audit(csv(b"\n".join(lines)))
    assert outcome.code == 3
    assert "data.csv:400002: holds bytes that are not UTF-8" in outcome.err


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("a,b\nMünchen,1\nMünchen,2\n".encode("latin-1"), ["--encoding", "latin-1"]),
        ("a,b\n10 €,1\n10 €,2\n".encode("cp1252"), ["--encoding", "cp1252"]),
        ("a,b\n東京,1\n東京,2\n".encode("shift_jis"), ["--encoding", "shift_jis"]),
        ("a,b\n東京,1\n東京,2\n".encode("utf-16"), []),
        ("a,b\n東京,1\n東京,2\n".encode("utf-16-be"), ["--encoding", "utf-16-be"]),
        ("\ufeffa,b\n東京,1\n東京,2\n".encode("utf-16-be"), ["--encoding", "utf-16-be"]),
        ("\ufeffa,b\n東京,1\n東京,2\n".encode("utf-16-le"), ["--encoding", "utf-16-le"]),
        ("a,b\n東京,1\n東京,2\n".encode("utf-8-sig"), []),
        ("a,b\n東京,1\n東京,2\n".encode("utf-8-sig"), ["--encoding", "utf-8"]),
        (b"a;b\nx;1\nx;2\n", []),
        (b"a|b\nx|1\nx|2\n", []),
        (b"a\tb\nx\t1\nx\t2\n", []),
        (b"a#b\nx#1\nx#2\n", ["--delimiter", "#"]),
        (b"a,b\n'x,y',1\n'x,y',2\n", ["--quote", "'"]),
        (b"a,b\r\nx,1\r\nx,2\r\n", []),
        (b"a,b\rx,1\rx,2\r", []),
        (b'"a","b"\n"x",1\n"x",2\n', []),
        (b'a,b\n"x\ny",1\n"x\ny",2\n', []),
        (b'"a",b\n"x ""y""",1\n"x ""y""",2\n', []),
        (b"a,b\nx,1\nx,2", []),
        (b"a,b\nx,1\nx,2\n\n\n", []),
    ],
)
def test_odd_files_are_read(content, options, audit, csv):
    found = classes(audit(csv(content), "--format", "json", *options))
    assert (found["count"], found["largest"], found["average"]) == (1, 2, 2)


@pytest.mark.parametrize(
    ("values", "count"),
    [
        (["01234", "1234"], 2),
        (["1.0", "1", "1.00"], 3),
        (["NA", "", "null", "NULL", "nan", "None"], 6),
        (["", '""'], 1),
        (["", " "], 2),
        (["true", "True", "1"], 3),
        (["inf", "-inf", "Infinity", "1e309"], 4),
        (["0.0", "-0.0", "-0"], 3),
        (["1969-12-31", "1969-12-31T00:00:00", "0044-03-15"], 3),
        (["9223372036854775808", "9223372036854775809", "18446744073709551616"], 3),
        (["x", "X"], 2),
        (["é", "e\u0301"], 2),
        (["a\0b", "a"], 2),
        (["'; DROP TABLE c0; --", "\\", "%s", "{x}"], 4),
        (["=1+1", "@x", "+1", "-1"], 4),
    ],
)
def test_text_stays_text(values, count, audit, csv):
    found = classes(audit(csv("a,b\n" + "".join(f"{value},1\n" for value in values)), "--format", "json"))
    assert found["count"] == count


def test_names_that_differ_only_in_case_are_two_columns(audit, csv):
    policy = {**POLICY, "attributes": {"A": "quasi-identifier", "a": "quasi-identifier", "b": "sensitive"}}
    found = classes(audit(csv("A,a,b\nx,1,s\nx,2,s\n"), "--format", "json", policy=policy))
    assert found["quasi_identifiers"] == ["A", "a"]
    assert found["count"] == 2


@pytest.mark.slow
def test_five_thousand_columns(audit, csv):
    names = [f"q{i}" for i in range(5000)]
    header, row = ",".join([*names, "a", "b"]), ",".join(["7"] * 5000 + ["x", "1"])
    policy = {**POLICY, "attributes": {"q40??": "quasi-identifier", "q41??": "quasi-identifier", "b": "sensitive"}}
    found = classes(audit(csv(f"{header}\n{row}\n{row}\n"), "--format", "json", policy=policy))
    assert len(found["quasi_identifiers"]) == 200
    assert found["count"] == 1


def test_a_value_of_ten_megabytes(audit, csv):
    found = classes(audit(csv("a,b\n" + "x" * 10_000_000 + ",1\ny,2\n"), "--format", "json"))
    assert found["count"] == 2


@pytest.mark.slow
def test_a_line_of_seventy_megabytes_is_refused(audit, csv):
    outcome = audit(csv("a,b\nx,1\n" + SECRET * 6_000_000 + ",1\ny,2\n"))
    assert outcome.code == 3
    assert "data.csv:3: is longer than the limit of 64 MiB" in outcome.err


def test_a_header_of_two_megabytes(audit, csv):
    header = "a,b," + ",".join(f"{'c' * 20_000}{i}" for i in range(100))
    row = "x,1" + ",y" * 100
    assert classes(audit(csv(f"{header}\n{row}\n{row}\n"), "--format", "json"))["count"] == 1


@pytest.mark.parametrize(
    ("rows", "smallest", "largest"), [(["x,1"], 1, 1), (["x,1"] * 50, 50, 50), ([f"{i},1" for i in range(50)], 1, 1)]
)
def test_one_row_all_equal_all_unique(rows, smallest, largest, audit, csv):
    found = classes(audit(csv("\n".join(["a,b", *rows])), "--format", "json"))
    assert (found["smallest"], found["largest"]) == (smallest, largest)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--delimiter", ";;"], "--delimiter"),
        (["--quote", "\n"], "--quote"),
        (["--encoding", "klingon"], "--encoding 'klingon' is unknown"),
        (["--encoding", "base64"], "--encoding 'base64'"),
        (["--memory", "lots"], "--memory"),
        (["--memory", "1KB"], "--memory"),
        (["--time-limit", "soon"], "--time-limit"),
        (["--as-of", "tomorrow"], "--as-of"),
        (["--audience", "everybody"], "--audience"),
    ],
)
def test_options_that_cannot_be_meant(options, message, audit, csv):
    outcome = audit(csv(GOOD), *options)
    assert outcome.code == 2
    assert message in outcome.err


def test_a_declared_encoding_that_is_wrong(audit, csv):
    outcome = audit(csv(f"a,b\nx,1\n{SECRET}\u0081,2\n".encode("latin-1")), "--encoding", "cp1252")
    assert outcome.code == 3
    assert "holds bytes that are not CP1252" in outcome.err
