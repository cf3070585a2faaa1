"""`auditor hide`: what it writes, what it refuses, and that nothing is released that can still be mined."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.cli import invoke
from auditor.outputs.hiding import _hide
from auditor.result import Audience

TABLE = "a b c d\na b c\na b d\na c d\nb c d\na b\nc d\na c\n"
"""The transactions of HD01 (tests/vectors/output_cases.json)."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.dat").write_text(TABLE)
    (tmp_path / "s.txt").write_text("a b\n")
    return tmp_path


def hide(*options: str) -> int:
    return invoke(["hide", "t.dat", "--sensitive", "s.txt", "--min-support", "3", *options])


def document(capsys: pytest.CaptureFixture[str]) -> dict:
    return json.loads(capsys.readouterr().out)


def test_the_release_is_written_and_its_document_has_the_contracts_keys(folder: Path, capsys) -> None:
    assert hide("-o", "r.dat", "--format", "json", "--as-of", "2026-11-22") == 0
    found = document(capsys)
    assert found["command"] == "hide"
    assert found["verdict"] == "pass"
    assert found["data"] | {"source": "t.dat", "rows": 8, "columns": 4} == found["data"]
    expected = {
        "method": "exact",
        "optimal": True,
        "gap": 0.0,
        "removed_items": 2,
        "transactions_changed": 2,
        "lost_itemsets": 0,
        "lost_rules": None,
        "ghost_rules": None,
        "hiding_failure": 0.0,
        "misses_cost": 0.0,
        "dissimilarity": 2 / 22,
        "accuracy": 6 / 8,
    }
    assert found["hiding"] | expected == found["hiding"]
    rows = [set(line.split()) for line in (folder / "r.dat").read_text().splitlines()]
    assert len(rows) == 8
    assert sum({"a", "b"} <= row for row in rows) == 2
    assert found["release"]["rows"] == 8
    assert sorted(file.name for file in folder.iterdir()) == ["r.dat", "s.txt", "t.dat"]


def test_rules_need_a_confidence_and_are_hidden_by_it(folder: Path, capsys) -> None:
    (folder / "s.txt").write_text("a => b\n")
    assert hide("--plan") == 2
    assert "--min-confidence is needed" in capsys.readouterr().err
    assert hide("--plan", "--min-confidence", "60%", "--format", "json", "--audience", "internal") == 0
    found = document(capsys)
    assert found["patterns"][0]["items"] == ["a"]
    assert found["patterns"][0]["consequent"] == ["b"]
    assert found["patterns"][0]["confidence_before"] == 4 / 6
    assert found["patterns"][0]["confidence_after"] < 0.6
    assert found["hiding"]["lost_rules"] == found["hiding"]["ghost_rules"] == 0


def test_what_can_still_be_mined_is_not_released(folder: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    """1.a has too few transactions to raise the supports of a, b and c with: every rule stays above 50 %."""
    (folder / "s.txt").write_text("a => b\nb => a\nc => d\n")
    (folder / "r.dat").write_text("as it was\n")
    options = ("-o", "r.dat", "--min-confidence", "30%", "--method", "verykios-1a")
    code = hide(*options, "--format", "json")
    out = document(capsys)
    assert code == 1
    assert out["verdict"] == "fail"
    assert out["release"] is None
    assert not out["written"]
    assert out["hiding"]["hiding_failure"] > 0
    assert any("can still be mined" in finding["message"] for finding in out["findings"])
    assert (folder / "r.dat").read_text() == "as it was\n"
    assert sorted(file.name for file in folder.iterdir()) == ["r.dat", "s.txt", "t.dat"]


def test_a_release_that_does_not_read_back_hidden_is_not_put_in_place(folder: Path, monkeypatch) -> None:
    """What counts is the file: here somebody writes the data as it was."""
    kept = _hide._write.write
    original = _hide._read.read(folder / "t.dat").transactions
    monkeypatch.setattr(_hide._write, "write", lambda _, path, target: kept(original, path, target))
    assert hide("-o", "r.dat") == 1
    assert not (folder / "r.dat").exists()


@pytest.mark.parametrize("target", ["t.dat", "s.txt", "./t.dat"])
def test_an_input_is_never_overwritten(target: str, folder: Path, capsys) -> None:
    assert hide("-o", target) == 2
    assert "input of this command" in capsys.readouterr().err
    assert (folder / "t.dat").read_text() == TABLE


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give -o RELEASE, or --plan"),
        (("-o", "r.dat", "--plan"), "give -o RELEASE, or --plan"),
        (("-o", "r.csv"), "a release is written as .dat or .jsonl"),
        (("-o", "none/r.dat"), "there is no folder"),
        (("--plan", "--format", "sarif"), "hide has no policy to report on"),
        (("--plan", "--report", "r.xml"), "hide has no policy to report on"),
        (("-o", "r.md.dat", "--report", "markdown=r.md.dat"), "writes something else to this file"),
        (("--plan", "--margin", "3"), "must be below the least support"),
    ],
)
def test_what_cannot_be_meant_is_refused(options, message, folder: Path, capsys) -> None:
    assert hide(*options) == 2
    assert message in capsys.readouterr().err
    assert sorted(file.name for file in folder.iterdir()) == ["s.txt", "t.dat"]


def test_items_with_blanks_cannot_go_into_a_dat_file(folder: Path, capsys) -> None:
    (folder / "t.jsonl").write_text('{"items": ["a b", "c"]}\n')
    (folder / "s.jsonl").write_text('{"items": ["c"]}\n')
    command = ["hide", "t.jsonl", "--sensitive", "s.jsonl", "--min-support", "1", "-o"]
    assert invoke([*command, "r.dat"]) == 2
    assert "some items hold blanks" in capsys.readouterr().err
    assert invoke([*command, "r.jsonl.gz"]) == 0


def test_missing_data_and_too_little_time_could_not_be_evaluated(folder: Path, capsys) -> None:
    assert invoke(["hide", "none.dat", "--sensitive", "s.txt", "--min-support", "3", "--plan"]) == 3
    assert invoke(["hide", "t.dat", "--sensitive", "none.txt", "--min-support", "3", "--plan"]) == 3
    assert hide("-o", "r.dat", "--time-limit", "0.000001") == 3
    assert "[time]" in capsys.readouterr().err
    assert not (folder / "r.dat").exists()


def test_every_method_stands_side_by_side(folder: Path, capsys) -> None:
    assert hide("--plan", "--compare", "--format", "json") == 0
    methods = {each["method"]: each for each in document(capsys)["methods"]}
    assert len(methods) == 11  # 1.a and 1.b hide rules alone
    assert all(each["hidden"] and each["removed_items"] >= 2 for each in methods.values())
    assert methods["transactions"]["transactions_removed"] == 2
    assert hide("--plan", "--compare") == 0
    assert "The methods side by side" in capsys.readouterr().out


def test_a_sensitive_item_that_never_occurs_is_pointed_out_without_its_name(folder: Path, capsys) -> None:
    (folder / "s.txt").write_text("a b\nSECRET b\n")
    assert hide("--plan", "--report", "r.json", "--report", "r.md", "--report", "r.html") == 0
    out = capsys.readouterr().out
    assert "do not occur in the data" in out
    for text in (out, *((folder / name).read_text() for name in ("r.json", "r.md", "r.html"))):
        assert "SECRET" not in text


@pytest.mark.parametrize("audience", Audience)
def test_a_stored_document_is_shown_again(audience: Audience, folder: Path, capsys) -> None:
    assert hide("--plan", "--compare", "--report", "r.json", "--audience", audience.value) == 0
    capsys.readouterr()
    hide("--plan", "--compare", "--audience", audience.value)
    shown = capsys.readouterr().out
    assert invoke(["report", "r.json", "--audience", audience.value]) == 0
    assert capsys.readouterr().out == shown
