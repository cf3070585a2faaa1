"""`auditor init --from`: roles that a contract says, from where each came, and what stands on one side alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from auditor.cli import invoke
from auditor.policy import Policy, load_policy
from auditor.profile import init

COLUMNS = {
    "patient_id": "{}",
    "email": "p{}@example.org",
    "age": "{}",
    "sick": "1",
    "Clinic": "north",
    "bed": "{}",
    "remarks": "was well a week after the treatment on {}",
}
ROWS = 120
CONTRACT = """\
models:
  - name: people
    columns:
      - {name: email, meta: {auditor: quasi-identifier}}
      - {name: age, meta: {auditor: sensitive}}
      - {name: sick, meta: {auditor: sensitive}}
      - {name: clinic, tags: [pii]}
      - {name: bed, meta: {auditor: insensitive}}
      - {name: remarks, meta: {classification: restricted}}
      - {name: Emails}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [
        ",".join(value.format(n % 90 if name == "age" else n) for name, value in COLUMNS.items()) for n in range(ROWS)
    ]
    (tmp_path / "people.csv").write_text("\n".join([",".join(COLUMNS), *lines, ""]))
    (tmp_path / "schema.yml").write_text(CONTRACT)
    return tmp_path


def proposed(folder: Path, *words: str) -> tuple[Policy, dict[str, str]]:
    """The policy, and the comment above each attribute."""
    assert invoke(["init", "people.csv", "-o", "p.yaml", "--force", *words]) == 0
    text = (folder / "p.yaml").read_text("utf-8")
    said = {name: line for line, name in re.findall(r"^  # (.*)\n  ([A-Za-z_]+):", text, flags=re.MULTILINE)}
    return load_policy(folder / "p.yaml"), said


def test_what_the_contract_says_overrides_the_guess_and_is_told(folder: Path) -> None:
    guessed, _ = proposed(folder)
    policy, said = proposed(folder, "--from", "schema.yml")
    roles = {name: (guessed.attributes[name].role, policy.attributes[name].role) for name in COLUMNS}
    assert roles == {
        "patient_id": ("identifier", "identifier"),
        "email": ("identifier", "quasi-identifier"),
        "age": ("quasi-identifier", "sensitive"),
        "sick": ("insensitive", "sensitive"),
        "Clinic": ("insensitive", "quasi-identifier"),
        "bed": ("quasi-identifier", "insensitive"),
        "remarks": ("text", "text"),
    }
    assert said["patient_id"].startswith("not in the contract; its name says that it is a key")
    assert said["email"].startswith("schema.yml:4:9 says quasi-identifier; ")
    assert said["age"].startswith("schema.yml:5:9 says sensitive; it would be proposed as quasi-identifier")
    assert said["Clinic"].startswith("schema.yml:7:9 calls it personal (tag 'pii'); the same value in every record")
    assert said["Clinic"].endswith("; unsure")
    assert said["remarks"].startswith(
        "schema.yml:9:9 says no role (classification 'restricted' tells none); looks like"
    )
    assert not any("unsure" in said[name] for name in ("email", "age", "sick", "bed"))


def test_what_is_proposed_has_what_its_role_needs(folder: Path) -> None:
    policy, _ = proposed(folder, "--from", "schema.yml")
    assert policy.attributes["email"].hierarchy == "suppress"
    assert policy.attributes["age"].type == "number"
    assert (policy.attributes["sick"].type, policy.attributes["sick"].range) == ("integer", (0, 1))
    assert {r.sensitive for r in policy.requirements if hasattr(r, "sensitive")} == {"age", "sick"}


def test_columns_that_the_data_does_not_have_are_listed(folder: Path) -> None:
    proposed(folder, "--from", "schema.yml")
    text = (folder / "p.yaml").read_text("utf-8")
    head = "# The contract names columns of 'people' that the data does not have:\n"
    assert text.partition(head)[2].startswith("#   Emails (did you mean 'email'?)\nundeclared: fail\n")


def test_the_policy_is_held_to_the_contract_where_it_can_reach_it(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / "policies").mkdir()
    assert invoke(["init", "people.csv", "--from", "schema.yml", "--table", "people", "-o", "policies/p.yaml"]) == 0
    policy = load_policy(folder / "policies" / "p.yaml")
    assert policy.contract is not None
    assert (policy.contract.file, policy.contract.table) == ("../schema.yml", "people")


def test_where_it_cannot_a_comment_says_what_to_write(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "policies").mkdir()
    assert invoke(["init", "people.csv", "--from", "schema.yml", "-o", "policies/p.yaml"]) == 0
    assert invoke(["init", "people.csv", "--from", "schema.yml", "--table", "people"]) == 0
    for text in ((folder / "policies/p.yaml").read_text("utf-8"), capfd.readouterr().out):
        assert "contract" not in yaml.safe_load(text)
        assert re.search(r"^# contract: \{file: PATH_FROM_HERE(, table: people)?\}", text, flags=re.MULTILINE)


def test_nothing_in_a_contract_ends_a_comment(folder: Path) -> None:
    file = folder / "a\nrequirements: []\n#.yml"
    file.write_text(
        'models: [{name: "x\\nundeclared: insensitive", columns: [{name: "b\\nname: y", tags: ["\\nversion: 2"]}]}]'
    )
    text = init("people.csv", contract=file)
    (folder / "p.yaml").write_text(text, encoding="utf-8")
    assert load_policy(folder / "p.yaml").undeclared == "fail"
    assert yaml.safe_load(text)["requirements"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "none.yml"], "the file 'none.yml' does not exist"),
        (["--from", "people.csv"], "is no data contract"),
        (["--from", "two.yml"], "2 tables: a, b; name one with --table NAME"),
        (["--from", "schema.yml", "--table", "peple"], "did you mean 'people'"),
        (["--from", "wrong.yml"], "wrong.yml:1:59: auditor: 'key' was read; one of identifier"),
        (["--table", "people"], "--from"),
    ],
)
def test_a_contract_that_tells_nothing_is_an_error(
    folder: Path, words: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "two.yml").write_text("models: [{name: a, columns: [{name: x}]}, {name: b, columns: [{name: x}]}]")
    (folder / "wrong.yml").write_text("models: [{name: a, columns: [{name: x, meta: {auditor:    key}}]}]")
    assert invoke(["init", "people.csv", "-o", "p.yaml", *words]) == 2
    assert said in capfd.readouterr().err
    assert not (folder / "p.yaml").exists()
