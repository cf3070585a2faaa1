"""Bundles of policies outside the repository, signed with keys of the base revision."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from auditor.cli import invoke
from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_WEAKENED
from auditor.result import Strictness
from auditor.result.gate import GateStatus
from tests.gate.keys import SshKey
from tests.gate.repository import MANIFEST, POLICY, Repository

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")

BASE = "version: 1\nname: house\nrequirements: [{id: k, model: k-anonymity, k: 2}]\n"
NAME = "AUDITOR_POLICIES/base.yaml"


@dataclass(frozen=True)
class House:
    """A repository on main whose policy uses a signed bundle, locked; keys that may sign it and that may not."""

    repository: Repository
    folder: Path
    keys: dict[str, SshKey]

    def bundle(self, text: str, key: str | None = "dpo", namespace: str = "auditor-policy") -> None:
        """Write the bundle anew, and have it signed, as the page says."""
        (self.folder / "base.yaml").write_text(text, encoding="utf-8")
        subprocess.run("sha256sum *.yaml > SHA256SUMS", cwd=self.folder, shell=True, check=True)
        if key is not None:
            self.keys[key].sign(self.folder / "SHA256SUMS", namespace)

    def verdicts(self) -> dict[str, Strictness]:
        return {each.path: each.verdict for each in self.repository.gate().trusted}


@pytest.fixture
def house(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    folder = tmp_path / "house"
    folder.mkdir()
    monkeypatch.setenv("AUDITOR_POLICIES", str(folder))
    made = House(repository, folder, {name: SshKey.made(tmp_path, name) for name in ("dpo", "stranger")})
    made.bundle(BASE)
    repository.git("checkout", "-q", "main")
    signers = json.dumps({"dpo@example.org": [made.keys["dpo"].public]})
    repository.write("auditor.yaml", MANIFEST.replace("trusted: {", f"trusted: {{signers: {signers}, "))
    repository.write(
        "policies/clinic.yaml", POLICY.replace("name: clinic\n", f"name: clinic\nextends: [{folder}/base.yaml]\n")
    )
    assert invoke(["lock"]) == EXIT_MET
    repository.commit("a signed bundle")
    repository.git("checkout", "-q", "-B", "change")
    return made


def test_the_lock_says_with_which_key_a_bundle_is_signed(house: House) -> None:
    lock = json.loads((house.repository.top / "auditor.lock").read_text(encoding="utf-8"))
    assert lock["packs"][NAME]["signed_by"] == house.keys["dpo"].fingerprint
    assert house.repository.gate().verdict is GateStatus.PASS


@pytest.mark.parametrize(
    ("key", "namespace"),
    [(None, ""), ("stranger", "auditor-policy"), ("dpo", "auditor-approval")],
    ids=["the old signature", "another key", "a signature for something else"],
)
def test_a_bundle_that_no_trusted_key_has_signed(house: House, key: str | None, namespace: str) -> None:
    """Its content is no weaker, and it needs somebody who says so all the same."""
    house.bundle(BASE + "description: of the house\n", key, namespace)
    assert house.verdicts() == {f"lock/{NAME}/signed_by": Strictness.WEAKER}
    assert invoke(["lock", "--check"]) == EXIT_WEAKENED
    assert invoke(["lock"]) == EXIT_MET
    assert house.repository.gate().verdict is GateStatus.WEAKENED


def test_an_unsigned_file_in_the_place_of_a_signed_one(house: House) -> None:
    """What it says is no weaker, and nobody would have to sign it from now on."""
    (house.folder / "copy.yaml").write_text(BASE, encoding="utf-8")
    house.repository.replace("policies/clinic.yaml", "base.yaml", "copy.yaml")
    assert invoke(["lock"]) == EXIT_MET
    house.repository.commit("another file")
    assert house.verdicts() == {"lock/AUDITOR_POLICIES/copy.yaml/signed_by": Strictness.INCOMPARABLE}


def test_another_release_does_not_keep_the_place_of_a_signed_file(house: House) -> None:
    """A new release uses the signed file, so that it is still used, and the old one an unsigned one."""
    (house.folder / "copy.yaml").write_text(BASE, encoding="utf-8")
    text = (house.repository.top / "policies/clinic.yaml").read_text(encoding="utf-8")
    house.repository.write("policies/other.yaml", text)
    house.repository.replace("policies/clinic.yaml", "base.yaml", "copy.yaml")
    entry = "  other: {policy: policies/other.yaml, data: out/clinic.csv}\n"
    house.repository.replace("auditor.yaml", "trusted:", f"{entry}trusted:")
    assert invoke(["lock"]) == EXIT_MET
    house.repository.commit("another file")
    assert house.verdicts() == {"lock/AUDITOR_POLICIES/copy.yaml/signed_by": Strictness.INCOMPARABLE}


def test_a_new_release_may_use_what_nobody_signed(house: House) -> None:
    (house.folder / "copy.yaml").write_text(BASE, encoding="utf-8")
    text = (house.repository.top / "policies/clinic.yaml").read_text(encoding="utf-8")
    house.repository.write("policies/other.yaml", text.replace("base.yaml", "copy.yaml"))
    entry = "  other: {policy: policies/other.yaml, data: out/clinic.csv}\n"
    house.repository.replace("auditor.yaml", "trusted:", f"{entry}trusted:")
    assert invoke(["lock"]) == EXIT_MET
    house.repository.commit("a new release")
    assert house.verdicts() == {}


@pytest.mark.parametrize("gone", ["SHA256SUMS", "SHA256SUMS.sig"])
def test_a_list_or_a_signature_that_is_gone(house: House, gone: str) -> None:
    (house.folder / gone).unlink()
    assert house.verdicts() == {f"lock/{NAME}/signed_by": Strictness.WEAKER}


def test_a_file_that_the_list_does_not_name_is_not_signed(house: House) -> None:
    (house.folder / "SHA256SUMS").write_text("", encoding="utf-8")
    house.keys["dpo"].sign(house.folder / "SHA256SUMS", "auditor-policy")
    assert house.verdicts() == {f"lock/{NAME}/signed_by": Strictness.WEAKER}


def test_a_signed_bundle_that_is_weaker_is_weaker(house: House) -> None:
    house.bundle(BASE.replace("k: 2", "k: 1"))
    assert house.verdicts() == {f"lock/{NAME}/requirements/k/k": Strictness.WEAKER}


def test_a_newly_signed_bundle_of_the_same_demands_is_locked_and_passes(house: House) -> None:
    house.bundle(BASE + "description: of the house\n")
    assert house.repository.gate().exit_code == EXIT_NOT_EVALUATED
    assert invoke(["lock"]) == EXIT_MET
    assert house.repository.gate().verdict is GateStatus.PASS


def test_a_change_cannot_leave_the_signature_out_of_the_lock(house: House) -> None:
    """Else the next change, which is held to this lock file, would not need one."""
    file = house.repository.top / "auditor.lock"
    lock = json.loads(file.read_text(encoding="utf-8"))
    del lock["packs"][NAME]["signed_by"]
    file.write_text(json.dumps(lock), encoding="utf-8")
    assert house.repository.gate().verdict is GateStatus.NOT_EVALUATED


def test_a_change_cannot_bring_the_key_of_its_bundle(house: House) -> None:
    house.repository.replace("auditor.yaml", house.keys["dpo"].public, house.keys["stranger"].public)
    house.bundle(BASE + "description: of the house\n", "stranger")
    invoke(["lock"])
    found = house.verdicts()
    assert found[f"lock/{NAME}/signed_by"] is Strictness.WEAKER
    assert found["trusted/signers"] is Strictness.INCOMPARABLE
    assert house.repository.gate().verdict is GateStatus.WEAKENED


def test_a_revoked_key_signs_no_bundle(house: House) -> None:
    house.repository.git("checkout", "-q", "main")
    revoked = json.dumps([house.keys["dpo"].fingerprint])
    house.repository.replace("auditor.yaml", "trusted: {", f"trusted: {{revoked: {revoked}, ")
    house.repository.commit("revoked")
    house.repository.git("checkout", "-q", "-B", "change")
    assert house.verdicts() == {f"lock/{NAME}/signed_by": Strictness.WEAKER}


def test_a_key_that_the_target_lists_no_more_signs_no_bundle(house: House) -> None:
    """The author of a change chooses where it begins, and so which keys the base revision lists."""
    keys = [house.keys[name].public for name in ("dpo", "stranger")]
    house.repository.git("checkout", "-q", "main")
    house.repository.replace("auditor.yaml", json.dumps(keys[:1]), json.dumps(keys))
    house.repository.commit("two keys")
    house.repository.git("checkout", "-q", "-B", "change")
    house.bundle(BASE + "description: of the house\n", "stranger")
    assert invoke(["lock"]) == EXIT_MET
    house.repository.commit("by the other key")
    assert house.verdicts() == {}
    house.repository.git("checkout", "-q", "main")
    house.repository.replace("auditor.yaml", json.dumps(keys), json.dumps(keys[:1]))
    house.repository.commit("one key")
    house.repository.git("checkout", "-q", "change")
    assert house.verdicts() == {f"lock/{NAME}/signed_by": Strictness.WEAKER}


def test_a_key_that_the_change_revokes_signs_no_bundle(house: House) -> None:
    revoked = json.dumps([house.keys["dpo"].fingerprint])
    house.repository.replace("auditor.yaml", "trusted: {", f"trusted: {{revoked: {revoked}, ")
    assert house.verdicts()[f"lock/{NAME}/signed_by"] is Strictness.WEAKER
