"""A hiding run, shown: one renderer per format.

A run has no policy and judges no requirement, so formats that list requirements (junit, sarif and their like) are
none of `FORMATS`. Who may see what is said where every document is redacted (`auditor.report.redact`).
"""

FORMATS = ("text", "json", "markdown", "html")
