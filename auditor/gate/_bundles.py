"""Signed bundles of policies: a folder of ``AUDITOR_POLICIES`` whose list of digests is signed.

``sha256sum`` writes the list, ``SHA256SUMS``, and ssh-keygen signs it, as ``SHA256SUMS.sig``. A file of the folder is
signed where the list names it with its digest and one of the trusted keys made the signature.
"""

from __future__ import annotations

import re
from datetime import date
from hashlib import sha256
from pathlib import Path

from auditor.gate._schema import Trusted
from auditor.gate.signatures.keys import PublicKey
from auditor.gate.signatures.signatures import NotSigned, signed_by
from auditor.gate.signatures.signers import signers_of

LIST = "SHA256SUMS"
NAMESPACE = "auditor-policy"
LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")
MOST_BYTES = 1 << 20


def keys_of(trusted: Trusted) -> list[PublicKey]:
    """The keys that may sign a bundle, unless they are revoked: those of all signers."""
    return [key for keys in signers_of(trusted.signers, trusted.signers).values() for key in keys]


def signer_of(file: Path, bundle: Path, trusted: Trusted, on: date) -> str | None:
    """The fingerprint of the key that a file of a bundle is signed with; None where it is signed with none of them.

    Args:
        file: the file, resolved.
        bundle: the folder of the list and its signature.
        trusted: says which keys may sign, and which are revoked.
        on: the day on which a key must be valid.
    """
    try:
        listed, signature = (_content(bundle / name) for name in (LIST, f"{LIST}.sig"))
        lines = [found for line in listed.decode().splitlines() if (found := LINE.fullmatch(line))]
        names = {found[2]: found[1] for found in lines}
        if names.get(file.relative_to(bundle).as_posix()) != sha256(file.read_bytes()).hexdigest():
            return None
        return signed_by(
            listed, signature.decode(), keys_of(trusted), NAMESPACE, on, revoked=trusted.revoked
        ).fingerprint
    except (OSError, UnicodeDecodeError, NotSigned):
        return None


def _content(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(MOST_BYTES)
