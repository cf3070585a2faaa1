"""A hiding run on one page: whether everything is hidden, what that cost, the methods side by side."""

from __future__ import annotations

import re

from auditor.report import words
from auditor.report.hiding import words as hiding
from auditor.report.html import page
from auditor.report.redact import Redacted
from auditor.result import HidingResult


def document(redacted: Redacted[HidingResult]) -> str:
    """The whole file."""
    shown = words.view(redacted).result
    digest = (shown.release or shown.data).sha256 or ""
    foot = f"File SHA-256 {digest}" if re.fullmatch("[0-9a-f]{64}", digest) else "File hash not shown"
    return page("hiding", foot, document=shown, audience=redacted.audience, hidden=hiding)
