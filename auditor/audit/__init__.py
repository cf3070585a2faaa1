"""Auditing a dataset: data and a policy in, a result out.

::

    bind      which column has which role; what each requirement asks of which columns
    count     one pass over the data: the distinct combinations of every column asked for
    measure   one class table per grouping and sensitive attribute; every model reads it
    judge     numbers against bounds, waivers, the verdict
"""

from auditor.audit._both import diff
from auditor.audit._check import CheckResult, check, judged, open_population, open_reference
from auditor.audit._columns import not_complying
from auditor.audit._counting import counting_sql
from auditor.audit._domains import domain_of, fitted
from auditor.audit._microdata import masking_bytes, microdata, microdata_of
from auditor.audit._plan import columns_to_count, uses
from auditor.audit._population import Register, sums_of
from auditor.audit._previous import compare_with_previous
from auditor.audit._release_table import EarlierRelease
from auditor.audit._run import AuditRun

__all__ = [
    "AuditRun",
    "CheckResult",
    "EarlierRelease",
    "Register",
    "check",
    "columns_to_count",
    "compare_with_previous",
    "counting_sql",
    "diff",
    "domain_of",
    "fitted",
    "judged",
    "masking_bytes",
    "microdata",
    "microdata_of",
    "not_complying",
    "open_population",
    "open_reference",
    "sums_of",
    "uses",
]
