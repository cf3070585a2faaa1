"""A policy that names a data contract: dropping it is weaker, and each side is held to the contract as it has it."""

from __future__ import annotations

import pytest

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_WEAKENED, PolicyError
from tests.gate.repository import POLICY, Repository

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
schema: [{name: stays, properties: [{name: zip, tags: [pii]}, {name: age}]}]
"""
HELD = POLICY.replace("name: clinic\n", "name: clinic\ncontract: ../contract.yaml\n")


def held(repository: Repository) -> None:
    """The base revision has a contract; the branch goes on from it."""
    repository.git("checkout", "-q", "main")
    repository.write("contract.yaml", CONTRACT)
    repository.write("policies/clinic.yaml", HELD)
    repository.commit("a contract")
    repository.git("checkout", "-q", "-B", "change")


def test_a_policy_without_its_contract_is_weaker(repository: Repository) -> None:
    held(repository)
    repository.write("policies/clinic.yaml", POLICY)
    repository.commit()
    found = repository.gate()
    assert found.exit_code == EXIT_WEAKENED
    assert [each.path for each in found.releases[0].comparison.differences] == ["contract"]


def test_what_the_contract_says_may_change_and_the_policy_has_to_follow(repository: Repository) -> None:
    held(repository)
    repository.write("contract.yaml", CONTRACT.replace("{name: age}", "{name: age, tags: [pii]}"))
    repository.commit("another contract")
    assert repository.gate().exit_code == EXIT_MET
    repository.write("policies/clinic.yaml", HELD.replace("age: quasi-identifier", "age: insensitive"))
    repository.commit("a looser policy")
    with pytest.raises(PolicyError, match=r"clinic\.yaml:4:\d+: 'age' is insensitive"):
        repository.gate()


def test_a_contract_that_git_does_not_track_is_not_judged_by(repository: Repository) -> None:
    held(repository)
    repository.git("rm", "-q", "--cached", "contract.yaml")
    repository.write(".gitignore", "contract.yaml\n")
    repository.commit("untracked")
    repository.git("branch", "-f", "main")
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED


@pytest.mark.parametrize("name", ["contract.yaml", "policies/clinic.yaml", "ladder.csv"])
def test_the_change_that_takes_a_contract_or_policy_out_of_git_is_not_evaluated(
    repository: Repository, name: str
) -> None:
    """It lies there still, so that the policy loads; the next change has no base that could be read."""
    held(repository)
    ladder = "age: {role: quasi-identifier, hierarchy: {file: ../ladder.csv}}"
    repository.replace("policies/clinic.yaml", "age: quasi-identifier", ladder)
    repository.write("ladder.csv", "".join(f"{age};*\n" for age in range(20, 60)))
    repository.commit("a ladder")
    repository.git("branch", "-f", "main")
    assert repository.gate().exit_code == EXIT_MET
    repository.git("rm", "-q", "--cached", name)
    repository.write(".gitignore", f"/{name}\n")
    repository.commit("ignored")
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert any("no later change would be held to them" in note and repr(name) in note for note in found.notes)
