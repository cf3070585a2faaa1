"""One page: the answer, the facts, the figures, and the pictures that the kind's template draws."""

from __future__ import annotations

from auditor.report.html import foot, page
from auditor.report.sheet import Sheet


def document(sheet: Sheet) -> str:
    """The whole file."""
    return page(sheet.template, foot(sheet.sha256), document=sheet.document, audience=sheet.audience, sheet=sheet)
