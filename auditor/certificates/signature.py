"""Detached signatures: made by signers that exist, looked at by them; no cryptography of our own.

``ssh-keygen -Y sign -n auditor -f KEY CERTIFICATE`` makes CERTIFICATE.sig. Who may sign stands in a file of allowed
signers, as git has it (``gpg.ssh.allowedSignersFile``).
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import DataError, Unsupported
from auditor.files import program

NAMESPACE = "auditor"
"""Keeps a signature of a certificate apart from signatures of anything else by the same key."""
SECONDS = 30


@dataclass(frozen=True)
class DetachedSignature:
    """A detached signature, who it must be of, and the file of those who may sign."""

    file: Path
    identity: str
    allowed: Path


def refused(content: bytes, signature: DetachedSignature) -> str | None:
    """Why a signature does not hold for some bytes; None where it does.

    Raises:
        DataError: the signature, or the file of allowed signers, cannot be read.
        Unsupported: ssh-keygen is not installed.
    """
    for file in (signature.file, signature.allowed):
        if not file.is_file():
            raise DataError(f"{file.name}: there is no such file")
    words = ["-Y", "verify", "-n", NAMESPACE, "-f", str(signature.allowed.absolute())]
    words += ["-I", signature.identity, "-s", str(signature.file.absolute())]
    try:
        done = subprocess.run(  # noqa: S603  (a list of words, no shell)
            [program("ssh-keygen"), *words], input=content, capture_output=True, check=False, timeout=SECONDS
        )
    except FileNotFoundError:
        raise Unsupported("ssh-keygen, which verifies signatures, is not installed") from None
    except subprocess.TimeoutExpired:
        raise Unsupported(f"ssh-keygen gave no answer within {SECONDS} seconds") from None
    return None if done.returncode == 0 else f"this is not a signature of {signature.identity} over this certificate"
