"""A result, shown: redaction for an audience, then one renderer per format.

::

    Result ──redact──▶ plain document ──▶ text · json · junit · sarif · github · gitlab · markdown · html
                                               └─ delivery: standard output, and files written whole or not at all

`redact` is the only way from a result to a renderer, so no format can show what an audience may not see. A renderer is
a module with a pure function ``document(dict) -> str`` and is imported when it is first used: neither rich nor Jinja2
is paid for by those who do not need it.
"""

from auditor.report.gate import redact
from auditor.report.rendered import Rendered, render

__all__ = ["Rendered", "redact", "render"]
