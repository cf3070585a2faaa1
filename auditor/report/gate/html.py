"""The gate on one page: the verdict, what is weaker, every release, then each in full."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditor.report.comparison import TITLES, value
from auditor.report.gate import words as gate
from auditor.report.html import page

MOST = 10
"""So many weaker fields of a release stand at the top; all stand below."""
LOOKS = {status: status if status != "weakened" else "fail" for status in gate.STATUSES}


def document(redacted: Mapping[str, Any]) -> str:
    """The whole file."""
    shown = gate.view(redacted)
    foot = f"Head {shown['head'] or 'not in git'}"
    return page(
        "gate",
        foot,
        document=shown,
        weakened=gate.weakenings(shown),
        gate=gate,
        looks=LOOKS,
        titles=TITLES,
        value=value,
        most=MOST,
    )
