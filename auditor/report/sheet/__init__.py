"""A sheet: a document of figures without lines, written alike for every kind.

A hiding run and a sweep of masking methods are sheets. Neither judges a requirement, so formats of lines and checks do
not write them. Who may see what is said where every document is redacted (`auditor.report.redact`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from auditor.report import words
from auditor.report._parts import hidden_paths
from auditor.report.page import Page
from auditor.report.redact import Redacted
from auditor.result import Audience
from auditor.result.hiding import HidingResult
from auditor.result.tradeoff import TradeoffResult


@dataclass(frozen=True)
class Figures:
    """A table: its first `texts` columns hold texts, the others figures; the legend says what its marks mean."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1
    legend: str = ""


@dataclass(frozen=True)
class Sheet:
    """What every format says: of a `document` for the eye, and by the HTML `template`, for an audience."""

    document: HidingResult | TradeoffResult
    audience: Audience
    template: str
    seal: str
    look: str
    headline: str
    sentence: str
    facts: Sequence[tuple[str, str]]
    tables: Sequence[Figures]
    lists: Sequence[tuple[str, Sequence[str]]]
    sha256: str | None


class SheetPage(Page):
    """Text and figures, and no lines."""

    ROOM: ClassVar[str] = __name__
    document: Redacted[HidingResult] | Redacted[TradeoffResult]

    @abstractmethod
    def sheet(self) -> Sheet:
        """What is said."""

    @cached_property
    def subject(self) -> Sheet:
        """The sheet is what the formats write."""
        return self.sheet()


def lists(
    shown: HidingResult | TradeoffResult, before: Sequence[tuple[str, Sequence[str]]], note: str
) -> list[tuple[str, Sequence[str]]]:
    """What else the reader should know: what the kind says, what was assumed, and a note where numbers are hidden."""
    hidden = [note] if hidden_paths(shown) else []
    return [(title, lines) for title, lines in (*before, ("Assumed", shown.assumptions), ("Hidden", hidden)) if lines]


def findings(shown: HidingResult | TradeoffResult) -> list[str]:
    """The messages of the findings, with their numbers."""
    return [
        finding.message + ("" if finding.records_count is None else f" ({words.number(finding.records_count)})")
        for finding in shown.findings
    ]
