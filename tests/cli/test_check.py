"""`auditor check`: exit codes, verdicts, the shape of the result, and who sees what."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import date, timedelta
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
import yaml

import auditor
from auditor.cli import invoke
from auditor.errors import PolicyNotMet
from auditor.report import formats
from auditor.result import Verdict
from tests.documents import without_work

ROWS = "age,zip,sick\n" + "30,1,flu\n" * 3 + "40,1,flu\n40,1,hiv\n"
"""Two classes: {flu: 3} and {flu: 1, hiv: 1}."""
ATTRIBUTES = {"age": "quasi-identifier", "zip": "quasi-identifier", "sick": "sensitive"}
FORMATS = formats.on_screen()


def k(bound, **more):
    return {"model": "k-anonymity", "k": bound, **more}


@pytest.fixture
def run(tmp_path, capfd, monkeypatch):
    """Run `check` on a table under a policy; returns (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def check(*options, rows=ROWS, **policy):
        content = {"name": "p", "attributes": ATTRIBUTES, "requirements": [k(2)], **policy}
        (tmp_path / "p.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
        (tmp_path / "data.csv").write_text(rows)
        capfd.readouterr()
        code = invoke(["check", "data.csv", "-p", "p.yaml", *options])
        return code, *capfd.readouterr()

    return check


@pytest.fixture
def document(run):
    def check(*options, **policy):
        code, out, err = run("--format", "json", *options, **policy)
        assert err == ""
        found = json.loads(out)
        return code, found["verdict"], {r["id"]: r for r in found["requirements"]}, found

    return check


def waiver(bound=None, expires="2027-03-31", requirement="k-anonymity"):
    held = {"requirement": requirement, "reason": "r", "owner": "o", "approved_by": "a", "expires": expires}
    return [{**held, "at_least": {"k": bound}} if bound else held]


# Verdicts and exit codes


@pytest.mark.parametrize(
    ("policy", "code", "verdict", "status"),
    [
        ({}, 0, "pass", "pass"),
        ({"requirements": [k(3)]}, 1, "fail", "fail"),
        ({"requirements": [k(3, severity="warning")]}, 0, "pass", "warning"),
        ({"requirements": [k(3)], "waivers": waiver()}, 0, "waived", "waived"),
        ({"requirements": [k(3)], "waivers": waiver(2)}, 0, "waived", "waived"),
        ({"requirements": [k(4)], "waivers": waiver(3)}, 1, "fail", "fail"),
        ({"requirements": [k(3)], "waivers": waiver(expires="2026-11-20")}, 1, "fail", "fail"),
        ({"requirements": [k(3)], "waivers": waiver(expires="2026-11-21")}, 0, "waived", "waived"),
        ({"requirements": [k(2)], "waivers": waiver()}, 0, "pass", "pass"),
        ({"requirements": [k(3, severity="warning")], "waivers": waiver()}, 0, "pass", "warning"),
        ({"unit": "who", "attributes": {**ATTRIBUTES, "who": "pseudonym"}}, 3, "not-evaluated", "not-evaluated"),
        ({"unit": {"column": "who", "rows": "one-per-unit"}, "attributes": {**ATTRIBUTES, "who": "pseudonym"}},
         0, "pass", "pass"),
        ({"attributes": {**ATTRIBUTES, "job": "quasi-identifier"}}, 3, "not-evaluated", "not-evaluated"),
        ({"attributes": {**ATTRIBUTES, "job": "quasi-identifier"}, "requirements": [k(2, quasi_identifiers=["age"])]},
         0, "pass", "pass"),
        ({"attributes": {**ATTRIBUTES, "job": "quasi-identifier"}, "requirements": [k(2, quasi_identifiers=["job"])],
          "waivers": waiver()}, 3, "not-evaluated", "not-evaluated"),
        ({"missing": "reject"}, 0, "pass", "pass"),
    ],
)  # fmt: skip
def test_a_verdict_and_its_exit_code(policy, code, verdict, status, document):
    found_code, found_verdict, requirements, _ = document("--as-of", "2026-11-21", **policy)
    assert (found_code, found_verdict) == (code, verdict)
    assert requirements["k-anonymity"]["status"] == status


def test_missing_values_that_are_rejected_are_not_evaluated(document):
    code, verdict, requirements, _ = document(rows=ROWS + "30,,flu\n", missing="reject")
    assert (code, verdict) == (3, "not-evaluated")
    assert requirements["k-anonymity"]["reason"] == "column 'zip' has missing values, which the policy rejects"
    age = [k(2, quasi_identifiers=["age"])]
    code, _, _, _ = document(rows=ROWS + "30,,flu\n", missing="reject", requirements=age)
    assert code == 3, "the policy promises complete data, whatever a requirement reads"
    code, _, requirements, _ = document(rows=ROWS + "30,02138,\n", missing="reject", requirements=age)
    assert code == 3
    assert requirements["k-anonymity"]["reason"] == "column 'sick' has missing values, which the policy rejects"


def test_the_first_of_fail_not_evaluated_waived_pass(document):
    absent = k(2, id="absent", quasi_identifiers=["job"])
    attributes = {**ATTRIBUTES, "job": "insensitive"}
    assert document(attributes=attributes, requirements=[absent, k(9, id="x")])[:2] == (1, "fail")
    held = waiver(requirement="x")
    assert document(attributes=attributes, requirements=[absent, k(9, id="x")], waivers=held)[:2] == (
        3,
        "not-evaluated",
    )
    assert document(requirements=[k(1, id="y"), k(9, id="x")], waivers=held)[:2] == (0, "waived")


def test_a_waiver_is_shown_with_the_days_left(document):
    _, _, requirements, found = document("--as-of", "2027-03-01", requirements=[k(3)], waivers=waiver(2))
    shown = requirements["k-anonymity"]["waiver"]
    assert (shown["days_left"], shown["at_least"], shown["expires"]) == (30, {"k": 2}, "2027-03-31")
    assert found["evaluated_on"] == "2027-03-01"
    assert any("ends within 30 days" in finding["message"] for finding in found["findings"])


def test_waivers_are_judged_today_unless_asked_otherwise(document):
    yesterday = (date.today() - timedelta(days=1)).isoformat()  # noqa: DTZ011  (the day of whoever runs the audit)
    assert document(requirements=[k(3)], waivers=waiver(expires=yesterday))[1] == "fail"
    assert document("--as-of", yesterday, requirements=[k(3)], waivers=waiver(expires=yesterday))[1] == "waived"


def test_identifiers_and_free_text_fail_a_release_and_not_its_source(document):
    attributes = {**ATTRIBUTES, "age": "identifier", "zip": "text"}
    code, _, requirements, _ = document(attributes=attributes, requirements=[k(1, quasi_identifiers=["sick"])])
    assert code == 1
    assert requirements["identifiers"]["columns"] == ["age", "zip"]
    assert (requirements["identifiers"]["achieved"], requirements["identifiers"]["status"]) == (2, "fail")
    code, verdict, requirements, _ = document(
        "--source", attributes=attributes, requirements=[k(1, quasi_identifiers=["sick"])]
    )
    assert (code, verdict) == (0, "pass")
    assert "identifiers" not in requirements


def test_identifiers_can_be_waived(document):
    attributes = {**ATTRIBUTES, "zip": "identifier"}
    found = document(attributes=attributes, waivers=waiver(requirement="identifiers"))
    assert found[:2] == (0, "waived")
    assert found[2]["identifiers"]["status"] == "waived"


@pytest.mark.parametrize(
    ("undeclared", "code", "quasi_identifiers"),
    [
        ("fail", 1, ["age"]),
        ("insensitive", 0, ["age"]),
        ("quasi-identifier", 1, ["age", "column 2"]),
        ("identifier", 1, ["age"]),
    ],
)
def test_a_column_that_the_policy_does_not_name(undeclared, code, quasi_identifiers, document):
    attributes = {"age": "quasi-identifier", "sick": "sensitive"}
    rows = ROWS.replace("40,1,hiv", "40,2,hiv")
    found_code, _, requirements, found = document(rows=rows, attributes=attributes, undeclared=undeclared)
    assert found_code == code
    assert found["classes"]["quasi_identifiers"] == quasi_identifiers
    assert ("undeclared" in requirements) == (undeclared == "fail")
    if undeclared == "fail":
        assert requirements["undeclared"]["columns"] == ["column 2"]


@pytest.mark.parametrize(
    "policy",
    [
        {"requirements": []},
        {"requirements": [], "queries": {"protects": ["sick"]}},
        {"requirements": [{"model": "k-anonimity", "k": 2}]},
        {"requirements": [{"model": "k-anonymity", "k": 0}]},
        {"nonsense": 1},
    ],
)
def test_a_policy_with_nothing_to_judge_or_with_errors(policy, run, tmp_path):
    code, out, err = run("--report", "r.html", **policy)
    assert (code, out) == (2, "")
    assert err.startswith("auditor: ")
    assert not (tmp_path / "r.html").exists()


def test_blocks_that_are_not_judged_are_said_so(document):
    blocks = {"outputs": [{"type": "statistics", "min_n": 10}], "remediation": {"search": "optimal"}}
    code, _, _, found = document(**blocks)
    assert code == 0
    assert found["not_checked"] == ["outputs", "remediation"]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["data.csv"],
        ["data.csv", "-p"],
        ["data.csv", "-p", "nowhere.yaml"],
        ["data.csv", "-p", "p.yaml", "--nonsense"],
        ["data.csv", "more.csv", "-p", "p.yaml"],
        ["data.csv", "-p", "p.yaml", "--format", "html"],
    ],
)
def test_a_command_line_that_cannot_be_meant(arguments, run, capfd):
    run()
    assert invoke(["check", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err


# The document


def test_the_keys_of_the_document_are_those_of_the_contract(document):
    _, _, requirements, found = document(requirements=[k(3)])
    blocks = "tool policy data classes risk requirements findings not_checked assumptions"
    assert set(f"schema_version command audience evaluated_on verdict {blocks}".split()) <= set(found)
    assert (found["schema_version"], found["command"], found["audience"]) == (1, "check", "reviewer")
    assert {"name", "version"} <= set(found["tool"])
    assert {"name", "sha256"} <= set(found["policy"])
    assert {"source": "data.csv", "rows": 5, "columns": 3, "unit": "rows"}.items() <= found["data"].items()
    expected = {"count": 2, "smallest": 2, "largest": 3, "average": 2.5, "sample_uniques": 0}
    assert expected.items() <= found["classes"].items()
    assert set(found["risk"]) == {"prosecutor_highest", "marketer", "share_at_risk", "threshold"}
    assert {
        "id": "k-anonymity", "model": "k-anonymity", "parameters": {"k": 3}, "severity": "error", "status": "fail",
        "achieved": 2, "bound": 3, "classes_violating": 1, "records_violating": 2,
        "monotone": {"generalization": True, "suppression": True},
    }.items() <= requirements["k-anonymity"].items()  # fmt: skip
    assert requirements["k-anonymity"]["location"] == {"file": "p.yaml", "line": 7}
    assert {"requirement": "k-anonymity", "records_count": 2}.items() <= found["findings"][0].items()


def test_the_hash_is_of_the_files_bytes(document, tmp_path):
    found = document()[3]
    theirs = subprocess.run(["sha256sum", tmp_path / "data.csv"], capture_output=True, text=True, check=True).stdout
    assert found["data"]["sha256"] == theirs.split()[0]


def test_a_model_with_two_parameters_says_also(document):
    model = {"model": "alpha-k-anonymity", "sensitive": "sick", "alpha": 0.5, "k": 3}
    found = document(requirements=[model])[2]["alpha-k-anonymity"]
    assert (found["achieved"], found["bound"]) == (1.0, 0.5)
    assert found["also"] == [{"parameter": "k", "achieved": 2, "bound": 3}]
    assert (found["classes_violating"], found["records_violating"]) == (2, 5)


def test_infinity_is_the_text_inf(document):
    model = {"model": "recursive-l-diversity", "sensitive": "sick", "c": 2, "l": 2}
    assert document(requirements=[model])[2]["recursive-l-diversity"]["achieved"] == "inf"


def test_the_same_run_gives_the_same_bytes(run, tmp_path):
    """But for the times of its stages, which stand in the document alone, and not for the public."""
    reports = ("--format", "json", "--report", "r.html", "--report", "r.sarif", "--report", "r.xml", "--report", "r.md")
    files = [tmp_path / f"r.{ending}" for ending in ("html", "sarif", "xml", "md")]
    first = json.loads(run(*reports)[1]), [file.read_bytes() for file in files]
    second = json.loads(run(*reports)[1]), [file.read_bytes() for file in files]
    assert without_work(first[0]) == without_work(second[0])
    assert list(first[0]) == list(second[0])
    assert first[1] == second[1]
    public = ("--format", "json", "--audience", "public")
    assert run(*public)[1] == run(*public)[1]


# Python


def test_the_python_call_gives_the_same_document(document, tmp_path):
    printed = document()[3]
    result = auditor.check(tmp_path / "data.csv", auditor.load_policy("p.yaml"))
    assert (result.passed, result.verdict) == (True, Verdict.PASS)
    ours = result.to_dict()
    assert ours["requirements"][0]["achieved"] == printed["requirements"][0]["achieved"]
    assert ours["policy"]["sha256"] == printed["policy"]["sha256"]
    assert "<html" in result.to_html()
    assert "<iframe" in result._repr_html_()
    result.raise_unless_passed()
    failed = auditor.check(tmp_path / "data.csv", {"attributes": ATTRIBUTES, "requirements": [k(9)]})
    with pytest.raises(PolicyNotMet, match="k-anonymity"):
        failed.raise_unless_passed()


# Reports and standard output


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_on_standard_output(form, run):
    code, out, err = run("--format", form, requirements=[k(3)])
    assert (code, err) == (1, "")
    assert out
    if form in ("json", "sarif", "gitlab"):
        json.loads(out)
    if form == "junit":
        ET.fromstring(out)


def test_all_reports_of_one_run(run, tmp_path):
    named = ["r.html", "r.json", "r.sarif", "r.xml", "r.md", "text=r.txt", "github=r.log", "gitlab=r.codequality"]
    options = [part for name in named for part in ("--report", name)]
    assert run(*options, requirements=[k(3)])[0] == 1
    files = {name.rpartition("=")[2] for name in named}
    assert {path.name for path in tmp_path.iterdir()} == {"p.yaml", "data.csv", *files}
    assert all((tmp_path / name).read_text("utf-8") for name in files)


@pytest.mark.parametrize(("policy", "code"), [({"requirements": [k(9)]}, 1), ({"missing": "reject"}, 3)])
def test_reports_are_written_where_the_policy_is_not_met_or_not_evaluated(policy, code, run, tmp_path):
    assert run("--report", "r.json", rows=ROWS + "50,,flu\n", **policy)[0] == code
    assert json.loads((tmp_path / "r.json").read_text())["verdict"] == {1: "fail", 3: "not-evaluated"}[code]


@pytest.mark.slow
def test_standard_output_carries_the_result_alone_however_long_the_run(tmp_path):
    """DuckDB would draw a progress bar there after two seconds."""
    with (tmp_path / "data.csv").open("w") as file:
        file.write("a,b,c,d,sick\n")
        file.writelines(f"{i},{i * 7919 % 1000003},{i % 977},{i * 31 % 65537},flu\n" for i in range(3_000_000))
    attributes = dict.fromkeys("abcd", "quasi-identifier") | {"sick": "sensitive"}
    policy = {"name": "p", "attributes": attributes, "requirements": [k(2)]}
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(policy))
    command = [sys.executable, "-c", "from auditor.cli import main; main()", "check", "data.csv", "-p", "p.yaml"]
    done = subprocess.run([*command, "--format", "json"], cwd=tmp_path, capture_output=True, timeout=300, check=False)
    assert done.returncode == 1
    assert done.stderr == b""
    assert json.loads(done.stdout)["data"]["rows"] == 3_000_000


def test_no_colour_without_a_terminal_or_where_it_is_not_wanted(run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in run()[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run()[1]


# Secrets of the policy


@pytest.mark.slow
@pytest.mark.parametrize("audience", ["public", "reviewer", "internal"])
def test_a_secret_parameter_is_shown_nowhere(audience, run, tmp_path, monkeypatch):
    monkeypatch.setenv("AUDIT_K", "7391")
    named = ["r.html", "r.json", "r.sarif", "r.xml", "r.md", "text=r.txt", "github=r.log", "gitlab=r.codequality"]
    options = [part for name in named for part in ("--report", name)]
    for form in FORMATS:
        secret = [k({"secret": "AUDIT_K"}), {"model": "alpha-k-anonymity", "alpha": 0.4, "k": {"secret": "AUDIT_K"}}]
        code, out, err = run(*options, "--format", form, "--audience", audience, requirements=secret)
        assert code == 1
        assert "7391" not in out + err
    assert "confidential" in (tmp_path / "r.json").read_text()
    for path in tmp_path.iterdir():
        content = re.sub(r"[0-9a-f]{12,64}", "", path.read_text("utf-8"))
        assert "7391" not in content, path.name


# Markup in values, names and texts

HOSTILE = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>]]>&x;\n::error::x%0A![x](http://x) =cmd|'/c'!A1 {{7*7}}"
)


class Tags(HTMLParser):
    """Collects what could run."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        links = [value or "" for name, value in attributes if name in ("href", "src", "xlink:href", "action")]
        if tag in ("script", "img", "iframe", "object", "embed", "foreignobject") or any(
            n.startswith("on") for n in names
        ):
            self.found.append((tag, attributes))
        if any(not link.startswith("#") for link in links):
            self.found.append((tag, links))


def test_markup_in_values_names_and_texts_stays_text(run, tmp_path):
    quoted = '"' + HOSTILE.replace('"', '""') + '"'
    rows = f"{quoted},zip,sick\n{quoted},{quoted},{quoted}\n30,1,flu\n"
    glob = HOSTILE.replace("*", "[*]").replace("?", "[?]")
    attributes = {glob: "quasi-identifier", "zip": "quasi-identifier", "sick": "sensitive"}
    requirements = [k(5, because=HOSTILE), {"model": "distinct-l-diversity", "l": 2}]
    options = [part for name in ("r.html", "r.md", "github=r.log", "r.xml") for part in ("--report", name)]
    texts = {"description": HOSTILE, "owner": HOSTILE, "requirements": requirements, "attributes": attributes}
    code, out, err = run("--audience", "internal", *options, rows=rows, **texts)
    assert (code, err) == (1, "")
    tags = Tags()
    tags.feed((tmp_path / "r.html").read_text("utf-8"))
    assert tags.found == []
    commands = {line.split(" ")[0] for line in (tmp_path / "r.log").read_text("utf-8").splitlines() if "::" in line[:2]}
    assert commands <= {"::error", "::warning", "::notice"}
    assert "<script>" not in (tmp_path / "r.md").read_text("utf-8")
    ET.fromstring((tmp_path / "r.xml").read_text("utf-8"))
    assert "\x1b" not in out


def test_the_environment_never_changes_the_audience(document, monkeypatch):
    for name in ("AUDIENCE", "AUDITOR_AUDIENCE", "CI", "GITHUB_ACTIONS"):
        monkeypatch.setenv(name, "internal")
    assert document()[3]["audience"] == "reviewer"
    assert os.environ["CI"] == "internal"
