"""Links, submodules and what git can be told besides: both sides read what stands in the repository, or say so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from auditor.cli import invoke
from auditor.errors import (
    EXIT_MET,
    EXIT_NOT_EVALUATED,
    EXIT_NOT_MET,
    EXIT_WEAKENED,
    NotEvaluated,
    PolicyError,
    UsageError,
)
from auditor.result import Strictness
from auditor.result.gate import Change, GateResult, GateStatus
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository
from tests.ledgers import append

POLICY_FILE, TABLE = "policies/clinic.yaml", "out/clinic.csv"


def based(repository: Repository) -> None:
    """What stands in the working tree is the base revision."""
    repository.commit("the base")
    repository.git("branch", "-q", "-f", "main")


def link(repository: Repository, name: str, target: str) -> None:
    """A file, or a folder, is moved, and a link stands in its place."""
    (repository.top / target).parent.mkdir(parents=True, exist_ok=True)
    place = repository.top / name
    place.rename(repository.top / target)
    place.symlink_to(Path(*([".."] * name.count("/")), target))


def weaker(result: GateResult) -> set[str]:
    changes = [change for release in result.releases for change in release.changes] + list(result.trusted)
    return {c.path for c in changes if c.verdict in (Strictness.WEAKER, Strictness.INCOMPARABLE)}


# Links that lead out of the tree, and back into it by the name of the folder that it lies in.


@pytest.mark.parametrize("absolute", [True, False])
@pytest.mark.parametrize(
    "name", ["auditor.yaml", POLICY_FILE, "policies", "policies/clinic_test.yaml", TABLE, "out", "raw/clinic.csv"]
)
def test_a_link_that_leads_out_and_back(repository: Repository, name: str, *, absolute: bool) -> None:
    """Read here as before, it would be nothing at all in the base revision of the next change."""
    repository.write("policies/clinic_test.yaml", "policy: clinic.yaml\ntests: [{name: n, csv: 'age', expect: fail}]\n")
    repository.write("raw/clinic.csv", DATA)
    repository.replace("auditor.yaml", "recipients", "original: raw/clinic.csv, recipients")
    based(repository)
    link(repository, name, "kept")
    assert repository.gate().exit_code == EXIT_MET
    place = repository.top / name
    place.unlink()
    up = Path(*([".."] * (name.count("/") + 1)), repository.top.name)
    place.symlink_to((repository.top if absolute else up) / "kept")
    assert place.exists()
    repository.commit("by another way")
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert f"These links lead out of the repository, and back into it only here: '{name}'." in found.notes


ASKED = "queries: {table: people, limits: {query_set_size: {min: 3, both_ends: false}}}\n"


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("auditor.yaml", "out/clinic.csv"),
        ("auditor.yaml", "raw.csv"),
        ("auditor.yaml", "old.csv"),
        ("auditor.yaml", "q.sql"),
        ("auditor.yaml", "policies/clinic.yaml"),
        ("auditor.yaml", "releases.jsonl"),
        ("policies/clinic_test.yaml", "clinic.yaml"),
        ("policies/clinic_test.yaml", "t.csv"),
    ],
)
def test_a_place_that_goes_through_a_link_to_a_folder_above(repository: Repository, file: str, place: str) -> None:
    """The link alone leads nowhere but out, and the name of this folder stands behind it in the place."""
    fields = "out/clinic.csv, original: raw.csv, previous: old.csv, queries: q.sql"
    repository.replace("auditor.yaml", "out/clinic.csv", fields)
    repository.replace("auditor.yaml", "days: 90", "days: 90, ledger: releases.jsonl")
    repository.write("policies/clinic.yaml", POLICY + ASKED)
    repository.write(
        "policies/clinic_test.yaml", "policy: clinic.yaml\ntests: [{name: n, data: t.csv, expect: fail}]\n"
    )
    repository.write("policies/t.csv", "age,zip,diagnosis\n30,1,flu\n")
    repository.write("raw.csv", DATA)
    repository.write("old.csv", DATA)
    repository.write("q.sql", "SELECT count(*) FROM people;\n")
    append(repository.top / "releases.jsonl", "release", {"release": "clinic"}, "2027-01-01T00:00:00Z")
    based(repository)
    (repository.top / "up").symlink_to("..")
    repository.commit("a link that nothing goes through")
    assert repository.gate(committed=True).exit_code == EXIT_MET
    above = "" if file == "auditor.yaml" else "../"
    folder = "" if file == "auditor.yaml" else "policies/"
    repository.replace(file, place, f"{above}up/{repository.top.name}/{folder}{place}")
    repository.commit("by another way")
    found = repository.gate()
    assert found.exit_code in (EXIT_NOT_EVALUATED, EXIT_WEAKENED)
    assert "These links lead out of the repository, and back into it only here: 'up'." in found.notes


def test_a_base_revision_whose_manifest_is_a_link_out_has_one(repository: Repository) -> None:
    (repository.top / "auditor.yaml").rename(repository.top / "kept.yaml")
    (repository.top / "auditor.yaml").symlink_to(f"../{repository.top.name}/kept.yaml")
    based(repository)
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    with pytest.raises(NotEvaluated, match=r"has auditor\.yaml as a link that leads out of it"):
        repository.gate()


def test_a_base_revision_whose_ledger_is_a_link_out_has_one(repository: Repository) -> None:
    repository.replace("auditor.yaml", "max_waiver_days: 90", "max_waiver_days: 90, ledger: releases.jsonl")
    append(repository.top / "kept.jsonl", "release", {"release": "clinic"}, "2027-01-01T00:00:00Z")
    (repository.top / "releases.jsonl").symlink_to(f"../{repository.top.name}/kept.jsonl")
    based(repository)
    (repository.top / "releases.jsonl").unlink()
    repository.write("releases.jsonl", "")
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_MET
    assert "The ledger of the base revision is not sound: releases.jsonl is a link that leads out of it." in found.notes


def test_links_that_lead_elsewhere_are_nobodys_business(repository: Repository) -> None:
    repository.write("notes/a.md", "a")
    (repository.top / "notes/b.md").symlink_to(repository.top / "notes/a.md")
    (repository.top / "vendor").symlink_to("/usr/share")
    repository.commit("links")
    assert repository.gate().exit_code == EXIT_MET


# Links inside the tree, on the base side.


@pytest.mark.parametrize(
    ("name", "target"),
    [(POLICY_FILE, "shared/strict.yaml"), ("policies", "team/rules"), ("auditor.yaml", "team.yaml")],
    ids=["the policy", "its folder", "the manifest"],
)
def test_rules_that_are_links_in_the_base_revision_are_compared(repository: Repository, name: str, target: str) -> None:
    link(repository, name, target)
    based(repository)
    assert repository.gate().exit_code == EXIT_MET
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    (release,) = repository.gate().releases
    assert (release.status, release.presence) == (GateStatus.WEAKENED, Change.CHANGED)


def test_what_linked_rules_name_is_found_beside_what_the_link_leads_to(repository: Repository) -> None:
    repository.write("shared/pack.yaml", POLICY)
    repository.write("shared/clinic.yaml", "name: clinic\nextends: [pack.yaml]\n")
    (repository.top / POLICY_FILE).unlink()
    (repository.top / POLICY_FILE).symlink_to("../shared/clinic.yaml")
    based(repository)
    assert repository.gate().exit_code == EXIT_MET
    repository.replace("shared/pack.yaml", "l: 2", "l: 1")
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_an_included_manifest_behind_a_link_is_no_new_one(repository: Repository) -> None:
    repository.write("teams/a/auditor.yaml", MANIFEST.partition("trusted")[0].replace(" policies", " ../../policies"))
    repository.replace("teams/a/auditor.yaml", "out/", "../../out/")
    link(repository, "teams/a", "elsewhere/deep")
    repository.write("auditor.yaml", "version: 1\ninclude: ['teams/*/auditor.yaml']\n")
    based(repository)
    (release,) = repository.gate().releases
    assert (release.status, release.presence) == (GateStatus.PASS, Change.SAME)
    repository.replace("policies/clinic.yaml", "l: 2", "l: 1")
    assert repository.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize("place", ["out/*.csv", "latest/*.csv", "latest", "out/clinic.csv"])
def test_files_behind_links_do_not_shrink_in_silence(repository: Repository, place: str) -> None:
    repository.write("out/more.csv", DATA.replace("30,", "31,").replace("40,", "41,"))
    if place.startswith("latest"):
        (repository.top / "latest").symlink_to("out")
    else:
        link(repository, "out/clinic.csv", "store/2026.csv")
    repository.replace("auditor.yaml", "out/clinic.csv", f'"{place}"')
    based(repository)
    assert weaker(repository.gate()) == set()
    gone = "out/more.csv" if place != "out/clinic.csv" else "store/2026.csv"
    (repository.top / gone).unlink()
    if place == "out/clinic.csv":  # the link is turned to another file: released anew, as any other contents are
        (repository.top / place).unlink()
        (repository.top / place).symlink_to("more.csv")
        assert weaker(repository.gate()) == set()
        repository.replace("auditor.yaml", "out/clinic.csv", "out/more.csv")
        (repository.top / place).unlink()
    assert weaker(repository.gate()) == {"releases/clinic/data"}


def test_a_ledger_behind_a_link(repository: Repository) -> None:
    repository.replace("auditor.yaml", "max_waiver_days: 90", "max_waiver_days: 90, ledger: releases.jsonl")
    append(repository.top / "releases.jsonl", "release", {"release": "clinic"}, "2027-01-01T00:00:00Z")
    link(repository, "releases.jsonl", "kept/releases.jsonl")
    based(repository)
    assert repository.gate().exit_code == EXIT_MET
    (repository.top / "kept/releases.jsonl").write_text("")
    assert repository.gate().exit_code == EXIT_NOT_MET


def test_a_base_policy_that_is_a_link_out_is_not_read(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "loose.yaml").write_text(POLICY.replace("l: 2", "l: 1"), encoding="utf-8")
    (repository.top / POLICY_FILE).unlink()
    (repository.top / POLICY_FILE).symlink_to("../../loose.yaml")
    based(repository)
    (repository.top / POLICY_FILE).unlink()
    repository.write(POLICY_FILE, POLICY)
    (release,) = repository.gate().releases
    assert release.status is GateStatus.NOT_EVALUATED


# Links of the head that lead out, or to what git keeps to itself.


def test_a_ledger_or_policy_tests_that_become_links_out_are_not_read(repository: Repository, tmp_path: Path) -> None:
    repository.write(
        "policies/clinic_test.yaml",
        "policy: clinic.yaml\ntests:\n  - {name: one, csv: 'age,zip,diagnosis\\n1,1,a\\n', expect: fail}\n",
    )
    repository.replace("auditor.yaml", "max_waiver_days: 90", "max_waiver_days: 90, ledger: releases.jsonl")
    append(repository.top / "releases.jsonl", "release", {"release": "clinic"}, "2027-01-01T00:00:00Z")
    based(repository)
    for name in ("releases.jsonl", "policies/clinic_test.yaml"):
        outside = tmp_path / Path(name).name
        (repository.top / name).rename(outside)
        (repository.top / name).symlink_to(outside)
    with pytest.raises(UsageError, match="lies outside of the repository"):
        repository.gate()
    repository.replace("auditor.yaml", "ledger: releases.jsonl", "ledger: '${LEDGER}/releases.jsonl'")
    with pytest.raises(UsageError, match="names a variable"):
        repository.gate()
    repository.replace("auditor.yaml", ", ledger: '${LEDGER}/releases.jsonl'", "")
    found = repository.gate()
    assert found.notes[0] == "The ledger releases.jsonl is a link out of the repository."
    assert "tests/policies/clinic_test.yaml/one" in weaker(found)


@pytest.mark.parametrize("field", ["policy", "hierarchy", "include"])
def test_no_rule_is_read_from_where_git_keeps_tokens(repository: Repository, field: str) -> None:
    (repository.top / "inner").symlink_to(".git")
    if field == "hierarchy":
        text = POLICY.replace(
            "age: quasi-identifier", "age: {role: quasi-identifier, hierarchy: {file: ../.git/config}}"
        )
        repository.write(POLICY_FILE, text)
    elif field == "include":
        repository.write("auditor.yaml", MANIFEST + "include: [inner/config]\n")
    else:
        repository.replace("auditor.yaml", POLICY_FILE, ".git/config")
    with pytest.raises(PolicyError, match=r"lies outside|link out of the repository"):
        repository.gate()


def test_a_report_is_not_written_through_a_link(repository: Repository) -> None:
    (repository.top / "pages").symlink_to("out")
    (repository.top / "inner").symlink_to(".git")
    repository.write("out/tracked.json", "{}")
    repository.commit()
    for name, wrong in (("pages/tracked.json", "would overwrite"), ("inner/x.json", "cannot hold a report")):
        repository.write("auditor.yaml", MANIFEST + f"reports: [{name}]\n")
        assert invoke(["gate"]) == 2, wrong
    assert (repository.top / "out/tracked.json").read_text(encoding="utf-8") == "{}"


# Submodules.


@pytest.fixture
def nested(repository: Repository) -> Repository:
    """The release and its policy stand in a submodule; the base revision has two files of it."""
    inner = repository.top.parent / "inner"
    inner.mkdir()
    made = Repository(inner)
    made.write("out/more.csv", DATA.replace("30,", "31,").replace("40,", "41,"))
    made.commit("two files")
    repository.git("submodule", "add", "-q", f"file://{inner}", "sub")
    repository.replace(
        "auditor.yaml", "policies/clinic.yaml, data: out/clinic.csv", "sub/policies/clinic.yaml, data: sub/out"
    )
    based(repository)
    assert repository.gate().exit_code == EXIT_MET
    return repository


def test_what_a_submodule_held_is_compared(nested: Repository) -> None:
    (nested.top / "sub/out/more.csv").unlink()
    assert weaker(nested.gate()) == {"releases/clinic/data"}
    nested.git("checkout", "-q", "--", ".", cwd=nested.top / "sub")
    nested.replace("sub/policies/clinic.yaml", "l: 2", "l: 1")
    assert nested.gate().exit_code == EXIT_WEAKENED
    nested.git("commit", "-qam", "weaker", cwd=nested.top / "sub")
    nested.commit("another commit of the submodule")
    assert nested.gate().exit_code == EXIT_WEAKENED


def test_a_submodule_without_the_commit_of_the_base_is_not_evaluated(nested: Repository) -> None:
    """A hostile change puts its own files in the submodule's place."""
    (nested.top / "sub").rename(nested.top.parent / "aside")
    for name, text in {"out/clinic.csv": DATA, "policies/clinic.yaml": POLICY.replace("l: 2", "l: 1")}.items():
        nested.write(f"sub/{name}", text)
    found = nested.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert any("submodule sub at" in note and "fetch it" in note for note in found.releases[0].notes)


# What git can be told besides.


def test_variables_that_name_another_repository_are_not_followed(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a hook of another repository: it would be the base, has no manifest, and nothing would be compared."""
    other = tmp_path / "other"
    other.mkdir()
    repository.git("init", "-q", "-b", "main", cwd=other)
    repository.git("commit", "-q", "--allow-empty", "-m", "nothing", cwd=other)
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.commit()
    told = {"GIT_DIR": other / ".git", "GIT_WORK_TREE": repository.top, "GIT_INDEX_FILE": other / ".git/index"}
    told |= {"GIT_OBJECT_DIRECTORY": other / ".git/objects", "GIT_LITERAL_PATHSPECS": "1", "GIT_NAMESPACE": "x"}
    for name, text in told.items():
        monkeypatch.setenv(name, str(text))
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_an_embedded_bare_repository_is_no_repository(repository: Repository) -> None:
    """Files of a branch that look like a repository, whose settings name a working tree, and whose history is empty."""
    repository.git("init", "-q", "--bare", "-b", "main", "sub")
    repository.git("config", "core.worktree", str(repository.top / "sub"), cwd=repository.top / "sub")
    repository.git("config", "core.bare", "false", cwd=repository.top / "sub")
    repository.write("sub/auditor.yaml", MANIFEST.replace("policies/", "../policies/").replace("out/", "../out/"))
    with pytest.raises(UsageError, match="bare"):
        repository.gate(folder="sub")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    with pytest.raises(UsageError, match="bare"):
        repository.gate(folder="sub")


def test_grafts_and_replacements_change_no_history(repository: Repository) -> None:
    """With either of them the base revision would have the weaker policy already."""
    base = repository.git("rev-parse", "HEAD").strip()
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    weak = repository.commit("weaker")
    repository.git("replace", base, repository.git("commit-tree", f"{weak}^{{tree}}", "-m", "x").strip())
    assert repository.gate().exit_code == EXIT_WEAKENED
    repository.git("replace", "-d", base)
    repository.write("README.md", "more\n")
    last = repository.commit("more")
    repository.git(
        "update-ref",
        "refs/heads/main",
        repository.git("commit-tree", f"{weak}^{{tree}}", "-p", base, "-m", "y").strip(),
    )
    graft = repository.top / ".git/info/grafts"
    graft.parent.mkdir(exist_ok=True)
    graft.write_text(f"{last} {repository.git('rev-parse', 'main').strip()}\n", encoding="utf-8")
    found = repository.gate()
    assert found.base is not None
    assert (found.base.commit, found.exit_code) == (base, EXIT_WEAKENED)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["UTF-8", "IBM037"])
@pytest.mark.parametrize("co_author", [False, True])
def test_an_author_is_not_hidden_by_the_encoding_that_a_commit_names(
    repository: Repository, encoding: str, co_author: bool
) -> None:
    """Read as EBCDIC, the address of the approver who wrote the change would be somebody else's."""
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.git("add", "-A")
    message, author = "weaker", "dpo@example.org"
    if co_author:
        message, author = "weaker\n\nCo-Authored-By: D <dpo@example.org>\n", "author@example.org"
    repository.git("-c", f"i18n.commitEncoding={encoding}", "commit", "-q", "-m", message, author=author)
    digest = repository.gate().releases[0].change
    approval = f"{{change: {digest}, reason: r, approved_by: dpo@example.org}}"
    repository.write("auditor.yaml", MANIFEST + f"weakenings: [{approval}]\n")
    repository.commit("approve")
    (release,) = repository.gate().releases
    assert release.status is GateStatus.WEAKENED
    assert "wrote the change" in release.why


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ledger.jsonl", EXIT_NOT_MET),
        ("auditor.lock", PolicyError.exit_code),
        ("approvals/one.yaml", PolicyError.exit_code),
        ("policies/other.yaml", EXIT_WEAKENED),
        ("out/clinic.csv", EXIT_NOT_EVALUATED),
    ],
)
def test_a_link_that_leads_to_itself(repository: Repository, name: str, code: int) -> None:
    """It is no fault of the program, whatever the link stands for."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "trusted: {", "weakenings: approvals/*.yaml\ntrusted: {ledger: ledger.jsonl, ")
    append(repository.top / "ledger.jsonl", "release", {"release": "clinic"}, "2026-01-01T00:00:00Z")
    repository.write("policies/other.yaml", POLICY)
    test = '{name: a, csv: "age,zip,diagnosis\\n1,1,flu\\n", expect: {verdict: fail}}'
    repository.write("policies/other_test.yaml", f"version: 1\npolicy: other.yaml\ntests: [{test}]\n")
    repository.commit("the base")
    repository.git("checkout", "-q", "-B", "change")
    link_to_itself = repository.top / name
    link_to_itself.parent.mkdir(exist_ok=True)
    link_to_itself.unlink(missing_ok=True)
    link_to_itself.symlink_to(link_to_itself.name)
    repository.commit()
    assert invoke(["gate"]) == code


@pytest.mark.parametrize("place", ["out/**/*.csv", "out/**/*", "**/raw*/*.csv"])
@pytest.mark.parametrize("inner", [False, True])
def test_a_link_to_a_folder_below_two_stars(repository: Repository, place: str, *, inner: bool) -> None:
    """Programs differ in whether ``**`` goes through it; `auditor check` does. Nothing is read twice for it."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "out/clinic.csv", f"'{place}'")
    repository.write("out/raws/a.csv", DATA)
    (repository.top / "out/own").symlink_to("raws")
    (repository.top / "out/raws/up").symlink_to("..")
    repository.commit("two stars")
    repository.git("checkout", "-q", "-B", "change")
    (found,) = repository.gate().releases
    assert found.status is GateStatus.PASS
    assert len(found.files) == (1 if place.startswith("**") else 2)
    repository.write("kept/raw/x.csv" if inner else "kept/x.csv", "age,zip,diagnosis\n50,3,flu\n")
    (repository.top / "out/raw").symlink_to("../kept")
    repository.commit("a link to a folder")
    (found,) = repository.gate().releases
    assert found.status is GateStatus.FAIL


@pytest.mark.parametrize("link", ["..", "../kept"])
def test_a_link_below_two_stars_to_a_folder_above(repository: Repository, link: str) -> None:
    """Of the link's own folder, or of another link's: what lies beside these is found through it, and judged once."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "out/clinic.csv", "'out/**/*.csv'")
    repository.write("kept/few/a.csv", DATA)
    (repository.top / "out/a").symlink_to("../kept/few")
    (repository.top / "out/b").symlink_to(link)
    repository.commit("two stars")
    repository.git("checkout", "-q", "-B", "change")
    (found,) = repository.gate().releases
    assert (found.status, len(found.files)) == (GateStatus.PASS, 2)
    repository.write("kept/x.csv", "age,zip,diagnosis\n50,3,flu\n")
    repository.commit("beside")
    assert repository.gate().releases[0].status is GateStatus.FAIL
    repository.write("kept/x.csv", DATA + "40,2,rare\n")
    repository.commit("released")
    repository.git("branch", "-q", "-f", "main")
    (repository.top / "kept/x.csv").unlink()
    repository.commit("fewer")
    assert repository.gate().releases[0].status is GateStatus.WEAKENED


@pytest.fixture
def project(repository: Repository) -> Repository:
    """The manifest stands in a folder of the repository, where the gate is run."""
    repository.git("checkout", "-q", "main")
    (repository.top / "project").mkdir()
    repository.git("mv", "auditor.yaml", "policies", "out", "project")
    repository.commit("a project")
    repository.git("checkout", "-q", "-B", "change")
    return repository


@pytest.mark.parametrize("elsewhere", [".", "evil", "deep/er"])
def test_a_working_folder_that_becomes_a_link_is_compared(project: Repository, elsewhere: str) -> None:
    """Where the job goes by its name, the system only knows where that leads to."""
    there = project.top / elsewhere
    there.mkdir(parents=True, exist_ok=True)
    for name in ("auditor.yaml", "policies", "out"):
        (project.top / "project" / name).rename(there / name)
    (project.top / "project").rmdir()
    (project.top / "project").symlink_to(elsewhere)
    project.commit("moved, and found by the old name, too")
    assert project.gate(folder="project").exit_code == EXIT_MET
    rules = (there / POLICY_FILE).relative_to(project.top).as_posix()
    project.replace(rules, "l: 2", "l: 1")
    assert project.gate(folder="project").exit_code == EXIT_WEAKENED


def test_a_working_folder_that_was_a_link_to_another_one(project: Repository) -> None:
    project.git("checkout", "-q", "main")
    (project.top / "work").symlink_to("project")
    project.commit("a link")
    project.git("checkout", "-q", "-B", "change")
    assert project.gate(folder="work").exit_code == EXIT_MET
    shutil.copytree(project.top / "project", project.top / "evil")
    project.replace("evil/" + POLICY_FILE, "l: 2", "l: 1")
    (project.top / "work").unlink()
    (project.top / "work").symlink_to("evil")
    assert project.gate(folder="work").exit_code == EXIT_WEAKENED


@pytest.mark.parametrize("inner", ["", "/inner"])
def test_a_working_folder_without_a_manifest_that_becomes_a_link(project: Repository, inner: str) -> None:
    """The manifest that held for it stands in the folder above."""
    project.git("checkout", "-q", "main")
    project.write(f"project/work{inner}/note.txt", "")
    project.commit("a folder")
    project.git("checkout", "-q", "-B", "change")
    shutil.copytree(project.top / "project", project.top / "evil")
    (project.top / "evil/inner").mkdir()
    project.replace("evil/" + POLICY_FILE, "l: 2", "l: 1")
    shutil.rmtree(project.top / "project/work")
    (project.top / "project/work").symlink_to("../evil")
    project.commit("moved")
    assert project.gate(folder=f"project/work{inner}").exit_code == EXIT_WEAKENED


def test_a_working_folder_that_two_manifests_were_for(project: Repository) -> None:
    """A link to the top: the manifest there, and that of the folder, both hold."""
    project.git("checkout", "-q", "main")
    shutil.copytree(project.top / "project", project.top, dirs_exist_ok=True)
    project.commit("another one")
    project.git("checkout", "-q", "-B", "change")
    shutil.rmtree(project.top / "project")
    (project.top / "project").symlink_to(".")
    with pytest.raises(NotEvaluated, match="several manifests"):
        project.gate(folder="project")
