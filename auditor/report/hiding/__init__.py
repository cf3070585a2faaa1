"""A hiding run, shown.

A run has no policy and judges no requirement, so formats of lines and checks do not write it. Who may see what is said
where every document is redacted (`auditor.report.redact`).
"""

from __future__ import annotations

from typing import ClassVar

from auditor.report.page import Page


class HidingPage(Page):
    """Text and figures, and no lines."""

    ROOM: ClassVar[str] = __name__
    WRITTEN: ClassVar[str] = "hide has no policy to report on"
