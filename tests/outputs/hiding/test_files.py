"""Transactions and sensitive files: what is read, and what every wrong line is told."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.errors import DataError, OutOfMemory, OutOfTime, UsageError
from auditor.outputs.hiding import _files, _read
from auditor.outputs.hiding._read import gathered, read
from auditor.outputs.hiding._sensitive import listed, read_sensitive
from auditor.outputs.hiding._write import write

FIMI = b"3 1 2\n\n2 2 10\n  \n7"
ROWS = [["1", "2", "3"], [], ["2", "10"], [], ["7"]]


ITEMS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"), min_size=1)


def rows_of(transactions) -> list[list[str]]:
    return [[transactions.names[item] for item in transactions.items_of(row)] for row in range(len(transactions))]


def packed(content: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        return gzip.compress(content)
    return pa.compress(content, codec="zstd", asbytes=True) if suffix == ".zst" else content


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_fimi_is_read_with_empty_transactions_and_repeats_counted(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.dat{suffix}"
    path.write_bytes(packed(FIMI, suffix))
    found = read(path)
    assert rows_of(found.transactions) == ROWS
    assert (found.empty, found.repeated, found.format) == (2, 1, "FIMI")


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_json_lines_are_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.jsonl{suffix}"
    path.write_bytes(packed(b'\xef\xbb\xbf{"items": ["b b", "a", "a"]}\n{"items": []}\r\n{"items": ["c"]}', suffix))
    assert rows_of(read(path).transactions) == [["a", "b b"], [], ["c"]]


def test_one_and_its_text_are_one_item(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"items": [1, "1", 2]}\n{"items": ["2"]}\n')
    assert rows_of(read(path).transactions) == [["1", "2"], ["2"]]


@given(st.lists(st.lists(ITEMS, max_size=4), min_size=1))
def test_what_is_written_as_json_reads_back(tmp_path_factory: pytest.TempPathFactory, given_rows) -> None:
    transactions = gathered(given_rows).transactions
    for name in ("t.jsonl", "t.jsonl.gz", "t.jsonl.zst"):
        path = tmp_path_factory.mktemp("t") / name
        write(transactions, path, path)
        assert rows_of(read(path).transactions) == [sorted(set(row)) for row in given_rows]


@given(st.lists(st.lists(st.integers(-5, 10**20)), min_size=1))
def test_numbers_are_written_in_order_and_read_back(tmp_path_factory: pytest.TempPathFactory, given_rows) -> None:
    transactions = gathered(given_rows).transactions
    path = tmp_path_factory.mktemp("t") / "t.dat"
    write(transactions, path, path)
    assert [set(row) for row in rows_of(read(path).transactions)] == [set(map(str, row)) for row in given_rows]


def test_numbers_of_json_stay_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write(gathered([[10, 9], []]).transactions, path, path)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [{"items": [9, 10]}, {"items": []}]


WRONG = [
    ("t.dat", b"", "holds no transaction"),
    ("t.dat", b"1 \xff\n", r"t.dat:1: bytes that are not UTF-8"),
    ("t.dat", b"1\n2 \x00\n", r"t.dat:2: an item with a control character"),
    ("t.dat", b"\xff\xfe1\x00", r"t.dat:1: text in UTF-16"),
    ("t.dat.gz", b"1 2\n", r"t.dat.gz:1: a compressed file that is cut short or damaged"),
    ("t.dat.gz", gzip.compress(b"1 2\n" * 999, mtime=0)[:-9], r"a compressed file that is cut short or damaged"),
    ("t.dat.zst", b"1 2\n", "cannot be read"),
    ("t.jsonl", b"1 2\n", r"t.jsonl:1: no JSON"),
    ("t.jsonl", b"\n", r"t.jsonl:1: no JSON"),
    ("t.jsonl", b"[1]\n", r"t.jsonl:1: JSON that is not an object"),
    ("t.jsonl", b"[" * 100_000, r"t.jsonl:1: no JSON"),
    ("t.jsonl", b'{"items": ["SECRET"]}\n{"items": "SECRET"}', r"t.jsonl:2: no list of items"),
    ("t.jsonl", b'{"items": [["SECRET"]]}', r"t.jsonl:1: no list of items"),
    ("t.jsonl", b'{"items": [true]}', r"t.jsonl:1: no list of items"),
    ("t.jsonl", b'{"items": [1.5]}', r"t.jsonl:1: no list of items"),
    ("t.jsonl", b'{"items": [1' + b"0" * 1000 + b"]}", r"t.jsonl:1: no list of items"),
    ("t.jsonl", b'{"items": ["\\ufeffa"]}', r"t.jsonl:1: no list of items"),
    ("t.jsonl", b'{"items": [""]}', r"t.jsonl:1: no list of items"),
    ("t.jsonl", b'{"items": ["\\ud800"]}', r"t.jsonl:1: no list of items"),
    ("t.jsonl", b'{"items": [], "SECRET": 1}', r"t.jsonl:1: an object with other keys"),
    ("t.csv", b"1 2\n", "the name tells no format"),
    ("t", b"1 2\n", "the name tells no format"),
]


@pytest.mark.parametrize(("name", "content", "message"), WRONG)
def test_wrong_data_is_told_with_its_line_and_without_its_values(name, content, message, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as told:
        read(path)
    assert "SECRET" not in str(told.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path / "none.dat")


def test_no_transaction_at_all_is_told() -> None:
    with pytest.raises(DataError, match="there is no transaction"):
        auditor.hide([], [["a"]], min_support=1)


def test_endless_lines_and_endless_files_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.dat.gz"
    path.write_bytes(gzip.compress(b"1 " * 100))
    monkeypatch.setattr(_files, "LONGEST", 100)
    with pytest.raises(DataError, match=r"t.dat.gz:1: a line of more than 100 bytes"):
        read(path)
    monkeypatch.setattr(_read, "MOST_CELLS", 10)
    path.write_bytes(gzip.compress(b"1 2 3\n" * 100))
    with pytest.raises(OutOfMemory, match="more than 10 items"):
        read(path)
    monkeypatch.setattr(_read, "_LOOK", 1)
    with pytest.raises(OutOfTime, match="while reading"):
        read(path, deadline=0.0)


def test_the_sensitive_file_holds_itemsets_and_rules(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_bytes("\ufeffa b\r\n\nb a\nå c => d\n".encode())
    found = read_sensitive(path)
    assert found.itemsets == (frozenset("ab"),)
    assert found.rules == ((frozenset("åc"), frozenset("d")),)
    lines = tmp_path / "s.jsonl"
    lines.write_text('{"items": ["a", "b"]}\n\n{"antecedent": ["å", "c"], "consequent": ["d"]}\n')
    assert read_sensitive(lines) == found == listed([{"a", "b"}, (["å", "c"], ["d"])])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.txt", b"", "names nothing to hide"),
        ("s.txt", b" \n\n", "names nothing to hide"),
        ("s.txt", b"a\nSECRET =>\n", r"s.txt:2: a rule with nothing on one side"),
        ("s.txt", b"=> SECRET\n", r"s.txt:1: a rule with nothing on one side"),
        ("s.txt", b"a => b => c\n", r"s.txt:1: more than one =>"),
        ("s.txt", b"a=>b\n", r"s.txt:1: => inside a word"),
        ("s.txt", b"SECRET b => SECRET\n", r"s.txt:1: a rule with an item on both sides"),
        ("s.txt", b"\xff\n", r"s.txt:1: bytes that are not UTF-8"),
        ("s.jsonl", b'{"items": []}', r"s.jsonl:1: neither an itemset nor a rule"),
        ("s.jsonl", b'{"antecedent": ["a"]}', r"s.jsonl:1: neither an itemset nor a rule"),
        ("s.jsonl", b'{"antecedent": ["a"], "consequent": "SECRET"}', r"s.jsonl:1: no list of items"),
        ("s.jsonl", b"SECRET", r"s.jsonl:1: no JSON"),
    ],
)
def test_a_wrong_sensitive_file_is_told_without_what_is_secret(name, content, message, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as told:
        read_sensitive(path)
    assert "SECRET" not in str(told.value)


@pytest.mark.parametrize(
    ("data", "sensitive", "options", "message"),
    [
        (["ab"], [["a"]], {}, "each transaction must be a collection of items"),
        ([["a", ""]], [["a"]], {}, "each transaction must be a collection of items"),
        ([[1.5]], [["a"]], {}, "each transaction must be a collection of items"),
        ([[10**5000]], [["a"]], {}, "each transaction must be a collection of items"),
        ([["a"]], [], {}, "nothing is named"),
        ([["a"]], ["a"], {}, "a sensitive itemset is a collection of items"),
        ([["a"]], [[]], {}, "a sensitive itemset is a collection of items"),
        ([["a"]], [(["a"], ["a"])], {"min_confidence": 1}, "a rule a pair of two disjoint ones"),
        ([["a"]], [(["a"], ["b"])], {}, "--min-confidence is needed"),
        ([["a"]], [["a"]], {"min_support": 0}, "--min-support 0 is not a threshold"),
        ([["a"]], [["a"]], {"min_support": "1.5"}, "--min-support '1.5' is not a threshold"),
        ([["a"]], [["a"]], {"min_support": "many"}, "--min-support 'many' is not a threshold"),
        ([["a"]], [["a"]], {"min_support": True}, "--min-support True is not a threshold"),
        ([["a"]], [["a"]], {"min_support": "-1"}, "--min-support '-1' is not a threshold"),
        ([["a"]], [["a"]], {"min_confidence": 0}, "--min-confidence 0 is not a confidence"),
        ([["a"]], [["a"]], {"min_confidence": "120%"}, "--min-confidence '120%' is not a confidence"),
        ([["a"]], [["a"]], {"margin": 1}, "--margin 1: must be below"),
        ([["a"]], [["a"]], {"margin": -1}, "--margin -1: must be"),
        ([["a"]], [["a"]], {"method": "guess"}, "--method guess: is not one of auto"),
        ([["a"]], [["a"]], {"method": "verykios-1a"}, "hides only rules"),
    ],
)
def test_wrong_calls_say_what_would_be_right(data, sensitive, options, message) -> None:
    with pytest.raises(UsageError, match=message):
        auditor.hide(data, sensitive, **{"min_support": 1, **options})
