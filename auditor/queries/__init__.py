"""Query logs: what a sequence of aggregate answers gives away."""

from auditor.queries._asked import Statement
from auditor.queries._audit import QueryAudit, audit_queries

__all__ = ["QueryAudit", "Statement", "audit_queries"]
