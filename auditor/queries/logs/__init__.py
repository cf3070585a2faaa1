"""Query logs, read as statements: one format per file, all of them streamed.

Nothing lists the formats by hand: `FORMATS` finds them. Each file has `ABOUT`, what the format is; `is_one`, whether a
log begins like it, and the `GROUND` of that; and `read`, its statements. Their table stands in docs/queries.md.

Statements that cannot answer with data (`answers_nothing`) are counted and passed over; everything else is handed on,
whatever it is: the reader of SQL refuses what cannot be audited.
"""

from auditor.queries.logs._chatter import answers_nothing
from auditor.queries.logs._detect import FORMATS
from auditor.queries.logs._log import Log, read_log

__all__ = ["FORMATS", "Log", "answers_nothing", "read_log"]
