"""The ledger: whole entries in a chain that shows what was changed, and nothing lost between processes."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, DeliveryError
from auditor.ledger import GENESIS, Addition, Ledger, add, parse_ledger, read_ledger
from tests.ledgers import append

DAY = "2026-11-22"


def _three(path: Path) -> Ledger:
    for number in range(3):
        append(path, "output", {"number": number}, DAY)
    return read_ledger(path)


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    ledger = _three(tmp_path / "ledger.jsonl")
    assert [entry.body["number"] for entry in ledger.entries] == [0, 1, 2]
    assert ledger.entries[0].previous == GENESIS
    assert ledger.of_kind("output") == ledger.entries
    assert ledger.of_kind("release") == ()


def test_each_line_is_bound_to_the_one_before_as_documented(tmp_path: Path) -> None:
    """Held to the format by a computation of its own, so that others can verify a ledger without this program."""
    _three(tmp_path / "ledger.jsonl")
    previous = "0" * 64
    for line in (tmp_path / "ledger.jsonl").read_text().splitlines():
        entry = json.loads(line)
        sealed = entry.pop("sha256")
        assert entry["previous"] == previous
        text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha256(text.encode()).hexdigest() == sealed
        previous = sealed


def test_no_file_is_an_empty_ledger(tmp_path: Path) -> None:
    assert read_ledger(tmp_path / "none.jsonl").entries == ()


@given(st.data())
def test_no_byte_can_be_changed_unnoticed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("ledger") / "ledger.jsonl"
    whole = _three(path)
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[at]))
    try:
        changed = parse_ledger(bytes(content), path.name)
    except DataError:
        return
    assert changed == whole  # white space between values is no change


@pytest.mark.parametrize("removed", [0, 1])
def test_an_entry_removed_from_the_middle_breaks_the_chain(tmp_path: Path, removed: int) -> None:
    path = tmp_path / "ledger.jsonl"
    _three(path)
    lines = path.read_bytes().splitlines(keepends=True)
    del lines[removed]
    with pytest.raises(DataError, match=f"ledger.jsonl:{removed + 1}: does not follow"):
        parse_ledger(b"".join(lines), path.name)


def test_entries_removed_from_the_end_are_noticed_by_whoever_has_an_older_copy(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    older = _three(path)
    shorter = parse_ledger(b"".join(path.read_bytes().splitlines(keepends=True)[:2]), path.name)
    append(path, "output", {"number": 3}, DAY)
    assert read_ledger(path).extends(older)
    assert not shorter.extends(older)


def test_a_line_that_was_cut_off_is_refused_and_nothing_added(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    _three(path)
    cut = path.read_bytes()[:-5]
    path.write_bytes(cut)
    with pytest.raises(DataError, match=r"ledger\.jsonl:3: the last line has no line end"):
        append(path, "output", {}, DAY)
    assert path.read_bytes() == cut


@pytest.mark.parametrize(
    "content",
    [b"[]\n", b"{}\n", b"nonsense\n", b"\n", b"\xff\n", b'{"index": true}\n', b"[" * 100_000 + b"\n"],
    ids=["list", "empty", "text", "blank", "bytes", "members", "depth"],
)
def test_what_is_no_entry_is_named_with_its_line(content: bytes) -> None:
    with pytest.raises(DataError, match=r"ledger\.jsonl:1: "):
        parse_ledger(content, "ledger.jsonl")


def test_several_processes_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    code = (
        "import sys; from auditor.ledger import Addition, add\n"
        f"for i in range(20): add(sys.argv[1], [Addition('output', {{'who': sys.argv[2], 'i': i}}, '{DAY}')])"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), str(who)]) for who in range(3)]
    assert [each.wait(60) for each in running] == [0, 0, 0]
    seen = {(entry.body["who"], entry.body["i"]) for entry in read_ledger(path).entries}
    assert seen == {(str(who), i) for who in range(3) for i in range(20)}


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not a regular file"):
        read_ledger(tmp_path)
    with pytest.raises(DeliveryError, match="could not be written"):
        append(tmp_path / "no folder" / "ledger.jsonl", "output", {}, DAY)


def test_nothing_is_added_after_entries_that_nobody_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    seen = _three(path)
    add(path, [Addition("output", {"number": number}, DAY) for number in (3, 4)], after=seen.head)
    kept = path.read_bytes()
    with pytest.raises(DataError, match="other runs have added entries"):
        add(path, [Addition("output", {"number": 5}, DAY)], after=seen.head)
    assert path.read_bytes() == kept
    assert [entry.body["number"] for entry in read_ledger(path).entries] == [0, 1, 2, 3, 4]


def test_entries_of_several_kinds_are_added_together_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    seen = _three(path)
    both = [Addition("output", {"number": 3}, DAY), Addition("release", {"release": "x"}, f"{DAY}T00:00:00Z")]
    assert add(path, both, after=seen.head) == read_ledger(path).entries[3:]
    assert [(entry.kind, entry.time) for entry in read_ledger(path).entries[3:]] == [
        ("output", DAY),
        ("release", f"{DAY}T00:00:00Z"),
    ]
    kept = path.read_bytes()
    with pytest.raises(DataError, match="run the command again"):
        add(path, both, after=seen.head)
    assert path.read_bytes() == kept
