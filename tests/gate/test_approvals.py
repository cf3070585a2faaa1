"""Approved weakenings: by whom, of what, until when."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from auditor.errors import EXIT_MET, EXIT_NOT_MET, EXIT_WEAKENED, NotEvaluated, PolicyError
from auditor.result import Strictness
from auditor.result.gate import GateStatus
from tests.gate.repository import DATA, MANIFEST, Repository, paste

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
        ("stranger@example.org", "is not an approver of the base revision"),
        ("author@example.org", "is not an approver of the base revision"),
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


@pytest.mark.parametrize("target", ["as it was", "went on", "is merged into the change"])
def test_who_merges_a_change_has_not_written_it(weakened: Repository, target: str) -> None:
    """As platforms do for whoever presses their button: the gate runs again after the merge."""
    into_change = target == "is merged into the change"
    if target != "as it was":
        weakened.git("checkout", "-q", "main")
        weakened.write("README.md", "main goes on\n")
        weakened.commit("elsewhere")
        weakened.git("checkout", "-q", "change")
    if into_change:
        weakened.git("merge", "-q", "--no-edit", "main", author=APPROVER)
    approve(weakened, digest(weakened))
    weakened.commit("approved")
    if not into_change:
        weakened.git("checkout", "-q", "main")
        weakened.git("merge", "-q", "--no-ff", "--no-edit", "change", author=APPROVER)
    assert weakened.gate(base="main" if into_change else "HEAD^1").exit_code == EXIT_MET


@pytest.mark.parametrize("decides", ["a line", "for an older state"])
def test_who_merges_and_decides_something_has_written_it(repository: Repository, decides: str) -> None:
    """Git's own merge of both would keep what the base revision says."""
    if decides == "a line":
        repository.write("README.md", "a branch\n")
        repository.commit("a branch")
        made = ["merge", "-q", "--no-ff", "--no-commit", "change"]
        repository.git("checkout", "-q", "-b", "merged", "main")
        repository.git(*made)
        repository.replace(POLICY_FILE, "l: 2", "l: 1")
        repository.commit("merged", author=APPROVER)
    else:
        repository.git("checkout", "-q", "main")
        repository.replace(POLICY_FILE, "l: 2", "l: 1")
        old = repository.commit("weak")
        repository.replace(POLICY_FILE, "l: 1", "l: 2")
        new = repository.commit("strict")
        words = ("commit-tree", f"{old}^{{tree}}", "-p", new, "-p", old, "-m", "Merge")
        repository.git("checkout", "-q", "-b", "merged", repository.git(*words, author=APPROVER).strip())
    repository.commit("nothing")
    approve(repository, digest(repository))
    repository.commit("approved")
    assert f"{APPROVER} wrote the change" in repository.gate().releases[0].why


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
    assert any(note.startswith("Nobody may approve it") for note in repository.gate().notes)
    approve(repository, digest(repository))
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_approvals_stand_where_the_base_revision_has_them(repository: Repository) -> None:
    """The base names a file that somebody owns: what stands in the manifest, or in another file, is no approval."""
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", MANIFEST + "weakenings: weakenings.yaml\n")
    repository.write("weakenings.yaml", "weakenings: []\n")
    repository.commit("a file of approvals")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.commit("weaker")
    change = repository.gate().releases[0].change
    entry = f"weakenings: [{{change: {change}, reason: r, approved_by: {APPROVER}}}]\n"
    repository.write("auditor.yaml", MANIFEST + entry)
    for _ in range(2):
        found = repository.gate()
        assert (found.exit_code, found.releases[0].why.partition(", and ")[2]) == (
            EXIT_WEAKENED,
            "nobody has approved it.",
        )
        assert [(each.path, each.verdict) for each in found.trusted] == [("weakenings", Strictness.WEAKER)]
        repository.write("auditor.yaml", MANIFEST + "weakenings: mine.yaml\n")
        repository.write("mine.yaml", entry)
    both = f"[{change}, {repository.gate().trusted_change}]"
    repository.write("weakenings.yaml", entry.replace(str(change), both))
    assert repository.gate().exit_code == EXIT_MET


def test_approvals_do_not_leave_the_manifest_together_with_what_they_approve(repository: Repository) -> None:
    """In the file that the change names they count for nothing; in two changes they may be moved, by anybody."""
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", MANIFEST + "weakenings: []\n")
    repository.commit("approvals stand in the manifest")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.write("auditor.yaml", MANIFEST + "weakenings: mine.yaml\n")
    repository.write("mine.yaml", "weakenings: []\n")
    found = repository.gate()
    both = f"[{found.releases[0].change}, {found.trusted_change}]"
    repository.write("mine.yaml", f"weakenings: [{{change: {both}, reason: r, approved_by: {APPROVER}}}]\n")
    found = repository.gate()
    assert found.exit_code == EXIT_WEAKENED
    assert found.releases[0].why.endswith("nobody has approved it.")
    assert [(each.path, each.verdict) for each in found.trusted] == [("weakenings", Strictness.WEAKER)]
    repository.git("checkout", "-q", POLICY_FILE)
    for said in ("", "weakenings: mine.yaml\n"):
        repository.write("auditor.yaml", MANIFEST + said)
        assert repository.gate().exit_code == EXIT_MET
        repository.commit("one step")
        repository.git("branch", "-q", "-f", "main")


def test_an_approval_of_rules_is_not_one_of_files_that_break_the_old_ones(weakened: Repository) -> None:
    """It was given while the files met both; it covers others that do, and none that the base revision's rules fail."""
    approve(weakened, digest(weakened))
    weakened.write("out/clinic.csv", DATA + "50,3,flu\n50,3,asthma\n")
    assert weakened.gate().exit_code == EXIT_MET
    weakened.write("out/clinic.csv", DATA + "50,3,flu\n50,3,flu\n")
    found = weakened.gate()
    assert (found.exit_code, found.releases[0].base_failing) == (EXIT_WEAKENED, ("l",))
    approve(weakened, digest(weakened))
    assert weakened.gate().exit_code == EXIT_MET
    weakened.write("out/clinic.csv", DATA + "60,4,flu\n60,4,flu\n")
    assert weakened.gate().exit_code == EXIT_MET, "other files of which the same is known"


@pytest.mark.parametrize("day", ["2027-01-31", "2027-02-01"])
def test_an_approval_does_not_hang_on_the_day_on_which_an_old_waiver_ends(repository: Repository, day: str) -> None:
    """What the files show is told without waivers, so that one can be renewed before it ends."""
    waiver = (
        "waivers: [{requirement: l, at_least: {l: 2}, reason: r, owner: o, "
        "approved_by: dpo@example.org, expires: 2027-01-31}]\n"
    )
    repository.git("checkout", "-q", "main")
    text = (repository.top / POLICY_FILE).read_text(encoding="utf-8")
    repository.write(POLICY_FILE, text.replace("l: 2", "l: 3") + waiver)
    repository.commit("waived")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace(POLICY_FILE, "2027-01-31", "2027-02-28")
    found = [repository.gate(as_of=date.fromisoformat(each)).releases[0].change for each in ("2027-01-15", day)]
    assert found[0] == found[1]


@pytest.mark.parametrize("place", ["approvals/*.yaml", "approvals/one.yaml"])
def test_a_submodule_holds_no_approvals(repository: Repository, tmp_path: Path, place: str) -> None:
    """It is another repository: nobody guards it here, and nobody sees there that an approval was used."""
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", f"{MANIFEST}weakenings: {place}\n")
    repository.write("approvals/one.yaml", "weakenings: []\n")
    repository.commit("a place for approvals")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.git("rm", "-q", "-r", "approvals")
    (tmp_path / "elsewhere").mkdir()
    other = Repository.at(tmp_path / "elsewhere")
    other.git("init", "-q", "-b", "main")
    other.write("one.yaml", "weakenings: []\n")
    other.commit("approvals")
    repository.git("submodule", "--quiet", "add", str(other.top), "approvals")
    with pytest.raises(PolicyError, match=r"'approvals/one\.yaml' lies in a submodule"):
        repository.gate()


def test_approvals_in_a_folder_that_git_does_not_know(repository: Repository) -> None:
    """As a release is unpacked somewhere: nothing is compared, and nothing is in anybody's way."""
    repository.write("auditor.yaml", MANIFEST + "weakenings: approvals/*.yaml\n")
    repository.write("approvals/one.yaml", "weakenings: []\n")
    (repository.top / ".git").rename(repository.top.parent / "away")
    assert repository.gate(base="none").exit_code == EXIT_MET


def test_a_file_of_approvals_holds_nothing_else(weakened: Repository) -> None:
    """Who wrote that file alone is no author of the change; so nothing else is in it."""
    weakened.write("auditor.yaml", MANIFEST + "weakenings: more.yaml\n")
    weakened.write("more.yaml", "weakenings: []\nrequirements: []\n")
    with pytest.raises(PolicyError, match="'requirements' in a file of approvals"):
        weakened.gate()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "why"),
    [
        (", expires: 2027-01-31", None),
        (", expires: 2027-02-01", "expires later than in 30 days"),
        ("", "does not say when it expires"),
        (", expires: 2026-12-31", "has expired"),
    ],
)
def test_the_longest_term_of_an_approval(repository: Repository, more: str, why: str | None) -> None:
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "max_waiver_days: 90", "max_waiver_days: 90, max_approval_days: 30")
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.commit()
    approve(repository, digest(repository), more=more)
    found = repository.gate(as_of=date(2027, 1, 1))
    assert found.exit_code == (EXIT_MET if why is None else EXIT_WEAKENED)
    assert why is None or why in found.releases[0].why


def test_an_approval_is_bound_to_the_base_commit(weakened: Repository) -> None:
    """Main is weakened with an approval and made strict again; the same change needs another approval."""
    change = digest(weakened)
    approve(weakened, change)
    weakened.commit("approved")
    assert weakened.gate().exit_code == EXIT_MET
    weakened.git("checkout", "-q", "main")
    weakened.write("README.md", "main goes on\n")
    weakened.commit("elsewhere")
    weakened.git("checkout", "-q", "change")
    weakened.git("merge", "-q", "--no-edit", "main")
    assert digest(weakened) != change
    assert weakened.gate().exit_code == EXIT_WEAKENED


def test_an_approval_is_used_once(weakened: Repository) -> None:
    """Two branches from one commit bring the same weakening; main has merged the first, with its approval."""
    approve(weakened, digest(weakened))
    weakened.commit("approved")
    weakened.git("branch", "-q", "second")
    weakened.git("checkout", "-q", "main")
    weakened.git("merge", "-q", "--squash", "change")
    weakened.commit("squashed")
    weakened.git("checkout", "-q", "second")
    found = weakened.gate()
    assert (found.exit_code, "has been used already" in found.releases[0].why) == (EXIT_WEAKENED, True)


def test_an_approval_that_was_used_is_known_from_every_folder(
    weakened: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    approve(weakened, digest(weakened))
    weakened.commit("approved")
    weakened.git("branch", "-q", "second")
    weakened.git("checkout", "-q", "main")
    weakened.git("merge", "-q", "--squash", "change")
    weakened.commit("squashed")
    weakened.git("checkout", "-q", "second")
    monkeypatch.chdir(weakened.top / "policies")
    assert weakened.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize("merged", [False, True])
def test_an_approval_that_was_taken_out_again_was_used(weakened: Repository, merged: bool) -> None:
    """The merge is reverted on main, its approval with it; another branch from the old commit brings both back.

    Also where the change is checked out as platforms merge it: the approval is bound to where the branch began.
    """
    change = digest(weakened)
    approve(weakened, change)
    weakened.commit("approved")
    weakened.git("branch", "-q", "again", "main")
    weakened.git("checkout", "-q", "main")
    weakened.git("merge", "-q", "--no-ff", "--no-edit", "change")
    weakened.git("revert", "--no-edit", "-m", "1", "HEAD")
    assert not any(change in file.read_text(encoding="utf-8") for file in weakened.top.rglob("*.yaml"))
    weakened.git("checkout", "-q", "again")
    weakened.git("checkout", "-q", "change", "--", ".")
    weakened.commit("the same once more")
    if merged:
        weakened.git("checkout", "-q", "-b", "merge", "main")
        weakened.git("merge", "-q", "--no-ff", "--no-edit", "again")
    found = weakened.gate()
    assert (found.exit_code, "has been used already" in found.releases[0].why) == (EXIT_WEAKENED, True)


def test_an_approval_survives_the_merge_that_a_platform_makes(weakened: Repository) -> None:
    """The change as it is and the change merged into a target that went on: one digest, bound to where it began."""
    approve(weakened, digest(weakened))
    weakened.commit("approved")
    weakened.git("checkout", "-q", "main")
    weakened.write("README.md", "main goes on\n")
    weakened.commit("elsewhere")
    weakened.git("checkout", "-q", "-b", "merge", "main")
    weakened.git("merge", "-q", "--no-ff", "--no-edit", "change")
    assert weakened.gate().exit_code == EXIT_MET


@pytest.mark.parametrize(("approved", "code"), [("ab", EXIT_MET), ("a", EXIT_WEAKENED), ("b", EXIT_WEAKENED)])
def test_several_changes_that_are_merged_one_after_the_other(repository: Repository, approved: str, code: int) -> None:
    """As a merge queue or train has them, each with an approval from before the target went on."""
    repository.git("checkout", "-q", "main")
    releases = [f"  {name}: {{policy: policies/{name}.yaml, data: out/clinic.csv}}\n" for name in "ab"]
    trusted = MANIFEST[MANIFEST.index("trusted:") :]
    repository.write("auditor.yaml", f"releases:\n{''.join(releases)}{trusted}weakenings: approvals/*.yaml\n")
    policy = (repository.top / POLICY_FILE).read_text(encoding="utf-8")
    for name in "ab":
        repository.write(f"policies/{name}.yaml", policy)
    repository.commit("two releases")
    for name in "ab":
        repository.git("checkout", "-q", "-b", f"change-{name}", "main")
        repository.replace(f"policies/{name}.yaml", "l: 2", "l: 1")
        repository.commit("weaker")
        if name in approved:
            (change,) = (each.change for each in repository.gate().releases if each.change is not None)
            entry = f"{{change: {change}, reason: the ward is public, approved_by: {APPROVER}}}"
            repository.write(f"approvals/{name}.yaml", f"weakenings: [{entry}]\n")
            repository.commit("approved")
    repository.git("checkout", "-q", "main")
    repository.write("README.md", "main goes on\n")
    repository.commit("elsewhere")
    repository.git("checkout", "-q", "-b", "queue", "main")
    for name in "ab":
        repository.git("merge", "-q", "--no-ff", "--no-edit", f"change-{name}")
    assert repository.gate().exit_code == code


@pytest.mark.parametrize("how", ["committer", "co-author", "runner"])
def test_committers_co_authors_and_whoever_runs_the_gate_are_authors(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    if how == "committer":
        repository.git("add", "-A")
        repository.git("commit", "-q", "-m", "w", "--author", "a <author@example.org>", author=APPROVER)
    elif how == "co-author":
        repository.commit("weaker\n\nCo-authored-by: Dina <DPO@example.org>")
    else:
        monkeypatch.setenv("GIT_AUTHOR_NAME", "Dina")
        monkeypatch.setenv("GIT_AUTHOR_EMAIL", APPROVER)
    approve(repository, digest(repository))
    found = repository.gate()
    assert found.exit_code == EXIT_WEAKENED
    assert "wrote the change" in found.releases[0].why


@pytest.mark.parametrize(
    "trailer",
    [
        "Co-authored-by : Dina <dpo@example.org>",
        "Co-authored-by: Dina\n  <dpo@example.org>",
        "co-authored-by: <mailto:dpo@example.org>",
        "Co-authored-by: Other <x@example.org>, Dina <dpo@example.org>",
    ],
)
def test_a_co_author_however_the_trailer_is_written(repository: Repository, trailer: str) -> None:
    """As git takes a trailer: with blanks before the colon, and on several lines."""
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.commit(f"weaker\n\n{trailer}")
    approve(repository, digest(repository))
    assert "wrote the change" in repository.gate().releases[0].why


@pytest.mark.parametrize(
    "author",
    ["dpo\u0301@example.org", "DP\u00d3@EXAMPLE.ORG", "\uff44p\u00f3@example.org", "dp\u00f3\u200b@example.org"],
)
def test_an_author_in_another_form_of_unicode(repository: Repository, author: str) -> None:
    """One name decomposed, in capitals, in wide letters, with a space that nobody sees."""
    approver = "dp\u00f3@example.org"
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", APPROVER, approver)
    repository.commit("an approver")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.commit("weaker", author=author)
    approve(repository, digest(repository), by=approver)
    assert "wrote the change" in repository.gate().releases[0].why


@pytest.mark.parametrize("author", ["dpo@example.org", "DPO@example.org", "somebody@example.org"])
def test_an_approver_who_is_listed_with_name_and_address(repository: Repository, author: str) -> None:
    """It is the address that says who wrote the change: the name in front of it is what anybody likes."""
    approver = "The DPO <dpo@example.org>"
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", APPROVER, approver)
    repository.commit("an approver")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.commit("weaker", author=author)
    approve(repository, digest(repository), by=approver)
    repository.commit("approved", author="ana@example.org")
    found = repository.gate()
    own = author != "somebody@example.org"
    assert found.exit_code == (EXIT_WEAKENED if own else EXIT_MET)
    assert ("wrote the change" in found.releases[0].why) is own


@pytest.mark.parametrize("escapes", [1, 64])
@pytest.mark.parametrize("place", ["auditor.yaml", "approvals.yaml"])
def test_a_digest_stands_as_it_is_printed(weakened: Repository, place: str, escapes: int) -> None:
    """Written with escapes it could be used again: nobody would find it in the target branch."""
    change = digest(weakened)
    escaped = '"' + "".join(f"\\x{ord(each):02x}" for each in change[:escapes]) + change[escapes:] + '"'
    entry = f"weakenings: [{{change: {escaped}, reason: the ward is public, approved_by: {APPROVER}}}]\n"
    if place == "auditor.yaml":
        weakened.write(place, MANIFEST + entry)
    else:
        weakened.write(place, entry)
        weakened.write("auditor.yaml", MANIFEST + f"weakenings: {place}\n")
    with pytest.raises(PolicyError, match="written with escapes") as refused:
        weakened.gate()
    assert refused.value.problems[0].where.startswith(place)


def test_a_criss_cross_history_has_no_one_base(repository: Repository) -> None:
    """Each branch has merged the other's first commit: two commits where they were one, of which one may be weak."""
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    weak = repository.commit("weaker")
    repository.git("checkout", "-q", "main")
    repository.write("README.md", "elsewhere\n")
    strict = repository.commit("main goes on")
    repository.git("merge", "-q", "--no-edit", "-s", "ours", weak)
    repository.git("checkout", "-q", "change")
    repository.git("merge", "-q", "--no-edit", strict)
    with pytest.raises(NotEvaluated, match="at several commits"):
        repository.gate()
    repository.git("merge", "-q", "--no-edit", "main")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    assert repository.gate().exit_code == EXIT_WEAKENED


OTHER = f"change: {'0123abcd' * 8}, reason: of another change, approved_by: dpo@example.org"


@pytest.mark.parametrize(
    ("manifest", "own"),
    [
        ("", None),
        ("weakenings: []\n", None),
        (f"weakenings:\n  - {{{OTHER}}}\n", None),
        ("weakenings:\n- " + OTHER.replace(", ", "\n  ") + "\n# the end\n", None),
        ("weakenings: approvals.yaml\n", "weakenings: []\n"),
        ("weakenings: approvals.yaml\n", "# nothing yet\nweakenings:\n"),
        ("weakenings: approvals.yaml\n", f"# ours\nweakenings:\n    - {{{OTHER}}}\n"),
        ("weakenings: approvals/*.yaml\n", None),
    ],
    ids=["missing", "empty", "entries", "entries-to-the-left", "own-empty", "own-null", "own-entries", "pattern"],
)
def test_what_the_gate_prints_is_pasted(weakened: Repository, manifest: str, own: str | None) -> None:
    """One block, for all that is weakened, to which the reason is added; wherever the list of approvals stands."""
    weakened.git("checkout", "-q", "main")
    weakened.write("auditor.yaml", MANIFEST + manifest)
    if own is not None:
        weakened.write("approvals.yaml", own)
    weakened.commit("where approvals stand")
    weakened.git("checkout", "-q", "change")
    weakened.git("merge", "-q", "--no-edit", "main")
    weakened.write("auditor.yaml", (MANIFEST + manifest).replace("max_waiver_days: 90", "max_waiver_days: 91"))
    weakened.commit()
    asked = weakened.gate()
    assert asked.approve_in is not None
    paste(weakened.top / asked.approve_in, asked.to_approve, asked.approve_at)
    found = weakened.gate()
    assert (found.exit_code, found.to_approve, found.approve_in) == (EXIT_MET, (), None)
