"""`auditor remediate` as it is typed: exit codes, files, messages."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import invoke
from tests.remediate.tables import POLICY, left_behind, read, write


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a table, a policy that can be met, and one that cannot."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "data.csv")
    (tmp_path / "policy.yaml").write_text(json.dumps(POLICY), encoding="utf-8")
    strict = POLICY | {"requirements": [{"id": "too-much", "model": "k-anonymity", "k": 61}]}
    (tmp_path / "strict.yaml").write_text(json.dumps(strict), encoding="utf-8")
    return tmp_path


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"data.csv", "policy.yaml", "strict.yaml"}


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_release_is_written_and_audited(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["remediate", "data.csv", "-p", "policy.yaml", "-o", "r.csv", "--format", "json"]) == 0
    result = document(capsys)
    assert files(here) == {"r.csv"}
    assert (result["command"], result["verdict"], result["written"]) == ("remediate", "pass", True)
    assert result["solution"]["lattice"]["nodes"] == 4 * 2
    assert result["before"]["requirements"][0]["status"] == "fail"
    assert result["after"]["data"]["source"] == "r.csv"
    assert result["after"]["data"]["rows"] == len(read(here / "r.csv"))


def test_a_plan_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["remediate", "data.csv", "-p", "policy.yaml", "--plan", "--format", "json"]) == 0
    result = document(capsys)
    assert files(here) == set()
    assert result["solution"] is not None
    assert result["written"] is False


def test_what_is_not_achievable_is_exit_code_1_and_writes_no_data(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["-o", "r.csv", "--mapping", "m.csv", "--lattice", "l.csv", "--report", "r.json", "--format", "json"]
    assert invoke(["remediate", "data.csv", "-p", "strict.yaml", *words]) == 1
    result = document(capsys)
    assert files(here) == {"l.csv", "r.json"}
    assert (result["solution"], result["after"], result["written"]) == (None, None, False)
    assert "too-much" in [finding["requirement"] for finding in result["findings"]]
    assert result["shortfall"]["obstacles"][0]["enough"] == 60
    assert {row["solves"] for row in read(here / "l.csv")} == {"false"}


def test_the_mapping_and_the_lattice_have_the_columns_of_the_contract(here: Path) -> None:
    words = ["-o", "r.csv", "--mapping", "m.csv", "--lattice", "l.csv", "--quiet"]
    assert invoke(["remediate", "data.csv", "-p", "policy.yaml", *words]) == 0
    mapped = {(row["column"], row["value"]): row["label"] for row in read(here / "m.csv", ";")}
    released = {row["key"]: row for row in read(here / "r.csv")}
    for row in read(here / "data.csv"):
        for column in ("age", "sex"):
            assert mapped[column, row[column]] == released[row["key"]][column]
    with (here / "l.csv").open(encoding="utf-8", newline="") as file:
        header, *nodes = csv.reader(file)
    assert header == [
        "age", "sex", "classes", "smallest", "suppressed", "solves", "height", "precision", "loss", "discernibility",
        "discernibility-star", "average-class-size", "non-uniform-entropy",
    ]  # fmt: skip
    assert sorted((int(age), int(sex)) for age, sex, *_ in nodes) == [(a, s) for a in range(4) for s in range(2)]


def test_every_node_of_the_lattice_file_is_what_a_plain_count_says(here: Path) -> None:
    """Classes by hand: ages in tens (and twenties) and a sex that is shown or not; k = 5, nothing may be suppressed."""
    assert invoke(["remediate", "data.csv", "-p", "policy.yaml", "--plan", "--lattice", "l.csv", "--quiet"]) == 0
    rows = read(here / "data.csv")
    for node in read(here / "l.csv"):
        age, sex = int(node["age"]), int(node["sex"])
        width = {0: 1, 1: 10, 2: 20, 3: 1000}[age]
        counts: dict[tuple[int, str], int] = {}
        for row in rows:
            key = (int(row["age"]) // width, "*" if sex else row["sex"])
            counts[key] = counts.get(key, 0) + 1
        gone = sum(count for count in counts.values() if count < 5)
        expected = (len(counts), min(counts.values()), gone, str(gone == 0).lower())
        assert (int(node["classes"]), int(node["smallest"]), int(node["suppressed"]), node["solves"]) == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give -o RELEASE, or --plan"),
        (["-o", "r.csv", "--plan"], "give -o RELEASE, or --plan"),
        (["-o", "data.csv"], "is an input of this command"),
        (["-o", "policy.yaml"], "is an input of this command"),
        (["-o", "r.docx"], "a release is written as"),
        (["-o", "r"], "a release is written as"),
        (["-o", "nowhere/r.csv"], "there is no folder nowhere"),
        (["-o", "."], "is not a regular file"),
        (["-o", "r.csv", "--mapping", "r.csv"], "two results cannot go to one file"),
        (["-o", "r.csv", "--lattice", "data.csv"], "is an input of this command"),
        (["-o", "r.json", "--report", "r.json"], "writes something else to this file"),
        (["-o", "r.csv", "--mapping", "m.json", "--report", "m.json"], "writes something else to this file"),
    ],
)
def test_what_cannot_be_meant_is_exit_code_2_and_writes_nothing(
    here: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    before = {path: path.read_bytes() for path in here.iterdir()}
    assert invoke(["remediate", "data.csv", "-p", "policy.yaml", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
    assert {path: path.read_bytes() for path in here.iterdir()} == before


def test_a_folder_that_takes_no_file_is_exit_code_3(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["remediate", "data.csv", "-p", "policy.yaml", "-o", "/proc/r.csv"]) == 3
    assert "[delivery]" in capsys.readouterr().err
    assert left_behind(here) == []


def test_missing_values_that_the_policy_rejects_end_it_before_the_search(tmp_path, capfd):
    (tmp_path / "d.csv").write_text("age,sick\n30,flu\n30,\n")
    (tmp_path / "p.yaml").write_text(
        "attributes: {age: quasi-identifier, sick: sensitive}\nmissing: reject\n"
        "requirements: [{model: k-anonymity, k: 2}]\n"
    )
    code = invoke(["remediate", str(tmp_path / "d.csv"), "-p", str(tmp_path / "p.yaml"), "-o", str(tmp_path / "r.csv")])
    assert code == 3
    said = capfd.readouterr().out
    assert "column 'sick' has missing values, which the policy rejects" in said
    assert "Nothing was written: k-anonymity could not be evaluated" in said
    assert not (tmp_path / "r.csv").exists()
