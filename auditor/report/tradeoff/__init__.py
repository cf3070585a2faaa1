"""A sweep of masking methods, shown: one renderer per format.

A sweep judges no release, so formats that list requirements (junit, sarif and their like) are none of `FORMATS`.
"""

FORMATS = ("text", "json", "markdown", "html")
