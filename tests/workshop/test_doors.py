"""The recipes of CONTRIBUTING.md beside "add a model", each followed to the letter in a copy of the project."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.workshop.conftest import Followed

pytestmark = pytest.mark.slow

TABLE = "id,age,income\n" + "".join(f"{2000 + i},{30 + i % 2},{101 + 50 * i}\n" for i in range(12))
POLICY = """\
version: 1
name: doors
attributes:
  id: {role: quasi-identifier, hierarchy: {ending: 2}}
  age: quasi-identifier
  income: insensitive
protection: [{attributes: [income], method: ceiling, base: 100}]
requirements: [{model: k-anonymity, k: 2}]
"""
OUTPUTS = """\
version: 1
name: itemsets
attributes: {age: insensitive}
requirements: []
outputs: [{type: frequent-itemsets, min_support_count: 10}]
"""
QUERIES = """\
version: 1
name: answers
attributes: {income: sensitive, age: quasi-identifier, id: identifier}
requirements: []
queries: {table: t, key: id, limits: {exact_value: deny, min_group: 7}}
"""
LOG = "ana> SELECT sum(income) FROM t WHERE age = 30\nbob> SELECT count(*) FROM t\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("t.csv", TABLE), ("p.yaml", POLICY), ("o.yaml", OUTPUTS), ("q.yaml", QUERIES)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def _every_format(followed: Followed, folder: Path, *words: str) -> tuple[int, dict[str, str]]:
    """The exit code of a command, and what every format prints of its answer."""
    names = followed.python("-c", "from auditor.report.formats import FORMATS; print(*FORMATS)").stdout.split()
    assert "csv" in names
    reports = [word for name in names for word in ("--report", f"{name}=report.{name}")]
    run = followed.auditor(*words, "--audience", "internal", *reports, at=folder)
    assert not run.stderr.count("fault"), run.stderr
    return run.returncode, {name: (folder / f"report.{name}").read_text(encoding="utf-8") for name in names}


def test_a_masking_method(followed: Followed, folder: Path) -> None:
    explained = followed.auditor("explain", "ceiling").stdout
    assert "Values become multiples of it, never smaller." in explained
    schema = json.loads(followed.page("auditor/policy/schema.json"))
    assert schema["$defs"]["Ceiling"]["properties"]["base"]["anyOf"][0]["exclusiveMinimum"] == 0
    assert "- `ceiling`: Round numbers up" in followed.page("docs/masking/README.md")
    (folder / "p.yaml").write_text(POLICY.replace("k: 2", "k: 1"), encoding="utf-8")
    code, shown = _every_format(followed, folder, "mask", "t.csv", "-p", "p.yaml", "-o", "masked.csv")
    assert code == 0
    with (folder / "masked.csv").open(encoding="utf-8") as file:
        assert [float(row["income"]) for row in csv.DictReader(file)][:3] == [200.0, 200.0, 300.0]
    for name in ("html", "json", "markdown", "text"):
        assert "ceiling" in shown[name], name


def test_a_use(followed: Followed, folder: Path) -> None:
    schema = json.loads(followed.page("auditor/policy/schema.json"))
    assert schema["$defs"]["Total"]["properties"]["total"]["description"] == "The column of numbers to sum."
    (folder / "p.yaml").write_text(POLICY + "tradeoff: {uses: [{total: income}]}\n", encoding="utf-8")
    run = followed.auditor("tradeoff", "t.csv", "-p", "p.yaml", "--format", "json", at=folder)
    answer = json.loads(run.stdout)
    assert answer["uses"][0]["name"] == "total 'income'"
    incomes = [101 + 50 * i for i in range(12)]
    change = sum(-income % 100 for income in incomes) / sum(incomes)
    assert answer["methods"][0]["uses"][0]["loss"] == pytest.approx(100 * change)


def test_a_hierarchy(followed: Followed, folder: Path) -> None:
    schema = json.loads(followed.page("auditor/policy/schema.json"))
    assert schema["$defs"]["EndingHierarchy"]["properties"]["ending"]["maximum"] == 64
    found = json.loads(followed.auditor("hierarchy", "t.csv", "-p", "p.yaml", "--format", "json", at=folder).stdout)
    (ladder,) = (each for each in found if each["column"] == "id")
    assert [level["groups"] for level in ladder["levels"]] == [12, 12, 10, 1]
    followed.auditor("remediate", "t.csv", "-p", "p.yaml", "-o", "release.csv", at=folder)
    with (folder / "release.csv").open(encoding="utf-8") as file:
        assert {row["id"] for row in csv.DictReader(file)} == {"*"}


def test_a_reader_of_outputs(followed: Followed, folder: Path) -> None:
    assert "| Borgelt's itemsets | itemsets; not the number" in followed.page("docs/output-formats.md")
    (folder / "itemsets.txt").write_text("bread milk (12)\nmilk tea (3)\n", encoding="utf-8")
    code, shown = _every_format(followed, folder, "outputs", "itemsets.txt", "-p", "o.yaml", "--records", "40")
    assert code == 1
    (output,) = json.loads(shown["json"])["outputs"]
    assert (output["format"], output["type"]) == ("Borgelt's itemsets", "frequent-itemsets")
    assert all("min-support-count" in text for text in shown.values())
    (folder / "itemsets.txt").write_text("bread milk (12)\nsecret\n", encoding="utf-8")
    wrong = followed.auditor("outputs", "itemsets.txt", "-p", "o.yaml", at=folder)
    assert wrong.returncode == 3
    assert "itemsets.txt:2" in wrong.stdout + wrong.stderr
    assert "secret" not in wrong.stdout + wrong.stderr


def test_a_reader_of_logs(followed: Followed, folder: Path) -> None:
    assert "| `prompt` | one statement a line" in followed.page("docs/queries.md")
    assert "prompt" in followed.auditor("queries", "--help").stdout
    (folder / "log.txt").write_text(LOG, encoding="utf-8")
    code, shown = _every_format(followed, folder, "queries", "log.txt", "-p", "q.yaml", "-d", "t.csv")
    assert code == 1
    log = json.loads(shown["json"])["log"]
    assert (log["format"], log["statements"], log["users"]) == ("prompt", 2, ["ana", "bob"])
    assert all("queries-group" in text for text in shown.values())


def test_a_format(followed: Followed, folder: Path) -> None:
    row = (
        "| `csv` | a spreadsheet: one row for each thing that somebody has to look at | `.csv` | text/csv | reviewer |"
    )
    assert row in followed.page("docs/report.md")
    told = followed.auditor("check", "--help").stdout
    assert "[csv|github|" in told
    assert "(.csv .html .json" in told
    run = followed.auditor("check", "t.csv", "-p", "p.yaml", "--report", "report.csv", "--format", "junit", at=folder)
    assert run.returncode == 1
    assert len(ET.fromstring(run.stdout).findall(".//failure")) == 1
    with (folder / "report.csv").open(encoding="utf-8") as file:
        ((status, rule, sentence, place, line),) = list(csv.reader(file))[1:]
    assert (status, rule, place, line) == ("fail", "auditor/k-anonymity", "p.yaml", "8")
    assert sentence.startswith("k-anonymity: not met; required")
    strict = (folder / "p.yaml").read_text(encoding="utf-8").replace("k: 2", "k: 5")
    (folder / "strict.yaml").write_text(strict, encoding="utf-8")
    weaker = followed.auditor("diff", "strict.yaml", "p.yaml", "--format", "csv", at=folder)
    assert weaker.returncode == 4
    assert "fail,policy/weakened,Weaker: requirements/k-anonymity/k: 5 → 2" in weaker.stdout
    (folder / "baskets.dat").write_text("a b\n", encoding="utf-8")
    (folder / "sensitive.txt").write_text("a\n", encoding="utf-8")
    hide = ("hide", "baskets.dat", "--sensitive", "sensitive.txt", "--min-support", "1", "--plan", "--format", "csv")
    refused = followed.auditor(*hide, at=folder)
    assert refused.returncode == 2
    assert "it is written as html, json, markdown, text" in refused.stderr


def test_a_hiding_method(followed: Followed, folder: Path) -> None:
    assert "| `first-item` | the first supporters of each itemset" in followed.page("docs/hiding.md")
    (folder / "baskets.dat").write_text("a b\na b\na b c\nb c\n", encoding="utf-8")
    (folder / "sensitive.txt").write_text("a b\n", encoding="utf-8")
    words = ("hide", "baskets.dat", "--sensitive", "sensitive.txt", "--min-support", "2", "-o", "release.dat")
    run = followed.auditor(*words, "--method", "first-item", "--compare", "--format", "json", at=folder)
    document = json.loads(run.stdout)
    assert (run.returncode, document["hiding"]["method"]) == (0, "first-item")
    names = [each["method"] for each in document["methods"]]
    assert names == sorted(names)
    assert "first-item" in names
    assert (folder / "release.dat").read_text(encoding="utf-8").splitlines()[2:] in (["a b c", "b c"], ["b a c", "b c"])


def test_an_engine(followed: Followed, folder: Path) -> None:
    assert "--engine [archive|duckdb|spark]" in followed.auditor("check", "--help").stdout
    words = ("check", "t.csv", "-p", "p.yaml", "--engine", "archive", "--format", "json")
    refused = followed.auditor(*words, at=folder)
    assert refused.returncode == 2
    assert "chmod a-w" in refused.stderr
    (folder / "t.csv").chmod(0o444)
    document = json.loads(followed.auditor(*words, at=folder).stdout)
    assert document["work"]["engine"] == "archive"
    assert document["requirements"][0]["achieved"] == 1
    assert document["reproduce"].endswith("--engine archive")
