"""Releases in sequence in the gate: ``previous:`` as a list, and what a change may say of it."""

from __future__ import annotations

import json

import pytest

from auditor.gate import foretold, refused
from auditor.gate._shrinkage import FORGOTTEN
from auditor.report.gate import redact
from auditor.report.rendered import FORMATS, render
from auditor.result import Audience, Strictness
from auditor.result.gate import GateStatus, ReleaseResult
from tests.audit.test_sequence import FIRST, IN_FIRST, INVARIANT, NAIVE, SECOND, original, release
from tests.gate.repository import Repository

POLICY = """\
version: 1
name: monthly
unit: {column: name, rows: one-per-unit}
attributes: {name: identifier, age: quasi-identifier, zip: quasi-identifier, disease: sensitive, nobody: insensitive}
requirements:
  - {model: k-anonymity, k: 2}
  - {model: cross-release-diversity, l: 2, counterfeits: nobody}
"""
TABLES = {
    "r1": release(FIRST, IN_FIRST),
    "t1": original(FIRST),
    "naive": release(SECOND, NAIVE),
    "kept": release(SECOND, INVARIANT),
    "t2": original(SECOND),
}
EARLIER = "[{release: out/r1.csv, original: raw/t1.csv}]"


def beginning(repository: Repository, said: str, *files: str) -> None:
    """The base revision: a release with what its manifest says of it, and these files."""
    repository.git("checkout", "-q", "main")
    repository.git("rm", "-q", "out/clinic.csv", "policies/clinic.yaml")
    repository.write("policies/monthly.yaml", POLICY)
    manifested(repository, said)
    written(repository, *files)
    repository.commit("the base revision")
    repository.git("checkout", "-q", "-B", "change")


def manifested(repository: Repository, said: str) -> None:
    text = f"version: 1\nreleases:\n  monthly: {{policy: policies/monthly.yaml, data: out/now.csv, {said}}}\n"
    repository.write("auditor.yaml", text)


def written(repository: Repository, *files: str) -> None:
    """Each file as ``name=table``."""
    for name, _, table in (each.partition("=") for each in files):
        repository.write(name, TABLES[table].to_csv(index=False))


def judged(repository: Repository) -> ReleaseResult:
    repository.commit()
    (found,) = repository.gate().releases
    return found


def weaker(found: ReleaseResult) -> dict[str, Strictness]:
    return {each.path.rpartition("/")[2]: each.verdict for each in found.changes if each.verdict != Strictness.EQUAL}


MONTH = ("out/now.csv=naive", "out/r1.csv=r1", "raw/t1.csv=t1", "raw/t2.csv=t2")


def test_the_published_example_is_closed(repository: Repository) -> None:
    """It was open while only classes were subtracted; with counterfeits it is open again."""
    beginning(repository, f"previous: {EARLIER}, original: raw/t2.csv", *MONTH)
    result = repository.gate()
    (found,) = result.releases
    assert found.status is GateStatus.FAIL
    each = {each.id: each for each in found.documents[0].requirements}
    assert (each["cross-release-diversity"].achieved, each["cross-release-diversity"].records_violating) == (1, 2)
    assert each["previous"].status == "pass"
    assert {file.role for file in found.files} == {"data", "original", "previous", "previous_original"}
    for name in FORMATS:
        assert "cross-release-diversity" in render(redact(result, Audience.REVIEWER), name)
    public = json.loads(render(redact(result, Audience.PUBLIC), "json"))["releases"][0]
    assert {file["role"] for file in public["files"] if file["sha256"] is not None} == {"previous"}
    assert public["documents"][0]["requirements"][-2]["achieved"] is None
    written(repository, "out/now.csv=kept")
    repository.commit()
    repository.git("branch", "-f", "main")
    assert repository.gate().releases[0].status is GateStatus.PASS


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("previous: [out/r1.csv], original: raw/t2.csv", GateStatus.NOT_EVALUATED),
        (f"previous: {EARLIER}", GateStatus.NOT_EVALUATED),
        ("original: raw/t2.csv", GateStatus.NOT_EVALUATED),
        ("previous: [], original: raw/t2.csv", GateStatus.PASS),
    ],
)
def test_what_is_not_said_is_not_passed(repository: Repository, said: str, status: GateStatus) -> None:
    beginning(repository, said, *MONTH)
    assert repository.gate().releases[0].status is status


def test_the_list_grows_by_what_was_released(repository: Repository) -> None:
    """Each place has all that one of the base revision had, or what that released; others need a review."""
    beginning(repository, "previous: [], original: raw/t1.csv", "out/now.csv=r1", "raw/t1.csv=t1")
    manifested(repository, f"previous: {EARLIER}, original: raw/t2.csv")
    written(repository, "out/now.csv=kept", "out/r1.csv=r1", "raw/t1.csv=t2", "raw/t2.csv=t2")
    assert weaker(judged(repository))["previous_original"] is Strictness.INCOMPARABLE
    written(repository, "raw/t1.csv=t1")
    assert weaker(judged(repository)) == {"previous": Strictness.STRICTER, "original": Strictness.WEAKER}
    repository.git("branch", "-f", "main")
    grown = "[{release: out/r1.csv, original: raw/t1.csv}, {release: out/r2.csv, original: raw/t3.csv}]"
    manifested(repository, f"previous: {grown}, original: raw/t2.csv")
    written(repository, "out/r2.csv=kept", "raw/t3.csv=t2")
    found = judged(repository)
    assert (found.status, weaker(found)) == (GateStatus.PASS, {})
    written(repository, "out/r2.csv=naive")
    assert weaker(judged(repository)) == {"previous": Strictness.INCOMPARABLE}
    manifested(repository, f"previous: {EARLIER}, original: raw/t2.csv")
    written(repository, "out/now.csv=naive")
    found = judged(repository)
    assert (weaker(found), found.changes[0].note) == ({"previous": Strictness.INCOMPARABLE}, FORGOTTEN)
    manifested(repository, f"previous: {grown}, original: raw/t2.csv")
    written(repository, "out/now.csv=kept")
    written(repository, "out/r2.csv=kept", "raw/t3.csv=t1")
    assert weaker(judged(repository)) == {"previous_original": Strictness.INCOMPARABLE}
    manifested(repository, "previous: [{release: out/r2.csv, original: raw/t1.csv}], original: raw/t2.csv")
    written(repository, "raw/t3.csv=t2")
    assert weaker(judged(repository))["previous"] is Strictness.WEAKER


def test_a_change_does_not_decide_that_there_was_no_release(repository: Repository) -> None:
    beginning(repository, "original: raw/t2.csv", *MONTH)
    manifested(repository, "previous: [], original: raw/t2.csv")
    assert weaker(judged(repository)) == {"previous": Strictness.INCOMPARABLE}


def test_a_place_that_leads_out_is_refused(repository: Repository) -> None:
    beginning(repository, f"previous: {EARLIER}, original: raw/t2.csv", *MONTH)
    manifested(repository, "previous: [{release: out/r1.csv, original: ../t1.csv}], original: raw/t2.csv")
    with pytest.raises(Exception, match="lies outside"):
        judged(repository)


def test_a_dry_run_and_the_guard_know_them(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    beginning(repository, f"previous: {EARLIER}, original: raw/t2.csv", *MONTH)
    monkeypatch.chdir(repository.top)
    (found,) = foretold().releases
    assert [(each.role, each.files) for each in found.beside] == [("previous", 1), ("previous_original", 1)]
    assert list(refused(["raw/t1.csv"])) == ["raw/t1.csv: is the original of the release monthly"]
