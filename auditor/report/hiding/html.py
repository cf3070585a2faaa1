"""A hiding run on one page: whether everything is hidden, what that cost, the methods side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from auditor.report.hiding import words as hiding
from auditor.report.html import page


def document(redacted: Mapping[str, Any]) -> str:
    """The whole file."""
    shown = hiding.view(redacted)
    digest = (shown["release"] or shown["data"])["sha256"] or ""
    foot = f"File SHA-256 {digest}" if re.fullmatch("[0-9a-f]{64}", digest) else "File hash not shown"
    return page("hiding", foot, document=shown, hidden=hiding)
