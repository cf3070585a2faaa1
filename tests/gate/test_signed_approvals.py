"""Signed approvals: a file or a commit, signed with a key that the base revision lists, and nothing less."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pytest

from auditor.errors import EXIT_MET, EXIT_WEAKENED, PolicyError
from auditor.gate import Gate
from auditor.report.gate import redact
from auditor.report.rendered import render
from auditor.result import Audience, Strictness
from auditor.result.gate import Approval
from tests.gate.keys import GpgKey, SshKey, run
from tests.gate.repository import MANIFEST, POLICY, Repository

APPROVER, OTHER = "dpo@example.org", "second@example.org"
PLACE = "approvals/*.yaml"
FILE = "approvals/one.yaml"

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
needs_gpg = pytest.mark.skipif(
    shutil.which("gpg") is None or shutil.which("gpgv") is None, reason="GnuPG is not installed"
)


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SshKey]:
    """Keys of two approvers, and of somebody else."""
    folder = tmp_path_factory.mktemp("keys")
    return {name: SshKey.made(folder, name) for name in ("dpo", "second", "stranger")}


@pytest.fixture(scope="session")
def gpg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GpgKey]:
    key = GpgKey.made(tmp_path_factory.mktemp("gpg"), f"Dina <{APPROVER}>")
    yield key
    key.close()


@dataclass(frozen=True)
class Signed:
    """A repository whose base revision lists keys, with a weakening on the branch `change`."""

    repository: Repository
    keys: dict[str, SshKey]

    def gate(self, **told: object) -> Gate:
        return self.repository.gate(**told)

    def entry(self, by: str = APPROVER, more: str = "") -> Path:
        """Write an approval of the weakening into the file."""
        found = self.repository.gate()
        change = found.releases[0].change
        return self.repository.write(FILE, f"weakenings: [{{change: {change}, reason: r, approved_by: {by}{more}}}]\n")

    def commit(self, key: SshKey | None, *, author: str = APPROVER) -> str:
        """Commit everything, signed where a key is given."""
        self.repository.git("add", "-A")
        signing = key.of_git if key is not None else ()
        flag = ("-S",) if key is not None else ()
        self.repository.git(*signing, "commit", "-q", *flag, "-m", "approved", author=author)
        return self.repository.git("rev-parse", "HEAD").strip()

    def approval(self, found: Gate) -> Approval:
        approval = found.releases[0].approval
        assert approval is not None
        return approval


def trusted(signers: dict[str, list[str]], unsigned: str = "forbidden", **more: object) -> str:
    """A manifest whose approvals are signed with keys."""
    said = {"approvers": [APPROVER, OTHER], "unsigned": unsigned, "signers": signers, **more}
    return MANIFEST.split("trusted:")[0] + f"trusted: {json.dumps(said)}\nweakenings: {PLACE}\n"


@pytest.fixture
def lay(repository: Repository, keys: dict[str, SshKey]) -> Callable[..., Signed]:
    """Makes the base revision as told, and the weakening since then."""

    def laid(manifest: str) -> Signed:
        repository.git("checkout", "-q", "main")
        repository.write("auditor.yaml", manifest)
        repository.commit("signers")
        repository.git("checkout", "-q", "-B", "change")
        repository.write("policies/clinic.yaml", POLICY.replace("l: 2", "l: 1"))
        repository.commit("weaker")
        return Signed(repository, keys)

    return laid


@pytest.fixture
def signed(lay: Callable[..., Signed], keys: dict[str, SshKey]) -> Signed:
    """Both approvers have a key, and unsigned approvals are forbidden."""
    return lay(trusted({APPROVER: [keys["dpo"].public], OTHER: [keys["second"].public]}))


def text(found: Gate, form: str = "text") -> str:
    """What the public is shown."""
    return render(redact(found, Audience.PUBLIC), form)


def why(found: Gate) -> str:
    assert found.exit_code == EXIT_WEAKENED
    return found.releases[0].why


def test_a_signed_file_says_who_signed_with_which_key_and_what(signed: Signed) -> None:
    signed.keys["dpo"].sign(signed.entry())
    found = signed.gate()
    assert found.exit_code == EXIT_MET
    approval = signed.approval(found)
    signature = approval.signature
    assert signature is not None
    assert (signature.signer, signature.key) == (APPROVER, signed.keys["dpo"].fingerprint)
    assert (signature.file, signature.commit) == (FILE, None)
    assert signature.since == signed.repository.git("rev-parse", "main").strip()
    assert approval.change == found.releases[0].change
    assert json.loads(text(found, "json"))["releases"][0]["approval"]["signature"]["key"] == signature.key


def test_a_signed_commit_by_whoever_holds_the_key(signed: Signed) -> None:
    signed.entry()
    commit = signed.commit(signed.keys["dpo"], author="whoever@example.org")
    found = signed.gate()
    assert found.exit_code == EXIT_MET
    signature = signed.approval(found).signature
    assert signature is not None
    assert (signature.key, signature.commit) == (signed.keys["dpo"].fingerprint, commit)


def test_an_unsigned_approval_is_declared_on_page_one_or_forbidden(
    lay: Callable[..., Signed], keys: dict[str, SshKey]
) -> None:
    found = lay(trusted({APPROVER: [keys["dpo"].public]}, "allowed"))
    found.entry()
    found.commit(None)
    answer = found.gate()
    assert answer.exit_code == EXIT_MET
    assert found.approval(answer).signature is None
    said = f"Approved by {APPROVER}: declared, not verified."
    assert said in text(answer).split("manifest")[0]
    assert said in answer.to_html().split("Each release")[0]
    assert "declared, not verified." in text(answer, "markdown").split("**")[0]
    keys["dpo"].sign(found.repository.top / FILE)
    signed = found.gate().to_html().split("Each release")[0]
    assert "declared, not verified" not in signed
    assert keys["dpo"].fingerprint in signed.replace("&#43;", "+")


def test_an_unsigned_approval_where_it_is_forbidden(signed: Signed) -> None:
    signed.entry()
    signed.commit(None)
    assert f"the approval by {APPROVER} is not signed" in why(signed.gate())


@pytest.mark.parametrize("how", ["file", "commit"])
def test_a_merge_into_the_target_keeps_a_signed_approval(signed: Signed, how: str) -> None:
    """As GitHub checks a change out: the approval names the commit where the change began."""
    file, began = signed.entry(), signed.repository.git("merge-base", "main", "HEAD").strip()
    if how == "file":
        signed.keys["dpo"].sign(file)
    signed.commit(signed.keys["dpo"] if how == "commit" else None)
    signed.repository.git("checkout", "-q", "main")
    signed.repository.write("README.md", "main goes on\n")
    signed.repository.commit("elsewhere")
    signed.repository.git("merge", "-q", "--no-ff", "--no-edit", "change")
    found = signed.gate(base="HEAD^1")
    assert found.exit_code == EXIT_MET
    signature = signed.approval(found).signature
    assert signature is not None
    assert signature.since == began


Spoiling = Callable[[Signed], object]


def stranger_signs(signed: Signed) -> object:
    return signed.keys["stranger"].sign(signed.entry())


def other_approver_signs(signed: Signed) -> object:
    return signed.keys["second"].sign(signed.entry())


def file_changes_afterwards(signed: Signed) -> object:
    file = signed.entry()
    signed.keys["dpo"].sign(file)
    return file.write_text(file.read_text(encoding="utf-8").replace("reason: r", "reason: s"), encoding="utf-8")


def signs_for_git(signed: Signed) -> object:
    return signed.keys["dpo"].sign(signed.entry(), "git")


def approver_signs_what_another_is_said_to_approve(signed: Signed) -> object:
    return signed.keys["dpo"].sign(signed.entry(by=OTHER))


def stranger_commits(signed: Signed) -> object:
    signed.entry()
    return signed.commit(signed.keys["stranger"])


def added_again_unsigned(signed: Signed) -> object:
    """Approved, taken back, and brought back by somebody else."""
    text = signed.entry().read_text(encoding="utf-8")
    signed.commit(signed.keys["dpo"])
    signed.repository.write(FILE, "weakenings: []\n")
    signed.commit(signed.keys["dpo"])
    signed.repository.write(FILE, text)
    return signed.commit(None, author="author@example.org")


def approver_signs_a_later_commit(signed: Signed) -> object:
    """The tree that the approver signs has the approval; the commit that brought it is another's."""
    signed.entry()
    signed.commit(None, author="author@example.org")
    signed.repository.write("approvals/two.yaml", "weakenings: []\n")
    return signed.commit(signed.keys["dpo"])


def signed_and_not_committed(signed: Signed) -> object:
    """The commit that the approver signed holds another approval."""
    file = signed.entry()
    signed.commit(signed.keys["dpo"])
    return file.write_text(file.read_text(encoding="utf-8").replace("reason: r", "reason: s"), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (stranger_signs, "is made with another key"),
        (other_approver_signs, "is made with another key"),
        (file_changes_afterwards, "does not hold"),
        (signs_for_git, "is for 'git' and not for 'auditor-approval'"),
        (approver_signs_what_another_is_said_to_approve, "is made with another key"),
        (stranger_commits, "is made with another key"),
        (added_again_unsigned, "is missing"),
        (approver_signs_a_later_commit, "is not signed"),
        (signed_and_not_committed, "is not signed"),
    ],
)
def test_a_signature_that_does_not_count_closes_and_says_why(signed: Signed, spoil: Spoiling, said: str) -> None:
    spoil(signed)
    found = signed.gate()
    assert said in why(found)
    assert (found.to_approve[0], len(found.to_sign)) == ("weakenings:", 2)
    assert all(FILE.rpartition("/")[0] in line for line in found.to_sign)


@pytest.mark.slow
@pytest.mark.parametrize("spoil", [stranger_signs, file_changes_afterwards, stranger_commits])
def test_a_wrong_signature_is_not_taken_for_none(
    lay: Callable[..., Signed], keys: dict[str, SshKey], spoil: Spoiling
) -> None:
    found = lay(trusted({APPROVER: [keys["dpo"].public]}, "allowed"))
    spoil(found)
    assert "does not count" in why(found.gate())


def test_who_signed_a_commit_of_the_change_wrote_it_under_whatever_name(signed: Signed) -> None:
    signed.repository.write("README.md", "more\n")
    signed.commit(signed.keys["dpo"], author="nobody@example.org")
    signed.keys["dpo"].sign(signed.entry())
    assert f"{APPROVER} wrote the change" in why(signed.gate())


def test_who_signed_a_commit_with_a_certificate_of_the_key_wrote_it(signed: Signed) -> None:
    key = signed.keys["dpo"]
    authority = ("-s", str(signed.keys["second"].file), "-I", "dpo", "-n", "dpo")
    run("ssh-keygen", "-q", *authority, f"{key.file}.pub", cwd=key.file.parent)
    certificate = key.file.parent / "dpo-cert.pub"
    signed.repository.write("README.md", "more\n")
    signed.repository.git("add", "-A")
    words = ("-c", "gpg.format=ssh", "-c", f"user.signingKey={certificate}")
    signed.repository.git(*words, "commit", "-q", "-S", "-m", "more", author="nobody@example.org")
    certificate.unlink()
    key.sign(signed.entry())
    assert f"{APPROVER} wrote the change" in why(signed.gate())


@pytest.mark.parametrize(("here", "there"), [("\n", "\r\n"), ("\r\n", "\n")])
def test_a_signed_file_may_have_other_ends_of_lines_here(signed: Signed, here: str, there: str) -> None:
    file = signed.entry()
    text = file.read_text(encoding="utf-8")
    file.write_bytes(text.replace("\n", there).encode())
    signed.keys["dpo"].sign(file)
    file.write_bytes(text.replace("\n", here).encode())
    assert signed.gate().exit_code == EXIT_MET
    file.write_bytes(text.replace("\n", f" {here}").encode())
    assert "does not hold" in why(signed.gate())


def test_an_approver_commits_a_signed_file_and_is_no_author(signed: Signed) -> None:
    signed.keys["dpo"].sign(signed.entry())
    signed.commit(None)
    assert signed.gate().exit_code == EXIT_MET


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "day", "holds"),
    [
        ('valid-before="20270101"', "2026-12-31", True),
        ('valid-before="20270101"', "2027-01-01", False),
        ('valid-after="20270101",valid-before="20270201"', "2026-12-31", False),
        ('valid-after="20270101",valid-before="20270201"', "2027-01-01", True),
        ('namespaces="git"', "2027-01-01", False),
    ],
)
def test_a_key_is_restricted_as_git_has_it(
    lay: Callable[..., Signed], keys: dict[str, SshKey], options: str, day: str, holds: bool
) -> None:
    found = lay(trusted({APPROVER: [f"{options} {keys['dpo'].public}"]}))
    keys["dpo"].sign(found.entry())
    answer = found.gate(as_of=date.fromisoformat(day))
    assert (answer.exit_code == EXIT_MET) is holds
    assert holds or "does not hold" in why(answer)


def test_a_key_on_two_lines_holds_where_one_of_them_allows_it(
    lay: Callable[..., Signed], keys: dict[str, SshKey]
) -> None:
    """As git reads a file of allowed signers."""
    manifest = trusted({}).replace('"signers": {}', '"signers": "allowed_signers"')
    spaces = ("git", "auditor-approval")
    lines = "".join(f'{APPROVER} namespaces="{each}" {keys["dpo"].public}\n' for each in spaces)
    Path("allowed_signers").write_text(lines, encoding="utf-8")
    found = lay(manifest)
    keys["dpo"].sign(found.entry())
    assert found.gate().exit_code == EXIT_MET


def test_an_expired_key_does_not_sign_a_commit_of_an_earlier_date(
    lay: Callable[..., Signed], keys: dict[str, SshKey], monkeypatch: pytest.MonkeyPatch
) -> None:
    """git verifies a commit as of the date that stands in it, which is its author's to say."""
    ends = date.today() - timedelta(days=30)  # noqa: DTZ011  (as the gate's day)
    found = lay(trusted({APPROVER: [f'valid-before="{ends:%Y%m%d}" {keys["dpo"].public}']}))
    found.entry()
    for name in ("GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"):
        monkeypatch.setenv(name, f"{ends - timedelta(days=1)}T12:00:00Z")
    found.commit(keys["dpo"])
    assert "key has expired" in why(found.gate())


@pytest.mark.slow
@pytest.mark.parametrize("where", ["base", "head", "target"])
def test_a_revoked_key(lay: Callable[..., Signed], keys: dict[str, SshKey], where: str) -> None:
    """The change began before the target branch revoked the key, and holds it as it was then."""
    signers = {APPROVER: [keys["dpo"].public]}
    plain, revoking = trusted(signers), trusted(signers, revoked=[keys["dpo"].fingerprint])
    found = lay(revoking if where == "base" else plain)
    if where == "target":
        found.repository.git("checkout", "-q", "main")
        found.repository.write("auditor.yaml", revoking)
        found.repository.commit("revoked")
        found.repository.git("checkout", "-q", "change")
    elif where == "head":
        found.repository.write("auditor.yaml", revoking)
    keys["dpo"].sign(found.entry())
    assert "is made with a key that is revoked" in why(found.gate())


@needs_gpg
@pytest.mark.parametrize("where", ["file", "commit"])
def test_a_revoked_subkey(
    lay: Callable[..., Signed], keys: dict[str, SshKey], tmp_path_factory: pytest.TempPathFactory, where: str
) -> None:
    """What gpg signs with is a subkey, where there is one: that is what leaks, and what is taken back."""
    key = GpgKey.made(tmp_path_factory.mktemp("gpg"), f"Dina <{APPROVER}>")
    try:
        key.gpg("--passphrase", "", "--quick-add-key", key.fingerprint, "ed25519", "sign", "never")
        listed = key.gpg("--list-keys", "--with-colons", "--with-subkey-fingerprint", key.fingerprint).splitlines()
        _, subkey = (line.split(":")[9] for line in listed if line.startswith("fpr"))
        found = lay(trusted({APPROVER: [key.public]}))
        file = found.entry()
        if where == "file":
            key.sign(file, "--local-user", f"{subkey}!")
        else:
            signing = ("-c", "gpg.format=openpgp", "-c", f"user.signingKey={subkey}!")
            found.repository.git("add", "-A")
            environment = {**os.environ, "GNUPGHOME": str(key.home)}
            subprocess.run(
                [
                    "git",
                    "-c",
                    "user.name=dpo",
                    "-c",
                    f"user.email={APPROVER}",
                    *signing,
                    "commit",
                    "-q",
                    "-S",
                    "-m",
                    "approved",
                ],
                cwd=found.repository.top,
                check=True,
                capture_output=True,
                env=environment,
            )
        assert found.gate().exit_code == EXIT_MET
        for revoked in (subkey, key.fingerprint):
            found.repository.write("auditor.yaml", trusted({APPROVER: [key.public]}, revoked=[revoked]))
            assert f"is made with a key that is revoked ({revoked})" in why(found.gate())
    finally:
        key.close()


def test_whom_the_target_branch_trusts_no_more_approves_nothing(
    lay: Callable[..., Signed], keys: dict[str, SshKey]
) -> None:
    """The change began where the key and the approver were still listed."""
    found = lay(trusted({APPROVER: [keys["dpo"].public]}))
    keys["dpo"].sign(found.entry())
    assert found.gate().exit_code == EXIT_MET
    found.repository.git("add", "-A")
    found.repository.git("commit", "-q", "-m", "approved", author=APPROVER)
    for manifest, said in (
        (trusted({APPROVER: [keys["second"].public]}), "has no key of"),
        (
            trusted({APPROVER: [keys["dpo"].public]}).replace(f'"{APPROVER}", ', ""),
            "no longer an approver of the target branch",
        ),
    ):
        found.repository.git("checkout", "-q", "main")
        found.repository.write("auditor.yaml", manifest)
        found.repository.commit("trusts others")
        found.repository.git("checkout", "-q", "change")
        assert said in why(found.gate())


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda keys: {"signers": {APPROVER: [keys["dpo"].public, keys["stranger"].public]}},
        lambda keys: {"signers": {}},
        lambda keys: {"signers": {APPROVER: [f'namespaces="git" {keys["dpo"].public}']}},
        lambda keys: {"unsigned": "allowed"},
        lambda keys: {"revoked": []},
    ],
    ids=["another key", "no key", "restricted", "unsigned", "no longer revoked"],
)
def test_who_may_sign_is_not_for_the_change_to_say(
    lay: Callable[..., Signed], keys: dict[str, SshKey], change: Callable[[dict[str, SshKey]], dict[str, object]]
) -> None:
    base = {"signers": {APPROVER: [keys["dpo"].public]}, "revoked": [keys["second"].fingerprint]}
    found = lay(trusted(**base))
    found.repository.write("auditor.yaml", trusted(**{**base, **change(keys)}))
    found.repository.write("policies/clinic.yaml", POLICY)
    answer = found.gate()
    assert answer.exit_code == EXIT_WEAKENED
    assert [each.verdict in (Strictness.WEAKER, Strictness.INCOMPARABLE) for each in answer.trusted] == [True]
    found.repository.write(FILE, "\n".join(answer.to_approve))
    keys["stranger"].sign(found.repository.top / FILE)
    assert found.gate().exit_code == EXIT_WEAKENED
    keys["dpo"].sign(found.repository.top / FILE)
    assert found.gate().exit_code == EXIT_MET


def test_a_key_in_a_file_of_the_base_revision(lay: Callable[..., Signed], keys: dict[str, SshKey]) -> None:
    """That another key stands in the file now is seen as a change of the key is."""
    manifest = trusted({APPROVER: ["keys/dpo.pub"]})
    lay_keys = Path("keys/dpo.pub")
    lay_keys.parent.mkdir()
    lay_keys.write_text(f"# Dina\n{keys['dpo'].public} dina@laptop\n", encoding="utf-8")
    found = lay(manifest)
    keys["dpo"].sign(found.entry())
    assert found.gate().exit_code == EXIT_MET
    found.repository.write("keys/dpo.pub", keys["stranger"].public)
    keys["stranger"].sign(found.repository.top / FILE)
    answer = found.gate()
    assert "is made with another key" in why(answer)
    (difference,) = answer.trusted
    assert (difference.old, difference.new) == (
        {APPROVER: [keys["dpo"].fingerprint]},
        {APPROVER: [keys["stranger"].fingerprint]},
    )


def test_a_file_of_allowed_signers(lay: Callable[..., Signed], keys: dict[str, SshKey]) -> None:
    manifest = trusted({}).replace('"signers": {}', '"signers": "allowed_signers"')
    lines = (f"{APPROVER} {keys['dpo'].public}", f"{OTHER},third@example.org {keys['second'].public}")
    Path("allowed_signers").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(PolicyError, match=r"that 'second@example\.org' has, too"):
        lay(manifest).gate()
    Path("allowed_signers").write_text("\n".join(lines).replace(",third@example.org", ""), encoding="utf-8")
    found = lay(manifest)
    keys["second"].sign(found.entry(by=OTHER))
    assert found.gate().exit_code == EXIT_MET


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("ssh-ed25519 AAAA", "a public key of another type than it says"),
        ("ssh-rsa {dpo}", "a public key of another type than it says"),
        ("cert-authority {public}", "no public key"),
        ('valid-before="tomorrow" {public}', "no public key"),
        ("-----BEGIN OPENSSH PRIVATE KEY----- x", "a private key"),
        (
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\\n\\nAAAA\\n-----END PGP PUBLIC KEY BLOCK-----",
            "a packet without a length",
        ),
        ("keys/none.pub", "does not exist"),
        ("/etc/hostname", "lies outside"),
        ("../outside.pub", "lies outside"),
        (".git/config", "lies outside"),
        ("link.pub", "a link leads to 'link.pub'"),
        ("folder/dpo.pub", "a link leads to 'folder/dpo.pub'"),
    ],
)
def test_what_is_no_key_is_refused(repository: Repository, keys: dict[str, SshKey], entry: str, said: str) -> None:
    top = repository.top
    (top / "real").mkdir()
    (top / "real" / "dpo.pub").write_text(keys["dpo"].public, encoding="utf-8")
    (top / "link.pub").symlink_to("real/dpo.pub")
    (top / "folder").symlink_to("real")
    (top.parent / "outside.pub").write_text(keys["dpo"].public, encoding="utf-8")
    entry = entry.format(public=keys["dpo"].public, dpo=keys["dpo"].public.split()[1])
    repository.write("auditor.yaml", trusted({APPROVER: [entry]}).replace("\\\\n", "\\n"))
    with pytest.raises(PolicyError, match=said):
        repository.gate()


def test_keys_are_the_repository_s(
    repository: Repository, keys: dict[str, SshKey], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where policies may come from elsewhere: what git does not know, no approval of a change is bound to."""
    (tmp_path / "dpo.pub").write_text(keys["dpo"].public, encoding="utf-8")
    monkeypatch.setenv("AUDITOR_POLICIES", str(tmp_path))
    repository.write("auditor.yaml", trusted({APPROVER: [str(tmp_path / "dpo.pub")]}))
    with pytest.raises(PolicyError, match="lies outside"):
        repository.gate()


def test_unsigned_approvals_are_not_forbidden_where_none_can_be_signed(repository: Repository) -> None:
    """Who commits into the manifest is an author of the change."""
    repository.write("auditor.yaml", trusted({}).replace(f"weakenings: {PLACE}\n", ""))
    with pytest.raises(PolicyError, match="none can be signed"):
        repository.gate()


@pytest.mark.parametrize("program", ["ssh-keygen", "gpgv"])
def test_without_its_program_no_signature_counts(
    lay: Callable[..., Signed],
    keys: dict[str, SshKey],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    program: str,
) -> None:
    if program == "gpgv" and shutil.which("gpg") is None:
        pytest.skip("GnuPG is not installed")
    key = keys["dpo"] if program == "ssh-keygen" else request.getfixturevalue("gpg")
    found = lay(trusted({APPROVER: [key.public]}, "allowed"))
    key.sign(found.entry())
    (tmp_path / "bin").mkdir()
    git = shutil.which("git")
    assert git is not None
    (tmp_path / "bin" / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert f"cannot be verified: {program} is not installed" in why(found.gate())


def test_what_users_and_repositories_set_up_is_not_asked(
    signed: Signed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that says yes to everything, and a list of signers with the stranger in it."""
    yes = tmp_path / "yes"
    yes.write_text("#!/bin/sh\necho 'Good \"git\" signature for x with ED25519 key SHA256:x'\n", encoding="utf-8")
    yes.chmod(0o755)
    allowed = tmp_path / "allowed"
    allowed.write_text(f"* {signed.keys['stranger'].public}\n", encoding="utf-8")
    config = tmp_path / "config"
    settings = {"gpg.ssh.allowedSignersFile": allowed, "gpg.ssh.program": yes, "gpg.program": yes}
    for name, value in settings.items():
        subprocess.run(["git", "config", "-f", str(config), name, str(value)], check=True)
    signed.entry()
    signed.commit(signed.keys["stranger"])
    for name, value in settings.items():
        signed.repository.git("config", name, str(value))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert "is made with another key" in why(signed.gate())


def test_what_stands_at_the_place_of_approvals_is_an_approval_or_a_signature(signed: Signed) -> None:
    """Whoever writes there alone is no author, so that no policy stands there."""
    signed.keys["dpo"].sign(signed.entry())
    signed.repository.write("approvals/policy.yaml.sig", POLICY)
    with pytest.raises(PolicyError, match="is not one signature alone"):
        signed.gate()
    (signed.repository.top / "approvals/policy.yaml.sig").unlink()
    (signed.repository.top / "approvals/two.yaml").symlink_to("one.yaml")
    with pytest.raises(PolicyError, match=r"a link leads to 'approvals/two\.yaml'"):
        signed.gate()


@pytest.mark.parametrize("place", ["*/approvals.yaml", "approvals/*", "../approvals.yaml", ".git/*.yaml"])
def test_a_place_is_one_that_git_and_the_gate_mean_the_same_by(repository: Repository, place: str) -> None:
    repository.write("auditor.yaml", MANIFEST + f"weakenings: '{place}'\n")
    with pytest.raises(PolicyError, match=r"cannot hold approvals|lies outside"):
        repository.gate()


@pytest.mark.parametrize("road", [0, 1], ids=["file", "commit"])
def test_the_honest_road_is_one_block(
    signed: Signed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, road: int
) -> None:
    """What is printed is pasted as it stands, with the key where ssh-keygen puts one."""
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    for ending in ("", ".pub"):
        name = signed.keys["dpo"].file.name
        shutil.copy(signed.keys["dpo"].file.parent / f"{name}{ending}", home / ".ssh" / f"id_ed25519{ending}")
    found = signed.gate()
    assert found.approve_in is not None
    lines = "\n".join(found.to_approve)
    assert all(line in text(found) for line in (*found.to_approve, *found.to_sign, found.approve_in))
    monkeypatch.setenv("HOME", str(home))
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Dina")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", APPROVER)
    pasted = f"mkdir -p approvals\ncat > {found.approve_in} <<'EOF'\n{lines}\nEOF\n{found.to_sign[road]}\n"
    subprocess.run(["bash", "-e", "-c", pasted], cwd=signed.repository.top, check=True, capture_output=True)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{name}_NAME")
        monkeypatch.delenv(f"GIT_{name}_EMAIL")
    answer = signed.gate()
    assert (answer.exit_code, answer.to_approve, answer.to_sign) == (EXIT_MET, (), ())


@needs_gpg
@pytest.mark.parametrize("how", ["file", "commit"])
def test_a_signature_of_gpg(lay: Callable[..., Signed], gpg: GpgKey, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    found = lay(trusted({APPROVER: [gpg.public]}))
    file = found.entry()
    if how == "file":
        gpg.sign(file)
    else:
        monkeypatch.setenv("GNUPGHOME", str(gpg.home))
        found.repository.git("add", "-A")
        signing = ("-c", "gpg.format=openpgp", "-c", f"user.signingKey={gpg.fingerprint}")
        found.repository.git(*signing, "commit", "-q", "-S", "-m", "approved", author=APPROVER)
        monkeypatch.delenv("GNUPGHOME")
    answer = found.gate()
    assert answer.exit_code == EXIT_MET
    signature = found.approval(answer).signature
    assert signature is not None
    assert (signature.key, signature.commit is None) == (gpg.fingerprint, how == "file")
    if how == "file":
        file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        assert "is over other bytes" in why(found.gate())


@pytest.mark.slow
@needs_gpg
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("another", "is made with another key"),
        ("expired", "a key that has expired"),
        ("revoked", "a key that its owner has revoked"),
        ("sha1", "can be forged"),
        ("text", "can be forged"),
        ("inline", "is not one signature alone"),
    ],
)
def test_a_signature_of_gpg_that_does_not_count(
    lay: Callable[..., Signed], tmp_path: Path, gpg: GpgKey, request: pytest.FixtureRequest, how: str, said: str
) -> None:
    """gpgv ends in 0 for keys that are expired or revoked."""
    past = ("--faked-system-time", "20200101T000000") if how == "expired" else ()
    key = gpg
    if how in ("another", "expired", "revoked"):
        key = GpgKey.made(tmp_path / "home", APPROVER, *past, days="2d" if past else "never")
        request.addfinalizer(key.close)
    listed = gpg.public if how == "another" else key.revoked() if how == "revoked" else key.public
    found = lay(trusted({APPROVER: [listed]}))
    more = {"sha1": ("--digest-algo", "SHA1"), "text": ("--textmode",)}.get(how, past)
    made = key.sign(found.entry(), *more)
    if how == "inline":
        key.gpg("--armor", "--output", str(made), "--sign", str(found.repository.top / FILE))
        made.write_text(made.read_text(encoding="utf-8").replace("PGP MESSAGE", "PGP SIGNATURE"), encoding="utf-8")
        with pytest.raises(PolicyError, match=said):
            found.gate()
        return
    assert said in why(found.gate())
