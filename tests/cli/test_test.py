"""``auditor test``: exit codes, formats, where it writes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from auditor.cli import invoke
from tests.cli.test_diff import SARIF_SCHEMA
from tests.testing.conftest import CLINIC

TESTS = """\
policy: clinic.yaml
tests:
  - {name: good, csv: "age,ill\\n1,x\\n1,x\\n1,y\\n", expect: pass}
  - {name: "::error::wrong", csv: "age,ill\\n1,x\\n1,y\\n", expect: {verdict: pass, achieved: {k: 7}}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("clinic.yaml").write_text(CLINIC, encoding="utf-8")
    Path("clinic_test.yaml").write_text(TESTS, encoding="utf-8")
    return tmp_path


def output(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = invoke(["test", *arguments])
    out, err = capfd.readouterr()
    return code, out, err


def test_a_failed_test_ends_in_1_and_says_why(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = output(capfd)
    assert code == 1
    assert "verdict: expected pass, found fail; achieved k: expected 7, found 2" in out
    assert "(clinic_test.yaml:4)" in out


def test_tests_that_pass_end_in_0(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path("clinic_test.yaml").write_text("\n".join(TESTS.splitlines()[:3]), encoding="utf-8")
    assert output(capfd)[:2] == (0, "✓ 1 test, 0 failed\n  ✓ clinic: good\n")


def test_coverage_alone_can_fail(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path("clinic_test.yaml").write_text("\n".join(TESTS.splitlines()[:3]), encoding="utf-8")
    code, out, _ = output(capfd, "--coverage")
    assert code == 1
    assert "k: no test notices k 3 → 2 (clinic.yaml:4)" in out


@pytest.mark.parametrize("arguments", [["absent"], ["-o", "x.yaml"], ["--scaffold", "clinic.yaml", "clinic_test.yaml"]])
def test_what_cannot_be_meant_ends_in_2(folder: Path, capfd: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    code, out, err = output(capfd, *arguments)
    assert (code, out) == (2, "")
    assert err


def test_a_wrong_file_ends_in_2_with_its_place(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path("clinic_test.yaml").write_text(TESTS.replace("name: good", "nmae: good"), encoding="utf-8")
    code, out, err = output(capfd)
    assert (code, out) == (2, "")
    assert "clinic_test.yaml:3:6: unknown key 'nmae'" in err


def test_no_test_files_are_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["test"]) == 2


def test_every_format(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    document = json.loads(output(capfd, "--format", "json")[1])
    assert document["tests"][1]["achieved"] == [{"requirement": "k", "expected": 7.0, "measured": 2}]
    suite = ET.fromstring(output(capfd, "--format", "junit")[1])
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    sarif = json.loads(output(capfd, "--format", "sarif")[1])
    schema = json.loads(next(SARIF_SCHEMA.glob("*.json")).read_text(encoding="utf-8"))
    jsonschema.validate(sarif, schema)
    assert sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 4}
    (issue,) = json.loads(output(capfd, "--format", "gitlab")[1])
    assert issue["location"] == {"path": "clinic_test.yaml", "lines": {"begin": 4}}
    markdown = output(capfd, "--format", "markdown")[1]
    assert not any(line.startswith("::") for line in markdown.splitlines())


def test_the_public_sees_no_number_of_a_table(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    annotations = output(capfd, "--format", "github")[1].splitlines()
    assert annotations[0].startswith("::error file=clinic_test.yaml,line=4,title=%3A%3Aerror%3A%3Awrong::")
    assert annotations[0].endswith("achieved k: expected 7, found another number")
    assert all(line.startswith(("::error ", "::notice ")) for line in annotations)
    document = json.loads(output(capfd, "--format", "json", "--audience", "public")[1])
    assert document["tests"][1]["achieved"][0]["measured"] is None
    assert document["redacted"] == ["tests/1/achieved/0/measured"]


def test_a_name_in_a_log_starts_no_command(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert not any(line.lstrip().startswith("::") for line in output(capfd)[1].splitlines())


def test_reports_are_written_and_inputs_are_not_overwritten(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, _, _ = output(capfd, "--report", "r.json", "--report", "r.xml", "--report", "markdown=r.md")
    assert code == 1
    assert all(Path(f"r.{ending}").stat().st_size for ending in ("json", "xml", "md"))
    assert output(capfd, "--report", "json=clinic_test.yaml")[0] == 2
    assert output(capfd, "--report", "r.html")[0] == 2
    assert Path("clinic_test.yaml").read_text(encoding="utf-8") == TESTS


def test_a_scaffold_is_written_beside_the_policy_and_replaces_nothing(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert output(capfd, "--scaffold", "clinic.yaml")[0] == 2
    assert Path("clinic_test.yaml").read_text(encoding="utf-8") == TESTS
    Path("clinic_test.yaml").unlink()
    code, out, err = output(capfd, "--scaffold", "clinic.yaml")
    assert (code, out) == (0, "")
    assert "6 tests" in err
    assert output(capfd, "--coverage")[0] == 0
