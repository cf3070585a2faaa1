"""Reading what is published: one file per format, none of which runs code that a file carries."""

from auditor.outputs.readers import neutral
from auditor.outputs.readers._hints import TYPES, Hints
from auditor.outputs.readers._numbers import counted
from auditor.outputs.readers._read import read
from auditor.outputs.readers._reader import Unclear
from auditor.outputs.readers._records import IMPOSSIBLE, with_counts
from auditor.outputs.readers.pandas_tables import TAKEN_FOR_COUNTS

__all__ = [
    "IMPOSSIBLE",
    "TAKEN_FOR_COUNTS",
    "TYPES",
    "Hints",
    "Unclear",
    "counted",
    "neutral",
    "read",
    "with_counts",
]
