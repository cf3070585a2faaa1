"""A sweep on one page: which method to take, what each costs, and the map of loss against risk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from auditor.report.html import page
from auditor.report.tradeoff import words as told


def document(redacted: Mapping[str, Any]) -> str:
    """The whole file."""
    shown = told.view(redacted)
    digest = shown["data"]["sha256"] or ""
    foot = f"File SHA-256 {digest}" if re.fullmatch("[0-9a-f]{64}", digest) else "File hash not shown"
    return page("tradeoff", foot, document=shown, told=told)
