"""What is planted in data, in names of columns, files and folders, and in logs, is in nothing that a command says.

Neither standard output nor standard error nor any report holds it below the internal audience, whether the command
judges or ends in an error. Standard error is for whoever runs the command where no audience is named.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from auditor.cli import COMMANDS, cli, invoke
from auditor.report.rendered import FORMATS

BELOW = ("reviewer", "public")
ENDINGS = {"html": "html", "json": "json", "sarif": "sarif", "junit": "xml", "markdown": "md"}
POLICY = """\
version: 1
name: planted
attributes:
  age: {role: quasi-identifier, hierarchy: {intervals: {widths: [5, 10, 100]}}}
  ward: {role: quasi-identifier, hierarchy: {tree: {any: [a, b]}}}
  dx: sensitive
  pay: {role: sensitive, type: number}
undeclared: insensitive
requirements:
  - {model: k-anonymity, k: 5}
  - {model: allowed-values, attribute: dx, values: [flu, cold]}
  - {model: t-closeness, sensitive: pay, t: 0.05}
remediation: {suppression_limit: 0.1}
protection:
  - {method: noise, attributes: [pay], kind: uncorrelated, p: 10}
outputs:
  - {type: frequency-table, min_cell: 5, differencing: true}
queries: {table: staff, limits: {exact_value: deny, min_group: 3}}
"""
HEADER = "age,ward,dx,pay,SECRETcolumn"


def rows(ward: str = "a", dx: str = "SECRETdx", pay: str = "") -> str:
    """24 records that hold what is planted in their cells."""
    return "".join(f"{30 + n // 8},{ward},{dx if n % 3 else 'flu'},{pay or n},SECRETcell{n}\n" for n in range(24))


def written(folder: Path, files: dict[str, str]) -> Path:
    """Files in a folder of that name, and the policy beside it."""
    for name, text in files.items():
        file = folder / "data" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    return folder / "data"


WHOLE = {"part.csv": f"{HEADER}\n{rows()}"}
TABLES: dict[str, dict[str, str]] = {
    "a table": WHOLE,
    "a file that has another header": {
        "SECRET 1.csv": f"{HEADER}\n{rows()}",
        "SECRET 2.csv": f"age,ward,dx,pay,SECRETother\n{rows()}",
    },
    "files of several formats": {"SECRET.csv": f"{HEADER}\n{rows()}", "SECRET.json": '{"age": "SECRET"}\n'},
    "a file that no reader can read": {**WHOLE, "SECRET.bak": "SECRETcell\n"},
    "folders of partitions": {f"key=SECRET{n}/SECRETpart.csv": f"{HEADER}\n{rows()}" for n in range(2)},
    "a line that is no record": {"SECRET.csv": f'{HEADER}\n{rows()}1,2,"SECRET\n'},
    "a column twice": {"SECRET.csv": f"{HEADER},SECRETcolumn\n{rows()}"},
    "a column in other letters": {"SECRET.csv": f"{HEADER},secretCOLUMN,SECRETcolumn\n{rows()}"},
    "a value without a place in its hierarchy": {"SECRET.csv": f"{HEADER}\n{rows(ward='SECRETward')}"},
    "no number": {"SECRET.csv": f"{HEADER}\n{rows(pay='SECRETpay')}"},
    "a broken file": {"SECRET.parquet": "SECRET"},
    "a broken compressed file": {"SECRET.csv.gz": "SECRET"},
    "an empty file": {"SECRET.csv": ""},
    "no records": {"SECRET.csv": f"{HEADER}\n"},
    "no JSON": {"SECRET.jsonl": "SECRET"},
    "values of other types": {"SECRET.jsonl": '{"age": 1, "dx": "SECRET"}\n{"age": {"SECRET": 1}}\n'},
}
SAID = "SECRET"

Command = Callable[[Path], list[str]]
OF_TABLES: dict[str, Command] = {
    "check": lambda data: ["check", str(data)],
    "check --source": lambda data: ["check", str(data), "--source"],
    "check --original": lambda data: ["check", str(data), "--original", str(data)],
    "check --dry-run": lambda data: ["check", str(data), "--dry-run"],
    "remediate": lambda data: ["remediate", str(data), "-o", str(data.parent / "release.csv")],
    "remediate --plan": lambda data: ["remediate", str(data), "--plan"],
    "mask": lambda data: ["mask", str(data), "-o", str(data.parent / "masked.csv")],
    "hierarchy": lambda data: ["hierarchy", str(data)],
}
WITHOUT_REPORTS = ("hierarchy", "check --dry-run")


def leaks(said: str, place: Path) -> list[str]:
    """Where something planted stands; `place` is where the test writes."""
    said = said.replace(str(place), "")
    return [said[max(0, at - 90) : at + 40] for at in [said.find(SAID), said.find("secretCOLUMN")] if at >= 0]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("command", OF_TABLES)
def test_no_command_says_what_is_planted_in_a_table(
    command: str, table: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = written(tmp_path, TABLES[table])
    audience = BELOW[len(command + table) % 2]
    reports = [] if command in WITHOUT_REPORTS else [f"{name}={tmp_path / 'report'}.{name}" for name in FORMATS]
    named = [word for report in reports for word in ("--report", report)]
    words = OF_TABLES[command](data)
    invoke([*words, "-p", str(tmp_path / "policy.yaml"), "--audience", audience, *named])
    said = "".join(capfd.readouterr())
    assert said
    assert not leaks(said, tmp_path)
    for file in tmp_path.glob("report.*"):
        assert not leaks(file.read_text(encoding="utf-8"), tmp_path), file.name


FOR_AN_AUDIENCE = [
    name
    for name in COMMANDS
    if (command := cli.get_command(click.Context(cli), name)) and "audience" in {each.name for each in command.params}
]
FILLED = {"policy": ("-p", "policy.yaml"), "output": ("-o", "out.csv"), "sensitive": ("--sensitive", "data")}
"""What stands for an option, of the commands that have it."""


@pytest.mark.slow
@pytest.mark.parametrize("table", ["a table", "no number", "a broken file", "folders of partitions"])
@pytest.mark.parametrize("name", FOR_AN_AUDIENCE)
def test_no_command_says_what_is_planted_in_the_table_that_stands_for_its_input(
    name: str, table: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every command that shows something to an audience: a table where it takes a log, a result, … ends in an error."""
    data = written(tmp_path, TABLES[table])
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    words = [str(data) for each in command.params if isinstance(each, click.Argument)]
    for each in command.params:
        option, place = FILLED.get(str(each.name), ("", ""))
        words += [option, str(tmp_path / place)] if option else []
    report = tmp_path / "report.json"
    words += ["--report", f"json={report}"] if "reports" in {each.name for each in command.params} else []
    for audience in BELOW:
        invoke([name, *words, "--audience", audience])
        said = ["".join(capfd.readouterr()), report.read_text(encoding="utf-8") if report.is_file() else ""]
        assert said[0]
        assert not leaks(said[0], tmp_path)
        assert not leaks(said[1], tmp_path)


def test_whoever_runs_the_command_reads_which_file_and_column(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = written(tmp_path, TABLES["a file that has another header"])
    for words, told in (([], True), (["--audience", "internal"], True), (["--format", "github"], False)):
        assert invoke(["check", str(data), "-p", str(tmp_path / "policy.yaml"), *words]) == 3
        said = capfd.readouterr().err
        assert ("SECRET 2.csv" in said) == told, said
        assert ("file 2: its header differs from that of file 1" in said) != told


LOG = """\
-- user: SECRETuser
SELECT sum(pay) FROM staff WHERE age < 31 AND dx <> 'SECRETdx';
-- user: SECRETother
SELECT sum("SECRETcolumn") AS "SECRETalias" FROM staff;
SELECT SECRETfunction(pay) FROM staff;
SELECT 'SECRET
"""


@pytest.mark.parametrize("online", [[], ["--online"]])
@pytest.mark.parametrize("audience", BELOW)
@pytest.mark.parametrize("table", ["a table", "no number", "a broken file", "folders of partitions"])
def test_no_audit_of_queries_says_it(
    table: str, audience: str, online: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = written(tmp_path, TABLES[table])
    (tmp_path / "log.sql").write_text(LOG, encoding="utf-8")
    reports = [word for name in FORMATS for word in ("--report", f"{name}={tmp_path / 'report'}.{name}")]
    policy = str(tmp_path / "policy.yaml")
    words = ["queries", str(tmp_path / "log.sql"), "-p", policy, "-d", str(data), *online]
    invoke([*words, "--audience", audience, *reports])
    said = "".join(capfd.readouterr())
    assert said
    assert not leaks(said, tmp_path)
    for file in tmp_path.glob("report.*"):
        assert not leaks(file.read_text(encoding="utf-8"), tmp_path), file.name


MANIFEST = """\
version: 1
releases:
  clinic: {policy: policy.yaml, data: data, previous: data, original: data, outputs: "outputs/*", queries: ["log*.sql"]}
trusted: {approvers: [dpo@example.org]}
"""


def committed(folder: Path, *arguments: str) -> None:
    """Run git there."""
    who = ("-c", "user.name=ana", "-c", "user.email=ana@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_no_page_of_the_gate_says_it(
    table: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files in folders and by patterns stand by their place, also those that were renamed since, or are gone."""
    written(tmp_path, TABLES[table])
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "SECRET.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (tmp_path / "outputs" / "SECRET gone.csv").write_text(OUTPUTS["a table"], encoding="utf-8")
    (tmp_path / "log SECRET.sql").write_text(LOG, encoding="utf-8")
    (tmp_path / "auditor.yaml").write_text(MANIFEST, encoding="utf-8")
    committed(tmp_path, "init", "-q", "-b", "main")
    committed(tmp_path, "add", "-A")
    committed(tmp_path, "commit", "-q", "-m", "Begin")
    (tmp_path / "outputs" / "SECRET gone.csv").unlink()
    (tmp_path / "data" / "SECRET new.csv").write_text(f"{HEADER}\n{rows()}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    places = [(name, tmp_path / "report") for name in FORMATS]
    stored = tmp_path / "stored"
    invoke(["gate", "--audience", "internal", "--report", f"json={stored}"])
    assert SAID in "".join(capfd.readouterr())
    audience = BELOW[len(table) % 2]
    invoke(
        ["gate", "--audience", audience, *(w for name, file in places for w in ("--report", f"{name}={file}.{name}"))]
    )
    said = ["".join(capfd.readouterr()), *(Path(f"{file}.{name}").read_text("utf-8") for name, file in places)]
    invoke(["report", str(stored), "--audience", audience, "--format", "json"])
    said.append("".join(capfd.readouterr()))
    for each in said:
        assert "file 1" in each or "clinic" in each
        assert not leaks(each, tmp_path)


def test_no_digest_of_counts_confirms_a_guess(tmp_path: Path) -> None:
    """Equal tables have counts of different digests; a result that is not added to has none to show."""
    data = written(tmp_path, WHOLE)
    policy = str(tmp_path / "policy.yaml")
    digests = set()
    for name in ("one", "two"):
        report = tmp_path / f"{name}.json"
        words = ["--counts", str(tmp_path / f"{name}.parquet"), "--report", str(report)]
        invoke(["check", str(data), "-p", policy, "--audience", "public", *words])
        digests.add(json.loads(report.read_text("utf-8"))["counts"]["sha256"])
    assert len(digests) == 2
    (tmp_path / "two.parquet").unlink()
    for since, shown in (("one", True), ("two", False)):
        report = tmp_path / "since.json"
        words = ["--since", str(tmp_path / f"{since}.json"), "--report", str(report)]
        invoke(["check", str(data), "-p", policy, "--audience", "reviewer", *words])
        told = json.loads(report.read_text("utf-8"))["since"]
        assert told["added"] is shown
        assert (told["sha256"] is not None) == shown


OUTPUTS = {
    "a table": "dx,count\nSECRETdx,3\nflu,8\n",
    "no table": "SECRET,SECRET\nSECRET,SECRET,SECRET\n",
    "json": json.dumps({"type": "frequency-table", "by": ["SECRETcolumn"], "cells": [{"key": ["SECRET"], "count": 2}]}),
    "no json": '{"type": "SECRET", "SECRET": ',
}


@pytest.mark.parametrize("audience", BELOW)
@pytest.mark.parametrize("output", OUTPUTS)
def test_no_audit_of_outputs_says_it(
    output: str, audience: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = written(tmp_path, WHOLE)
    file = tmp_path / ("out.json" if "json" in output else "out.csv")
    file.write_text(OUTPUTS[output], encoding="utf-8")
    reports = [word for name in FORMATS for word in ("--report", f"{name}={tmp_path / 'report'}.{name}")]
    words = ["outputs", str(file), "-p", str(tmp_path / "policy.yaml"), "-d", str(data)]
    invoke([*words, "--audience", audience, *reports])
    said = "".join(capfd.readouterr())
    assert said
    assert not leaks(said, tmp_path)
    for report in tmp_path.glob("report.*"):
        assert not leaks(report.read_text(encoding="utf-8"), tmp_path), report.name


def test_no_other_command_says_a_value(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of a certificate, of a comparison with data, and of policies, nobody is told a cell or a folder's value."""
    data = written(tmp_path, {f"key=SECRET{n}/part.csv": f"{HEADER}\n{rows(dx='flu')}" for n in range(2)})
    policy, weak = tmp_path / "policy.yaml", tmp_path / "weak.yaml"
    policy.write_text(POLICY.replace("k: 5", "k: 2").replace("t: 0.05", "t: 1"), encoding="utf-8")
    weak.write_text(POLICY.replace("k: 5", "k: 1").replace("t: 0.05", "t: 1"), encoding="utf-8")
    certificate = tmp_path / "certificate.json"
    said = []
    for words in (
        ["check", str(data), "-p", str(policy), "--certificate", str(certificate), "--ledger", str(tmp_path / "l")],
        ["verify", str(certificate), str(data), "-p", str(policy)],
        ["verify", str(certificate), str(data), "-p", str(weak), "--format", "json"],
        ["diff", str(policy), str(weak), "--data", str(data)],
        ["diff", str(policy), str(weak), "--data", str(data), "--format", "json"],
        ["lint", str(policy)],
        ["show", "-p", str(policy)],
        ["init", str(data), "--quiet"],
        ["explain", "k-anonymity"],
        ["schema"],
        ["sql", "staff", "-p", str(policy)],
    ):
        assert invoke(words) in (0, 1, 4, None), words
        said.append("".join(capfd.readouterr()))
    assert certificate.is_file()
    said += [certificate.read_text(encoding="utf-8"), (tmp_path / "l").read_text(encoding="utf-8")]
    for each in said:
        assert each
        assert not leaks(each.replace("SECRETcolumn", ""), tmp_path)


def test_a_certificate_of_other_data_is_no_oracle(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without its key nobody can try tables against the certificate of a small one."""
    data = written(tmp_path, {"part.csv": f"{HEADER}\n{rows(dx='flu')}"})
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY.replace("k: 5", "k: 2").replace("t: 0.05", "t: 1"), encoding="utf-8")
    certificate = tmp_path / "c.json"
    assert invoke(["check", str(data), "-p", str(policy), "--certificate", str(certificate)]) == 0
    capfd.readouterr()
    from hashlib import sha256

    assert sha256((data / "part.csv").read_bytes()).hexdigest() not in certificate.read_text(encoding="utf-8")


TRANSACTIONS = {
    "baskets": ("SECRETt.dat", "SECRETa SECRETb c d\nSECRETa SECRETb c\nSECRETa SECRETb d\nSECRETa c d\nc d\n"),
    "no JSON": ("SECRETt.jsonl", '{"SECRET": ["SECRETa"]}\nSECRET\n'),
    "a broken file": ("SECRETt.parquet", "SECRET"),
    "an empty file": ("SECRETt.dat", ""),
}
SENSITIVE = {
    "an itemset": ("s.txt", "SECRETa SECRETb\n"),
    "a rule": ("s.txt", "SECRETa => SECRETb\n"),
    "an item that occurs nowhere": ("s.txt", "SECRETa SECRETelsewhere\n"),
    "no rule": ("s.txt", "SECRETa =>\n"),
}


@pytest.mark.parametrize("audience", BELOW)
@pytest.mark.parametrize("sensitive", SENSITIVE)
@pytest.mark.parametrize("transactions", TRANSACTIONS)
def test_no_page_of_hiding_says_it(
    transactions: str, sensitive: str, audience: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nor what `report` shows of the result that was stored for those inside."""
    files = [tmp_path / "in" / name for name, _ in (TRANSACTIONS[transactions], SENSITIVE[sensitive])]
    files[0].parent.mkdir()
    for file, (_, text) in zip(files, (TRANSACTIONS[transactions], SENSITIVE[sensitive]), strict=True):
        file.write_text(text, encoding="utf-8")
    words = ["hide", str(files[0]), "--sensitive", str(files[1]), "--min-support", "2", "--min-confidence", "0.5"]
    reports = [word for name in FORMATS for word in ("--report", f"{name}={tmp_path / 'report'}.{name}")]
    release, stored = tmp_path / "release.dat", tmp_path / "stored.json"
    invoke([*words, "-o", str(release), "--compare", "--audience", audience, *reports])
    said = ["".join(capfd.readouterr()).replace("SECRETt.", "")]
    said += [file.read_text(encoding="utf-8") for file in tmp_path.glob("report.*")]
    invoke([*words, "-o", str(tmp_path / "again.dat"), "--report", f"json={stored}", "--audience", "internal"])
    capfd.readouterr()
    for format_ in FORMATS if stored.is_file() else ():
        invoke(["report", str(stored), "--audience", audience, "--format", format_])
        said.append("".join(capfd.readouterr()))
    assert said[0]
    for each in said:
        assert not leaks(each.replace("SECRETt.", ""), tmp_path)
