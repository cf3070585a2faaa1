"""``auditor show``: the effective policy with the origin of each value."""

import json
from pathlib import Path

import pytest
import yaml

from auditor.cli import invoke
from auditor.policy import load_policy

BASE = "name: base\nmissing: reject\nrequirements:\n  - {id: k, model: k-anonymity, k: 11}\n"
CHILD = "name: child\nextends: [base.yaml]\nrequirements:\n  - {id: k, k: 20}\n"


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "child.yaml").write_text(CHILD)
    return "child.yaml"


def test_each_value_has_its_origin_behind_it(policy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["show", "-p", policy]) == 0
    out = capsys.readouterr().out
    lines = {line.split("#")[0].strip().removeprefix("- "): line.split("#")[-1].strip() for line in out.splitlines()}
    assert lines["k: 20"] == f"child.yaml:4:{CHILD.splitlines()[3].index('20') + 1}"
    assert lines["model: k-anonymity"] == f"base.yaml:4:{BASE.splitlines()[3].index('k-anonymity') + 1}"
    assert lines["missing: reject"] == "base.yaml:2:10"
    assert lines["undeclared: fail"] == "default"
    assert "# extends base" in out
    assert f"# sha256 {load_policy(policy).sha256}" in out


def test_what_is_shown_is_a_policy_of_the_same_digest(
    policy: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    invoke(["show", "-p", policy])
    (tmp_path / "shown.yaml").write_text(capsys.readouterr().out)
    assert load_policy("shown.yaml").sha256 == load_policy(policy).sha256


def test_json(policy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["show", "-p", policy, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["name"] == "child"
    assert document["extends"] == ["base"]
    assert document["sha256"] == load_policy(policy).sha256
    assert document["policy"]["requirements"] == [{"id": "k", "model": "k-anonymity", "severity": "error", "k": 20}]
    assert document["origins"]["requirements/0/k"]["line"] == 4
    assert document["origins"]["requirements/0/k"]["file"] == "child.yaml"


def test_secrets_are_confidential(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LIMIT", "4711")
    (tmp_path / "p.yaml").write_text("requirements: [{model: k-anonymity, k: {secret: LIMIT}}]\n")
    for form in ("text", "json"):
        assert invoke(["show", "-p", "p.yaml", "--format", form]) == 0
        out = capsys.readouterr().out
        assert "4711" not in out
        assert "confidential" in out


def test_a_starter_pack_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["show", "-p", "cms-cell-11"]) == 0
    shown = yaml.safe_load(capsys.readouterr().out)
    assert shown["name"] == "cms-cell-11"


def test_a_wrong_policy_is_reported_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.yaml").write_text("requirements: [{model: k-anonymity, k: 0}]\n")
    assert invoke(["show", "-p", str(tmp_path / "p.yaml")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "p.yaml:1:40: k: '0' was read" in captured.err
