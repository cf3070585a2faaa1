"""``auditor diff``: exit codes, formats, and that texts of a policy stay texts."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from auditor.cli import invoke
from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_USAGE, EXIT_WEAKENED

SARIF_SCHEMA = Path(__file__).parents[1] / "report" / "sarif"
OLD = """
name: clinic
attributes: {age: quasi-identifier, zip: quasi-identifier, ill: sensitive}
requirements:
  - {id: k, model: k-anonymity, k: 11}
  - {id: l, model: distinct-l-diversity, l: 3}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("old.yaml", OLD)
    write("weaker.yaml", OLD.replace("k: 11", "k: 5"))
    write("stricter.yaml", OLD.replace("l: 3", "l: 4"))
    write("mixed.yaml", OLD.replace("l: 3", "l: 4").replace("k: 11", "k: 5"))
    write("review.yaml", OLD + "missing: wildcard\n")
    write("utility.yaml", OLD + "remediation: {suppression_limit: 5%}\n")
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("new", "verdict", "code"),
    [
        ("old", "equal", EXIT_MET),
        ("utility", "equal", EXIT_MET),
        ("stricter", "stricter", EXIT_MET),
        ("weaker", "weaker", EXIT_WEAKENED),
        ("mixed", "mixed", EXIT_WEAKENED),
        ("review", "incomparable", EXIT_WEAKENED),
    ],
)
def test_exit_codes(folder: Path, capfd: pytest.CaptureFixture[str], new: str, verdict: str, code: int) -> None:
    assert invoke(["diff", "old.yaml", f"{new}.yaml", "--format", "json"]) == code
    assert json.loads(capfd.readouterr().out)["verdict"] == verdict


@pytest.mark.parametrize(
    "arguments",
    [
        ["old.yaml", "absent.yaml"],
        ["old.yaml"],
        ["old.yaml", "weaker.yaml", "--report", "junit=d.xml"],
        ["old.yaml", "weaker.yaml", "--report", "json=old.yaml"],
        ["main:old.yaml", "weaker.yaml"],
    ],
)
def test_what_is_wrong_ends_in_2_and_writes_nothing(folder: Path, arguments: list[str]) -> None:
    before = {file: file.read_text() for file in folder.iterdir()}
    assert invoke(["diff", *arguments]) == EXIT_USAGE
    assert {file: file.read_text() for file in folder.iterdir()} == before


def test_the_text_names_both_lines(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    invoke(["diff", "old.yaml", "mixed.yaml"])
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "✗ Weaker in some fields, stricter in others: clinic"
    assert lines[4:7] == ["Weaker", "  requirements/k/k: 11 → 5", "    old.yaml:5 → mixed.yaml:5"]


def test_sarif_is_valid_and_stands_at_the_new_line(folder: Path) -> None:
    invoke(["diff", "old.yaml", "mixed.yaml", "--report", "d.sarif", "--report", "d.md", "--report", "d.json"])
    document = json.loads(Path("d.sarif").read_text(encoding="utf-8"))
    (schema,) = SARIF_SCHEMA.glob("*.json")
    jsonschema.validate(document, json.loads(schema.read_text(encoding="utf-8")))
    (result,) = document["runs"][0]["results"]
    assert result["ruleId"] == "policy/weakened"
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("mixed.yaml", 5)
    assert "| Weaker | requirements/k/k | 11 (old.yaml:5) | 5 (mixed.yaml:5) |" in Path("d.md").read_text(
        encoding="utf-8"
    )


def test_texts_of_a_policy_are_no_markup_and_no_commands(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    column = '"::error::x|<img src=x onerror=y> @team"'
    write("evil.yaml", OLD.replace("zip: quasi-identifier", f"{column}: quasi-identifier"))
    assert invoke(["diff", "old.yaml", "evil.yaml"]) == EXIT_WEAKENED
    assert not any(line.lstrip().startswith("::") for line in capfd.readouterr().out.splitlines())
    invoke(["diff", "old.yaml", "evil.yaml", "--format", "markdown"])
    shown = capfd.readouterr().out
    assert "<img" not in shown
    assert "@team" not in shown


RELEASE = "age,zip,ill\n" + "".join(f"30,1,{ill}\n" for ill in ("a", "b", "c") * 2)
"""One class of six members: it meets k = 5 and not k = 11."""


def test_data_shows_what_would_flip_and_changes_no_exit_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("release.csv", RELEASE)
    write("large.csv", "age,zip,ill\n" + "30,1,a\n30,1,b\n30,1,c\n" * 9)
    told = ["--data", "large.csv", "--data", "release.csv"]
    assert invoke(["diff", "old.yaml", "weaker.yaml", *told, "--format", "json"]) == EXIT_WEAKENED
    found = json.loads(capsys.readouterr().out)["data"]
    assert found == [
        {"data": "release.csv", "old": "fail", "new": "pass"},
        {"data": "large.csv", "old": "pass", "new": "pass"},
    ]
    assert invoke(["diff", "weaker.yaml", "old.yaml", *told]) == EXIT_MET
    out = capsys.readouterr().out
    assert "release.csv: met → not met" in out
    assert "large.csv: met under both" in out


def test_data_that_is_not_there_is_not_evaluated(folder: Path) -> None:
    assert invoke(["diff", "old.yaml", "weaker.yaml", "--data", "absent.csv"]) == EXIT_NOT_EVALUATED


def test_annotations_are_capped(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ", ".join(f"c{i}: quasi-identifier" for i in range(15))
    write("many.yaml", OLD.replace("zip: quasi-identifier", f"zip: quasi-identifier, {columns}"))
    insensitive = columns.replace("quasi-identifier", "insensitive")
    write("loose.yaml", OLD.replace("zip: quasi-identifier", f"zip: quasi-identifier, {insensitive}"))
    assert invoke(["diff", "many.yaml", "loose.yaml", "--format", "github"]) == EXIT_WEAKENED
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("::error ") for line in lines) == 10
    assert lines[10].endswith("and 5 more errors")
    assert lines[-1].startswith("::notice ")


def test_gitlab_has_an_issue_per_field_at_its_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["diff", "old.yaml", "weaker.yaml", "--format", "gitlab"]) == EXIT_WEAKENED
    (issue,) = json.loads(capsys.readouterr().out)
    assert issue["location"] == {"path": "weaker.yaml", "lines": {"begin": 5}}
    assert "11 → 5" in issue["description"]


def test_the_page_shows_every_field_and_runs_nothing(folder: Path) -> None:
    name = "'<script>alert(1)</script>'"
    write("marked.yaml", OLD.replace("k: 11", "k: 5").replace("ill: sensitive", f"ill: sensitive, {name}: insensitive"))
    assert invoke(["diff", "old.yaml", "marked.yaml", "--report", "diff.html"]) == EXIT_WEAKENED
    page = (folder / "diff.html").read_text(encoding="utf-8")
    assert "requirements/k/k" in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<script" not in page
