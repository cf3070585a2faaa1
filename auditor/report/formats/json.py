"""The document itself: the contract's JSON, full precision, UTF-8."""

from __future__ import annotations

import json
import re

from auditor.report.page import Page

ABOUT = "programs: the [result document](#the-result-document), full precision"
ENDING = ".json"
MEDIA_TYPE = "application/json"
NEEDS = "document"
_SURROGATE = re.compile("[\ud800-\udfff]")
"""File names that are not valid UTF-8 reach Python as lone surrogates; JSON can write them, UTF-8 cannot."""


def write(page: Page) -> str:
    """One JSON object, keys in the document's order."""
    return escaped(page.document.to_dict())


def escaped(value: object) -> str:
    """Indented JSON that can be encoded as UTF-8 whatever the texts in it are."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    return _SURROGATE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", text) + "\n"
