"""``auditor report``: a stored result, rendered again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.cli import invoke
from auditor.report import redact, render
from auditor.result import Audience
from tests.report import samples


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "result.json"
    path.write_text(render(redact(samples.failing(), Audience.REVIEWER), "json"), encoding="utf-8")
    return path


def test_it_renders_in_every_format(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for format_ in ("text", "json", "junit", "sarif", "github", "gitlab", "markdown"):
        assert invoke(["report", str(stored), "--format", format_]) == 0
        shown = capsys.readouterr()
        assert "t-closeness-diagnosis" in shown.out
        assert shown.err == ""


def test_it_writes_reports_beside_standard_output(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports = [str(stored.with_name(name)) for name in ("r.html", "r.sarif", "r.md")]
    arguments = [part for report in reports for part in ("--report", report)]
    assert invoke(["report", str(stored), "--format", "json", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["audience"] == "reviewer"
    assert all(Path(report).stat().st_size > 0 for report in reports)


def test_it_narrows_the_audience_and_never_widens_it(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["report", str(stored), "--format", "json", "--audience", "public"]) == 0
    assert "requirements/0/achieved" in json.loads(capsys.readouterr().out)["redacted"]
    assert invoke(["report", str(stored), "--audience", "internal", "--report", str(stored.with_name("r.html"))]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "stored for audience reviewer" in shown.err
    assert not stored.with_name("r.html").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "not a JSON document"), (b"\x00\xff", "not a JSON document"), (b"{}", "no schema_version")],
)
def test_a_file_that_is_no_result_ends_in_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, message: str
) -> None:
    (tmp_path / "x.json").write_bytes(content)
    assert invoke(["report", str(tmp_path / "x.json")]) == 3
    shown = capsys.readouterr()
    assert message in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_a_missing_file_or_a_folder_ends_in_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["report", str(tmp_path / "none.json")]) == 3
    assert invoke(["report", str(tmp_path)]) == 3
    assert "could not be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong",
    [
        ["--format", "html"],
        ["--audience", "everyone"],
        ["--report", "r.pdf"],
        ["--report", "nowhere/r.html"],
    ],
)
def test_a_wrong_option_ends_in_2(stored: Path, capsys: pytest.CaptureFixture[str], wrong: list[str]) -> None:
    assert invoke(["report", str(stored), *wrong]) == 2
    assert capsys.readouterr().out == ""


def test_the_stored_result_is_not_overwritten(stored: Path) -> None:
    before = stored.read_bytes()
    assert invoke(["report", str(stored), "--report", str(stored)]) == 2
    assert stored.read_bytes() == before


def test_output_is_utf_8_whatever_the_locale(stored: Path) -> None:
    stored.write_text(render(redact(samples.unicode(), Audience.REVIEWER), "json"), encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, "-c", "from auditor.cli import main; main()", "report", str(stored)],
        env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PATH": ""},
        capture_output=True,
        check=True,
    )
    assert "مجهولية-k" in shown.stdout.decode("utf-8")
    assert shown.stderr == b""
