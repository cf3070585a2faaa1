"""Markdown, for a comment on a change.

Every text of the document is escaped: it can neither draw markup, mention people, link nor break the table.
"""

from __future__ import annotations

import re

from auditor.report.page import Page

ABOUT = "a comment on a change"
ENDING = ".md"
MEDIA_TYPE = "text/markdown"
NEEDS = "markdown"
PUBLIC = True
_SPECIAL = re.compile(r"[\\`*\[\]#!|~<>&$%^]|(?<!\w)_|_(?!\w)|\A[-+=]")


def write(page: Page) -> str:
    """A comment in GitHub's and GitLab's common dialect."""
    return page.markdown()


def safe(text: str) -> str:
    """A text that stays text: punctuation of the syntax as character references, mentions and links cut apart."""
    text = _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", text)
    return text.replace("@", "@<!-- -->").replace("://", ":<!-- -->//").replace("www.", "www<!-- -->.")
