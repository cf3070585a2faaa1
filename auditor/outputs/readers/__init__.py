"""Reading what is published: one file per format, none of which runs code that a file carries."""

from auditor.outputs.readers import neutral
from auditor.outputs.readers._asked import TYPES
from auditor.outputs.readers._read import read
from auditor.outputs.readers._records import with_counts

__all__ = ["TYPES", "neutral", "read", "with_counts"]
