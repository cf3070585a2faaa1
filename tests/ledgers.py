"""Ledgers with entries of a test's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditor.ledger import Addition, Entry, add


def append(path: Path, kind: str, body: Mapping[str, Any], time: str) -> Entry:
    """Add one entry; the ledger is made where there is none."""
    return add(path, [Addition(kind, body, time)])[0]
