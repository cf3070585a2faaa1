"""The judge: from the evidence on a demand to its status. Models, limits of logs and rules on outputs have one judge.

A wing (the audit of a table, of a query log, of outputs) says of each demand and of each subject whether it is broken,
exactly, whether something was left open, and which waiver covers the subject and keeps its bound. The judge compares
no numbers of the data.
"""

from auditor.judge._baseline import known_failures
from auditor.judge._evidence import Evidence, decided, of_columns
from auditor.judge._findings import doubts, findings
from auditor.judge._waivers import Granted, reached, relaxed

__all__ = ["Evidence", "Granted", "decided", "doubts", "findings", "known_failures", "of_columns", "reached", "relaxed"]
