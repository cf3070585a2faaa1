"""A stranger's rules may name any file below the repository's folder, where a runner may have tables that git has not.

What is wrong in such a file is said in a log that everybody reads.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from auditor.errors import EXIT_USAGE
from tests.gate.repository import Repository, cli

PLANTED = "Zaphod"
TABLE = f"{PLANTED}!,{PLANTED} ill\n{PLANTED}!,{PLANTED} well\n"
POLICY_FILE = "policies/clinic.yaml"
Change = Callable[[Repository], None]


def replaced(name: str, old: str, new: str) -> Change:
    return lambda repository: repository.replace(name, old, new)


def linked(repository: Repository) -> None:
    """The name of what a link leads to says what it is."""
    repository.write("policies/x.yaml", "").unlink()
    (repository.top / "policies/x.yaml").symlink_to("../raw/table.csv")
    repository.replace("auditor.yaml", POLICY_FILE, "policies/x.yaml")


WAYS: dict[str, Change] = {
    "policy": replaced("auditor.yaml", POLICY_FILE, "raw/table.csv"),
    "policy, by a link": linked,
    "include": replaced("auditor.yaml", "version: 1", "version: 1\ninclude: [raw/table.csv]"),
    "floor": replaced("auditor.yaml", "trusted: {", "trusted: {at_least: [raw/table.csv], "),
    "signers": replaced("auditor.yaml", "trusted: {", "trusted: {signers: raw/table.csv, "),
    "keys": replaced("auditor.yaml", "trusted: {", "trusted: {signers: {dpo@example.org: [raw/table.csv]}, "),
    "extends": replaced(POLICY_FILE, "version: 1", "version: 1\nextends: [../raw/table.csv]"),
    "waivers": replaced(POLICY_FILE, "version: 1", "version: 1\nwaivers: ../raw/table.csv"),
    "baseline": replaced(POLICY_FILE, "version: 1", "version: 1\nbaseline: ../raw/table.csv"),
    "ladder": replaced(
        POLICY_FILE,
        "age: quasi-identifier",
        'age: {role: quasi-identifier, hierarchy: {file: ../raw/table.csv, separator: ","}}',
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_table_that_is_named_as_rules_is_not_told(repository: Repository, way: str) -> None:
    repository.write(".gitignore", "/raw/\n")
    repository.write("raw/table.csv", TABLE)
    WAYS[way](repository)
    repository.commit("rules")
    code, out, err = cli(repository, "--format", "github")
    assert (code, PLANTED in out + err) == (EXIT_USAGE, False)
    assert any(said in err for said in ("table.csv", "a name among allowed signers", "no public key"))


def test_what_is_wrong_in_rules_is_told(repository: Repository) -> None:
    repository.replace(POLICY_FILE, "k: 2", "k: two")
    assert "'two'" in cli(repository)[2]
