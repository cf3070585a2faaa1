"""Mining outputs: association rules, itemsets, trees, tables, statistics, regressions and clusters, before release.

A file is read into what it publishes (`published`, one reader per format in `readers`), and checked by what the policy
says of its type (one check per type in `checks`). Checks count in the data where there is one, and see what else is
published in the same run or was released before (`linked`), because small numbers appear where two outputs meet.
"""

from auditor.outputs._audit import Audited, audited, check_outputs
from auditor.outputs._history import additions, form_of, released, remember
from auditor.outputs._run import OutputsAudit
from auditor.outputs.published.outputs import Published

__all__ = [
    "Audited",
    "OutputsAudit",
    "Published",
    "additions",
    "audited",
    "check_outputs",
    "form_of",
    "released",
    "remember",
]
