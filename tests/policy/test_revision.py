"""Policies of a git revision, in real repositories: read, never checked out, and nothing outside."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from auditor.errors import PolicyError, UsageError
from auditor.policy import revision
from auditor.policy.revision import policy_at
from tests.policy.conftest import Desk

POLICY = """
name: p
extends: [base.yaml]
requirements: [{id: k, k: 7}]
"""
BASE = """
attributes: {zip: {role: quasi-identifier, hierarchy: {file: ../ladders/zip.csv}}}
requirements: [{id: k, model: k-anonymity, k: 5}]
waivers: waivers.yaml
"""


def git(*arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", *arguments], check=True, capture_output=True
    )


@pytest.fixture
def repository(desk: Desk) -> Desk:
    git("init", "-q", "-b", "main")
    desk.write(POLICY, "policies/p.yaml")
    desk.write(BASE, "policies/base.yaml")
    desk.write("- {requirement: k, reason: r, owner: o, approved_by: a, expires: 2027-01-31}", "policies/waivers.yaml")
    desk.write("1;*\n2;*\n", "ladders/zip.csv")
    commit()
    return desk


def commit() -> None:
    git("add", "-A")
    git("commit", "-q", "-m", "a change")


def test_the_policy_is_that_of_the_revision_with_all_that_it_names(repository: Desk) -> None:
    for name in ("policies/p.yaml", "policies/base.yaml", "policies/waivers.yaml", "ladders/zip.csv"):
        (repository.folder / name).write_text("not that of the revision: [")
    with policy_at("main:policies/p.yaml") as policy:
        assert policy.requirements[0].parameters() == {"k": 7}
        assert policy.waivers[0].expires.year == 2027
        assert [file.read_text() for file in policy.referenced_files] == ["1;*\n2;*\n"]
        assert str(policy.origin("requirements/0/k")) == "policies/p.yaml:4:27"


def test_a_path_may_begin_in_the_current_folder(repository: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository.folder / "policies")
    with policy_at("HEAD:./p.yaml") as policy:
        assert policy.name == "p"
    with policy_at("p.yaml") as policy:
        assert policy.file == "p.yaml"


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("nowhere:policies/p.yaml", "is not a revision"),
        ("--help:policies/p.yaml", "is not a revision"),
        ("main:policies/q.yaml", "no such file"),
        ("main:../p.yaml", "no such file"),
        ("main:/etc/hostname", "no such file"),
        ("main:policies", "no such file"),
    ],
)
def test_what_is_not_there_is_said(repository: Desk, place: str, says: str) -> None:
    with pytest.raises(UsageError, match=says), policy_at(place):
        pass


def test_outside_git_is_said(desk: Desk) -> None:
    with pytest.raises(UsageError, match="not a git repository"), policy_at("main:p.yaml"):
        pass


def test_a_tag_that_shadows_a_branch_is_refused(repository: Desk) -> None:
    git("tag", "main")
    with pytest.raises(UsageError, match="names several things"), policy_at("main:policies/p.yaml"):
        pass
    with policy_at("refs/heads/main:policies/p.yaml") as policy:
        assert policy.name == "p"


@pytest.mark.parametrize("outside", ["../outside.yaml", "../../outside.yaml", "/outside.yaml"])
def test_a_revision_reads_nothing_outside_itself(repository: Desk, outside: str) -> None:
    repository.write("requirements: [{model: k-anonymity, k: 5}]", "outside.yaml")
    named = str(repository.folder / "outside.yaml") if outside.startswith("/") else outside
    repository.write(f"name: p\nextends: [{named}]\n", "policies/p.yaml")
    git("add", "policies/p.yaml")
    git("commit", "-q", "-m", "a stranger's")
    with pytest.raises(PolicyError), policy_at("HEAD:policies/p.yaml"):
        pass


def test_a_link_of_a_revision_is_not_followed(repository: Desk) -> None:
    secret = repository.write("requirements: [{model: k-anonymity, k: 5}]", "secret.yaml")
    link = repository.folder / "policies" / "base.yaml"
    link.unlink()
    link.symlink_to(secret)
    commit()
    with pytest.raises(PolicyError, match="does not exist"), policy_at("HEAD:policies/p.yaml"):
        pass


def test_nothing_of_the_repository_runs(repository: Desk) -> None:
    """Hooks, filters, text conversions and monitors that would leave a trace."""
    trace = repository.folder / "trace"
    hook = repository.write(f"#!/bin/sh\ntouch {trace}\ncat\n", "hook.sh")
    hook.chmod(0o755)
    for name in ("core.fsmonitor", "filter.evil.smudge", "diff.evil.textconv", "core.pager"):
        git("config", name, str(hook))
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        target = repository.folder / ".git" / "hooks" / name
        target.parent.mkdir(exist_ok=True)
        target.write_text(hook.read_text())
        target.chmod(0o755)
    trace.unlink(missing_ok=True)
    repository.write("*.yaml filter=evil diff=evil\n", ".gitattributes")
    with policy_at("main:policies/p.yaml") as policy:
        assert policy.name == "p"
    assert not trace.exists()


def test_the_copy_is_bounded_and_removed(repository: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(room))
    with policy_at("main:policies/p.yaml"):
        assert list(room.iterdir())
    assert not list(room.iterdir())
    monkeypatch.setattr(revision, "MOST_FILES", 2)
    with pytest.raises(UsageError, match="more than 2 files"), policy_at("main:policies/p.yaml"):
        pass
    assert not list(room.iterdir())


def test_nothing_of_it_is_read_in_the_working_tree(repository: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of policies may lie in the repository: by its path on this machine, a file is that of today."""
    monkeypatch.setenv("AUDITOR_POLICIES", str(repository.folder))
    repository.write(POLICY.replace("base.yaml", f"'{repository.folder}/policies/base.yaml'"), "policies/p.yaml")
    commit()
    with (
        pytest.raises(UsageError, match=r"base\.yaml of the working tree; name it"),
        policy_at("main:policies/p.yaml"),
    ):
        pass
