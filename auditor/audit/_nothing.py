"""Requirements that looked at nothing: all values that they read are missing. What they say is said with that."""

from __future__ import annotations

from auditor.audit._run import AuditRun
from auditor.engines import Allowed, ColumnUse, Counted
from auditor.models import ColumnRequirement
from auditor.policy import BoundRequirement

COLUMN = "Every value of the column is missing, so the requirement had nothing to judge."
SENSITIVE = "Every value of the sensitive attribute is missing, so the requirement had nothing to judge."
CLASSES = "Every value of the quasi-identifiers is missing, so all records are one class."


def looked_at_nothing(run: AuditRun, counted: Counted, bound: BoundRequirement) -> tuple[str, ...]:
    """What is to be told of a requirement that holds because the values that it reads are missing in all records."""
    requirement = bound.requirement
    if isinstance(requirement, ColumnRequirement):
        use = ColumnUse(requirement.attribute, run.binding.roles[requirement.attribute].missing)
        return (COLUMN,) if run.source.outside(use, Allowed(missing=False)) == counted.records else ()
    if bound.sensitive is not None and _is_empty(counted, bound.sensitive):
        return (SENSITIVE,)
    grouping = bound.quasi_identifiers
    return (CLASSES,) if grouping and all(_is_empty(counted, column) for column in grouping) else ()


def _is_empty(counted: Counted, column: str) -> bool:
    return counted.has_missing(column) and counted.cardinality(column) == 1
