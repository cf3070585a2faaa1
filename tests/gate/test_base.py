"""The base revision, found in real repositories as platforms of integration leave them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_WEAKENED, NotEvaluated, UsageError
from auditor.gate import Gate
from auditor.gate._base import TARGETS
from auditor.result.gate import Change
from tests.gate.repository import Repository, cli

POLICY_FILE = "policies/clinic.yaml"


@pytest.fixture
def weakened(repository: Repository) -> Repository:
    """The change of the branch has a weaker policy, two commits after main, which went on by itself."""
    repository.commit("a commit of the change")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.commit("weaker")
    repository.git("checkout", "-q", "main")
    repository.write("README.md", "elsewhere\n")
    repository.commit("main goes on")
    repository.git("checkout", "-q", "change")
    return repository


def clone(repository: Repository, *options: str, name: str = "clone") -> Repository:
    """A clone as a runner makes it."""
    folder = repository.top.parent / name
    repository.git("clone", "-q", *options, f"file://{repository.top}", str(folder))
    return Repository.at(folder.resolve())


def base_commit(found: Gate) -> str:
    assert found.base is not None
    return found.base.commit


@pytest.mark.slow
@pytest.mark.parametrize("variable", TARGETS)
def test_the_merge_base_with_the_branch_that_a_platform_names(weakened: Repository, variable: str) -> None:
    runner = clone(weakened)
    runner.git("checkout", "-q", "change")
    name = "refs/heads/main" if variable.startswith("SYSTEM") else "main"
    found = runner.gate(environment={variable: name})
    assert base_commit(found) == weakened.git("merge-base", "main", "change").strip()
    assert found.exit_code == EXIT_WEAKENED


@pytest.mark.parametrize(("event", "branch"), [("push", "change"), ("custom", "change"), ("pull_request", "main")])
def test_a_push_is_not_compared_with_itself(weakened: Repository, event: str, branch: str) -> None:
    """Drone names "the target branch for the push or pull request"."""
    found = weakened.gate(environment={"DRONE_TARGET_BRANCH": branch, "DRONE_BUILD_EVENT": event})
    assert base_commit(found) == weakened.git("merge-base", "main", "change").strip()
    assert found.exit_code == EXIT_WEAKENED


def test_on_githubs_merge_commit_the_base_is_the_target_itself(weakened: Repository) -> None:
    """A runner checks out refs/pull/N/merge: the change merged into the target branch."""
    weakened.git("checkout", "-q", "-b", "merge", "main")
    weakened.git("merge", "-q", "--no-edit", "change")
    runner = clone(weakened)
    runner.git("checkout", "-q", "--detach", "origin/merge")
    found = runner.gate(environment={"GITHUB_BASE_REF": "main"})
    assert base_commit(found) == weakened.git("rev-parse", "main").strip()
    assert found.exit_code == EXIT_WEAKENED


def test_what_main_strengthened_meanwhile_is_not_weakened_by_the_change(repository: Repository) -> None:
    repository.write("README.md", "a change\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.replace(POLICY_FILE, "k: 2", "k: 2, because: of the law")
    repository.commit("stricter words")
    repository.git("checkout", "-q", "change")
    repository.git("merge", "-q", "--no-edit", "main")
    assert repository.gate().exit_code == EXIT_MET


def test_a_weakening_brought_in_by_a_merge_is_found(weakened: Repository) -> None:
    weakened.git("checkout", "-q", "-b", "innocent", "main")
    weakened.git("merge", "-q", "--no-ff", "--no-edit", "change")
    assert weakened.gate().exit_code == EXIT_WEAKENED


def test_without_a_platform_it_is_where_the_branch_left_the_default_one(weakened: Repository) -> None:
    found = weakened.gate()
    assert base_commit(found) == weakened.git("merge-base", "main", "change").strip()
    weakened.git("checkout", "-q", "main")
    assert base_commit(weakened.gate()) == weakened.git("rev-parse", "main").strip()


def test_a_push_to_the_default_branch_is_compared_with_the_commit_before(weakened: Repository, tmp_path: Path) -> None:
    before = weakened.git("rev-parse", "main").strip()
    weakened.git("checkout", "-q", "main")
    weakened.git("merge", "-q", "--no-edit", "change")
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"before": before}), encoding="utf-8")
    for environment in ({"GITHUB_EVENT_PATH": str(event)}, {"CI_COMMIT_BEFORE_SHA": before}):
        found = weakened.gate(environment=environment)
        assert (base_commit(found), found.exit_code) == (before, EXIT_WEAKENED)


def test_a_second_push_to_a_branch_does_not_forget_the_first(weakened: Repository) -> None:
    """The commit before the push is the one that weakened the policy."""
    before = weakened.git("rev-parse", "change").strip()
    weakened.write("README.md", "harmless\n")
    weakened.commit("harmless")
    assert weakened.gate(environment={"CI_COMMIT_BEFORE_SHA": before}).exit_code == EXIT_WEAKENED


@pytest.mark.slow
@pytest.mark.parametrize("event", ["", "[", "[1]", '{"before": 5}', '{"before": "HEAD"}', '{"pull_request": 3}'])
def test_an_event_that_says_nothing_changes_nothing(weakened: Repository, tmp_path: Path, event: str) -> None:
    file = tmp_path / "event.json"
    file.write_text(event, encoding="utf-8")
    found = weakened.gate(environment={"GITHUB_EVENT_PATH": str(file), "CI_COMMIT_BEFORE_SHA": "0" * 40})
    assert base_commit(found) == weakened.git("merge-base", "main", "change").strip()


def test_the_target_of_a_merge_queue_is_the_branch_that_its_event_names(weakened: Repository, tmp_path: Path) -> None:
    """What is weaker than on a stricter branch for releases may be no weaker than on the default one."""
    weakened.git("checkout", "-q", "-b", "stable", "main")
    weakened.replace(POLICY_FILE, "k: 2", "k: 3")
    weakened.commit("stricter")
    weakened.git("checkout", "-q", "-b", "queue")
    weakened.replace(POLICY_FILE, "k: 3", "k: 2")
    weakened.commit("weaker again")
    file = tmp_path / "event.json"
    file.write_text(json.dumps({"merge_group": {"base_ref": "refs/heads/stable"}}), encoding="utf-8")
    found = weakened.gate(environment={"GITHUB_EVENT_PATH": str(file)})
    assert base_commit(found) == weakened.git("rev-parse", "stable").strip()
    assert found.exit_code == EXIT_WEAKENED


def test_a_tag_that_shadows_the_target_branch(weakened: Repository) -> None:
    """A tag `main` on the weakened commit, and one `origin/main`: by short names both would be taken for the branch."""
    for name in ("main", "origin/main"):
        weakened.git("tag", name, "change")
    weakened.git("checkout", "-q", "heads/main")
    runner = clone(weakened)
    for each in (runner, weakened):
        each.git("checkout", "-q", "change")
    assert runner.git("tag").split() == ["main", "origin/main"]
    for environment in ({"GITHUB_BASE_REF": "main"}, {}):
        assert runner.gate(environment=environment).exit_code == EXIT_WEAKENED
        assert weakened.gate(environment=environment).exit_code == EXIT_WEAKENED
    with pytest.raises(UsageError, match="names several things"):
        weakened.gate(base="main")


@pytest.mark.parametrize("name", ["main^{/x}", "../../HEAD", "change@{0}", "-h", "HEAD", "a b"])
def test_a_target_that_is_no_branchs_name_is_not_found(weakened: Repository, name: str) -> None:
    with pytest.raises(NotEvaluated, match="is not in this clone"):
        weakened.gate(environment={"GITHUB_BASE_REF": name})


@pytest.mark.slow
def test_a_shallow_clone_says_what_to_fetch(weakened: Repository) -> None:
    runner = clone(weakened, "--depth", "1", "--branch", "change")
    code, out, err = cli(runner, environment={"GITHUB_BASE_REF": "main"})
    assert (code, out) == (EXIT_NOT_EVALUATED, "")
    assert "fetch-depth: 0" in err
    runner.git("fetch", "-q", "--depth", "1", "origin", "main:refs/remotes/origin/main")
    with pytest.raises(NotEvaluated, match=r"shallow.*git fetch --unshallow"):
        runner.gate(environment={"GITHUB_BASE_REF": "main"})
    runner.git("fetch", "-q", "--unshallow", "origin")
    runner.git("fetch", "-q", "origin", "main:refs/remotes/origin/main")
    assert runner.gate(environment={"GITHUB_BASE_REF": "main"}).exit_code == EXIT_WEAKENED


def test_a_shallow_clone_that_tells_works(weakened: Repository, tmp_path: Path) -> None:
    """Two commits of GitHub's merge commit: its first parent is the target."""
    weakened.git("checkout", "-q", "-b", "merge", "main")
    weakened.git("merge", "-q", "--no-ff", "--no-edit", "change")
    target = weakened.git("rev-parse", "main").strip()
    runner = clone(weakened, "--depth", "2", "--branch", "merge")
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"base": {"sha": target}}}), encoding="utf-8")
    found = runner.gate(environment={"GITHUB_BASE_REF": "main", "GITHUB_EVENT_PATH": str(event)})
    assert (base_commit(found), found.exit_code) == (target, EXIT_WEAKENED)


def test_a_shallow_clone_does_not_take_an_older_commit_for_the_base(repository: Repository) -> None:
    """Cut so that only an old common commit is left, with a policy weaker than that which main has had since."""
    repository.git("checkout", "-q", "main")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    old = repository.commit("old and weak")
    repository.replace(POLICY_FILE, "l: 1", "l: 2")
    repository.commit("stricter")
    repository.git("checkout", "-q", "-b", "late")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.commit("weaker again")
    runner = clone(repository, "--depth", "2", "--branch", "late")
    runner.git("fetch", "-q", "--depth", "1", "origin", f"{old}:refs/remotes/origin/main")
    with pytest.raises(NotEvaluated):
        runner.gate(environment={"GITHUB_BASE_REF": "main"})


def test_a_partial_clone_says_what_to_fetch_and_fetches_nothing(weakened: Repository) -> None:
    for setting in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        weakened.git("config", setting, "true")
    runner = clone(weakened, "--filter=blob:none", "--branch", "change")
    with pytest.raises(NotEvaluated, match=r"cannot be read.*--refetch --no-filter"):
        runner.gate(environment={"GITHUB_BASE_REF": "main"})
    runner.git("fetch", "-q", "--refetch", "--no-filter", "origin")
    assert runner.gate(environment={"GITHUB_BASE_REF": "main"}).exit_code == EXIT_WEAKENED


def test_an_object_of_the_base_revision_that_is_lost(repository: Repository) -> None:
    """As where a clone borrows objects: a certificate that cannot be found there would be missed by nobody."""
    repository.git("checkout", "-q", "main")
    assert cli(repository, "--certificates", "made", "--quiet")[0] == EXIT_MET
    repository.commit("a certificate")
    repository.git("checkout", "-q", "-B", "change")
    name = repository.git("rev-parse", "main:made/clinic.json").strip()
    (repository.top / "made/clinic.json").unlink()
    repository.commit("and none")
    assert repository.gate().exit_code == EXIT_WEAKENED
    (repository.top / f".git/objects/{name[:2]}/{name[2:]}").unlink()
    with pytest.raises(NotEvaluated, match=f"the object {name} is missing"):
        repository.gate()


def test_histories_without_a_common_commit(repository: Repository) -> None:
    repository.git("checkout", "-q", "--orphan", "orphan")
    repository.commit("another beginning")
    with pytest.raises(NotEvaluated, match="no commit in common"):
        repository.gate()


def test_no_base_at_all_is_said_and_none_can_be_asked_for(repository: Repository) -> None:
    repository.git("branch", "-q", "-m", "change", "other")
    repository.git("branch", "-q", "-D", "main")
    with pytest.raises(UsageError, match="--base none"):
        repository.gate()
    found = repository.gate(base="none")
    assert (found.exit_code, found.base) == (EXIT_MET, None)
    assert found.releases[0].presence is Change.UNKNOWN
    assert any("Nothing was compared" in note for note in found.notes)


def test_outside_git_only_without_a_base(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository.top.parent))
    (repository.top / ".git").rename(repository.top / "git")
    with pytest.raises(UsageError, match="not a git repository"):
        repository.gate()
    assert repository.gate(base="none").exit_code == EXIT_MET


def test_the_first_manifest_has_nothing_to_be_compared_with(repository: Repository) -> None:
    repository.git("checkout", "-q", "--orphan", "empty")
    repository.git("rm", "-rfq", "--cached", ".")
    repository.git("commit", "-q", "--allow-empty", "-m", "nothing")
    repository.git("branch", "-f", "main")
    repository.commit("the first manifest")
    found = repository.gate()
    assert found.releases[0].presence is Change.NEW
    assert any("has no manifest" in note for note in found.notes)


def test_a_renamed_policy_is_compared_with_itself(repository: Repository) -> None:
    repository.git("mv", POLICY_FILE, "policies/hospital.yaml")
    repository.replace("auditor.yaml", POLICY_FILE, "policies/hospital.yaml")
    assert repository.gate().exit_code == EXIT_MET
    repository.replace("policies/hospital.yaml", "l: 2", "l: 1")
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_a_manifest_that_moved_is_compared_with_the_one_above(repository: Repository) -> None:
    (repository.top / "sub").mkdir()
    repository.git("mv", "auditor.yaml", "policies", "out", "sub/")
    found = repository.gate(folder="sub")
    assert (found.manifest, found.exit_code) == ("sub/auditor.yaml", EXIT_MET)
    repository.replace("sub/policies/clinic.yaml", "l: 2", "l: 1")
    assert repository.gate(folder="sub").exit_code == EXIT_WEAKENED


def test_the_nearest_manifest_upwards_from_any_folder(repository: Repository) -> None:
    (repository.top / "a" / "b").mkdir(parents=True)
    for folder in ("a/b", "out", "policies"):
        assert repository.gate(folder=folder).manifest == "auditor.yaml"
    (repository.top / "auditor.yaml").unlink()
    with pytest.raises(UsageError, match=r"there is no auditor\.yaml"):
        repository.gate()


def test_a_worktree(weakened: Repository) -> None:
    folder = weakened.top.parent / "worktree"
    weakened.git("worktree", "add", "-q", "--detach", str(folder), "change")
    tree = Repository.at(folder.resolve())
    found = tree.gate()
    assert (base_commit(found), found.exit_code) == (
        weakened.git("merge-base", "main", "change").strip(),
        EXIT_WEAKENED,
    )


def test_a_submodule_is_a_repository_of_its_own(weakened: Repository) -> None:
    """Run inside it, its own history is the base; seen from outside, it is what its commit in the revision has."""
    outer = weakened.top.parent / "outer"
    outer.mkdir()
    whole = Repository(outer)
    whole.git("submodule", "add", "-q", "-b", "change", f"file://{weakened.top}", "inner")
    whole.commit("with a submodule")
    inner = Repository.at((outer / "inner").resolve())
    assert inner.gate(environment={"GITHUB_BASE_REF": "main"}).exit_code == EXIT_WEAKENED
    assert whole.gate().exit_code == EXIT_MET
    whole.replace("auditor.yaml", POLICY_FILE, "inner/policies/clinic.yaml")
    whole.commit("the policy of the submodule")
    whole.git("checkout", "-q", "-b", "later")
    whole.git("branch", "-q", "-f", "main")
    assert whole.gate().exit_code == EXIT_MET
    whole.replace("inner/policies/clinic.yaml", "l: 1", "l: 1, severity: warning")
    assert whole.gate().exit_code == EXIT_WEAKENED


def test_names_that_are_no_ascii(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    repository.write("Richtlinien/Klinik ä.yaml", (repository.top / POLICY_FILE).read_text(encoding="utf-8"))
    repository.replace("auditor.yaml", POLICY_FILE, '"Richtlinien/Klinik ä.yaml"')
    repository.commit()
    repository.git("checkout", "-q", "-b", "later")
    assert repository.gate().exit_code == EXIT_MET
    repository.replace("Richtlinien/Klinik ä.yaml", "l: 2", "l: 1")
    assert repository.gate().exit_code == EXIT_WEAKENED
