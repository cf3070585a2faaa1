"""What becomes of a release, and of all of them: by its policy, and beside the base revision."""

from __future__ import annotations

import pytest

from auditor.errors import (
    EXIT_MET,
    EXIT_NOT_EVALUATED,
    EXIT_NOT_MET,
    EXIT_USAGE,
    EXIT_WEAKENED,
    PolicyError,
    UsageError,
)
from auditor.result import Strictness, Verdict
from auditor.result.gate import Change, GateStatus
from tests.gate.repository import DATA, POLICY, Repository, cli

MANIFEST, CLINIC, TABLE = "auditor.yaml", "policies/clinic.yaml", "out/clinic.csv"
FAILING = DATA + "50,3,flu\n"
"""A class of one."""


def test_an_unchanged_repository_passes(repository: Repository) -> None:
    found = repository.gate()
    (release,) = found.releases
    assert (found.verdict, found.exit_code) == (GateStatus.PASS, EXIT_MET)
    assert (release.presence, release.files[0].change) == (Change.SAME, Change.SAME)
    assert (release.head_verdict, release.base_verdict) == (Verdict.PASS, Verdict.PASS)
    assert found.base is not None
    assert found.base.commit == repository.git("rev-parse", "main").strip()


def test_a_weaker_policy_is_weakened_though_the_data_meets_both(repository: Repository) -> None:
    repository.replace(CLINIC, "l: 2", "l: 1")
    found = repository.gate()
    (release,) = found.releases
    assert (found.exit_code, release.status) == (EXIT_WEAKENED, GateStatus.WEAKENED)
    assert (release.head_verdict, release.base_verdict) == (Verdict.PASS, Verdict.PASS)
    assert release.comparison is not None
    assert release.comparison.verdict is Strictness.WEAKER
    assert release.comparison.differences[0].path == "requirements/l/l"


def test_a_stricter_policy_that_is_met_passes(repository: Repository) -> None:
    repository.replace(CLINIC, "l: 2", "l: 1")
    repository.git("checkout", "-q", "main")
    repository.commit("begin weaker")
    repository.git("checkout", "-q", "-b", "stricter")
    repository.replace(CLINIC, "l: 1", "l: 2")
    assert repository.gate().exit_code == EXIT_MET


def test_the_same_data_is_judged_by_both_policies(repository: Repository) -> None:
    repository.write(TABLE, FAILING)
    repository.replace(CLINIC, "k: 2", "k: 1")
    repository.replace(CLINIC, "l: 2", "l: 1")
    (release,) = repository.gate().releases
    assert release.status is GateStatus.WEAKENED
    assert (release.head_verdict, release.base_verdict) == (Verdict.PASS, Verdict.FAIL)
    assert release.base_failing == ("k", "l")


def test_not_met_stands_before_weakened(repository: Repository) -> None:
    repository.write(TABLE, FAILING)
    repository.replace(CLINIC, "l: 2", "l: 1")
    found = repository.gate()
    assert (found.exit_code, found.releases[0].status) == (EXIT_NOT_MET, GateStatus.FAIL)
    assert found.releases[0].change is not None


def test_weakened_stands_before_not_evaluated(repository: Repository) -> None:
    (repository.top / TABLE).unlink()
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED
    repository.replace(CLINIC, "l: 2", "l: 1")
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_of_several_releases_the_worst_holds_and_stands_first(repository: Repository) -> None:
    repository.write("out/bad.csv", FAILING)
    repository.replace(
        MANIFEST,
        "trusted:",
        "  bad: {policy: policies/clinic.yaml, data: out/bad.csv}\n"
        "  absent: {policy: policies/clinic.yaml, data: out/absent.csv}\ntrusted:",
    )
    found = repository.gate()
    assert [(each.name, each.status.value) for each in found.releases] == [
        ("bad", "fail"), ("absent", "not-evaluated"), ("clinic", "pass")
    ]  # fmt: skip
    assert found.exit_code == EXIT_NOT_MET
    assert repository.gate("clinic").exit_code == EXIT_MET
    assert repository.gate("absent", "clinic").exit_code == EXIT_NOT_EVALUATED


def test_a_release_that_does_not_exist_is_no_release(repository: Repository) -> None:
    with pytest.raises(UsageError, match="did you mean 'clinic'"):
        repository.gate("clinci")


@pytest.mark.parametrize("text", ["", "version: 1\n", "version: 1\nreleases: {}\n"])
def test_a_manifest_without_releases_is_an_error(repository: Repository, text: str) -> None:
    repository.write(MANIFEST, text)
    with pytest.raises(PolicyError):
        repository.gate()


@pytest.mark.parametrize("place", ["out/none*.csv", "out/none.csv", "none/"])
def test_no_file_is_not_evaluated(repository: Repository, place: str) -> None:
    repository.replace(MANIFEST, "out/clinic.csv", f'"{place}"')
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert found.releases[0].status is GateStatus.NOT_EVALUATED


def test_no_rows_are_not_evaluated(repository: Repository) -> None:
    repository.write(TABLE, DATA.splitlines()[0] + "\n")
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED


def test_no_requirement_is_an_error(repository: Repository) -> None:
    repository.write(CLINIC, POLICY[: POLICY.index("requirements")])
    with pytest.raises(PolicyError, match="nothing to judge"):
        repository.gate()


@pytest.mark.slow
def test_every_wrong_policy_is_said_at_once_and_nothing_is_written(repository: Repository) -> None:
    repository.replace(CLINIC, "k-anonymity", "k-anonimity")
    repository.write("policies/other.yaml", POLICY.replace("l: 2", "l: two"))
    repository.replace(MANIFEST, "trusted:", "  other: {policy: policies/other.yaml, data: out/clinic.csv}\ntrusted:")
    code, out, err = cli(repository, "--report", "gate.html")
    assert (code, out) == (EXIT_USAGE, "")
    assert "policies/clinic.yaml:5" in err
    assert "policies/other.yaml:6" in err
    assert not (repository.top / "gate.html").exists()


SMALL = '{"type": "frequency-table", "by": ["zip"], "cells": [{"key": ["1"], "count": 2}, {"key": ["2"], "count": 3}]}'
"""The counts of the release's own postcodes."""
LOG = "SELECT count(*) FROM clinic WHERE zip = '1';\nSELECT sum(cost) FROM clinic WHERE age = '30';\n"


@pytest.mark.parametrize(("least", "code"), [(2, EXIT_MET), (3, EXIT_NOT_MET)])
def test_outputs_of_a_release_are_judged_with_it(repository: Repository, least: int, code: int) -> None:
    repository.write("tables/t.json", SMALL)
    repository.replace(
        CLINIC, "requirements:", f"outputs: [{{type: frequency-table, min_cell: {least}}}]\nrequirements:"
    )
    repository.replace(MANIFEST, "recipients", "outputs: [tables/*.json], recipients")
    found = repository.gate()
    assert found.exit_code == code
    assert [document.command for document in found.releases[0].documents] == ["check", "outputs"]
    assert [file.role for file in found.releases[0].files] == ["data", "outputs"]


@pytest.mark.parametrize(("least", "code"), [(2, EXIT_MET), (3, EXIT_NOT_MET)])
def test_query_logs_of_a_release_are_judged_with_it(repository: Repository, least: int, code: int) -> None:
    repository.write("raw/clinic.csv", "age,zip,cost\n30,1,100\n30,1,250\n40,2,75\n40,2,20\n40,2,60\n")
    repository.write("logs/a.sql", LOG)
    repository.write("logs/b.sql", LOG)
    limits = f"limits: {{query_set_size: {{min: {least}}}}}"
    block = f"queries: {{table: clinic, protects: [cost], public: [age, zip], {limits}}}"
    repository.replace(CLINIC, "requirements:", f"{block}\nrequirements:")
    repository.replace(MANIFEST, "recipients", "original: raw/clinic.csv, queries: logs/*.sql, recipients")
    found = repository.gate()
    assert found.exit_code == code
    assert [document.command for document in found.releases[0].documents] == ["check", "queries"]


def test_a_block_that_the_policy_lacks_is_an_error(repository: Repository) -> None:
    repository.write("tables/t.json", SMALL)
    repository.replace(MANIFEST, "recipients", "outputs: [tables/*.json], recipients")
    with pytest.raises(PolicyError, match="has no block outputs"):
        repository.gate()


def test_query_logs_without_their_table_are_an_error(repository: Repository) -> None:
    repository.write("logs/a.sql", LOG)
    repository.replace(CLINIC, "requirements:", "queries: {protects: [diagnosis]}\nrequirements:")
    repository.replace(MANIFEST, "data: out/clinic.csv", "queries: logs/*.sql")
    with pytest.raises(PolicyError, match="query logs without their table"):
        repository.gate()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_wrong_only_beside_the_data_is_an_error_too(repository: Repository, workers: int) -> None:
    """Two globs that match one column: known when the header is read, in whatever process that is."""
    repository.replace(CLINIC, "age: quasi-identifier", "'ag*': quasi-identifier, '*ge': insensitive")
    more = "  again: {policy: policies/clinic.yaml, data: out/clinic.csv}\n"
    repository.replace(MANIFEST, "trusted:", more + "trusted:")
    with pytest.raises(PolicyError, match="age") as wrong:
        repository.gate(workers=workers)
    assert wrong.value.problems[0].code == "globs"


def test_the_gate_writes_nothing_into_the_repository(repository: Repository) -> None:
    repository.replace(CLINIC, "l: 2", "l: 1")
    before = repository.git("status", "--porcelain", "--ignored", "-uall")
    tree = {path: path.read_bytes() for path in repository.top.rglob("*") if path.is_file()}
    repository.gate()
    assert {path: path.read_bytes() for path in repository.top.rglob("*") if path.is_file()} == tree
    assert repository.git("status", "--porcelain", "--ignored", "-uall") == before


def test_the_time_limit_is_that_of_the_whole_run(repository: Repository) -> None:
    assert repository.gate(time_limit=600).exit_code == EXIT_MET
    found = repository.gate(time_limit=1e-6)
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert "time limit" in found.releases[0].notes[0]


@pytest.mark.slow
def test_several_processes_find_what_one_finds(repository: Repository) -> None:
    repository.write("out/bad.csv", FAILING)
    more = "".join(f"  {name}: {{policy: policies/clinic.yaml, data: out/{name}.csv}}\n" for name in ("bad", "absent"))
    repository.replace(MANIFEST, "trusted:", more + "trusted:")
    repository.replace(CLINIC, "l: 2", "l: 1")
    assert repository.gate(workers=3) == repository.gate(workers=1)
