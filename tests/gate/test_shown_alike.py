"""Two files that are shown by one name are two: outside of the repository and in it, here and in a folder above."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.cli import invoke
from auditor.errors import EXIT_MET, EXIT_NOT_MET, EXIT_WEAKENED
from auditor.result.gate import GateStatus
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository, cli
from tests.gate.test_shrinkage import ALL, ASKING, STAFF, THREE

TESTS = """\
policy: clinic.yaml
tests:
  - name: two of one illness
    csv: "age,zip,diagnosis\\n30,1,flu\\n30,1,flu\\n"
    expect: {verdict: fail, fails: [l]}
"""
WAIVER = """\
- {requirement: k, at_least: {k: 2}, reason: a rare disease, owner: ana, approved_by: dpo@example.org,
   expires: 2027-01-31}
"""


@pytest.fixture
def variable(repository: Repository, tmp_path: Path) -> dict[str, str]:
    """A folder that a variable of the base revision leads to, beside the repository."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "trusted: {", "trusted: {env: [HOUSE], ")
    return {"HOUSE": str(tmp_path / "house")}


def begun(repository: Repository) -> None:
    repository.commit("begun")
    repository.git("checkout", "-q", "-B", "change")


def test_a_log_of_a_variable_is_not_the_log_in_git(
    repository: Repository, variable: dict[str, str], tmp_path: Path
) -> None:
    """What both ask together tells of three people; each of them alone tells nothing."""
    repository.replace("auditor.yaml", "data: out/clinic.csv", "original: staff.csv, queries: may.sql")
    repository.write("policies/clinic.yaml", ASKING.replace("limits: {", "limits: {min_group: 4, "))
    repository.write("staff.csv", STAFF)
    repository.write("may.sql", ALL)
    begun(repository)
    repository.write(str(tmp_path / "house/may.sql"), THREE.replace("Sales", "Legal"))
    both = 'queries: [may.sql, "${HOUSE}/may.sql"]'
    repository.replace("auditor.yaml", "queries: may.sql", both)
    assert repository.gate(environment=variable).exit_code == EXIT_NOT_MET
    repository.replace("auditor.yaml", both, 'queries: "${HOUSE}/may.sql"')
    assert repository.gate(environment=variable).exit_code == EXIT_WEAKENED


@pytest.mark.parametrize("own", [False, True], ids=["of its own", "which is the data"])
@pytest.mark.parametrize("role", ["original", "previous", "data"])
def test_a_table_of_a_variable_is_not_the_table_in_git(
    repository: Repository, variable: dict[str, str], tmp_path: Path, role: str, *, own: bool
) -> None:
    named = "clinic.csv" if own or role == "data" else "before.csv"
    given = "data: clinic.csv" if role == "data" else f"data: clinic.csv, {role}: {named}"
    repository.replace("auditor.yaml", "data: out/clinic.csv", given)
    repository.write("clinic.csv", DATA)
    repository.write("before.csv", DATA)
    begun(repository)
    assert repository.gate(environment=variable).exit_code == EXIT_MET
    other = repository.write(str(tmp_path / "house" / named), DATA)
    repository.replace("auditor.yaml", f"{role}: {named}", f'{role}: "${{HOUSE}}/{named}"')
    assert repository.gate(environment=variable).exit_code == EXIT_MET  # the same bytes
    other.write_text(DATA + "40,2,flu\n40,2,asthma\n", encoding="utf-8")
    result = repository.gate(environment=variable)
    assert result.releases[0].status is GateStatus.WEAKENED
    assert [each.path for each in result.releases[0].changes if each.note] == [f"releases/clinic/{role}"]


def below(repository: Repository, policy: str) -> None:
    """All of it in a folder, where the gate is run: files there are shown as those at the top are."""
    repository.git("checkout", "-q", "main")
    repository.git("rm", "-q", "-r", ".")
    repository.write("team/auditor.yaml", MANIFEST)
    repository.write("team/policies/clinic.yaml", policy)
    repository.write("team/out/clinic.csv", DATA)


def test_tests_of_another_policy_that_is_shown_alike(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    below(repository, POLICY)
    repository.write("team/policies/clinic_test.yaml", TESTS)
    begun(repository)
    monkeypatch.chdir(repository.top / "team")
    assert repository.gate(folder="team").exit_code == EXIT_MET
    repository.git("rm", "-q", "team/policies/clinic_test.yaml")
    repository.write("policies/clinic.yaml", POLICY)
    repository.write("policies/clinic_test.yaml", TESTS)
    assert repository.gate(folder="team").exit_code == EXIT_WEAKENED
    repository.write("policies/clinic_test.yaml", TESTS.replace("clinic.yaml", "../team/policies/clinic.yaml"))
    assert repository.gate(folder="team").exit_code == EXIT_MET  # they moved


@pytest.mark.parametrize(("author", "expected"), [("dpo", EXIT_NOT_MET), ("ana", EXIT_MET)])
def test_a_waiver_beside_another_that_is_shown_alike(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, author: str, expected: int
) -> None:
    """Its approver wrote it; that somebody else wrote the same lines into another file changes nothing."""
    below(repository, POLICY.replace("k: 2", "k: 3") + "waivers: ../../waivers.yaml\n")
    repository.write("waivers.yaml", WAIVER)
    repository.commit("a waiver", author=f"{author}@example.org")
    repository.git("checkout", "-q", "-B", "change")
    monkeypatch.chdir(repository.top / "team")
    assert repository.gate(folder="team").exit_code == expected
    other = "dpo" if author == "ana" else "ana"
    repository.write("team/waivers.yaml", WAIVER)
    repository.commit("another file", author=f"{other}@example.org")
    assert repository.gate(folder="team").exit_code == expected


def test_a_certificate_of_data_beside_an_original_of_the_same_name(
    repository: Repository, variable: dict[str, str], tmp_path: Path
) -> None:
    repository.replace("auditor.yaml", "data: out/clinic.csv", 'data: clinic.csv, original: "${HOUSE}/clinic.csv"')
    repository.write("clinic.csv", DATA)
    begun(repository)
    original = repository.write(str(tmp_path / "house/clinic.csv"), DATA.replace("flu", "measles"))
    assert cli(repository, "--certificates", "certificates", environment=variable)[0] == EXIT_MET
    certificate = "certificates/clinic.json"
    assert invoke(["verify", certificate, "clinic.csv"]) == EXIT_MET
    assert invoke(["verify", certificate, str(original)]) == EXIT_NOT_MET
