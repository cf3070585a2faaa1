"""The gate on one page: the verdict, what is weaker, every release, then each in full."""

from __future__ import annotations

from auditor.report import words
from auditor.report.comparison import TITLES, value
from auditor.report.gate import words as gate
from auditor.report.html import page
from auditor.report.redact import Redacted
from auditor.result.gate import GateResult

MOST = 10
"""So many weaker fields of a release stand at the top; all stand below."""
LOOKS = {status: status if status != "weakened" else "fail" for status in gate.STATUSES}


def document(redacted: Redacted[GateResult]) -> str:
    """The whole file."""
    shown = words.view(redacted).result
    foot = f"Head {shown.head or 'not in git'}"
    return page(
        "gate",
        foot,
        document=shown,
        audience=redacted.audience,
        weakened=gate.weakenings(shown),
        gate=gate,
        looks=LOOKS,
        titles=TITLES,
        value=value,
        most=MOST,
    )
