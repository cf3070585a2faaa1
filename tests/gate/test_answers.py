"""How the gate answers: every format at once, annotations, the summary of a step, reports of the manifest, stored."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest

from auditor.cli import invoke
from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_NOT_MET, EXIT_USAGE, EXIT_WEAKENED, DataError
from auditor.outputs.hiding import hide
from auditor.report import redact, render
from auditor.report.rendered import FORMATS
from auditor.report.stored import parse
from auditor.result import Audience
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository, cli, document

SARIF_SCHEMA = Path(__file__).parents[1] / "report" / "sarif"
POLICY_FILE = "policies/clinic.yaml"


@pytest.fixture
def weakened(repository: Repository) -> Repository:
    """A release that fails, one that is weakened, one that is removed, one that is absent."""
    old = "  gone: {policy: policies/clinic.yaml, data: out/clinic.csv}\n"
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", MANIFEST.replace("trusted:", old + "trusted:"))
    repository.commit("one more release")
    repository.git("checkout", "-q", "-b", "later")
    new = "".join(f"  {name}: {{policy: policies/bad.yaml, data: out/{name}.csv}}\n" for name in ("bad", "absent"))
    repository.write("auditor.yaml", MANIFEST.replace("trusted:", new + "trusted:"))
    repository.write("policies/bad.yaml", POLICY.replace("name: clinic", "name: bad"))
    repository.write("out/bad.csv", DATA + "50,3,flu\n")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    return repository


@pytest.mark.slow
def test_one_run_writes_all_formats(weakened: Repository) -> None:
    names = ["g.html", "g.json", "g.sarif", "g.xml", "g.md", "github=g.github", "gitlab=g.gitlab", "text=g.txt"]
    told = [word for name in names for word in ("--report", name)]
    code, out, _ = cli(weakened, "--format", "json", *told)
    assert code == EXIT_NOT_MET
    read = json.loads(out)
    assert read["verdict"] == "fail"
    assert read == json.loads((weakened.top / "g.json").read_text(encoding="utf-8"))
    assert {release["name"]: release["status"] for release in read["releases"]} == {
        "bad": "fail", "clinic": "weakened", "gone": "weakened", "absent": "not-evaluated"
    }  # fmt: skip
    suites = ET.parse(weakened.top / "g.xml").getroot()
    assert {name: suites.get(name) for name in ("failures", "errors")} == {"failures": "4", "errors": "1"}
    issues = json.loads((weakened.top / "g.gitlab").read_text(encoding="utf-8"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert {issue["location"]["path"] for issue in issues} == {"auditor.yaml", POLICY_FILE, "policies/bad.yaml"}
    for name in ("bad", "clinic", "gone", "absent"):
        for file in ("g.html", "g.md", "g.txt"):
            assert name in (weakened.top / file).read_text(encoding="utf-8"), (name, file)


@pytest.mark.slow
def test_sarif_is_valid_and_points_at_the_lines(weakened: Repository) -> None:
    _, out, _ = cli(weakened, "--format", "sarif")
    read = json.loads(out)
    (schema,) = SARIF_SCHEMA.glob("*.json")
    jsonschema.validate(read, json.loads(schema.read_text(encoding="utf-8")))
    found = {
        (result["ruleId"], result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        for result in read["runs"][0]["results"]
    }
    assert ("policy/weakened", POLICY_FILE) in found
    assert ("policy/weakened", "auditor.yaml") in found
    assert ("auditor/k-anonymity", "policies/bad.yaml") in found


@pytest.mark.slow
def test_weaker_items_stand_first_in_the_summary_and_on_the_page(weakened: Repository) -> None:
    _, out, _ = cli(weakened, "--format", "markdown", "--report", "g.html")
    assert out.index("Weaker than the base revision") < out.index("| Release |")
    page = (weakened.top / "g.html").read_text(encoding="utf-8")
    assert page.index("Weaker than the base revision") < page.index('id="releases"') < page.index('class="decision"')


@pytest.mark.slow
def test_annotations_are_capped_and_said_to_be(repository: Repository) -> None:
    releases = "".join(f"  r{i:02d}: {{policy: policies/bad.yaml, data: out/clinic.csv}}\n" for i in range(15))
    repository.write("auditor.yaml", MANIFEST.replace("trusted:", releases + "trusted:"))
    repository.write("policies/bad.yaml", POLICY.replace("k: 2", "k: 30"))
    _, out, _ = cli(repository, "--format", "github", "r00", *[f"r{i:02d}" for i in range(1, 15)])
    lines = out.splitlines()
    assert sum(line.startswith("::error") for line in lines) == 10
    assert "and 5 more errors" in out
    assert lines[-1].startswith("::notice title=auditor::The gate is closed")


@pytest.mark.slow
def test_on_github_the_step_has_a_summary_and_annotations(weakened: Repository, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("of an earlier step\n", encoding="utf-8")
    environment = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    code, out, err = cli(weakened, "--format", "json", environment=environment)
    assert code == EXIT_NOT_MET
    assert json.loads(out)["audience"] == "reviewer"
    assert summary.read_text(encoding="utf-8").startswith("of an earlier step\n### ✗ The gate is closed")
    assert "for audience public" in summary.read_text(encoding="utf-8")
    assert err.count("::error") >= 4
    _, _, quiet = cli(weakened, "--quiet", environment=environment)
    assert "::error" not in quiet
    _, _, elsewhere = cli(weakened, environment={"GITHUB_STEP_SUMMARY": str(summary)})
    assert "::error" not in elsewhere


@pytest.mark.slow
def test_a_summary_that_cannot_be_written_is_said(repository: Repository) -> None:
    environment = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(repository.top / "no" / "summary.md")}
    code, _, err = cli(repository, environment=environment)
    assert code == EXIT_NOT_EVALUATED
    assert "the summary of the step could not be written" in err


@pytest.mark.slow
def test_a_summary_of_very_many_releases_has_an_end(repository: Repository) -> None:
    found = repository.gate()
    (release,) = found.releases
    from dataclasses import replace

    long = replace(release, notes=tuple("x" * 3000 for _ in range(100)), why="y" * 3000)
    many = replace(found, releases=tuple(replace(long, name=f"r{i}") for i in range(300)))
    text = render(redact(many, Audience.PUBLIC), "markdown")
    assert len(text.encode()) < 1 << 20
    assert len(text) < 65_536
    assert "There is more than fits here" in text
    assert text.endswith("for audience public</sub>\n")


def test_a_stored_result_is_shown_again_for_the_same_or_fewer(weakened: Repository) -> None:
    found = weakened.gate()
    for audience in (Audience.REVIEWER, Audience.PUBLIC, Audience.INTERNAL):
        stored = parse(render(redact(found, audience), "json"))
        for form in FORMATS:
            assert render(stored.document_for(audience), form) == render(redact(found, audience), form), (
                audience,
                form,
            )
    stored = parse(render(redact(found, Audience.REVIEWER), "json"))
    assert render(stored.document_for(Audience.PUBLIC), "markdown") == render(
        redact(found, Audience.PUBLIC), "markdown"
    )


def test_a_release_holds_no_document_that_no_gate_writes(weakened: Repository) -> None:
    """A stored gate may be hostile: a run of hiding in a release is an error with its place, no fault."""
    hidden = hide([["a", "b"]] * 4 + [["a"]] * 4, [["a", "b"]], min_support=2).result
    document = json.loads(render(redact(weakened.gate(), Audience.REVIEWER), "json"))
    document["releases"][0]["documents"] = [json.loads(render(redact(hidden, Audience.REVIEWER), "json"))]
    with pytest.raises(DataError, match="releases/documents should be audits of tables, outputs or query logs"):
        parse(json.dumps(document))


@pytest.mark.slow
def test_the_command_report_reads_it(weakened: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    cli(weakened, "--report", "g.json")
    assert invoke(["report", "g.json"]) == EXIT_MET
    assert capsys.readouterr().out == cli(weakened)[1]
    assert invoke(["report", "g.json", "--audience", "internal"]) == EXIT_USAGE
    (weakened.top / "g.json").write_text('{"schema_version": 1, "command": "gate", "releases": [3]}')
    assert invoke(["report", "g.json"]) == EXIT_NOT_EVALUATED


@pytest.mark.slow
def test_reports_of_the_manifest_are_written(repository: Repository) -> None:
    (repository.top / "reports").mkdir()
    repository.write("auditor.yaml", MANIFEST + "reports: [reports/gate.html, reports/gate.md]\n")
    assert cli(repository)[0] == EXIT_MET
    assert (repository.top / "reports" / "gate.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "for audience public" in (repository.top / "reports" / "gate.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("../gate.html", "lies outside"),
        ("/tmp/gate.html", "lies outside"),
        (".git/hooks/x.md", "cannot hold a report"),
        ("link.html", "lies outside"),
        ("inner.html", "cannot hold a report"),
        ("gate.txt", "does not tell its format"),
        ("html=policies/clinic.yaml", "does not tell its format"),
        ("nowhere/gate.html", "there is no folder"),
        ("README.md", "would overwrite a file of the repository"),
        ("data.json", None),
    ],
)
def test_a_report_of_the_manifest_that_may_not_be_written(repository: Repository, name: str, says: str | None) -> None:
    repository.write("README.md", "ours\n")
    repository.commit()
    (repository.top / "link.html").symlink_to("../outside.html")
    (repository.top / "inner.html").symlink_to("README.md")
    lines = [
        json.dumps(dict(zip(("age", "zip", "diagnosis"), row.split(","), strict=True))) for row in DATA.split()[1:]
    ]
    repository.write("data.json", "\n".join(lines) + "\n")
    text = MANIFEST.replace("out/clinic.csv", "data.json") if says is None else MANIFEST
    repository.write("auditor.yaml", text + f"reports: ['{name}']\n")
    before = {path: path.read_bytes() for path in repository.top.rglob("*") if path.is_file()}
    code, out, err = cli(repository)
    assert (code, out) == (EXIT_USAGE, "")
    assert (says or "is an input of this command") in err
    assert {path: path.read_bytes() for path in repository.top.rglob("*") if path.is_file()} == before


def test_lint_reads_the_manifest_and_all_that_it_includes(repository: Repository) -> None:
    assert invoke(["lint"]) == EXIT_MET
    repository.write("auditor.yaml", MANIFEST.replace("recipients", "recipient"))
    assert invoke(["lint"]) == EXIT_USAGE
    assert invoke(["lint", "auditor.yaml"]) == EXIT_USAGE
    repository.write("auditor.yaml", MANIFEST + "include: [team/auditor.yaml]\n")
    repository.write("team/auditor.yaml", "releases: {x: {policy: p.yaml, data: d.csv}}\n")
    repository.write("team/p.yaml", POLICY.replace("k: 2", "k: two"))
    assert invoke(["lint", "auditor.yaml"]) == EXIT_USAGE


@pytest.mark.slow
def test_numbers_of_the_data_are_told_to_whom_they_may_be(weakened: Repository) -> None:
    """The smallest class of the bad release has one member, and so has its smallest group of diagnoses."""
    for audience, told in (("internal", True), ("reviewer", True), ("public", False)):
        read = document(weakened, "--audience", audience)
        release = next(each for each in read["releases"] if each["name"] == "bad")
        (audit,) = release["documents"]
        assert (audit["classes"]["smallest"] == 1) is told
        exposed = [found for each in audit["requirements"] for found in each["exposed"] or ()]
        assert any(found["key"] for found in exposed) is (audience == "internal")


@pytest.mark.slow
def test_the_exit_code_is_that_of_the_document(weakened: Repository) -> None:
    assert cli(weakened, "clinic")[0] == EXIT_WEAKENED
    assert cli(weakened, "gone")[0] == EXIT_WEAKENED
    assert cli(weakened, "absent")[0] == EXIT_NOT_EVALUATED
    assert cli(weakened, "bad", "clinic", "absent")[0] == EXIT_NOT_MET
    assert cli(weakened, "absent", "clinic")[0] == EXIT_WEAKENED
