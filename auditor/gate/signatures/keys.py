"""Public keys of approvers, as a manifest lists them: SSH keys, as git's allowed signers have them, and OpenPGP keys.

An SSH key is a line ``[OPTIONS] TYPE BASE64 [COMMENT]``, an OpenPGP key its armored block. The options are those of
allowed signers (ssh-keygen(1)) that restrict a key: ``valid-after``, ``valid-before`` and ``namespaces``.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error
from dataclasses import dataclass
from hashlib import sha256

from auditor.gate.signatures import _openpgp

PGP = "-----BEGIN PGP "
END = re.compile(r"(?<=-----END PGP PUBLIC KEY BLOCK-----)")
MOMENT = r'"[0-9]{8}(?:[0-9]{4}(?:[0-9]{2})?)?Z?"'
OPTION = rf'(?:valid-(?:after|before)={MOMENT}|namespaces="[a-z0-9@.,-]+")'
LINE = re.compile(
    rf"(?:(?P<options>{OPTION}(?:,{OPTION})*)[ \t]+)?"
    r"(?P<type>[a-z0-9@.-]+)[ \t]+(?P<key>[a-z0-9+/]+=*)(?:[ \t]+.*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class PublicKey:
    """A public key: its fingerprint, the text that stands for it, and the bytes of the key itself."""

    fingerprint: str
    """``SHA256:…`` of an SSH key as ssh-keygen shows it, 40 hexadecimal digits of an OpenPGP key."""
    text: str
    content: bytes
    options: str = ""

    @property
    def is_ssh(self) -> bool:
        """Whether it is an SSH key; else it is one of OpenPGP."""
        return not self.text.startswith(PGP)

    @property
    def numbers(self) -> bytes:
        """What an SSH key is behind its type; a certificate of the key holds the same."""
        return self.content[ssh_text(self.content, 0)[1] :]

    @property
    def kind(self) -> str:
        """What ssh-keygen calls an SSH key of this type, in the names of its files: ``ed25519``, ``ecdsa_sk``."""
        named = ssh_text(self.content, 0)[0].decode("ascii", "replace").partition("@")[0]
        return ("ecdsa" if "ecdsa" in named else named.rpartition("-")[2]) + ("_sk" if named.startswith("sk-") else "")

    def __str__(self) -> str:
        """The fingerprint, with what restricts the key."""
        return f"{self.fingerprint} ({self.options})" if self.options else self.fingerprint


def is_key(text: str) -> bool:
    """Whether a text of a manifest is a key rather than the name of a file: it has several words."""
    return len(text.split()) > 1


def key_of(text: str) -> PublicKey:
    """The key that a text holds.

    Raises:
        ValueError: it holds none, and why.
    """
    text = text.strip()
    if "PRIVATE KEY" in text:
        raise ValueError("a private key")
    if text.startswith(PGP):
        content = _openpgp.dearmored(text, _openpgp.KEY)
        return PublicKey(_openpgp.fingerprint(content), text, content)
    found = LINE.fullmatch(text)
    if found is None:
        raise ValueError("no public key")
    try:
        content = b64decode(found["key"], validate=True)
    except Error:
        raise ValueError("a public key that was cut") from None
    if "-cert-" in found["type"]:
        raise ValueError("a certificate")
    if ssh_text(content, 0)[0] != found["type"].encode():
        raise ValueError("a public key of another type than it says")
    options = found["options"] or ""
    return PublicKey(fingerprint_of(content), f"{options} {found['type']} {found['key']}".strip(), content, options)


def fingerprint_of(content: bytes) -> str:
    """The fingerprint of an SSH key, as ssh-keygen shows it."""
    return f"SHA256:{b64encode(sha256(content).digest()).decode().rstrip('=')}"


def ssh_text(content: bytes, at: int) -> tuple[bytes, int]:
    """A text in SSH's wire format, and where the next one begins; short or empty where the bytes end before it."""
    end = at + 4 + int.from_bytes(content[at : at + 4])
    return content[at + 4 : end], end


def keys_in(text: str) -> list[str]:
    """The texts of the keys in a file: armored blocks, or lines; blank lines and those with ``#`` are none."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    parts = END.split("\n".join(lines)) if PGP in text else lines
    return [part for part in map(str.strip, parts) if part]


def signers_in(text: str) -> list[tuple[list[str], str]]:
    """The lines of a file of allowed signers: for whom, and the text of the key."""
    split = (line.split(maxsplit=1) for line in keys_in(text))
    return [(words[0].strip('"').split(","), words[-1] if len(words) > 1 else "") for words in split]
