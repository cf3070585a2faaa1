"""The commands as functions, and what results offer in Python."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pytest

import auditor
from auditor import distribution
from auditor.cli import invoke
from auditor.errors import UsageError

POLICY = {
    "version": 1,
    "name": "visits",
    "attributes": {"age": "quasi-identifier", "ill": "sensitive"},
    "requirements": [
        {"model": "k-anonymity", "k": 3},
        {"model": "distinct-l-diversity", "l": 2, "severity": "warning", "because": "a trial"},
    ],
}
TABLE = pd.DataFrame({"age": ["30"] * 3 + ["40"] * 2, "ill": list("ababb")})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the table and two policies."""
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("visits.csv", index=False)
    Path("old.yaml").write_text(json.dumps(POLICY), encoding="utf-8")
    weaker = {**POLICY, "requirements": [{"model": "k-anonymity", "k": 2}]}
    Path("new.yaml").write_text(json.dumps(weaker), encoding="utf-8")
    return tmp_path


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == distribution.NAME
    assert auditor.__version__ == distribution.version() == version(distribution.NAME) == project["version"]


def test_an_extra_that_is_named_is_one() -> None:
    """A message that says how to install something names an extra that pyproject.toml has."""
    top = Path(__file__).parents[1]
    extras = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    files = [*(top / "auditor").rglob("*.py"), *(top / "docs").rglob("*.md")]
    pattern = re.compile(rf"installation\([\"'](\w+)[\"']\)|{distribution.NAME}\[(\w+)\]")
    named = {one or other for file in files for one, other in pattern.findall(file.read_text(encoding="utf-8"))}
    assert {"formats", "postgres", "spark", "imaging", "learn"} <= named <= set(extras)


def test_a_proposal_is_what_the_command_prints(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["init", "visits.csv", "-q"]) == 0
    assert auditor.init("visits.csv", name="visits") == capfd.readouterr().out


def test_doubts_are_those_that_the_command_prints(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    invoke(["lint", "old.yaml"])
    printed = [
        line.rpartition("[")[2].rstrip("]") for line in capfd.readouterr().out.splitlines() if line.endswith("]")
    ]
    assert [doubt.code for doubt in auditor.lint("old.yaml")] == printed
    assert printed


@pytest.mark.parametrize(("old", "new", "strict"), [("old.yaml", "new.yaml", False), ("new.yaml", "old.yaml", True)])
def test_a_comparison_is_what_the_command_says(folder: Path, old: str, new: str, strict: bool) -> None:
    found = auditor.diff(old, new, data=["visits.csv"])
    assert found.at_least_as_strict is strict
    assert (invoke(["diff", old, new, "-f", "json"]) == 0) is strict
    assert [each.flips for each in found.data] == [True]
    loaded = auditor.diff(auditor.load_policy(old), auditor.load_policy(new))
    content = auditor.diff(*(json.loads(Path(name).read_text(encoding="utf-8")) for name in (old, new)))
    placed = auditor.diff(folder / old, folder / new, data=[folder / "visits.csv"])
    fields = [[(each.path, each.verdict) for each in one.differences] for one in (found, loaded, content, placed)]
    assert fields == [fields[0]] * 4
    assert placed.data == found.data
    assert (content.old.source, content.new.source) == ("visits", "visits")
    assert found.differences


def test_an_explanation_is_what_the_command_prints(capfd: pytest.CaptureFixture[str]) -> None:
    invoke(["explain", "k-anonymity"])
    assert auditor.explain("k-anonymity") == capfd.readouterr().out
    invoke(["explain"])
    assert auditor.explain() == capfd.readouterr().out
    with pytest.raises(UsageError, match="did you mean 'k-anonymity'"):
        auditor.explain("k-anonimity")


def test_policy_tests_are_run(folder: Path) -> None:
    tests = {"policy": "old.yaml", "tests": [{"name": "two", "csv": "age,ill\n1,a\n1,b\n", "expect": "fail"}]}
    Path("old_test.yaml").write_text(json.dumps(tests), encoding="utf-8")
    result = auditor.test()
    assert (result.verdict, len(result.tests)) == ("pass", 1)
    assert result == auditor.test("old_test.yaml") == auditor.test(Path("old_test.yaml"))
    assert auditor.test(["old_test.yaml"], coverage=True).verdict == "fail"


def test_the_gate_judges_the_releases_of_the_manifest(folder: Path) -> None:
    manifest = {"version": 1, "releases": {"visits": {"policy": "old.yaml", "data": "visits.csv"}}}
    Path("auditor.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], check=True)
    result = auditor.gate(["visits"], folder=folder, base="none")
    assert [(each.name, each.status) for each in result.releases] == [("visits", "fail")]
    assert auditor.gate("visits", base="none").releases == result.releases
    with pytest.raises(UsageError, match="what gate found has no requirements"):
        result.to_frame()
    assert invoke(["gate", "-q", "--base", "none"]) == result.exit_code


@pytest.mark.parametrize("name", ["gate", "remediate"])
def test_a_package_that_is_called_is_one_thing_from_its_first_use(name: str) -> None:
    """Its functions are there at once (`auditor.remediate.search`), and a pool of processes can be handed it."""
    first = (
        "import auditor, copy, pickle, sys; "
        f"first = auditor.{name}; "
        f"assert first is auditor.{name} is sys.modules['auditor.{name}']; "
        "assert pickle.loads(pickle.dumps(first)) is copy.deepcopy(first) is first; "
        "assert callable(first) and first.__all__"
    )
    subprocess.run([sys.executable, "-c", first], check=True, cwd=Path(__file__).parents[1])


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("check vis", "file,vis"),
        ("check visits.csv -p ol", "file,ol"),
        ("fix visits.csv -p old.yaml -o re", "file,re"),
        ("check visits.csv --form", "plain,--format"),
        ("check visits.csv -f sar", "plain,sarif"),
    ],
)
def test_a_shell_completes_files_and_options(typed: str, offered: str) -> None:
    words = {
        "COMP_WORDS": f"auditor {typed}",
        "COMP_CWORD": str(len(typed.split())),
        "_AUDITOR_COMPLETE": "bash_complete",
    }
    again = [sys.executable, "-m", "auditor"]
    done = subprocess.run(again, env={**os.environ, **words}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [offered]


def test_a_repr_is_one_line_without_what_was_found(folder: Path) -> None:
    manifest = {"version": 1, "releases": {"visits": {"policy": "old.yaml", "data": "visits.csv"}}}
    Path("auditor.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], check=True)
    tests = {"policy": "old.yaml", "tests": [{"name": "two", "csv": "age,ill\n1,a\n1,b\n", "expect": "fail"}]}
    Path("old_test.yaml").write_text(json.dumps(tests), encoding="utf-8")
    assert repr(auditor.gate(base="none")) == "<Gate: fail, 0 of 1 releases met>"
    assert repr(auditor.test()) == "<PolicyTestsResult: pass, 1 of 1 tests passed>"
    assert repr(auditor.diff("new.yaml", "old.yaml")) == "<PolicyComparison: stricter, 2 fields differ>"


def test_a_requirement_is_found_by_its_id() -> None:
    result = auditor.check(TABLE, POLICY)
    assert result.requirement("k-anonymity") is result.requirements[0]
    with pytest.raises(UsageError, match=r"no requirement 'k-anonimity' .did you mean 'k-anonymity'"):
        result.requirement("k-anonimity")


def test_requirements_are_a_dataframe() -> None:
    result = auditor.check(TABLE, POLICY)
    frame = result.to_frame()
    assert frame["id"].tolist() == [each.id for each in result.requirements]
    assert frame.set_index("id").loc["k-anonymity", "achieved"] == 2
    done = auditor.remediate(TABLE, {**POLICY, "requirements": [{"model": "k-anonymity", "k": 2}]})
    assert done.to_frame().equals(done.result.to_frame())
    assert done.requirement("k-anonymity").status == "pass"


def test_a_report_is_saved_in_the_format_of_its_name(tmp_path: Path) -> None:
    result = auditor.check(TABLE, POLICY)
    result.save(tmp_path / "r.html")
    assert "for audience <strong>reviewer</strong>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    result.save(tmp_path / "r.json", "internal")
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8")) == {**result.to_dict(), "redacted": []}
    result.save(tmp_path / "r.md")
    assert "for audience public" in (tmp_path / "r.md").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="does not tell the format"):
        result.save(tmp_path / "r.docx")


@pytest.mark.parametrize("words", [["check", "--source"], ["check", "--before-release"], ["fix", "--plan"]])
def test_short_words_and_other_names(folder: Path, words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    command, option = words
    invoke([command, "visits.csv", "-p", "new.yaml", option, "-q", "-f", "json"])
    document = json.loads(capfd.readouterr().out)
    assert document["command"] == {"fix": "remediate"}.get(command, command)
    assert command == "fix" or document["data"]["before_release"]
