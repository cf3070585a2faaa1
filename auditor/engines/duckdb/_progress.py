"""How far DuckDB is with a statement, told to whoever watches the running stage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from auditor.engines._following import Far, following

FOLLOWED = "SET enable_progress_bar = true; SET enable_progress_bar_print = false"
"""Lets DuckDB keep account of how far it is, and print nothing: it would, on standard output, where results belong."""
NOT_FOLLOWED = "SET enable_progress_bar = false"


@contextmanager
def followed(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Tell the running stage, while the body runs a statement, how much of it is done."""

    def far() -> Far | None:
        percent = connection.query_progress()
        return (percent, 100, "%") if percent >= 0 else None

    with following(far):
        yield
