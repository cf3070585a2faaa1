"""What is checked out is judged: what differs from the head's commit is told, what is absent is not passed over."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
from datetime import date, timedelta
from itertools import product
from pathlib import Path

import pytest

from auditor.cli import invoke
from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_NOT_MET, EXIT_WEAKENED, UsageError
from auditor.result.gate import Change, GateStatus
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository, cli

TABLE, POLICY_FILE = "out/clinic.csv", "policies/clinic.yaml"
UNIQUE = "age,zip,diagnosis\n50,9,flu\n"
"""One person alone in a class."""


def differing(repository: Repository) -> str:
    """What the gate says of files that the head's commit does not have as they are."""
    found = repository.gate(base="main")
    assert found.exit_code == EXIT_MET, found.notes
    return " ".join(note for note in found.notes if note.startswith("The working tree was judged"))


def test_a_working_tree_as_it_is_committed_is_not_spoken_of(repository: Repository) -> None:
    repository.write("README.md", "words, which the gate does not read")
    assert differing(repository) == ""


@pytest.mark.parametrize("hidden", [(), ("--assume-unchanged",), ("--skip-worktree",)])
@pytest.mark.parametrize("staged", [False, True])
def test_files_that_differ_from_the_commit_are_named(
    repository: Repository, hidden: tuple[str, ...], *, staged: bool
) -> None:
    if hidden:
        repository.git("update-index", *hidden, TABLE, POLICY_FILE)
    repository.write(TABLE, DATA + "40,2,flu\n")
    repository.write(POLICY_FILE, POLICY + "# words\n")
    if staged:
        repository.git("add", "-A")
    told = differing(repository)
    assert repr(TABLE) in told
    assert repr(POLICY_FILE) in told
    assert "auditor.yaml" not in told


def test_files_that_are_not_tracked_or_deleted_are_named(repository: Repository) -> None:
    repository.write(".gitignore", "ignored.csv\n")
    repository.write("out/gone.csv", DATA)
    repository.replace("auditor.yaml", TABLE, "out/*.csv")
    repository.commit()
    (repository.top / "out/gone.csv").unlink()
    repository.write("out/ignored.csv", DATA)
    told = differing(repository)
    assert "'out/ignored.csv'" in told
    assert "'out/gone.csv'" in told


@pytest.mark.slow
def test_every_report_names_them_without_values(repository: Repository) -> None:
    repository.replace("auditor.yaml", TABLE, "parts/*/*.csv")
    repository.write("parts/diagnosis=HIV/a.csv", DATA)
    for form in ("json", "html", "md"):
        assert invoke(["gate", "--base", "main", "--report", f"report.{form}"]) == EXIT_NOT_EVALUATED, "a column twice"
        said = (repository.top / f"report.{form}").read_text(encoding="utf-8")
        assert "The working tree was judged" in said, form
        assert "HIV" not in said, form
    assert "The working tree was judged" in cli(repository, "--base", "main")[1]


@pytest.mark.parametrize("place", [TABLE, "out/*.csv", "out"])
def test_what_is_not_checked_out_is_not_passed_over(repository: Repository, place: str) -> None:
    """The change adds a table that fails; without its folder the rest of the release would meet its policy."""
    repository.replace("auditor.yaml", TABLE, f'"{place}"' if place != TABLE else "more/new.csv")
    repository.write("out/new.csv" if place != TABLE else "more/new.csv", UNIQUE)
    repository.commit()
    assert repository.gate(base="main").exit_code in (EXIT_NOT_MET, EXIT_WEAKENED)
    gone = "out/new.csv" if place != TABLE else "more/new.csv"
    repository.git("sparse-checkout", "set", "--no-cone", "/*", f"!/{gone}")
    assert not (repository.top / gone).exists()
    found = repository.gate(base="main")
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert f"Not checked out, and so not judged: {gone!r}" in " ".join(found.notes)


def test_an_included_manifest_and_a_ledger_that_are_not_checked_out(repository: Repository) -> None:
    repository.write("teams/a.yaml", "releases: {a: {policy: ../policies/clinic.yaml, data: ../out/clinic.csv}}\n")
    repository.write("teams/b.yaml", "releases: {b: {policy: ../policies/clinic.yaml, data: ../out/b.csv}}\n")
    repository.write("out/b.csv", UNIQUE)
    repository.write("r.jsonl", "")
    manifest = MANIFEST.replace("days: 90", "days: 90, ledger: r.jsonl")
    repository.write("auditor.yaml", f"{manifest}include: ['teams/*.yaml']\n")
    repository.commit()
    assert repository.gate(base="main").exit_code == EXIT_NOT_MET
    for gone in ("teams/b.yaml", "r.jsonl"):
        repository.git("sparse-checkout", "set", "--no-cone", "/*", f"!/{gone}", "!/teams/b.yaml")
        found = repository.gate(base="main")
        assert found.exit_code == EXIT_NOT_EVALUATED
        assert repr(gone) in " ".join(found.notes)


@pytest.mark.parametrize(
    ("attributes", "written", "told"),
    [
        ("*.csv working-tree-encoding=UTF-16LE", "utf-16-le", True),
        ("*.csv eol=crlf", "utf-8", False),
        ("* export-ignore", "utf-8", False),
    ],
)
def test_what_git_attributes_make_of_the_bytes(
    repository: Repository, attributes: str, written: str, *, told: bool
) -> None:
    """The bytes of the working tree are judged: text in UTF-16 is not what the commit has, and no CSV in UTF-8."""
    text = DATA.replace("\n", "\r\n") if "crlf" in attributes else DATA
    repository.write(".gitattributes", f"{attributes}\n")
    (repository.top / TABLE).write_bytes(text.encode(written))
    repository.commit()
    found = repository.gate(base="main")
    assert any(repr(TABLE) in note for note in found.notes) is told
    assert found.exit_code == (EXIT_NOT_EVALUATED if told else EXIT_MET)


CASE = "policy: clinic.yaml\ntests: [{name: n, csv: 'age,zip,diagnosis\\n30,1,flu\\n', expect: fail}]\n"
KEPT = {"approvals/one.yaml": "weakenings: []\n", "policies/clinic_test.yaml": CASE, "certificates/clinic.json": ""}


@pytest.mark.parametrize(
    ("name", "way"),
    [
        *product(
            (*KEPT, "auditor.yaml", "releases.jsonl"),
            ("another encoding", "Git LFS", "encrypted", "encrypted as a text"),
        ),
        *product(("approvals/one.yaml", "auditor.yaml", "releases.jsonl"), ("ignored",)),
    ],
)
def test_what_holds_the_next_change_is_stored_as_it_stands_here(repository: Repository, name: str, way: str) -> None:
    """An approval could be used again and a test deleted without a word: nobody would find them in the revision."""
    repository.git("checkout", "-q", "main")
    digest = "0" * 64
    own = f"weakenings: [{{change: {digest}, reason: of another change, approved_by: dpo@example.org}}]\n"
    approvals = own if name == "auditor.yaml" else "weakenings: approvals/*.yaml\n"
    repository.write("auditor.yaml", MANIFEST.replace("days: 90", "days: 90, ledger: releases.jsonl") + approvals)
    for each, text in KEPT.items():
        repository.write(each, text)
    (repository.top / "certificates/clinic.json").unlink()
    repository.commit("rules")
    assert invoke(["gate", "--certificates", "certificates"]) == EXIT_MET
    (repository.top / "certificates/clinic.json.key").unlink()
    repository.commit("released")
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().exit_code == EXIT_MET
    content = (repository.top / name).read_bytes()
    if way == "another encoding":
        repository.write(".gitattributes", f"/{name} working-tree-encoding=IBM037\n")
        repository.git("add", "--renormalize", ".")
        repository.commit("in EBCDIC")
    elif way != "ignored":
        oid = hashlib.sha256(content).hexdigest()
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"
        text = base64.b64encode(content or b"x").decode()
        stored = {"Git LFS": pointer, "encrypted": f"\0GITCRYPT\0{oid}", "encrypted as a text": text}[way]
        if way == "encrypted as a text":
            repository.write(".gitattributes", f"/{name} filter=seal\n")
            repository.git("add", ".gitattributes")
        made = repository.git("hash-object", "-w", str(repository.write(".git/stored", stored))).strip()
        repository.git("update-index", "--cacheinfo", f"100644,{made},{name}")
        repository.git("commit", "-q", "-m", "by a filter")
    else:
        repository.git("rm", "-q", "--cached", name)
        repository.write(".gitignore", f"/{name}\n")
        repository.commit("ignored")
    assert (repository.top / name).read_bytes() == content
    found = repository.gate(base="main")
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert any("no later change would be held to them" in note and repr(name) in note for note in found.notes)


@pytest.mark.parametrize("name", ["auditor.lock", "teams/a.yaml"])
def test_rules_that_git_ignores_hold_no_later_change(repository: Repository, name: str) -> None:
    """The base of the next change lacks them, and all that they say would seem to be new."""
    repository.git("checkout", "-q", "main")
    repository.replace("policies/clinic.yaml", "name: clinic\n", "name: clinic\nextends: [hipaa-expert-k11]\n")
    repository.replace("auditor.yaml", "version: 1\n", 'version: 1\ninclude: ["teams/*.yaml"]\n')
    repository.write("out/clinic.csv", DATA + 11 * DATA.partition("\n")[2])
    for team in "ab":
        entry = f"releases: {{{team}: {{policy: ../policies/clinic.yaml, data: ../out/clinic.csv}}}}\n"
        repository.write(f"teams/{team}.yaml", entry)
    assert invoke(["lock"]) == EXIT_MET
    repository.commit("rules")
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().exit_code == EXIT_MET
    repository.write(".gitignore", f"/{name}\n")
    repository.git("rm", "-q", "--cached", name)
    repository.git("commit", "-q", "-a", "-m", "ignored")
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert any("no later change would be held to them" in note and repr(name) in note for note in found.notes)


def test_a_ledger_that_git_never_had_is_the_machines(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", MANIFEST.replace("days: 90", "days: 90, ledger: releases.jsonl"))
    repository.write(".gitignore", "*.jsonl\n")
    repository.commit("a ledger")
    assert invoke(["gate", "--certificates", "certificates"]) == EXIT_MET
    assert repository.gate().exit_code == EXIT_MET


def test_objects_of_another_repository_and_a_working_tree_elsewhere(repository: Repository, tmp_path: Path) -> None:
    """Alternates, and a `.git` that is a file which names the repository: as if all lay in one folder."""
    repository.git("clone", "-q", "--shared", str(repository.top), str(tmp_path / "clone"))
    repository.git("worktree", "add", "-q", str(tmp_path / "tree"), "main")
    (tmp_path / "clone/.git").rename(tmp_path / "elsewhere")
    (tmp_path / "clone/.git").write_text("gitdir: ../elsewhere\n", encoding="utf-8")
    for name in ("clone", "tree"):
        other = Repository.at((tmp_path / name).resolve())
        if name == "clone":
            other.git("branch", "-q", "-f", "main")
        assert differing(other) == ""
        other.replace(POLICY_FILE, "l: 2", "l: 1")
        assert other.gate(base="HEAD").exit_code == EXIT_WEAKENED


def test_a_working_tree_that_the_settings_have_elsewhere(repository: Repository, tmp_path: Path) -> None:
    repository.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(UsageError, match=r"core\.worktree"):
        repository.gate()


def test_a_git_file_that_leads_nowhere_is_no_repository(repository: Repository) -> None:
    (repository.top / ".git").rename(repository.top.parent / "moved")
    repository.write(".git", "gitdir: /nowhere\n")
    assert invoke(["gate"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "bad", "how"),
    [
        ("policies/clinic.yaml", POLICY.replace("l: 2", "l: 1"), "changed"),
        ("out/clinic.csv", DATA + "50,3,flu\n", "changed"),
        ("out/clinic.csv", DATA + "50,3,flu\n", "staged"),
        ("out/clinic.csv", DATA + "50,3,flu\n", "assumed unchanged"),
        ("out/more.csv", "age,zip,diagnosis\n50,3,flu\n", "deleted"),
        ("out/part.csv", "age,zip,diagnosis\n50,3,flu\n", "padded by a file that is not tracked"),
    ],
)
def test_what_is_pushed_is_the_commit(repository: Repository, file: str, bad: str, how: str) -> None:
    """A good working tree says nothing of a bad commit, where that is what leaves."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "out/clinic.csv", "out/*.csv")
    repository.commit("a glob")
    repository.git("checkout", "-q", "-B", "change")
    path = repository.top / file
    good = path.read_text(encoding="utf-8") if path.is_file() else None
    repository.write(file, bad)
    repository.commit("bad")
    assert repository.gate(committed=True).exit_code in (EXIT_NOT_MET, EXIT_WEAKENED)
    if how == "assumed unchanged":
        repository.git("update-index", "--assume-unchanged", file)
    if good is not None:
        repository.write(file, good)
    elif how == "deleted":
        path.unlink()
    else:
        repository.write("out/padding.csv", "age,zip,diagnosis\n50,3,asthma\n")
    if how == "staged":
        repository.git("add", "-A")
    assert repository.gate().exit_code == EXIT_MET
    found = repository.gate(committed=True)
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert any("commit or stash them" in note for note in found.notes)


LINKS = {"out/clinic.csv": "../more/{}.csv", "policies/clinic.yaml": "../more/{}.yaml", "lib": "{}"}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("before", ["link", "file"])
def test_a_link_that_leads_elsewhere_than_that_of_the_commit(repository: Repository, link: str, before: str) -> None:
    """Where it leads nothing differs: every file is as the commit has it, and is another one than what is pushed."""
    bad = {"csv": DATA + "50,3,flu\n", "yaml": POLICY.replace("l: 2", "l: 1")}
    repository.git("checkout", "-q", "main")
    for name, text in {"csv": DATA, "yaml": POLICY}.items():
        repository.write(f"more/good.{name}", text)
        repository.write(f"more/bad.{name}", bad[name])
    for name in ("good", "bad"):
        repository.write(f"{name}/p.yaml", (repository.top / f"more/{name}.yaml").read_text(encoding="utf-8"))
    (repository.top / "lib").symlink_to("good")
    (repository.top / "loop").symlink_to("loop")
    if link == "lib":
        repository.write("policies/clinic.yaml", "version: 1\nname: c\nextends: [../lib/p.yaml]\n")
    repository.commit("links")
    repository.git("checkout", "-q", "-B", "change")

    def leading(to: str) -> None:
        (repository.top / link).unlink()
        (repository.top / link).symlink_to(LINKS[link].format(to))

    if before == "link" or link == "lib":
        leading("bad")
    else:
        repository.write(link, bad[link.rpartition(".")[2]])
    repository.commit("bad")
    assert repository.gate(committed=True).exit_code in (EXIT_NOT_MET, EXIT_WEAKENED)
    leading("good")
    found = repository.gate(committed=True)
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert any("commit or stash them" in note and repr(link)[:-1] in note for note in found.notes)
    if link == "lib":
        return  # the good link is what main has already
    repository.commit("good")
    assert repository.gate(committed=True).exit_code == EXIT_MET
    assert differing(repository) == ""


@pytest.mark.parametrize("how", ["a link", "a link to a folder", "a twin"])
def test_names_that_nobody_wrote_are_not_told_with_why_files_are_not_judged(repository: Repository, how: str) -> None:
    """The name of a file in a folder may be a value."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", TABLE, '"out/*/*.csv"')
    repository.write("out/x/a.csv", DATA)
    for name in "ab":
        repository.write(f"more/{name}/b.csv", DATA.replace("30,", f"3{ord(name) % 10},"))
    repository.commit("a glob")
    repository.git("checkout", "-q", "-B", "change")
    link = repository.top / ("out/x/planted-9.csv" if how == "a link" else "out/planted-9")
    for name in "ab" if how != "a twin" else "":
        link.unlink(missing_ok=True)
        link.symlink_to(f"../../more/{name}/b.csv" if how == "a link" else f"../more/{name}")
        if name == "a":
            repository.commit("a link")
    for folder in ("out/x", "OUT/x") if how == "a twin" else ():
        repository.write(f"{folder}/planted-9.csv", DATA)
    if how == "a twin":
        repository.commit("a twin")
    found = repository.gate(committed=True)
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert "planted-9" in found.to_html("internal")
    for audience in ("reviewer", "public"):
        assert "planted-9" not in found.to_html(audience), audience


def test_what_is_no_longer_in_the_index_is_in_the_commit_still(repository: Repository) -> None:
    repository.write(TABLE, DATA + "50,3,flu\n")
    repository.commit("bad")
    repository.write(TABLE, DATA)
    repository.git("rm", "-q", "--cached", TABLE)
    repository.write(".git/info/exclude", "out/\n")
    assert repository.gate(committed=True).exit_code == EXIT_NOT_EVALUATED


def test_a_pointer_of_lfs_names_one_file(repository: Repository) -> None:
    """What a further line says of another file is no pointer to it."""
    sums = [hashlib.sha256(text.encode()).hexdigest() for text in (DATA, DATA + "50,3,flu\n")]
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 9\n"
    for text, code in ((pointer.format(sums[0]), EXIT_MET), (f"{pointer.format(sums[1])}x sha256:{sums[0]}\n", 3)):
        repository.write(TABLE, text)
        repository.commit("a pointer")
        repository.write(TABLE, DATA)
        assert repository.gate(committed=True).exit_code == code


def test_data_behind_a_link_that_git_ignores_is_no_part_of_a_push(repository: Repository) -> None:
    repository.git("rm", "-q", "--cached", TABLE)
    repository.write(".gitignore", "/out\n/build\n")
    repository.commit("data outside git")
    repository.git("branch", "-q", "-f", "main")
    (repository.top / "out").rename(repository.top / "build")
    (repository.top / "out").symlink_to("build")
    assert repository.gate(committed=True).exit_code == EXIT_MET


def test_what_git_ignores_is_no_part_of_a_push(repository: Repository) -> None:
    repository.write(".gitignore", "out/\n")
    repository.git("rm", "-q", "--cached", "out/clinic.csv")
    repository.commit("data outside git")
    repository.git("branch", "-q", "-f", "main")
    assert repository.gate(committed=True).exit_code == EXIT_MET


def test_another_commit_is_pushed_than_the_one_that_is_checked_out(repository: Repository) -> None:
    repository.replace("policies/clinic.yaml", "k: 2", "k: 1")
    pushed = repository.commit("bad")
    repository.git("reset", "-q", "--hard", "main")
    assert repository.gate(committed=True, environment={"PRE_COMMIT_TO_REF": pushed}).exit_code == EXIT_NOT_EVALUATED
    head = repository.git("rev-parse", "HEAD").strip()
    assert repository.gate(committed=True, environment={"PRE_COMMIT_TO_REF": head}).exit_code == EXIT_MET
    repository.git("branch", "bad", pushed)
    first = {"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/bad"}
    assert repository.gate(committed=True, environment=first).exit_code == EXIT_NOT_EVALUATED
    first = {"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/change"}
    assert repository.gate(committed=True, environment=first).exit_code == EXIT_MET


def trapped(tmp_path: Path) -> tuple[Path, Path]:
    """A program that leaves a file behind when it is run, and that file."""
    trap, sprung = tmp_path / "trap", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    return trap, sprung


def test_no_program_of_a_configuration_is_run(repository: Repository, tmp_path: Path) -> None:
    """By variables of the environment, and by the repository's own file."""
    trap, sprung = trapped(tmp_path)
    names = ("core.fsmonitor", "filter.x.smudge", "filter.x.clean", "filter.x.process", "diff.x.textconv", "core.pager")
    repository.write(".gitattributes", "* filter=x diff=x\n")
    repository.commit()
    variables = {"GIT_CONFIG_COUNT": str(len(names))}
    for index, name in enumerate(names):
        variables |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": str(trap)}
    repository.write(TABLE, DATA + "40,2,flu\n")
    assert cli(repository, "--base", "main", environment=variables)[0] == EXIT_MET
    for name in names:
        repository.git("config", name, str(trap))
    assert cli(repository, "--base", "main")[0] == EXIT_MET
    assert not sprung.exists()


@pytest.mark.parametrize("name", ["diff.x.textconv", "filter.x.clean", "filter.x.process", "gpg.program"])
def test_no_program_of_a_configuration_is_run_for_approvals_and_waivers(
    repository: Repository, tmp_path: Path, name: str
) -> None:
    """Git looks for an approval in the history of the target, and at who wrote the lines of a waiver."""
    repository.git("checkout", "-q", "main")
    repository.write(".gitattributes", "* filter=x diff=x\n")
    waiver = "{requirement: k, at_least: {k: 2}, reason: a small ward, owner: ana, approved_by: dpo@example.org"
    expires = (date.today() + timedelta(days=60)).isoformat()  # noqa: DTZ011  (the gate's day)
    repository.write(POLICY_FILE, f"{POLICY.replace('k: 2', 'k: 3')}waivers: [{waiver}, expires: {expires}}}]\n")
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.commit("weaker")
    change = repository.gate().releases[0].change
    approval = f"weakenings: [{{change: {change}, reason: the ward is public, approved_by: dpo@example.org}}]\n"
    repository.write("auditor.yaml", MANIFEST + approval)
    repository.commit("approved")
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", f"{MANIFEST}# The target moves on.\n")
    repository.commit()
    repository.git("checkout", "-q", "change")
    trap, sprung = trapped(tmp_path)
    repository.git("config", name, str(trap))
    repository.git("config", "log.showSignature", "true")
    assert repository.gate().verdict is GateStatus.WAIVED
    assert not sprung.exists()


def test_settings_of_colour_change_no_verdict(repository: Repository) -> None:
    """Two of git's answers that are read: which files have a certificate, and which commits are merges."""
    repository.git("checkout", "-q", "main")
    assert cli(repository, "--certificates", "made", "--quiet")[0] == EXIT_MET
    repository.commit("a certificate")
    repository.git("checkout", "-q", "-B", "change")
    (repository.top / "made/clinic.json").unlink()
    repository.commit("and none")
    approval = (
        f"weakenings: [{{change: {repository.gate().trusted_change}, reason: r, approved_by: dpo@example.org}}]\n"
    )
    for name, value in (("color.ui", "always"), ("color.grep", "always"), ("color.grep.filename", "magenta")):
        repository.git("config", name, value)
    assert repository.gate().exit_code == EXIT_WEAKENED
    repository.write("auditor.yaml", MANIFEST + approval)
    repository.commit("approved")
    repository.git("checkout", "-q", "main")
    repository.write("README.md", "The target moves on.\n")
    repository.commit("elsewhere")
    repository.git("merge", "-q", "--no-ff", "--no-edit", "change", author="dpo@example.org")
    assert repository.gate(base="HEAD^1").exit_code == EXIT_MET


@pytest.mark.parametrize("folder", [".", "", "bin"])
def test_no_program_of_the_checkout_is_run(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """Folders of PATH that are below the current one; Windows would look into that before all others."""
    trap, sprung = trapped(tmp_path)
    for name in ("git", "ssh-keygen", "gpgv", "cosign"):
        (repository.top / folder).mkdir(exist_ok=True)
        shutil.copy(trap, repository.top / folder / name)
    repository.commit()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    assert cli(repository, "--certificates", "made", "--sign", "keyless", "--quiet")[0] == EXIT_NOT_EVALUATED
    assert (repository.top / "made/clinic.json").is_file(), "cosign alone is missing"
    assert not sprung.exists()


@pytest.mark.parametrize("rule", ["ladder", "table of a test"])
def test_a_checkout_that_ends_lines_otherwise_changes_nothing(repository: Repository, rule: str) -> None:
    """As Git for Windows writes every text, unless it is told not to."""
    repository.git("checkout", "-q", "main")
    if rule == "ladder":
        repository.write("policies/age.csv", "30;*\n40;*\n")
        ladder = "{role: quasi-identifier, hierarchy: {file: age.csv}}"
        repository.replace(POLICY_FILE, "age: quasi-identifier", f"age: {ladder}")
    else:
        repository.write("policies/one.csv", "age,zip,diagnosis\n30,1,flu\n30,1,flu\n")
        case = "{name: one illness, data: one.csv, expect: {fails: [l]}}"
        repository.write("policies/clinic_test.yaml", f"policy: clinic.yaml\ntests: [{case}]\n")
    repository.commit("rules")
    repository.git("config", "core.autocrlf", "true")
    repository.git("rm", "-q", "-r", "--cached", ".")
    repository.git("reset", "-q", "--hard")
    repository.git("checkout", "-q", "-B", "change")
    assert b"\r\n" in (repository.top / TABLE).read_bytes()
    found = repository.gate()
    assert (found.exit_code, found.trusted) == (EXIT_MET, ())
    assert {file.change for file in found.releases[0].files if file.role == "data"} == {Change.SAME}
    changed = next((repository.top / "policies").glob("*.csv"))
    changed.write_bytes(changed.read_bytes().replace(b"*", b"a").replace(b"flu\r\n30", b"cold\r\n30"))
    assert repository.gate().exit_code == EXIT_WEAKENED
