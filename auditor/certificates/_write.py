"""Issuing certificates: written whole or not at all, and noted in the ledger of releases where there is one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from auditor.certificates.digests import KEY_ENDING, SecretKey, placed
from auditor.certificates.statement import Certified, certificate
from auditor.errors import DeliveryError
from auditor.ledger import Addition, add, turn
from auditor.report import delivery

KIND = "release"
"""What an entry of the ledger is that records a certificate."""


@dataclass(frozen=True)
class Issued:
    """What a certificate says, and what it is keyed with; a `new` key is written into a file beside it."""

    said: Certified
    key: SecretKey | None = None
    new: bool = False


def issue(issued: Issued, target: Path, ledger: Path | None = None) -> None:
    """Write a certificate, and its entry in the ledger; where the entry cannot be written, neither is.

    Raises:
        DataError: the ledger is not sound.
        DeliveryError: a file could not be written.
    """
    with nullcontext() if ledger is None else turn(ledger):
        issue_all({target: issued}, ledger)


def issue_all(
    issued: Mapping[Path, Issued],
    ledger: Path | None = None,
    *,
    first: Sequence[Addition] = (),
    after: str | None = None,
) -> None:
    """Write certificates, and their entries in the ledger: all of them, or nothing.

    The entries come before the certificates are seen: what nobody remembers must not be released.

    Args:
        issued: the certificates, by their files.
        ledger: the ledger's file.
        first: entries of the ledger that stand before those of the certificates.
        after: the `head` that the ledger must have; None takes any.

    Raises:
        DataError: the ledger is not sound, or has another head.
        DeliveryError: a file could not be written.
    """
    time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    contents = {target: certificate(each.said, time, each.key) for target, each in issued.items()}
    keys = {target: each.key.secret + b"\n" for target, each in issued.items() if each.key and each.new}
    with ExitStack() as beside:
        files = {target.with_name(target.name + KEY_ENDING): secret for target, secret in keys.items()}
        if (link := next((file for file in files if file.is_symlink()), None)) is not None:
            raise DeliveryError(f"{link.name}: the key would be written to a link; remove the link")
        puts = [beside.enter_context(delivery.staged(file, secret, mode=0o600)) for file, secret in files.items()]
        puts += [beside.enter_context(delivery.staged(target, content)) for target, content in contents.items()]
        noted = [Addition(KIND, _entry(each.said, contents[target]), time) for target, each in issued.items()]
        if ledger is not None and (first or noted):
            add(ledger, [*first, *noted], after=after)
        for put in puts:
            put()


def _entry(said: Certified, content: bytes) -> dict[str, Any]:
    return {
        "certificate": hashlib.sha256(content).hexdigest(),
        "release": said.release,
        "source": placed(said.source),
        "policy": said.policy_sha256,
        "verdict": said.verdict.value,
        "recipients": list(said.recipients),
        "files": [{"name": file.name, "role": file.role, "digest": file.digest} for file in said.files],
    }
