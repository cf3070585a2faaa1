"""The command that a report prints to verify what it says, run as it stands."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from auditor.cli import invoke

ROWS = ["age#note", *["30#'a # b'"] * 4, *["40#'c'"] * 4]
POLICY = """
version: 1
attributes: {age: quasi-identifier, note: insensitive}
requirements: [{model: k-anonymity, k: 2}]
remediation: {suppression_limit: 0}
protection: [{method: rounding, attributes: [age], base: 10}]
"""
WRITTEN = ["--delimiter", "#", "--quote", "'", "--encoding", "latin-1"]


@pytest.mark.parametrize(
    "words", [["check", "d.csv"], ["remediate", "d.csv", "-o", "r.csv"], ["mask", "d.csv", "-o", "r.csv"]]
)
def test_the_printed_command_verifies(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says how the file is written that it reads, which is the data or the release."""
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("\n".join(ROWS) + "\n", encoding="latin-1")
    Path("p.yaml").write_text(POLICY, encoding="utf-8")
    assert invoke([*words, "-p", "p.yaml", *WRITTEN, "--format", "json", "--quiet"]) == 0
    printed = shlex.split(json.loads(capsys.readouterr().out)["reproduce"])
    assert printed[:2] == ["auditor", "check"]
    assert invoke([*printed[1:], "--quiet"]) == 0
