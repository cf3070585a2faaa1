"""Signatures, verified by ssh-keygen and gpgv in an empty home: nothing that a user or a repository sets up is asked.

This is the only place that runs these two. What they are given is read first: one detached signature and nothing else,
made with one of the keys that are asked for. There is no cryptography of our own.
"""

from __future__ import annotations

import os
import re
import subprocess
from base64 import b64decode
from binascii import Error
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from auditor.files import program
from auditor.gate.signatures import _openpgp
from auditor.gate.signatures.keys import PGP, PublicKey, fingerprint_of, ssh_text

SECONDS = 60
MOST_BYTES = 1 << 16
ARMOR = re.compile(r"-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END SSH SIGNATURE-----\s*")
MAGIC = b"SSHSIG\0\0\0\1"
BROKEN_HASHES = frozenset({"1", "2", "3"})
"""MD5, SHA-1 and RIPEMD-160, by their numbers in OpenPGP: two files of one hash can be made, or nearly."""
BINARY = "00"
"""The class of a signature over bytes as they are; one over text leaves out what ends its lines."""


class NotSigned(Exception):  # noqa: N818  (an answer, not an error of the program)
    """A signature does not hold, in words that go on from its name: ``is over other bytes``."""


@dataclass(frozen=True)
class SshSignature:
    """A signature of ssh-keygen: the key that it says to be made with, and what for."""

    key: bytes
    namespace: str


def ssh_signature(text: str) -> SshSignature:
    """The signature in an armored block.

    Raises:
        NotSigned: it is none.
    """
    found = ARMOR.fullmatch(text)
    try:
        content = b64decode(re.sub(r"\s", "", found[1]), validate=True) if found is not None else b""
    except Error:
        content = b""
    if not content.startswith(MAGIC):
        raise NotSigned("is not a signature of ssh-keygen")
    at, parts = len(MAGIC), []
    while at < len(content):
        part, at = ssh_text(content, at)
        parts.append(part)
    if len(parts) != 5 or at != len(content):
        raise NotSigned("is not a signature of ssh-keygen")
    return SshSignature(parts[0], parts[1].decode("utf-8", "replace"))


def is_signature(text: str) -> bool:
    """Whether a text is one detached signature, and nothing else."""
    try:
        return bool(_openpgp.signature(text) if text.startswith(PGP) else ssh_signature(text))
    except (NotSigned, ValueError):
        return False


def signed_by(
    content: bytes, text: str, keys: Sequence[PublicKey], namespace: str, on: date, *, revoked: Collection[str] = ()
) -> PublicKey:
    """The key, of several, that made a signature.

    Args:
        content: what is signed.
        text: the detached signature, armored.
        keys: those that may have made it.
        namespace: what an SSH signature must be for.
        on: the day on which an SSH key must be valid; an OpenPGP key must be valid now.
        revoked: the fingerprints of keys, or of subkeys of OpenPGP, that sign nothing any more.

    Raises:
        NotSigned: none of them did, or it cannot be verified here.
    """
    if len(text) > MOST_BYTES:
        raise NotSigned(f"is longer than {MOST_BYTES} characters")
    if text.startswith(PGP):
        found, *more = _by_gpg(content, text, [key for key in keys if not key.is_ssh])
    else:
        found, more = _by_ssh(content, text, [key for key in keys if key.is_ssh], namespace, on), []
    taken_back = next((each for each in (found.fingerprint, *more) if each in revoked), None)
    if taken_back is not None:
        raise NotSigned(f"is made with a key that is revoked ({taken_back})")
    return found


def is_named(text: str, keys: Iterable[PublicKey]) -> bool:
    """Whether a signature, verified or not, says that one of several keys made it, or a certificate of one."""
    try:
        if not text.startswith(PGP):
            made = ssh_signature(text).key
            return any(key.is_ssh and key.numbers in made for key in keys)
        signature, known = _openpgp.signature(text), [key for key in keys if not key.is_ssh]
        return bool(known) and "NO_PUBKEY" not in dict(_told(b"", signature, known))
    except (NotSigned, ValueError):
        return False


def _by_ssh(content: bytes, text: str, keys: Sequence[PublicKey], namespace: str, on: date) -> PublicKey:
    made = ssh_signature(text)
    named = [key for key in keys if key.content == made.key]  # one key may stand on several lines, each with options
    if not named:
        raise NotSigned(f"is made with another key ({fingerprint_of(made.key)})")
    if made.namespace != namespace:
        raise NotSigned(f"is for {made.namespace!r} and not for {namespace!r}")
    moment = () if on == date.today() else (f"-Overify-time={on:%Y%m%d}235959",)  # noqa: DTZ011  (as the gate's day)
    with TemporaryDirectory() as home:
        files = {"signers": "".join(f"signer {key.text}\n" for key in named), "signature": text}
        _write(Path(home), {name: said.encode() for name, said in files.items()})
        words = ("-Y", "verify", "-f", "signers", "-I", "signer", "-n", namespace, "-s", "signature", *moment)
        done = _run("ssh-keygen", words, home, content)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise NotSigned(f"does not hold ({said[0].removeprefix('signers:1: ') if said else 'no reason given'})")
    return named[0]


def _by_gpg(content: bytes, text: str, keys: Sequence[PublicKey]) -> tuple[PublicKey, str]:
    try:
        signature = _openpgp.signature(text)
    except ValueError as wrong:
        raise NotSigned(f"is {wrong}") from None
    return _good(_told(content, signature, keys), keys)


def _told(content: bytes, signature: bytes, keys: Sequence[PublicKey]) -> Iterator[tuple[str, list[str]]]:
    """What gpgv says of a signature, as it says it to a program."""
    with TemporaryDirectory() as home:
        _write(Path(home), {"ring": b"".join(key.content for key in keys), "signature": signature, "content": content})
        words = ("--homedir", home, "--keyring", f"{home}/ring", "--status-fd", "1", "signature", "content")
        output = _run("gpgv", words, home).stdout
    for line in output.decode("utf-8", "replace").split("\n"):
        mark, *facts = line.split(" ")
        if mark == "[GNUPG:]" and facts:
            yield facts[0], facts[1:]


def _good(told: Iterable[tuple[str, list[str]]], keys: Sequence[PublicKey]) -> tuple[PublicKey, str]:
    """The key of the one good signature that gpgv speaks of, and the fingerprint of what signed: it, or a subkey.

    gpgv ends in 0 for expired and revoked keys, too.
    """
    said = dict(told)
    wrong = {
        "BADSIG": "is over other bytes",
        "EXPSIG": "has expired",
        "EXPKEYSIG": "is made with a key that has expired",
        "REVKEYSIG": "is made with a key that its owner has revoked",
        "NO_PUBKEY": f"is made with another key ({' '.join(said.get('NO_PUBKEY', []))})",
    }
    reason = next((why for name, why in wrong.items() if name in said), None)
    facts = said.get("VALIDSIG", [])
    if reason is not None or "GOODSIG" not in said or len(facts) < 10:
        raise NotSigned(reason or "does not hold")
    if facts[7] in BROKEN_HASHES or facts[8] != BINARY:
        raise NotSigned("can be forged: its hash is broken, or it is over text")
    found = next((key for key in keys if key.fingerprint == facts[9]), None)
    if found is None:
        raise NotSigned(f"is made with another key ({facts[9]})")
    return found, facts[0]


def _write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _run(name: str, words: tuple[str, ...], home: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run one of the two in an empty home, knowing where programs are and nothing else of the environment."""
    known = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    try:
        return subprocess.run(  # noqa: S603  (a list of words, no shell; none is a user's)
            [program(name), *words],
            capture_output=True,
            check=False,
            cwd=home,
            env={**known, "HOME": home, "LC_ALL": "C", "TZ": "UTC"},
            input=given,
            timeout=SECONDS,
        )
    except FileNotFoundError:
        raise NotSigned(f"cannot be verified: {name} is not installed") from None
    except subprocess.TimeoutExpired:
        raise NotSigned(f"cannot be verified: {name} gave no answer within {SECONDS} seconds") from None
