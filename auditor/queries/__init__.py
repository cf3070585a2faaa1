"""Query logs: what a sequence of aggregate answers gives away, and deciding each query before it is answered."""

from auditor.queries._audit import QueryAudit, audit_queries
from auditor.queries._query import Statement
from auditor.queries.online.online import Decided, QueryAuditor

__all__ = ["Decided", "QueryAudit", "QueryAuditor", "Statement", "audit_queries"]
