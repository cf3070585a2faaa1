"""``auditor queries``: a log on the command line, its exit codes and messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.cli import invoke

POLICY = """\
version: 1
name: staff
attributes: {id: insensitive, dept: quasi-identifier, salary: sensitive}
queries:
  table: staff
  key: id
  limits: {exact_value: deny, query_set_size: {min: 2, both_ends: false}}
"""
ROWS = "id,dept,salary\n" + "".join(f"{i},{'ABBBC'[i % 5]},{1000 + 7 * i * i}\n" for i in range(1, 11))
DIFFERENCING = "SELECT SUM(salary) FROM staff;\nSELECT SUM(salary) FROM staff WHERE id <> 3;\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a policy, a table and a log that discloses a salary."""
    monkeypatch.chdir(tmp_path)
    Path("policy.yaml").write_text(POLICY)
    Path("staff.csv").write_text(ROWS)
    Path("log.sql").write_text(DIFFERENCING)
    return tmp_path


def _run(log: str, *options: str) -> int:
    code: int = invoke(["queries", log, "-p", "policy.yaml", "-d", "staff.csv", *options])
    return code


def test_a_log_that_every_rule_of_single_queries_passes_discloses_a_salary(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run("log.sql", "--format", "json", "--audience", "internal") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "fail"
    assert all(query["violations"] == [] for query in document["queries"])
    (found,) = document["disclosures"]
    assert (found["records"], found["low"], found["high"], found["first_query"]) == ([3], 1063, 1063, "2")
    assert found["certificate"] == {"1": "1", "2": "-1"}
    assert found["tracker"] == "individual"


def test_a_reviewer_sees_the_proof_and_nobody_in_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("log.sql", "--format", "json") == 1
    document = json.loads(capsys.readouterr().out)
    (found,) = document["disclosures"]
    assert (found["records"], found["low"], found["high"], found["records_count"]) == (None, None, None, 1)
    assert found["certificate"] == {"1": "1", "2": "-1"}
    assert [query["sql"] for query in document["queries"]] == [None, None]


@pytest.mark.parametrize(
    ("log", "code"),
    [
        ("SELECT SUM(salary) FROM staff;", 0),
        ("SELECT SUM(salary) FROM staff; SELECT dept, SUM(salary) FROM staff GROUP BY dept;", 0),
        ("SELECT SUM(salary) FROM staff WHERE id = 3;", 1),
        ("SELECT SUM(salary) FROM staff; SELECT * FROM staff;", 3),
        ("SELECT SUM(salary) FROM staff WHERE id = 3; SELECT * FROM staff;", 1),
        ("", 3),
        ("BEGIN; COMMIT;", 3),
    ],
)
def test_exit_codes(folder: Path, log: str, code: int) -> None:
    Path("log.sql").write_text(log)
    assert _run("log.sql") == code


def test_what_cannot_be_read_may_be_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("policy.yaml").write_text(POLICY + "  unsupported: warn\n")
    Path("log.sql").write_text("SELECT SUM(salary) FROM staff; SELECT * FROM staff;")
    assert _run("log.sql", "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [query["decision"] for query in document["queries"]] == ["answered", "unsupported"]
    assert document["queries"][1]["violations"] == ["row-level"]


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (
            POLICY.split("queries:", maxsplit=1)[0] + "requirements: [{model: k-anonymity, k: 2}]\n",
            "no block `queries`",
        ),
        (POLICY.replace("key: id", "key: idd"), "did you mean 'id'?"),
        (POLICY.replace("limits:", "assume: {insiders: {ana: ['77']}}\n  limits:"), "lacks a record"),
    ],
)
def test_a_policy_that_does_not_fit_is_said_clearly(
    folder: Path, policy: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("policy.yaml").write_text(policy)
    assert _run("log.sql") in (2, 3)
    assert said in capsys.readouterr().err


def test_a_log_or_a_table_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("other.sql") == 3
    assert "other.sql" in capsys.readouterr().err
    Path("staff.csv").unlink()
    assert _run("log.sql") == 3
    assert "staff.csv" in capsys.readouterr().err


def test_answers_that_the_table_does_not_give_are_pointed_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("log.jsonl").write_text('{"sql": "SELECT SUM(salary) FROM staff", "answer": 5}\n')
    assert _run("log.jsonl", "--format", "json") == 0
    assert "not the table that was queried" in capsys.readouterr().out
