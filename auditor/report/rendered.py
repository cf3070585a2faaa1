"""Choosing a renderer by its format's name."""

from __future__ import annotations

from importlib import import_module

from auditor.report import formats
from auditor.report.formats import FORMATS
from auditor.report.page import Page
from auditor.report.redact import Redacted
from auditor.result import Answer, Audience

__all__ = ["FORMATS", "audience_for", "page_of", "render"]

_PAGES = {
    "gate": ("auditor.report.gate.page", "GatePage"),
    "hide": ("auditor.report.hiding", "HidingPage"),
    "tradeoff": ("auditor.report.tradeoff", "TradeoffPage"),
}
"""The pages of documents that are no audits, by their command; imported when there is one."""


def page_of(document: Redacted[Answer]) -> Page:
    """The page of a redacted document."""
    room, kind = _PAGES.get(document.result.command, ("auditor.report.audits", "AuditPage"))
    page: Page = getattr(import_module(room), kind)(document)
    return page


def render(document: Redacted[Answer], format_: str) -> str:
    """The text of a redacted document in one of `FORMATS`; same document, same bytes."""
    return formats.write(page_of(document), format_)


def audience_for(format_: str, asked: Audience | None) -> Audience:
    """For whom a format is rendered: whom the user asked for, else public for what strangers read, else reviewer."""
    if asked is not None:
        return asked
    return Audience.PUBLIC if formats.is_public(format_) else Audience.REVIEWER
