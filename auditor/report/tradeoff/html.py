"""A sweep on one page: which method to take, what each costs, and the map of loss against risk."""

from __future__ import annotations

import re

from auditor.report import words
from auditor.report.html import page
from auditor.report.redact import Redacted
from auditor.report.tradeoff import words as told
from auditor.result import TradeoffResult


def document(redacted: Redacted[TradeoffResult]) -> str:
    """The whole file."""
    shown = words.view(redacted).result
    digest = shown.data.sha256 or ""
    foot = f"File SHA-256 {digest}" if re.fullmatch("[0-9a-f]{64}", digest) else "File hash not shown"
    return page("tradeoff", foot, document=shown, audience=redacted.audience, told=told)
