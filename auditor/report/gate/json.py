"""The gate's document itself."""

from auditor.report.json import document

__all__ = ["document"]
