"""Approved weakenings: by whom, of what, until when."""

from __future__ import annotations

from datetime import date

import pytest

from auditor.errors import EXIT_MET, EXIT_NOT_MET, EXIT_WEAKENED, PolicyError
from auditor.result import GateStatus
from tests.gate.repository import DATA, MANIFEST, Repository

POLICY_FILE = "policies/clinic.yaml"
APPROVER = "dpo@example.org"


@pytest.fixture
def weakened(repository: Repository) -> Repository:
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.commit("weaker")
    return repository


def digest(repository: Repository) -> str:
    """What an approval has to name, as the gate prints it."""
    found = repository.gate()
    change = found.trusted_change or found.releases[0].change
    assert change is not None
    return change


def approve(repository: Repository, change: str, by: str = APPROVER, more: str = "") -> None:
    entry = f"weakenings: [{{change: {change}, reason: the ward is public, approved_by: {by}{more}}}]\n"
    text = (repository.top / "auditor.yaml").read_text(encoding="utf-8").split("weakenings:")[0]
    repository.write("auditor.yaml", text + entry)


def test_an_approved_weakening_passes_and_says_by_whom(weakened: Repository) -> None:
    approve(weakened, digest(weakened), more=", ticket: DPO-17")
    found = weakened.gate()
    (release,) = found.releases
    assert (found.exit_code, release.status) == (EXIT_MET, GateStatus.PASS)
    assert release.approval is not None
    assert (release.approval.approved_by, release.approval.ticket) == (APPROVER, "DPO-17")
    assert release.comparison is not None
    assert not release.comparison.at_least_as_strict


@pytest.mark.parametrize(
    ("by", "why"),
    [
        ("stranger@example.org", "is no approver of the base revision"),
        ("author@example.org", "is no approver of the base revision"),
        ('""', None),
    ],
)
def test_somebody_whom_the_base_does_not_list(weakened: Repository, by: str, why: str | None) -> None:
    change = digest(weakened)
    weakened.replace(
        "auditor.yaml", "approvers: [dpo@example.org]", "approvers: [dpo@example.org, stranger@example.org]"
    )
    approve(weakened, change, by)
    if why is None:
        with pytest.raises(PolicyError, match="approved_by"):
            weakened.gate()
        return
    found = weakened.gate()
    assert found.exit_code == EXIT_WEAKENED
    assert why in found.releases[0].why


def test_who_wrote_the_change_does_not_approve_it(repository: Repository) -> None:
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.commit("weaker", author="DPO@example.org")
    approve(repository, digest(repository))
    found = repository.gate()
    assert found.exit_code == EXIT_WEAKENED
    assert "wrote the change" in found.releases[0].why


def test_one_author_of_many_is_enough(weakened: Repository) -> None:
    weakened.write("README.md", "a word\n")
    weakened.commit("a word", author=APPROVER)
    approve(weakened, digest(weakened))
    assert weakened.gate().exit_code == EXIT_WEAKENED


def test_an_approver_may_commit_the_approval_itself(weakened: Repository) -> None:
    change = digest(weakened)
    weakened.write("auditor.yaml", MANIFEST + "weakenings: weakenings.yaml\n")
    weakened.write("weakenings.yaml", "weakenings: []\n")
    weakened.commit("a file of approvals")
    entry = f"weakenings: [{{change: {change}, reason: r, approved_by: {APPROVER}}}]\n"
    weakened.write("weakenings.yaml", entry)
    weakened.commit("approved", author=APPROVER)
    assert weakened.gate().exit_code == EXIT_MET
    weakened.write("README.md", "and a word more\n")
    weakened.commit("more", author=APPROVER)
    assert weakened.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize(("day", "code"), [("2027-03-31", EXIT_MET), ("2027-04-01", EXIT_WEAKENED)])
def test_an_approval_may_end(weakened: Repository, day: str, code: int) -> None:
    approve(weakened, digest(weakened), more=", expires: 2027-03-31")
    assert weakened.gate(as_of=date.fromisoformat(day)).exit_code == code


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (POLICY_FILE, "k: 2", "k: 1"),
        (POLICY_FILE, "zip: quasi-identifier", "zip: insensitive"),
        ("auditor.yaml", "[university]", "[university, everybody]"),
    ],
)
def test_an_approval_is_of_one_change_and_no_other(weakened: Repository, file: str, old: str, new: str) -> None:
    approve(weakened, digest(weakened))
    weakened.replace(file, old, new)
    assert weakened.gate().exit_code == EXIT_WEAKENED


def test_a_ladder_that_changed_after_the_approval(repository: Repository) -> None:
    """The policy's own text is the same; the file that it names is not."""
    repository.git("checkout", "-q", "main")
    repository.write("policies/age.csv", "30;*\n40;*\n")
    repository.replace(
        POLICY_FILE, "age: quasi-identifier", "age: {role: quasi-identifier, hierarchy: {file: age.csv}}"
    )
    repository.commit()
    repository.git("checkout", "-q", "-b", "later")
    repository.write("policies/age.csv", "30;a\n40;a\n")
    repository.commit("another ladder")
    approve(repository, digest(repository))
    assert repository.gate().exit_code == EXIT_MET
    repository.write("policies/age.csv", "30;a\n40;b\n")
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_an_approval_does_not_meet_a_policy(weakened: Repository) -> None:
    approve(weakened, digest(weakened))
    weakened.write("out/clinic.csv", DATA + "50,9,flu\n")
    assert weakened.gate().exit_code == EXIT_NOT_MET


def test_a_removed_release_and_weaker_settings_can_be_approved(repository: Repository) -> None:
    repository.write("auditor.yaml", MANIFEST.replace("clinic: {", "other: {"))
    repository.commit("renamed")
    assert repository.gate().exit_code == EXIT_WEAKENED
    approve(repository, digest(repository))
    assert repository.gate().exit_code == EXIT_MET
    repository.write("auditor.yaml", MANIFEST.replace("max_waiver_days: 90", "max_waiver_days: 180"))
    assert repository.gate().exit_code == EXIT_WEAKENED
    approve(repository, digest(repository))
    assert repository.gate().exit_code == EXIT_MET


def test_without_approvers_nothing_can_be_approved(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "approvers: [dpo@example.org], ", "")
    repository.commit()
    repository.git("checkout", "-q", "-b", "later")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    approve(repository, digest(repository))
    assert repository.gate().exit_code == EXIT_WEAKENED
