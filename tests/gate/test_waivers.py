"""Waivers in the gate: who may approve, for how long, and what comes together with what."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import PurePosixPath
from typing import Any

import pytest
import yaml

from auditor.errors import EXIT_MET
from auditor.gate import Options
from auditor.gate._reference import Reference
from auditor.gate._sides import base_side
from auditor.gate._waivers import Waivers
from auditor.policy import load_policy
from auditor.policy.git import Git
from auditor.report import redact, render
from auditor.result import Audience
from auditor.result.gate import GateStatus, ReleaseResult
from tests.gate.repository import Repository, paste

DAY = date(2027, 1, 15)
POLICY_FILE = "policies/clinic.yaml"
SMALL = "age,zip,diagnosis\n30,1,flu\n40,2,flu\n40,2,diabetes\n"
"""Classes of one and of two members: neither k = 2 nor l = 2 holds."""
HELD = {
    "requirement": "k",
    "at_least": "{k: 1}",
    "reason": "a rare disease",
    "owner": "ana",
    "approved_by": "dpo@example.org",
    "expires": "2027-03-31",
}


def line(**changed: str) -> str:
    entry = {**HELD, **changed}
    return "- {" + ", ".join(f"{key}: {value}" for key, value in entry.items() if value) + "}\n"


def both(**changed: str) -> str:
    return line(**changed) + line(**{**changed, "requirement": "l", "at_least": "{l: 1}"})


def begun(repository: Repository, waivers: str = "[]\n", data: str = SMALL, author: str = "ana@example.org") -> None:
    """Main has a file of waivers and the data; the current branch goes on from there."""
    repository.git("checkout", "-q", "main")
    repository.write("policies/waivers.yaml", waivers)
    text = (repository.top / "policies/clinic.yaml").read_text(encoding="utf-8")
    repository.write("policies/clinic.yaml", text + "waivers: waivers.yaml\n")
    repository.write("out/clinic.csv", data)
    repository.commit("waivers", author=author)
    repository.git("checkout", "-q", "-B", "change")


def judged(repository: Repository, **told: Any) -> ReleaseResult:
    (release,) = repository.gate(options=Options(workers=1, as_of=DAY), **told).releases
    return release


def test_a_waiver_that_the_base_revision_has_counts(repository: Repository) -> None:
    begun(repository, both())
    release = judged(repository)
    assert (release.status, release.notes) == (GateStatus.WAIVED, ())


def test_a_waiver_approved_by_its_author(repository: Repository) -> None:
    begun(repository, both(), author="dpo@example.org")
    release = judged(repository)
    assert release.status is GateStatus.FAIL
    assert "was added by dpo@example.org, who cannot approve it" in release.why


def test_a_waiver_approved_by_its_author_with_another_name_before_the_address(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "[dpo@example.org]", "[The DPO <dpo@example.org>]")
    begun(repository, both(approved_by="The DPO <dpo@example.org>"), author="dpo@example.org")
    assert "was added by The DPO <dpo@example.org>, who cannot approve it" in judged(repository).why


def test_a_waiver_approved_by_its_owner(repository: Repository) -> None:
    begun(repository, both(owner="DPO@example.org"))
    assert judged(repository).status is GateStatus.FAIL


def test_the_author_of_a_new_waiver_cannot_hide_behind_another_commit(repository: Repository) -> None:
    begun(repository)
    repository.write("policies/waivers.yaml", both())
    repository.commit("the waiver", author="dpo@example.org")
    repository.write("policies/waivers.yaml", both().replace("- {", "-  {"))
    repository.commit("white space", author="somebody@example.org")
    release = judged(repository)
    assert release.status is GateStatus.FAIL
    assert "was added by dpo@example.org" in release.why


def test_what_is_not_committed_beside_a_waiver_makes_nobody_its_author(repository: Repository) -> None:
    """Who wrote a line that the commit has is told by the commit, wherever the line stands now."""
    begun(repository, both(), author="dpo@example.org")
    repository.write("policies/waivers.yaml", "# Reviewed.\n\n" + both().replace("\n", "\r\n") + "# Until then.\n")
    assert "was added by dpo@example.org" in judged(repository).why


@pytest.mark.parametrize("role", ["committer", "co-author"])
@pytest.mark.parametrize("new", [True, False])
def test_the_approver_of_a_new_waiver_has_no_part_in_it(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, role: str, new: bool
) -> None:
    """Of one that the base revision has, the committer may be an approver who rebased it."""
    if new:
        begun(repository)
        repository.write("policies/waivers.yaml", both())
        repository.git("add", "-A")
    else:
        begun(repository, both())
    if role == "committer":
        monkeypatch.setenv("GIT_COMMITTER_EMAIL", "dpo@example.org")
    message = "Co-authored-by: Dina <DPO@example.org>" if role == "co-author" else "the waiver"
    words = ["-q"] if new else ["-q", "--amend"]
    if not new:
        repository.git("checkout", "-q", "main")
    repository.git("commit", *words, "-m", message, author="ana@example.org")
    if not new:
        repository.git("checkout", "-q", "-B", "change")
    release = judged(repository)
    assert release.status is (GateStatus.FAIL if new else GateStatus.WAIVED)
    assert ("was added by dpo@example.org, who cannot approve it" in release.why) is new


@pytest.mark.parametrize(
    ("way", "who"),
    [
        ("the policy names its file", "dpo@example.org"),
        ("the policy names its file", "bea@example.org"),
        ("the release names its policy", "dpo@example.org"),
        ("a file moves there", "dpo@example.org"),
    ],
)
def test_who_puts_a_waiver_in_force_cannot_approve_it(repository: Repository, way: str, who: str) -> None:
    """Its lines are Ana's, and have been in the base revision for long, where nothing named them."""
    repository.git("checkout", "-q", "main")
    policy = (repository.top / POLICY_FILE).read_text(encoding="utf-8")
    repository.write("policies/old.yaml", both())
    if way != "the policy names its file":
        repository.write("policies/waivers.yaml", "[]\n")
        named = POLICY_FILE if way == "a file moves there" else "policies/other.yaml"
        repository.write(named, policy + f"waivers: {'waivers' if way == 'a file moves there' else 'old'}.yaml\n")
    repository.write("out/clinic.csv", SMALL)
    repository.commit("waivers that nothing names", author="ana@example.org")
    repository.git("checkout", "-q", "-B", "change")
    if way == "the policy names its file":
        repository.write(POLICY_FILE, policy + "waivers: old.yaml\n")
    elif way == "the release names its policy":
        repository.replace("auditor.yaml", POLICY_FILE, "policies/other.yaml")
    else:
        repository.git("mv", "-f", "policies/old.yaml", "policies/waivers.yaml")
    repository.commit("in force", author=who)
    release = judged(repository)
    if who == "dpo@example.org":
        assert release.status is GateStatus.FAIL
        assert "was added by dpo@example.org, who cannot approve it" in release.why
    else:
        assert release.status is GateStatus.WEAKENED  # a waiver more, which somebody else may approve


def test_a_mailmap_makes_nobody_else_the_author(repository: Repository) -> None:
    begun(repository, both(), author="dpo@example.org")
    repository.write(".mailmap", "Ana <ana@example.org> <dpo@example.org>\n")
    repository.commit("names")
    assert judged(repository).status is GateStatus.FAIL


def test_who_is_no_approver_of_the_base_revision(repository: Repository) -> None:
    begun(repository, both(approved_by="friend@example.org"))
    repository.replace("auditor.yaml", "[dpo@example.org]", "[dpo@example.org, friend@example.org]")
    repository.commit("another approver")
    release = judged(repository)
    assert release.status is GateStatus.FAIL
    assert "who is not an approver of the base revision" in release.why


def test_without_a_base_revision_nobody_may_approve(repository: Repository) -> None:
    begun(repository, both())
    assert judged(repository, base="none").status is GateStatus.FAIL


def test_a_waiver_added_is_a_weakening(repository: Repository) -> None:
    begun(repository)
    repository.write("policies/waivers.yaml", both())
    repository.commit("waivers", author="ana@example.org")
    release = judged(repository)
    assert release.status is GateStatus.WEAKENED
    assert not any("together with the data" in note for note in release.notes)


def test_a_waiver_added_with_the_data_it_waives(repository: Repository) -> None:
    begun(repository, data="age,zip,diagnosis\n30,1,flu\n30,1,asthma\n")
    repository.write("policies/waivers.yaml", both())
    repository.write("out/clinic.csv", SMALL)
    repository.commit("data and waivers", author="ana@example.org")
    release = judged(repository)
    assert release.status is GateStatus.WEAKENED
    assert "The waiver of k is added together with the data that it waives." in release.notes
    approved = f"weakenings: [{{change: {release.change}, reason: agreed, approved_by: dpo@example.org}}]\n"
    repository.write("auditor.yaml", (repository.top / "auditor.yaml").read_text(encoding="utf-8") + approved)
    repository.commit("approval", author="ana@example.org")
    release = judged(repository)
    assert release.status is GateStatus.WAIVED
    assert "The waiver of k is added together with the data that it waives." in release.notes


def test_a_new_release_that_comes_with_its_waivers(repository: Repository) -> None:
    """There is nothing to compare it with, and yet nobody has looked at the exception."""
    manifest = (repository.top / "auditor.yaml").read_text(encoding="utf-8")
    policy = (repository.top / "policies/clinic.yaml").read_text(encoding="utf-8")
    repository.write("policies/other.yaml", policy + "waivers: other-waivers.yaml\n")
    repository.write("policies/other-waivers.yaml", both())
    repository.write("out/other.csv", SMALL)
    new = "  other: {policy: policies/other.yaml, data: out/other.csv}\ntrusted:"
    repository.write("auditor.yaml", manifest.replace("trusted:", new))
    repository.commit("a release", author="ana@example.org")
    found = {release.name: release for release in repository.gate(options=Options(workers=1, as_of=DAY)).releases}
    assert found["other"].status is GateStatus.WEAKENED
    assert found["other"].change is not None
    assert found["clinic"].status is GateStatus.PASS


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"expires": "2027-04-16"}, "ends more than 90 days from now"),
        ({"reason": "because"}, "gives hardly any reason"),
        ({"at_least": ""}, "is wider than the finding: it leaves no bound standing"),
    ],
)
def test_what_the_base_revision_does_not_allow(repository: Repository, changed: dict[str, str], why: str) -> None:
    begun(repository, line(**changed) + line(requirement="l", at_least="{l: 1}"))
    release = judged(repository)
    assert release.status is GateStatus.FAIL
    assert why in release.why


def test_the_longest_term_ends_on_its_last_day(repository: Repository) -> None:
    begun(repository, both(expires="2027-04-15"))
    assert judged(repository).status is GateStatus.WAIVED


def test_a_waiver_wider_than_the_finding(repository: Repository) -> None:
    """The smallest class has two members: a bound of 1 leaves room for what was not found."""
    begun(repository, line(at_least="{k: 1}"), data="age,zip,diagnosis\n30,1,flu\n30,1,asthma\n")
    repository.git("checkout", "-q", "main")
    repository.replace("policies/clinic.yaml", "k: 2}", "k: 3}")
    repository.commit("stricter")
    repository.git("checkout", "-q", "-B", "change")
    release = judged(repository)
    assert release.status is GateStatus.FAIL
    assert "wider than the finding: the data achieves more than its bound of k" in release.why


def test_a_lapsed_waiver(repository: Repository) -> None:
    begun(repository, both())
    (release,) = repository.gate(options=Options(workers=1, as_of=date(2027, 4, 1))).releases
    assert release.status is GateStatus.FAIL


def test_uncommitted_waivers_are_those_of_whoever_runs_the_gate(repository: Repository) -> None:
    begun(repository)
    repository.git("config", "user.email", "dpo@example.org")
    repository.git("config", "user.name", "dpo")
    repository.write("policies/waivers.yaml", both())
    assert "was added by dpo@example.org" in judged(repository).why


def test_a_result_of_a_rule_on_outputs_is_that_rules(repository: Repository) -> None:
    """A rule has a result for each of its limits; who added its waiver is looked for all the same."""
    begun(repository, both(), author="dpo@example.org")
    (release,) = repository.gate(options=Options(workers=1, as_of=DAY)).releases
    (document,) = release.documents
    policy = load_policy(repository.top / "policies/clinic.yaml")
    git = Git(repository.top)
    with base_side(git, git.commit("main"), PurePosixPath()) as side:
        waivers = Waivers(git, repository.top, Reference(side), DAY, lambda who: False)
    for name, why in (("k-min_cell", "was added by"), ("other", "it is not known who added it")):
        results = tuple(replace(each, id=name) for each in document.requirements if each.id == "k")
        (said,) = waivers.wrong(policy, policy, [replace(document, requirements=results)])
        assert why in said


def known(name: str, expires: str) -> str:
    return f"  - {{requirement: {name}, achieved: {{{name}: 1}}, expires: {expires}}}\n"


def test_a_known_failure_has_a_term_too(repository: Repository) -> None:
    begun(repository)
    text = (repository.top / "policies/clinic.yaml").read_text(encoding="utf-8")
    for day, status in (("2027-04-16", GateStatus.FAIL), ("2027-04-15", GateStatus.WEAKENED)):
        entries = known("k", day) + known("l", "2027-02-01")
        repository.write("policies/clinic.yaml", f"{text}baseline:\n{entries}")
        repository.commit("known failures")
        assert judged(repository).status is status


@pytest.mark.parametrize(
    "waivers",
    [None, "waivers: []\n", "waivers: waivers.yaml\n", "waivers: waivers.yaml\n# a bare list\n"],
    ids=["none", "empty", "file", "file-with-entries"],
)
def test_a_waiver_is_one_block(repository: Repository, waivers: str | None) -> None:
    """What is printed of a release that fails is pasted with a reason; then its approval is, and the gate opens."""
    repository.git("checkout", "-q", "main")
    if waivers is not None:
        text = (repository.top / POLICY_FILE).read_text(encoding="utf-8")
        repository.write(POLICY_FILE, text + waivers)
        lapsed = both(expires="2026-01-01") if "bare" in waivers else "[]\n"
        repository.write("policies/waivers.yaml", lapsed)
    repository.commit("waivers")
    repository.git("checkout", "-q", "-B", "change")
    repository.write("out/clinic.csv", SMALL)
    repository.commit("data")
    failing = judged(repository)
    assert failing.status is GateStatus.FAIL
    assert failing.waive_in is not None
    offered = [line.replace("say why", "a rare disease").replace("say who asks", "ana") for line in failing.to_waive]
    paste(repository.top / failing.waive_in, offered, failing.waive_at)
    repository.commit("the waivers", author="ana@example.org")
    asked = repository.gate(options=Options(workers=1, as_of=DAY))
    assert [release.status for release in asked.releases] == [GateStatus.WEAKENED]
    assert asked.approve_in is not None
    paste(repository.top / asked.approve_in, asked.to_approve, asked.approve_at)
    opened = repository.gate(options=Options(workers=1, as_of=DAY))
    assert [release.status for release in opened.releases] == [GateStatus.WAIVED], opened.releases[0].why
    assert opened.exit_code == EXIT_MET


def test_a_waiver_that_is_offered_excuses_no_more_than_was_found(repository: Repository) -> None:
    """Its bound is what was reached, and it ends when the base revision allows."""
    repository.write("out/clinic.csv", SMALL)
    (waived,) = [w for w in offered_by(judged(repository)) if w["requirement"] == "k"]
    assert (waived["at_least"], waived["scope"]) == ({"k": 1}, {"releases": ["clinic"]})
    assert (waived["approved_by"], waived["expires"]) == ("dpo@example.org", "2027-04-15")


def test_the_public_is_offered_no_waiver(repository: Repository) -> None:
    """It says what was reached."""
    repository.write("out/clinic.csv", SMALL)
    found = repository.gate(options=Options(workers=1, as_of=DAY))
    for audience, shown in (("reviewer", True), ("public", False)):
        (release,) = redact(found, Audience(audience)).to_dict()["releases"]
        assert bool(release["to_waive"]) is shown
        assert ("To waive what fails" in render(redact(found, Audience(audience)), "text")) is shown


def offered_by(release: ReleaseResult) -> list[dict[str, Any]]:
    read: dict[str, Any] = yaml.safe_load("\n".join(release.to_waive))
    return list(read["waivers"])
