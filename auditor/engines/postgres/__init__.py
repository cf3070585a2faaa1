"""PostgreSQL: one read-only transaction with one snapshot, copied or counted in the server."""

from auditor.engines.postgres._engine import PostgreSQL

__all__ = ["PostgreSQL"]
