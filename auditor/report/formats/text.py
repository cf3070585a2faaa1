"""Text for a terminal."""

from __future__ import annotations

from auditor.report.page import Page

ABOUT = "a terminal; plain text elsewhere"
MEDIA_TYPE = "text/plain"
NEEDS = "text"


def write(page: Page, width: int = 100, colour: bool = False) -> str:
    """A screen of text, at most `width` columns wide; escape sequences only where `colour` asks for them."""
    return page.text(width, colour)


def inert(line: str) -> str:
    """A line that a build server's log does not take for a command, wherever the table was folded."""
    line = line.replace("##[", "##\\[")
    return line.replace("::", "\\::", 1) if line.lstrip().startswith("::") else line
