"""Reading what is published: one file per format, none of which runs code that a file carries."""

from auditor.outputs.readers import neutral
from auditor.outputs.readers._hints import TYPES
from auditor.outputs.readers._numbers import counted
from auditor.outputs.readers._read import read
from auditor.outputs.readers._records import IMPOSSIBLE, with_counts

__all__ = ["IMPOSSIBLE", "TYPES", "counted", "neutral", "read", "with_counts"]
