"""What a command would read, group, hold and move, told from metadata alone: ``--dry-run``.

Nothing is judged, nothing is written, and no row is read but those in a few places of text files. What follows from a
footer is exact; all else is an estimate, and said to be one.
"""

from auditor.costs._document import DryRun, Grouping, Memory, Move, ReleaseEstimate, TableRead
from auditor.costs._dry_run import dry_run
from auditor.costs._text import size, text_of

__all__ = ["DryRun", "Grouping", "Memory", "Move", "ReleaseEstimate", "TableRead", "dry_run", "size", "text_of"]
