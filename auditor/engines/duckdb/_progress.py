"""How far DuckDB is with a statement, told to whoever watches the running stage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import duckdb

from auditor.stages import Present, present

EVERY = 0.1
"""Seconds between two questions to the engine. A statement that is over sooner is not asked about."""
FOLLOWED = "SET enable_progress_bar = true; SET enable_progress_bar_print = false"
"""Lets DuckDB keep account of how far it is, and print nothing: it would, on standard output, where results belong."""
NOT_FOLLOWED = "SET enable_progress_bar = false"


@contextmanager
def followed(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Tell the running stage, while the body runs a statement, how much of it is done."""
    here = present()
    if here is None:
        yield
        return
    over = Event()
    asking = Thread(target=_ask, args=(connection, here, over), name="progress", daemon=True)
    asking.start()
    try:
        yield
    finally:
        over.set()
        asking.join()


def _ask(connection: duckdb.DuckDBPyConnection, here: Present, over: Event) -> None:
    while not over.wait(EVERY):
        percent = connection.query_progress()
        if percent >= 0:
            here.tell(percent, 100, "%")
