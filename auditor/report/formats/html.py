"""HTML: the report for people."""

from __future__ import annotations

from auditor.report.page import Page

ABOUT = "the person who decides: one file, no network, no script"
ENDING = ".html"
MEDIA_TYPE = "text/html"
NEEDS = "html"
SCREEN = False


def write(page: Page) -> str:
    """One file, the same bytes every time."""
    return page.html()
