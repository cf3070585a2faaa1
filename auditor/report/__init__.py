"""A result, shown: redaction for an audience, a page of it, then one format.

::

    Result ──redact──▶ Redacted ──▶ Page ──▶ a format ──▶ delivery: standard output, and files written whole or not at
                                                          all

`redact` is the only way from a result to a format, so none can show what an audience may not see. What it gives has the
result's own classes: a hidden number is `HIDDEN` (ask `is_hidden`), which the JSON document writes as null and a path.
Each kind of document has one `Page`, and each format one file of `auditor.report.formats` with a pure function
``write(page) -> str``. It is imported when it is first used: neither rich nor Jinja2 is paid for by those who do not
need it.
"""

from auditor.report.gate import redact
from auditor.report.rendered import render
from auditor.report.results import Rendered

__all__ = ["Rendered", "redact", "render"]
