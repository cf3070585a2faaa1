"""``auditor lint``: every error and doubtful choice of policies."""

from pathlib import Path

import pytest

from auditor.cli import invoke

GOOD = "attributes: {age: {role: quasi-identifier, hierarchy: suppress}}\nrequirements: [{model: k-anonymity, k: 5}]\n"
DOUBTFUL = GOOD.replace("k: 5", "k: 2")
WRONG = GOOD.replace("k: 5", "k: five")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies").mkdir()
    return tmp_path


def test_a_good_policy(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "good.yaml").write_text(GOOD)
    assert invoke(["lint", "good.yaml"]) == 0
    assert capsys.readouterr().out == "1 policy: 0 errors, 0 warnings\n"


def test_doubts_do_not_fail(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "p.yaml").write_text(DOUBTFUL)
    assert invoke(["lint", "p.yaml"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("p.yaml:2:40: warning: k: 2")
    assert out.endswith("1 policy: 0 errors, 1 warning\n")


def test_every_error_of_every_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.yaml").write_text(WRONG + "missing: sometimes\n")
    (project / "b.yaml").write_text(WRONG)
    (project / "c.yaml").write_text(DOUBTFUL)
    assert invoke(["lint", "a.yaml", "b.yaml", "c.yaml", "absent.yaml"]) == 2
    out = capsys.readouterr().out
    assert out.count(": error: ") == 4
    assert out.count(": warning: ") == 1
    assert "a.yaml:3:10: error: missing: 'sometimes' was read" in out
    assert "absent.yaml: error: the file does not exist" in out
    assert "4 policies: 4 errors, 1 warning" in out


def test_names_are_text_in_one_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A build server obeys a line that begins with a command."""
    for name in ("a\n::add-mask::closed.yaml", "::error::b.yaml", "##[error]c.yaml"):
        (project / "policies" / name).write_text(WRONG)
    assert invoke(["lint"]) == 2
    assert invoke(["lint", "::error::b.yaml"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert not [line for line in lines if line.startswith("::") or "##[" in line]


def test_without_arguments_the_projects_policies(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "policies" / "one.yaml").write_text(GOOD)
    (project / "policies" / "sub").mkdir()
    (project / "policies" / "sub" / "two.yaml").write_text(GOOD)
    (project / "policies" / "one_test.yaml").write_text("- not a policy\n")
    for name in ("waivers", "baseline", "baseline-2027", "weakenings"):
        (project / "policies" / f"{name}.yaml").write_text("- not a policy\n")
    (project / "elsewhere.yaml").write_text(DOUBTFUL)
    (project / "auditor.yaml").write_text("version: 1\nreleases: {r: {policy: elsewhere.yaml, data: out.csv}}\n")
    assert invoke(["lint"]) == 0
    out = capsys.readouterr().out
    assert "elsewhere.yaml:2:40: warning" in out
    assert out.endswith("3 policies: 0 errors, 1 warning\n")


def test_the_nearest_manifest_upwards(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".git").mkdir()
    (project / "p.yaml").write_text(GOOD)
    (project / "auditor.yaml").write_text("releases: {r: {policy: p.yaml}}\n")
    (project / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(project / "deep" / "er")
    assert invoke(["lint"]) == 0
    assert capsys.readouterr().out == "1 policy: 0 errors, 0 warnings\n"


def test_a_manifest_by_name(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "p.yaml").write_text(WRONG)
    (project / "auditor.yaml").write_text("releases: {r: {policy: p.yaml}, s: {policy: p.yaml}}\n")
    assert invoke(["lint", "auditor.yaml"]) == 2
    assert capsys.readouterr().out.endswith("1 policy: 1 error, 0 warnings\n")


@pytest.mark.parametrize(
    "manifest", ["releases: {r: {policy: absent.yaml}}\n", "releases: [\n", "releases: {r: {policy: ../../x}}\n"]
)
def test_a_wrong_manifest(project: Path, capsys: pytest.CaptureFixture[str], manifest: str) -> None:
    (project / "auditor.yaml").write_text(manifest)
    assert invoke(["lint"]) == 2
    assert "auditor.yaml:" in capsys.readouterr().err


def test_nothing_to_lint_is_an_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["lint"]) == 2
    assert "no policies found" in capsys.readouterr().err


def test_waivers_count_on_the_day_asked_for(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waiver = (
        "waivers: [{requirement: k-anonymity, reason: a rare disease, owner: o, approved_by: a, expires: 2027-03-31}]\n"
    )
    (project / "p.yaml").write_text(GOOD + waiver)
    assert invoke(["lint", "p.yaml", "--as-of", "2027-03-01"]) == 0
    assert "0 warnings" in capsys.readouterr().out
    assert invoke(["lint", "p.yaml", "--as-of", "2027-04-01"]) == 0
    assert "has expired" in capsys.readouterr().out


def test_no_colour_where_nobody_looks(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "p.yaml").write_text(WRONG)
    invoke(["lint", "p.yaml"])
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(("no_colour", "coloured"), [("", True), ("1", False)])
def test_colour_on_a_terminal_unless_told_not_to(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], no_colour: str, coloured: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", no_colour)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    (project / "p.yaml").write_text(WRONG)
    invoke(["lint", "p.yaml"])
    assert ("\x1b" in capsys.readouterr().out) is coloured


def test_a_link_among_the_policies_is_not_followed_out(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = project / "inner"
    (inner / "policies").mkdir(parents=True)
    (project / "private.txt").write_text("password: hunter2\n")
    (inner / "policies" / "link.yaml").symlink_to(project / "private.txt")
    monkeypatch.chdir(inner)
    assert invoke(["lint"]) == 2
    out = capsys.readouterr().out
    assert "a link out of" in out
    assert "hunter2" not in out
    assert "password" not in out
