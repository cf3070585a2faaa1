"""A sweep of masking methods, shown.

A sweep judges no release, so formats of lines and checks do not write it.
"""

from __future__ import annotations

from typing import ClassVar

from auditor.report.page import Page


class TradeoffPage(Page):
    """Text and figures, and no lines."""

    ROOM: ClassVar[str] = __name__
    WRITTEN: ClassVar[str] = "a sweep judges no release"
