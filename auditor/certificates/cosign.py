"""Signatures by cosign, where it is installed: made and looked at by it, no cryptography of our own."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import DataError, Unsupported
from auditor.files import program
from auditor.folders import for_copies

KEYLESS = "keyless"
"""Sign as whoever the surroundings, or a browser, say that one is."""
ENDING = ".sigstore.json"
"""What a bundle is called, after the certificate."""
SECONDS = 300


@dataclass(frozen=True)
class Bundle:
    """A signature as cosign keeps it: by a public key, or by an identity that an issuer vouches for."""

    file: Path
    key: str | None = None
    identity: str | None = None
    issuer: str | None = None


def sign(certificate: Path, key: str) -> Path:
    """Sign a certificate; the bundle is written beside it.

    Args:
        certificate: the certificate's file.
        key: the key as cosign takes it (a file, an address of a service), or ``keyless``.

    Raises:
        Unsupported: cosign is not installed, or does not answer.
        DataError: it does not sign.
    """
    bundle = certificate.with_name(certificate.name + ENDING)
    named = [] if key == KEYLESS else ["--key", key]
    words = ["sign-blob", "--yes", *named, "--bundle", str(bundle.absolute()), str(certificate.absolute())]
    if _cosign(words) or not bundle.is_file():
        raise DataError(f"{certificate.name}: cosign did not sign it; run cosign {words[0]} by hand to see why")
    return bundle


def unsigned(content: bytes, bundle: Bundle) -> str | None:
    """Why a bundle does not hold for a certificate's bytes; None where it does.

    Raises:
        Unsupported: cosign is not installed, or does not answer.
        DataError: there is no such bundle.
    """
    if not bundle.file.is_file():
        raise DataError(f"{bundle.file.name}: there is no such file")
    if bundle.key is not None:
        who = ["--key", bundle.key]
    else:
        who = [f"--certificate-identity={bundle.identity}", f"--certificate-oidc-issuer={bundle.issuer}"]
    with for_copies() as folder:  # the very bytes that were read, whatever becomes of the file
        copy = folder.path / "certificate.json"
        copy.write_bytes(content)
        failed = _cosign(["verify-blob", *who, "--bundle", str(bundle.file.absolute()), str(copy)])
    return f"cosign finds no signature of {bundle.key or bundle.identity} over this certificate" if failed else None


def _cosign(words: Sequence[str]) -> int:
    try:
        return subprocess.run(  # noqa: S603  (a list of words, no shell)
            [program("cosign"), *words],
            stdout=subprocess.DEVNULL,
            check=False,
            timeout=SECONDS,
        ).returncode
    except FileNotFoundError:
        raise Unsupported("cosign, which signs and verifies certificates, is not installed") from None
    except subprocess.TimeoutExpired:
        raise Unsupported(f"cosign gave no answer within {SECONDS} seconds") from None
