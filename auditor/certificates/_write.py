"""Issuing certificates: written whole or not at all, and noted in the ledger of releases where there is one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from auditor.certificates._digests import Key
from auditor.certificates._statement import Certified, certificate
from auditor.ledger import Addition, add, turn
from auditor.report import delivery

KIND = "release"
"""What an entry of the ledger is that records a certificate."""


def issue(said: Certified, target: Path, key: Key | None = None, ledger: Path | None = None) -> None:
    """Write a certificate, and its entry in the ledger; where the entry cannot be written, neither is.

    Raises:
        DataError: the ledger is not sound.
        DeliveryError: a file could not be written.
    """
    with nullcontext() if ledger is None else turn(ledger):
        issue_all({target: said}, key, ledger)


def issue_all(
    said: Mapping[Path, Certified],
    key: Key | None = None,
    ledger: Path | None = None,
    *,
    first: Sequence[Addition] = (),
    after: str | None = None,
) -> None:
    """Write certificates, and their entries in the ledger: all of them, or nothing.

    The entries come before the certificates are seen: what nobody remembers must not be released.

    Args:
        said: what each certificate says, by its file.
        key: what digests are keyed with.
        ledger: the ledger's file.
        first: entries of the ledger that stand before those of the certificates.
        after: the `head` that the ledger must have; None takes any.

    Raises:
        DataError: the ledger is not sound, or has another head.
        DeliveryError: a file could not be written.
    """
    time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    contents = {target: certificate(each, time, key) for target, each in said.items()}
    with ExitStack() as beside:
        put = [beside.enter_context(delivery.staged(target, content)) for target, content in contents.items()]
        noted = [Addition(KIND, _entry(each, contents[target]), time) for target, each in said.items()]
        if ledger is not None and (first or noted):
            add(ledger, [*first, *noted], after=after)
        for each in put:
            each()


def _entry(said: Certified, content: bytes) -> dict[str, Any]:
    return {
        "certificate": hashlib.sha256(content).hexdigest(),
        "release": said.release,
        "source": said.source,
        "policy": said.policy_sha256,
        "verdict": said.verdict.value,
        "recipients": list(said.recipients),
        "files": [{"name": file.name, "role": file.role, "digest": file.digest} for file in said.files],
    }
