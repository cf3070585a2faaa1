"""`auditor outputs`: what it refuses to overwrite, and what it still says when the ledger cannot be written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.cli import invoke

POLICY = """version: 1
name: p
attributes: {sex: quasi-identifier}
outputs: [{type: frequency-table, min_cell: 10}]
"""
TABLE = {"type": "frequency-table", "by": ["sex"], "cells": [{"key": ["F"], "count": 12}, {"key": ["M"], "count": 15}]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(POLICY)
    (tmp_path / "t.json").write_text(json.dumps(TABLE))
    return tmp_path


def outputs(*options: str) -> int:
    return invoke(["outputs", "t.json", "-p", "p.yaml", *options])


def test_a_report_cannot_take_the_place_of_a_ledger_that_is_yet_to_be_written(folder: Path) -> None:
    assert outputs("--ledger", "l.json", "--record", "--report", "l.json") == 2
    assert not (folder / "l.json").exists()


def test_where_the_ledger_cannot_be_written_the_result_is_and_it_does_not_pass(folder: Path, capsys) -> None:
    assert outputs("--ledger", "none/l.jsonl", "--record", "--format", "json", "--report", "r.html") == 3
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "not-evaluated"
    assert found["requirements"][-1]["id"] == "outputs-ledger"
    assert (folder / "r.html").exists()


def test_what_a_table_does_not_say_is_said_by_options(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "means.csv").write_text(",F,M\n9,1.5,2.25\n12,0.75,3.5\n")
    (folder / "s.yaml").write_text(
        POLICY.replace("{type: frequency-table, min_cell: 10}", "{type: statistics, min_n: 10}")
    )
    said = ("--by", "educ, sex", "--of", "mean of cost")
    assert invoke(["outputs", "means.csv", "-p", "s.yaml", *said, "--format", "json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert [(each["type"], each["items"]) for each in found["outputs"]] == [("statistics", 4)]
    assert found["reproduce"] == "auditor outputs means.csv -p s.yaml --by 'educ, sex' --of 'mean of cost'"
    assert invoke(["outputs", "means.csv", "-p", "s.yaml"]) == 3
    assert "--of 'mean of COLUMN'" in capsys.readouterr().out
