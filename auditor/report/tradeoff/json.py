"""The document itself: the contract's JSON, full precision, UTF-8."""

from __future__ import annotations

from auditor.report.json import document

__all__ = ["document"]
