"""`auditor mask` as it is typed: exit codes, files, messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import invoke
from tests.protect.tables import POLICY, masking, write


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a table, and policies that it can be masked by, cannot meet, and that mask nothing."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "data.csv")
    strict = POLICY | {"requirements": [{"id": "too-much", "model": "k-anonymity", "k": 61}]}
    without = {name: value for name, value in POLICY.items() if name != "protection"}
    wrong = masking({"method": "rounding", "attributes": ["ill"], "base": 5})
    for name, policy in {"policy": POLICY, "strict": strict, "without": without, "wrong": wrong}.items():
        (tmp_path / f"{name}.yaml").write_text(json.dumps(policy), encoding="utf-8")
    return tmp_path


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.suffix != ".yaml"} - {"data.csv"}


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_release_is_written_and_audited(here, capsys):
    assert invoke(["mask", "data.csv", "-p", "policy.yaml", "-o", "r.csv", "--format", "json"]) == 0
    result = document(capsys)
    assert files(here) == {"r.csv"}
    assert (result["command"], result["verdict"], result["written"]) == ("mask", "pass", True)
    assert [each["method"] for each in result["masking"]["methods"]] == ["microaggregation", "rank-swapping"]
    assert result["masking"]["methods"][1]["attributes"] == ["income"]
    assert result["masking"]["records"] == 60
    assert result["protection"]["numbers"] == ["age", "income"]
    assert 0 <= result["protection"]["score"] <= 100
    assert result["before"]["requirements"][0]["status"] == "fail"
    assert (result["after"]["data"]["source"], result["not_checked"]) == ("r.csv", [])
    assert result["reproduce"] == "auditor check r.csv -p policy.yaml"
    assert invoke(["check", "r.csv", "-p", "policy.yaml"]) == 0


def test_a_plan_writes_nothing(here, capsys):
    assert invoke(["mask", "data.csv", "-p", "policy.yaml", "--plan", "--format", "json"]) == 0
    assert (document(capsys)["written"], files(here)) == (False, set())


def test_a_policy_that_is_not_met_is_exit_code_1_and_writes_reports_alone(here, capsys):
    words = ["-o", "r.csv", "--report", "r.json", "--report", "r.html", "--format", "json"]
    assert invoke(["mask", "data.csv", "-p", "strict.yaml", *words]) == 1
    assert document(capsys)["written"] is False
    assert files(here) == {"r.json", "r.html"}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["data.csv", "-p", "without.yaml", "-o", "r.csv"], 2, "no protection"),
        (["data.csv", "-p", "policy.yaml"], 2, "--plan"),
        (["data.csv", "-p", "policy.yaml", "--plan", "-o", "r.csv"], 2, "--plan"),
        (["data.csv", "-p", "policy.yaml", "-o", "r.csv", "--seed", "-1"], 2, "--seed"),
        (["data.csv", "-p", "policy.yaml", "-o", "r.csv", "--seed", "x"], 2, "--seed"),
        (["data.csv", "-p", "policy.yaml", "-o", "r.docx"], 2, "r.docx"),
        (["data.csv", "-p", "policy.yaml", "-o", "data.csv"], 2, "input"),
        (["data.csv", "-p", "wrong.yaml", "-o", "r.csv"], 3, "holds categories"),
        (["absent.csv", "-p", "policy.yaml", "-o", "r.csv"], 3, "absent.csv"),
    ],
)
def test_what_cannot_be_done_writes_nothing(here, capsys, words, code, message):
    assert invoke(["mask", *words]) == code
    out, err = capsys.readouterr()
    assert (out, files(here)) == ("", set())
    assert message in err


def test_a_seed_is_in_no_report(here, capsys):
    words = [
        "--seed",
        "4815162342",
        "--report",
        "r.html",
        "--report",
        "r.md",
        "--report",
        "r.json",
        "--audience",
        "internal",
    ]
    assert invoke(["mask", "data.csv", "-p", "policy.yaml", "-o", "r.csv", *words]) == 0
    assert "4815162342" not in capsys.readouterr().out
    assert not any("4815162342" in (here / name).read_text() for name in files(here))


def test_a_stored_result_is_shown_again(here, capsys):
    invoke(["mask", "data.csv", "-p", "policy.yaml", "-o", "r.csv", "--report", "r.json"])
    first = capsys.readouterr().out
    assert invoke(["report", "r.json"]) == 0
    assert capsys.readouterr().out == first
