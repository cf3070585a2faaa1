"""Packs from outside the repository are held to the lock file, by what they say and not by their names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from auditor.cli import invoke
from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_WEAKENED
from auditor.gate._lock import changes
from auditor.policy import load_policy, packs, starter_names, starter_policies
from auditor.policy.compare import compare
from auditor.policy.lock import outside
from auditor.result import Strictness
from auditor.result.gate import GateStatus
from tests.gate.repository import MANIFEST, POLICY, Repository

PACK = "hipaa-expert-k11"
HOUSE = "version: 1\nname: house\nrequirements: [{id: k, model: k-anonymity, k: 2}]\n"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The starter packs of this machine, as files that a test may upgrade."""
    folder = tmp_path / "installed"
    shutil.copytree(Path(str(starter_policies())), folder)
    monkeypatch.setattr(packs, "starter_policies", lambda: folder)
    return folder


@pytest.fixture
def inside(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below the repository's that git ignores, as of a virtual environment or a download."""
    monkeypatch.setenv("AUDITOR_POLICIES", str(repository.top / ".house"))
    repository.git("checkout", "-q", "main")
    repository.write(".gitignore", "/.house/\n")
    return repository.top / ".house"


@pytest.fixture
def locked(repository: Repository, installed: Path) -> Repository:
    """A repository whose main branch has a policy on a pack, and the lock file of it."""
    repository.git("checkout", "-q", "main")
    text = (installed / f"{PACK}.yaml").read_text(encoding="utf-8")
    assert "k: 11" in text
    (installed / f"{PACK}.yaml").write_text(text.replace("k: 11", "k: 2"), encoding="utf-8")
    repository.write("policies/clinic.yaml", POLICY.replace("name: clinic\n", f"name: clinic\nextends: [{PACK}]\n"))
    assert invoke(["lock"]) == EXIT_MET
    repository.commit("a pack, locked")
    repository.git("checkout", "-q", "-B", "change")
    return repository


def upgrade(installed: Path, old: str, new: str) -> None:
    file = installed / f"{PACK}.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def verdicts(repository: Repository) -> dict[str, Strictness]:
    return {each.path: each.verdict for each in repository.gate().trusted}


def test_the_lock_names_the_pack_its_version_and_what_it_says(locked: Repository) -> None:
    lock = json.loads((locked.top / "auditor.lock").read_text(encoding="utf-8"))
    (entry,) = lock["packs"].values()
    assert set(lock["packs"]) == {PACK}
    assert entry["policy"]["requirements"][0]["k"] == 2
    assert (len(entry["sha256"]), entry["version"]) == (64, "0.1.0")
    assert invoke(["lock", "--check"]) == EXIT_MET
    assert locked.gate().verdict is GateStatus.PASS


def test_formatting_and_comments_of_a_pack_are_not_what_it_says(locked: Repository, installed: Path) -> None:
    upgrade(installed, "requirements:", "# read again\nrequirements:")
    assert invoke(["lock", "--check"]) == EXIT_MET
    assert locked.gate().verdict is GateStatus.PASS


def test_an_upgrade_that_loosens_a_pack_closes_the_gate(
    locked: Repository, installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    upgrade(installed, "k: 2", "k: 1")
    assert invoke(["lock", "--check"]) == EXIT_WEAKENED
    said = capsys.readouterr().out
    assert f"weaker: lock/{PACK}/requirements/" in said
    assert "2 → 1" in said
    result = locked.gate()
    assert (result.verdict, result.exit_code) == (GateStatus.WEAKENED, EXIT_WEAKENED)
    assert Strictness.WEAKER in verdicts(locked).values()
    assert f"{PACK} is not what auditor.lock holds" in " ".join(result.notes)
    # Locking it anew in the change is no approval of it.
    assert invoke(["lock"]) == EXIT_MET
    result = locked.gate()
    assert result.verdict is GateStatus.WEAKENED
    assert "The locked packs are weakened" in " ".join(result.notes)
    assert len([line for line in result.to_approve if "change" in line]) == 1


@pytest.mark.parametrize("named", ["", "extends: [../copies/house.yaml]\n"], ids=["written out", "a copy"])
def test_a_looser_pack_that_is_named_no_more_is_held_to_the_lock(
    locked: Repository, installed: Path, named: str
) -> None:
    """The rules of the base are read with the pack as it is now: so the lock says what they were."""
    upgrade(installed, "k: 2", "k: 1")
    looser = POLICY.replace("k: 2", "k: 1").replace("l: 2", "l: 1").replace("name: clinic\n", f"name: clinic\n{named}")
    locked.write("copies/house.yaml", HOUSE.replace("k: 2", "k: 1"))
    locked.write("policies/clinic.yaml", looser)
    locked.commit("the pack, written out")
    assert invoke(["lock"]) == EXIT_MET
    locked.commit("locked anew")
    result = locked.gate()
    assert result.verdict is GateStatus.WEAKENED
    assert any(each.path.startswith(f"lock/{PACK}/requirements/") for each in result.trusted)


def test_a_pack_as_it_was_locked_may_be_dropped(locked: Repository, installed: Path) -> None:
    text = (installed / f"{PACK}.yaml").read_text(encoding="utf-8")
    locked.write("policies/pack.yaml", text)
    locked.replace("policies/clinic.yaml", f"extends: [{PACK}]", "extends: [pack.yaml]")
    locked.commit("a copy of what was locked")
    assert not [each for each in locked.gate().trusted if each.path.startswith("lock/")]


def test_the_approval_of_a_looser_pack_opens_the_gate(locked: Repository, installed: Path) -> None:
    upgrade(installed, "k: 2", "k: 1")
    invoke(["lock"])
    change = locked.gate().trusted_change
    entry = f"weakenings: [{{change: {change}, reason: agreed, approved_by: dpo@example.org}}]\n"
    locked.write("auditor.yaml", MANIFEST + entry)
    assert locked.gate().verdict is GateStatus.PASS
    # The approval is of this content: another one, as loose, is not approved.
    upgrade(installed, "    k: 1\n", "    k: 1\n    severity: warning\n")
    assert locked.gate().verdict is GateStatus.WEAKENED


@pytest.mark.parametrize(("old", "new"), [("k: 2", "k: 3"), ("because: in", "because: usually, in")])
def test_a_pack_that_is_no_weaker_has_to_be_locked_and_no_more(
    locked: Repository, installed: Path, old: str, new: str
) -> None:
    locked.write("out/clinic.csv", "age,zip,diagnosis\n" + "30,1,flu\n30,1,asthma\n" * 2)
    upgrade(installed, old, new)
    assert invoke(["lock", "--check"]) == EXIT_NOT_EVALUATED
    assert locked.gate().verdict is GateStatus.NOT_EVALUATED
    assert invoke(["lock"]) == EXIT_MET
    assert locked.gate().verdict is GateStatus.PASS
    assert not set(verdicts(locked).values()) & {Strictness.WEAKER, Strictness.INCOMPARABLE}


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (None, GateStatus.WEAKENED),
        ('{"version": 1, "packs": {}}', GateStatus.NOT_EVALUATED),
        ('{"version": 1, "packs": {"hipaa-expert-k11": {"sha256": "00"}}}', GateStatus.NOT_EVALUATED),
    ],
    ids=["removed", "emptied", "forged"],
)
def test_the_heads_lock_cannot_excuse_a_pack(locked: Repository, text: str | None, verdict: GateStatus) -> None:
    file = locked.top / "auditor.lock"
    file.unlink() if text is None else file.write_text(text, encoding="utf-8")
    assert locked.gate().verdict is verdict


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no lock",
        "[]",
        '{"version": 1, "packs": 1}',
        '{"version": 1, "packs": {"a": {"sha256": 1}}}',
        '{"version": 2, "packs": {}}',
        "[" * 99999,
    ],
)
def test_what_is_no_lock_file_is_not_evaluated(locked: Repository, text: str) -> None:
    (locked.top / "auditor.lock").write_text(text, encoding="utf-8")
    assert invoke(["lock", "--check"]) == EXIT_NOT_EVALUATED
    assert invoke(["gate", "--quiet"]) == EXIT_NOT_EVALUATED


def test_a_lock_that_leads_out_is_refused(locked: Repository, tmp_path: Path) -> None:
    file = locked.top / "auditor.lock"
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert invoke(["gate", "--quiet"]) == 2
    assert invoke(["lock"]) == 2
    assert file.is_symlink()


def test_a_content_that_does_not_have_its_digest_is_not_believed(locked: Repository, installed: Path) -> None:
    """Whoever locks k: 1 under a digest of k: 2 in one change has not loosened what the next change is held to."""
    locked.git("checkout", "-q", "main")
    file = locked.top / "auditor.lock"
    file.write_text(file.read_text(encoding="utf-8").replace('"k": 2', '"k": 1'), encoding="utf-8")
    locked.commit("edited by hand")
    locked.git("checkout", "-q", "-B", "change")
    assert locked.gate().verdict is GateStatus.PASS
    upgrade(installed, "k: 2", "k: 1")
    assert verdicts(locked)[f"lock/{PACK}"] is Strictness.INCOMPARABLE


def test_a_folder_of_policies_is_locked_too(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A policy of AUDITOR_POLICIES, and a file that it names: one by what it says, the other by its bytes."""
    house = tmp_path / "house"
    house.mkdir()
    monkeypatch.setenv("AUDITOR_POLICIES", str(house))
    (house / "base.yaml").write_text(HOUSE + "waivers: excused.yaml\n", encoding="utf-8")
    (house / "excused.yaml").write_text("waivers: []\n", encoding="utf-8")
    repository.git("checkout", "-q", "main")
    repository.write(
        "policies/clinic.yaml", POLICY.replace("requirements", f"extends: [{house}/base.yaml]\nrequirements")
    )
    assert invoke(["lock"]) == EXIT_MET
    repository.commit("a house")
    repository.git("checkout", "-q", "-B", "change")
    lock = json.loads((repository.top / "auditor.lock").read_text(encoding="utf-8"))["packs"]
    assert list(lock) == ["AUDITOR_POLICIES/base.yaml", "AUDITOR_POLICIES/excused.yaml"]
    assert repository.gate().verdict is GateStatus.PASS
    (house / "base.yaml").write_text(HOUSE.replace("k: 2", "k: 1") + "waivers: excused.yaml\n", encoding="utf-8")
    assert verdicts(repository) == {"lock/AUDITOR_POLICIES/base.yaml/requirements/k/k": Strictness.WEAKER}
    (house / "base.yaml").write_text(HOUSE + "waivers: excused.yaml\n", encoding="utf-8")
    (house / "excused.yaml").write_text("waivers: [] # and more\n", encoding="utf-8")
    assert verdicts(repository) == {"lock/AUDITOR_POLICIES/excused.yaml": Strictness.INCOMPARABLE}


@pytest.mark.parametrize("pack", [False, True], ids=["a folder of policies", "starter packs"])
def test_what_lies_below_the_repository_and_not_in_git_is_locked(
    repository: Repository, inside: Path, monkeypatch: pytest.MonkeyPatch, *, pack: bool
) -> None:
    """A program that is installed in the working tree brings its packs there."""
    base = repository.write(str(inside / "house.yaml"), HOUSE)
    if pack:
        monkeypatch.setattr(packs, "starter_policies", lambda: inside)
    named = "house" if pack else base
    looser = POLICY.replace("2", "1").replace("name: clinic\n", f"name: clinic\nextends: [{named}]\n")
    repository.write("policies/clinic.yaml", looser)
    assert invoke(["lock"]) == EXIT_MET
    repository.commit("locked")
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().exit_code == EXIT_MET
    base.write_text(HOUSE.replace("2", "1"), encoding="utf-8")
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_a_base_that_is_no_whole_policy_is_locked_by_its_bytes(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It speaks of a sensitive column that only the policies on it name: nobody knows if another one is weaker."""
    monkeypatch.setenv("AUDITOR_POLICIES", str(tmp_path / "house"))
    base = repository.write(
        str(tmp_path / "house/base.yaml"), HOUSE.replace("k-anonymity, k", "distinct-l-diversity, l")
    )
    repository.git("checkout", "-q", "main")
    repository.write("policies/clinic.yaml", POLICY.replace("requirements", f"extends: [{base}]\nrequirements"))
    assert invoke(["lock"]) == EXIT_MET
    repository.commit("a base")
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().verdict is GateStatus.PASS
    base.write_text(base.read_text(encoding="utf-8").replace("l: 2", "l: 1"), encoding="utf-8")
    assert verdicts(repository) == {"lock/AUDITOR_POLICIES/base.yaml": Strictness.INCOMPARABLE}


def test_what_a_policy_is_held_to_is_locked(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDITOR_POLICIES", str(tmp_path / "house"))
    floor = repository.write(str(tmp_path / "house/floor.yaml"), POLICY)
    repository.write("policies/clinic.yaml", POLICY.replace("name: clinic", f"name: clinic\nat_least: [{floor}]"))
    assert invoke(["lock"]) == EXIT_MET
    lock = json.loads((repository.top / "auditor.lock").read_text(encoding="utf-8"))
    assert list(lock["packs"]) == ["AUDITOR_POLICIES/floor.yaml"]


def test_a_floor_that_is_a_pack_is_locked(locked: Repository, installed: Path) -> None:
    """A floor of the manifest is held as what a policy extends is, though no policy names it."""
    locked.write("auditor.yaml", MANIFEST.replace("trusted: {", "trusted: {at_least: [ferpa-n10], "))
    assert locked.gate().verdict is GateStatus.NOT_EVALUATED
    assert invoke(["lock"]) == EXIT_MET
    lock = json.loads((locked.top / "auditor.lock").read_text(encoding="utf-8"))
    assert sorted(lock["packs"]) == ["ferpa-n10", PACK]


@pytest.mark.slow
@pytest.mark.parametrize("before", starter_names())
def test_whatever_becomes_of_a_pack_is_what_diff_says_of_it(before: str) -> None:
    """Each pack, locked, beside each other one as what it became: fields and verdicts are those of the two files."""
    locked_as = {name: found.locked for name, found in outside([load_policy(before)], Path("/nowhere")).items()}
    for after in starter_names():
        now = outside([load_policy(after)], Path("/nowhere"))[after]
        expected = {
            (f"lock/x/{each.path}", each.verdict)
            for each in compare(load_policy(before), load_policy(after)).differences
        }
        base = {"x": locked_as[before]}
        assert now.held_by(base, "x") == (before == after)
        assert {(each.path, each.verdict) for each in changes(base, base, {"x": now})} == expected
