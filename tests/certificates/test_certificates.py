"""Certificates: what they say, and that nothing can be swapped behind them. Digests are computed here by hashlib."""

from __future__ import annotations

import hashlib
import hmac
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import invoke
from auditor.errors import EXIT_NOT_EVALUATED
from auditor.ledger import read_ledger

POLICY = """\
name: clinic
attributes: {age: quasi-identifier, ill: sensitive}
requirements:
  - {id: k, model: k-anonymity, k: 2}
"""
TABLE = "age,ill\n1,x\n1,y\n1,z\n2,x\n2,y\n"


class Desk:
    """A folder with a policy and a release, and the commands that certify and verify there."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capfd = folder, capfd
        self.write("p.yaml", POLICY)
        self.write("r.csv", TABLE)

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def certify(self, *options: str, data: str = "r.csv", policy: str = "p.yaml") -> int:
        return invoke(["check", data, "-p", policy, "--quiet", "--certificate", "c.json", *options])

    def verify(self, *options: str, data: str = "r.csv") -> tuple[int, str]:
        self.capfd.readouterr()
        code = invoke(["verify", "c.json", data, "--format", "json", *options])
        out = self.capfd.readouterr().out
        return code, (json.loads(out)["differs"] or "") if out else ""

    @property
    def said(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((self.folder / "c.json").read_text(encoding="utf-8"))
        return read

    @property
    def key(self) -> bytes:
        """The certificate's own key."""
        return (self.folder / "c.json.key").read_bytes().strip()

    def forge(self, change: Any) -> None:
        """Edit the certificate and make its seal fit again, as anybody can, or for a keyed one who has its own key."""
        said = self.said
        change(said)
        evaluation = said["predicate"]["auditor_evaluation"]
        evaluation.pop("seal")
        text = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
        keyed = "hmacSha256" in said["subject"][0]["digest"] and (self.folder / "c.json.key").exists()
        evaluation["seal"] = hmac.digest(self.key, text, "sha256").hex() if keyed else hashlib.sha256(text).hexdigest()
        self.write("c.json", json.dumps(said))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path, capfd)


def test_what_a_certificate_says(desk: Desk) -> None:
    assert desk.certify() == 0
    said = desk.said
    assert said["_type"] == "https://in-toto.io/Statement/v1"
    assert said["predicateType"] == "https://slsa.dev/verification_summary/v1"
    (subject,) = said["subject"]
    assert subject["digest"] == {"hmacSha256": hmac.digest(desk.key, TABLE.encode(), "sha256").hex()}
    summary = said["predicate"]
    assert {"verifier", "timeVerified", "resourceUri", "policy", "verificationResult", "verifiedLevels"} <= set(summary)
    assert summary["verificationResult"] == "PASSED"
    assert not any(level.startswith("SLSA_") for level in summary["verifiedLevels"])
    assert summary["auditor_evaluation"]["verdict"] == "pass"
    assert summary["verifier"]["version"].keys() == {"auditor"}
    assert desk.verify("-p", "p.yaml") == (0, "")


def test_no_number_of_the_data_is_in_it(desk: Desk) -> None:
    """A table of 5 rows, classes of 3 and 2: neither what was achieved nor how much of it there is."""
    assert desk.certify() == 0
    evaluation = desk.said["predicate"]["auditor_evaluation"]
    assert [set(each) for each in evaluation["requirements"]] == [{"id", "model", "status"}]
    assert not any(isinstance(value, (int, float)) for value in evaluation.values() if not isinstance(value, bool))


def test_a_swapped_data_file_after_certifying(desk: Desk) -> None:
    assert desk.certify() == 0
    desk.write("r.csv", TABLE.replace("z", "w"))
    assert desk.verify() == (1, "the data r.csv is not what was certified")


def test_a_renamed_file_is_the_same_data(desk: Desk) -> None:
    assert desk.certify() == 0
    (desk.folder / "r.csv").rename(desk.folder / "other.csv")
    assert desk.verify(data="other.csv") == (0, "")


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (lambda f: (f / "d/b.csv").write_text("age,ill\n9,x\n9,y\n"), "the data file b.csv is not what was certified"),
        (lambda f: (f / "d/b.csv").unlink(), "the data lacks b.csv, which was certified"),
        (lambda f: (f / "d/c.csv").write_text(TABLE), "the data holds c.csv, which was not certified"),
        (lambda f: (f / "d/b.csv").rename(f / "d/z.csv"), "the data lacks b.csv, which was certified"),
    ],
)
def test_every_file_of_a_folder_counts(desk: Desk, change: Any, differs: str) -> None:
    desk.write("d/a.csv", TABLE)
    desk.write("d/b.csv", TABLE)
    assert desk.certify(data="d") == 0
    assert len(desk.said["subject"]) == 2
    assert desk.verify(data="d") == (0, "")
    change(desk.folder)
    assert desk.verify(data="d") == (1, differs)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"pass"', '"waived"'), ("PASSED", "FAILED"), ('"k-anonymity"', '"max-risk"'), ("r.csv", "s.csv")],
)
def test_a_tampered_certificate(desk: Desk, old: str, new: str) -> None:
    assert desk.certify() == 0
    text = (desk.folder / "c.json").read_text(encoding="utf-8")
    assert old in text
    desk.write("c.json", text.replace(old, new))
    assert desk.verify()[0] == 1
    assert "was changed after it was written" in desk.verify()[1]


def test_a_certificate_that_does_not_say_pass_is_none_even_with_a_fitting_seal(desk: Desk) -> None:
    assert desk.certify() == 0
    desk.forge(lambda said: said["predicate"].update(verificationResult="FAILED"))
    assert desk.verify() == (1, "the certificate does not say that the policy was met")
    assert desk.certify() == 0
    desk.forge(lambda said: said["predicate"]["auditor_evaluation"].update(verdict="waived"))
    assert desk.verify()[0] == 1


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"_type": "x"}', '{"_type": "https://in-toto.io/Statement/v1"}', "[" * 100_000]
)
def test_what_is_no_certificate(desk: Desk, content: str) -> None:
    desk.write("c.json", content)
    code, differs = desk.verify()
    assert code == 1
    assert "is not a certificate" in differs


@pytest.mark.slow
@pytest.mark.parametrize("cut", range(0, 2000, 97))
def test_a_certificate_that_was_cut_off_never_holds(desk: Desk, cut: int) -> None:
    assert desk.certify() == 0
    content = (desk.folder / "c.json").read_bytes()
    (desk.folder / "c.json").write_bytes(content[: min(cut, len(content) - 2)])
    assert desk.verify()[0] == 1


def test_the_policy_is_compared_with_the_files_that_it_names(desk: Desk) -> None:
    desk.write("h.csv", "1;low\n2;low\n")
    named = POLICY.replace("age: quasi-identifier", "age: {role: quasi-identifier, hierarchy: {file: h.csv}}")
    desk.write("p.yaml", named)
    assert desk.certify() == 0
    assert desk.verify("-p", "p.yaml") == (0, "")
    desk.write("h.csv", "1;low\n2;high\n")
    assert desk.verify("-p", "p.yaml") == (1, "policy h.csv is not what was certified")
    desk.write("q.yaml", POLICY.replace("k: 2}", "k: 3}"))
    assert desk.verify("-p", "q.yaml") == (1, "the policy clinic is not the one that was certified")


def test_the_reference_table_is_bound_too(desk: Desk) -> None:
    desk.write("p.yaml", POLICY + "reference: original\n")
    desk.write("o.csv", TABLE + "3,x\n")
    assert desk.certify("--original", "o.csv") == 0
    assert desk.verify("--reference", "o.csv") == (0, "")
    desk.write("o.csv", TABLE)
    assert desk.verify("--reference", "o.csv") == (1, "reference o.csv is not what was certified")


@pytest.mark.parametrize(
    ("options", "code"),
    [((), 1), (("--source",), 2)],
    ids=["a policy that is not met", "a table before its release"],
)
def test_no_certificate(desk: Desk, options: tuple[str, ...], code: int) -> None:
    desk.write("p.yaml", POLICY.replace("k: 2}", "k: 3}"))
    assert desk.certify(*options, "--ledger", "l.jsonl") == code
    assert not (desk.folder / "c.json").exists()
    assert not (desk.folder / "l.jsonl").exists()


def test_no_certificate_where_something_was_not_evaluated(desk: Desk) -> None:
    desk.write("r.csv", "ill\nx\n")
    assert desk.certify() == 3
    assert not (desk.folder / "c.json").exists()


def test_a_certificate_takes_the_place_of_no_input(desk: Desk) -> None:
    assert invoke(["check", "r.csv", "-p", "p.yaml", "--certificate", "r.csv"]) == 2
    assert (desk.folder / "r.csv").read_text(encoding="utf-8") == TABLE
    assert desk.certify("--report", "json=c.json") == 2


def test_waivers_are_named_and_end(desk: Desk) -> None:
    waiver = "{requirement: k, at_least: {k: 2}, reason: a rare disease, owner: o, approved_by: a, expires: 2027-03-31}"
    desk.write("p.yaml", POLICY.replace("k: 2}", "k: 3}") + f"waivers: [{waiver}]\n")
    assert desk.certify("--as-of", "2027-01-01") == 0
    evaluation = desk.said["predicate"]["auditor_evaluation"]
    assert evaluation["verdict"] == "waived"
    assert desk.said["predicate"]["verifiedLevels"] == ["AUDITOR_POLICY_MET_WITH_WAIVERS"]
    (waived,) = evaluation["waivers"]
    assert (waived["requirement"], waived["approval"]) == ("k", "declared, not verified")
    assert desk.verify("--as-of", "2027-03-31") == (0, "")
    code, differs = desk.verify("--as-of", "2027-04-01")
    assert code == 1
    assert differs.startswith("a waiver that it relies on lapsed on 2027-03-31")
    desk.forge(lambda said: said["predicate"]["auditor_evaluation"].update(waivers=[]))
    assert desk.verify("--as-of", "2027-01-01") == (1, "the verdict is waived, but no waiver is named")


def test_a_new_key_is_not_written_through_a_link(desk: Desk) -> None:
    """Whoever laid the link would have the key in a file of their choice."""
    (desk.folder / "c.json.key").symlink_to("public.txt")
    assert desk.certify() == EXIT_NOT_EVALUATED
    assert not {"public.txt", "c.json"} & {file.name for file in desk.folder.iterdir()}


def test_a_keyed_certificate_confirms_no_guess(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_KEY", "0123456789abcdef")
    assert desk.certify("--certificate-key", "THE_KEY") == 0
    digest = hmac.digest(b"0123456789abcdef", TABLE.encode(), "sha256").hex()
    assert desk.said["subject"][0]["digest"] == {"hmacSha256": digest}
    assert hashlib.sha256(TABLE.encode()).hexdigest() not in json.dumps(desk.said)
    assert desk.verify("--certificate-key", "THE_KEY") == (0, "")
    assert desk.verify()[0] == 2
    monkeypatch.setenv("THE_KEY", "another key that is long")
    assert desk.verify("--certificate-key", "THE_KEY")[0] == 1
    desk.forge(lambda said: said["predicate"]["auditor_evaluation"].update(release="mine"))
    monkeypatch.setenv("THE_KEY", "0123456789abcdef")
    assert "was changed after it was written" in desk.verify("--certificate-key", "THE_KEY")[1]
    monkeypatch.setenv("THE_KEY", "short")
    assert desk.certify("--certificate-key", "THE_KEY") == 2


def test_the_ledger_knows_every_certified_release(desk: Desk) -> None:
    assert desk.certify("--ledger", "l.jsonl") == 0
    desk.write("r.csv", TABLE + "1,z\n")
    assert desk.certify("--ledger", "l.jsonl") == 0
    entries = read_ledger(desk.folder / "l.jsonl").of_kind("release")
    assert [entry.body["verdict"] for entry in entries] == ["pass", "pass"]
    assert entries[1].body["certificate"] == hashlib.sha256((desk.folder / "c.json").read_bytes()).hexdigest()
    assert desk.verify("--ledger", "l.jsonl") == (0, "")


def test_a_forged_certificate_is_not_in_the_ledger(desk: Desk) -> None:
    assert desk.certify("--ledger", "l.jsonl") == 0
    other = desk.write("other.csv", "age,ill\n7,secret\n")
    digest = hashlib.sha256(other.read_bytes()).hexdigest()
    desk.forge(lambda said: said["subject"][0].update(digest={"sha256": digest}))
    assert desk.verify(data="other.csv") == (0, ""), "nobody without a signature, a key or a ledger can tell"
    assert desk.verify("--ledger", "l.jsonl", data="other.csv") == (
        1,
        "the ledger l.jsonl has no release with this certificate",
    )


def test_a_broken_ledger_certifies_nothing(desk: Desk) -> None:
    assert desk.certify("--ledger", "l.jsonl") == 0
    before = (desk.folder / "c.json").read_bytes()
    ledger = desk.folder / "l.jsonl"
    ledger.write_text(ledger.read_text(encoding="utf-8").replace("clinic", "cynic").replace('"pass"', '"waived"'))
    desk.write("r.csv", TABLE + "1,z\n")
    assert desk.certify("--ledger", "l.jsonl") == 3
    assert (desk.folder / "c.json").read_bytes() == before


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_a_detached_signature_of_ssh_keygen(desk: Desk) -> None:
    def ssh(*words: str) -> None:
        subprocess.run(["ssh-keygen", *words], cwd=desk.folder, check=True, capture_output=True)

    for name in ("key", "stranger"):
        ssh("-q", "-t", "ed25519", "-N", "", "-f", name)
    public = (desk.folder / "key.pub").read_text(encoding="utf-8")
    desk.write("signers", f"dpo@example.org {public}")
    assert desk.certify() == 0
    ssh("-Y", "sign", "-n", "auditor", "-f", "key", "c.json")
    options = ("--signature", "c.json.sig", "--signers", "signers", "--identity", "dpo@example.org")
    assert desk.verify(*options) == (0, "")
    assert desk.verify(*options[:-1], "someone@example.org")[0] == 1
    before = (desk.folder / "c.json").read_text(encoding="utf-8")
    desk.forge(lambda said: said["predicate"]["auditor_evaluation"].update(release="mine"))
    code, differs = desk.verify(*options)
    assert (code, differs) == (1, "this is not a signature of dpo@example.org over this certificate")
    desk.write("c.json", before)
    (desk.folder / "c.json.sig").unlink()
    ssh("-Y", "sign", "-n", "auditor", "-f", "stranger", "c.json")
    assert desk.verify(*options)[0] == 1
    (desk.folder / "c.json.sig").unlink()
    ssh("-Y", "sign", "-n", "file", "-f", "key", "c.json")
    assert desk.verify(*options)[0] == 1, "a signature of something else by the same key"
    assert desk.verify("--signature", "c.json.sig")[0] == 2


def test_a_database_table_cannot_be_certified(desk: Desk) -> None:
    import duckdb

    with duckdb.connect(str(desk.folder / "d.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM read_csv('r.csv')")
    assert desk.certify(data="duckdb:d.duckdb?table=t") == 3
    assert not (desk.folder / "c.json").exists()


def test_a_missing_certificate_or_data_is_not_evaluated(desk: Desk) -> None:
    assert desk.verify()[0] == 3
    assert desk.certify() == 0
    assert desk.verify(data="absent.csv")[0] == 3
    assert desk.verify("--ledger", "absent.jsonl")[0] == 2


def random_table(rows: int) -> str:
    """A table that cannot be guessed: digests of the row's number, one of two ages."""
    lines = (f"{row % 2},{hashlib.sha256(b'%d' % row).hexdigest()}" for row in range(rows))
    return "age,ill\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("table", "keyed"),
    [(random_table(3000), False), (random_table(30), True), ("age,ill\n" + "1,x\n1,y\n" * 200_000, True)],
)
def test_a_certificate_of_what_could_be_guessed_is_keyed_and_its_key_lies_beside_it(
    desk: Desk, table: str, keyed: bool
) -> None:
    """3,000 rows of 256 random bits are none, 400,000 rows of two values are."""
    desk.write("r.csv", table)
    assert desk.certify("--ledger", "l.jsonl") == 0
    key = desk.folder / "c.json.key"
    assert key.exists() is keyed
    assert desk.verify() == (0, "")
    shown = (desk.folder / "c.json").read_text(encoding="utf-8") + (desk.folder / "l.jsonl").read_text(encoding="utf-8")
    assert (hashlib.sha256(table.encode()).hexdigest() in shown) is not keyed
    if keyed:
        assert key.stat().st_mode & 0o77 == 0
        first = key.read_bytes()
        assert desk.certify() == 0
        assert key.read_bytes() != first, "a key that lay there may be known to others"
        key.unlink()
        assert desk.verify()[0] == 2


def test_no_value_of_a_partition_is_in_a_certificate(desk: Desk) -> None:
    parts = {f"d/ill={ill}/{age}/part.csv": f"age\n{age}\n{age}\n" for ill in ("flu", "hiv") for age in (1, 2)}
    for name, text in parts.items():
        desk.write(name.replace("/1/", "/year=1/").replace("/2/", "/year=2/"), text)
    desk.write("p.yaml", POLICY.replace("ill: sensitive", "ill: sensitive, year: insensitive"))
    assert desk.certify("--ledger", "l.jsonl", data="d") == 0
    for file in ("c.json", "l.jsonl"):
        assert "hiv" not in (desk.folder / file).read_text(encoding="utf-8")
    assert {each["name"] for each in desk.said["subject"]} == {"ill=…/year=…/part.csv"}
    assert desk.verify(data="d") == (0, "")
    (desk.folder / "d/ill=hiv").rename(desk.folder / "d/ill=aids")
    assert desk.verify(data="d") == (1, "the data lacks ill=…/year=…/part.csv, which was certified")


COSIGN = """#!/bin/sh
printf '%s\\n' "$@" > "$0.words"
case "$1" in
  sign-blob) while [ "$1" != --bundle ]; do shift; done; sha256sum < "$3" > "$2" ;;
  verify-blob) while [ "$1" != --bundle ]; do shift; done; sha256sum < "$3" | cmp -s - "$2" ;;
esac
"""
"""A stand-in that records its words; its signature is a digest."""


def test_cosign_signs_and_verifies_where_it_is_installed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    who = ("--bundle", "c.json.sigstore.json", "--identity", "dpo@example.org", "--issuer", "https://id.example.org")
    (desk.folder / "empty").mkdir()
    monkeypatch.setenv("PATH", str(desk.folder / "empty"))
    assert desk.certify("--sign", "keyless") == 3
    desk.write("c.json.sigstore.json", "")
    assert desk.verify(*who)[0] == 3
    program = desk.write("bin/cosign", COSIGN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    assert desk.certify("--sign", "cosign.key") == 0
    target = str(desk.folder / "c.json")
    words = (desk.folder / "bin/cosign.words").read_text(encoding="utf-8").splitlines()
    assert words == ["sign-blob", "--yes", "--key", "cosign.key", "--bundle", f"{target}.sigstore.json", target]
    assert desk.verify(*who) == (0, "")
    words = (desk.folder / "bin/cosign.words").read_text(encoding="utf-8").splitlines()
    told = ["--certificate-identity=dpo@example.org", "--certificate-oidc-issuer=https://id.example.org"]
    assert words[:5] == ["verify-blob", *told, "--bundle", f"{target}.sigstore.json"]
    desk.forge(lambda said: said["predicate"]["auditor_evaluation"].update(release="mine"))
    assert desk.verify(*who) == (1, "cosign finds no signature of dpo@example.org over this certificate")
    assert desk.verify(*who[:2])[0] == 2
