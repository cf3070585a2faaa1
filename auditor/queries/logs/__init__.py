"""Query logs, read as statements: one format per file, all of them streamed.

=========  ==========================================================================================================
format     what it is
=========  ==========================================================================================================
sql        statements ended by semicolons, fields in comments (``-- user: ana``)
jsonl      JSON lines ``{"user", "time", "sql", "params", "answer", "status"}``
csv        CSV with a header that names those columns
csvlog     PostgreSQL's csvlog, with or without pgAudit
jsonlog    PostgreSQL's jsonlog, with or without pgAudit
stderr     PostgreSQL's plain log, with or without pgAudit
=========  ==========================================================================================================

Statements that cannot answer with data (`answers_nothing`) are counted and passed over; everything else is handed on,
whatever it is: the reader of SQL refuses what cannot be audited.
"""

from auditor.queries.logs._chatter import answers_nothing
from auditor.queries.logs._detect import FORMATS
from auditor.queries.logs._log import Log, read_log

__all__ = ["FORMATS", "Log", "answers_nothing", "read_log"]
