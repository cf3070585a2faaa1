"""What the gate would do: told without judging, in rows and bytes, whatever the policy would find."""

from __future__ import annotations

import json

import pytest

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_USAGE
from auditor.gate import foretold
from tests.gate.repository import DATA, Repository, cli

CLINIC, TABLE, MANIFEST = "policies/clinic.yaml", "out/clinic.csv", "auditor.yaml"
RECORDS = len(DATA.splitlines()) - 1


def test_it_tells_rows_bytes_and_groupings_of_each_release(repository: Repository) -> None:
    found = foretold()
    (release,) = found.releases
    (audit,) = release.audits
    (table,) = audit.tables
    assert found.base == repository.git("rev-parse", "main").strip()
    assert (table.rows, table.bytes, table.source) == (RECORDS, len(DATA), TABLE)
    assert {(each.by, each.sensitive) for each in audit.groupings} == {
        (("age", "zip"), None),
        (("age", "zip"), "diagnosis"),
    }
    assert (release.beside, release.not_evaluated, found.exit_code) == ((), (), EXIT_MET)


def test_a_changed_policy_is_an_audit_more_and_a_failing_one_no_failure(repository: Repository) -> None:
    repository.replace(CLINIC, "k: 2", "k: 40")
    (release,) = foretold().releases
    assert len(release.audits) == 2
    assert release.audits[0].policy_sha256 != release.audits[1].policy_sha256
    assert repository.gate().exit_code != EXIT_MET


def test_what_lies_beside_is_told_in_bytes(repository: Repository) -> None:
    repository.write("out/before.csv", DATA + DATA.split("\n", 1)[1])
    repository.replace(MANIFEST, "data: out/clinic.csv", "data: out/clinic.csv, previous: out/before.csv")
    (release,) = foretold().releases
    (previous,) = release.beside
    assert (previous.role, previous.files) == ("previous", 1)
    assert previous.bytes == (repository.top / "out/before.csv").stat().st_size


@pytest.mark.slow
def test_data_that_is_not_there_ends_in_three_and_the_rest_is_told(repository: Repository) -> None:
    repository.replace(MANIFEST, "trusted:", "  lost: {policy: policies/clinic.yaml, data: out/lost.csv}\ntrusted:")
    code, shown, _ = cli(repository, "--dry-run", "--format", "json")
    assert code == EXIT_NOT_EVALUATED
    document = json.loads(shown)
    clinic, lost = document["releases"]
    assert (clinic["audits"][0]["tables"][0]["rows"], clinic["not_evaluated"]) == (RECORDS, [])
    assert (lost["audits"], lost["not_evaluated"]) == ([], ["out/lost.csv: there is no such file"])
    assert (document["dry_run"], document["command"], "verdict" in document) == (True, "gate", False)


@pytest.mark.slow
def test_the_command_writes_nothing(repository: Repository) -> None:
    repository.replace(MANIFEST, "trusted:", "reports: [report.html]\ntrusted:")
    before = repository.git("status", "--short")
    code, shown, _ = cli(repository, "--dry-run", "clinic")
    assert code == EXIT_MET
    assert "release clinic" in shown
    assert "nothing is judged, nothing is written" in shown
    assert f"about {RECORDS} rows" in shown
    assert repository.git("status", "--short") == before
    assert cli(repository, "--dry-run", "--report", "r.html")[0] == EXIT_USAGE
    assert cli(repository, "--dry-run", "nobody")[0] == EXIT_USAGE
    repository.write(CLINIC, "version: 1\nname: [")
    assert cli(repository, "--dry-run")[0] == EXIT_USAGE
