"""Issuing a certificate: written whole or not at all, and noted in the ledger of releases where there is one."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from auditor.certificates._digests import Key
from auditor.certificates._statement import Certified, certificate
from auditor.ledger import append, read_ledger
from auditor.report import delivery

KIND = "release"
"""What an entry of the ledger is that records a certificate."""


def issue(said: Certified, target: Path, key: Key | None = None, ledger: Path | None = None) -> None:
    """Write a certificate, and its entry in the ledger; where the entry cannot be written, neither is.

    Raises:
        DataError: the ledger is not sound.
        DeliveryError: a file could not be written.
    """
    time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    content = certificate(said, time, key)
    if ledger is None:
        delivery.write(target, content)
        return
    read_ledger(ledger)
    before = target.read_bytes() if target.exists() else None
    delivery.write(target, content)
    try:
        append(ledger, KIND, _entry(said, content), time)
    except BaseException:
        if before is None:
            target.unlink(missing_ok=True)
        else:
            delivery.write(target, before)
        raise


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
