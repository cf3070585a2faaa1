"""Running work on Spark: within the time limit, with errors of ours, and back as Arrow."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from auditor.engines._limits import RunLimits
from auditor.engines.spark._errors import translated
from auditor.engines.spark._progress import followed, is_connect

CANCEL_AGAIN = 1.0
"""Seconds."""


class SparkCluster:
    """A session, and what is being read with it. DataFrames and sessions are PySpark's, classic or Connect.

    `delimiter` is that of CSV files made from what is read.
    """

    def __init__(self, session: Any, what: str, limits: RunLimits) -> None:
        """Work with a session about `what`."""
        self.session = session
        self.what = what
        self.limits = limits
        self.delimiter = ","

    def arrow(self, frame: Any) -> Any:
        """Run a DataFrame and fetch it as an Arrow table."""
        with self._bounded():
            return frame.toArrow()

    def run(self, work: Callable[[], Any]) -> Any:
        """Do what runs on Spark, and give back what it gives."""
        with self._bounded():
            return work()

    def frame(self, table: Any) -> Any:
        """An Arrow table as a DataFrame; times without a zone stay without one."""
        from pyspark.sql.pandas.types import from_arrow_schema

        with translated(self.what, self.limits):
            return self.session.createDataFrame(table, from_arrow_schema(table.schema, prefer_timestamp_ntz=True))

    @contextmanager
    def persisted(self, frame: Any) -> Iterator[None]:
        """Let the cluster keep a DataFrame for the while."""
        with self.planning():
            frame.persist()
        try:
            yield
        finally:
            with suppress(Exception):  # the session is gone, and with it what it kept
                frame.unpersist()

    @contextmanager
    def planning(self) -> Iterator[None]:
        """Build DataFrames: what Spark finds wrong with a plan becomes an error of ours."""
        with translated(self.what, self.limits):
            yield

    @contextmanager
    def _bounded(self) -> Iterator[None]:
        """Cancel what this thread runs when the time is up, or when it is interrupted."""
        self.limits.check()
        tag, left = f"auditor-{uuid4().hex}", self.limits.remaining()
        done = threading.Event()
        timer = threading.Thread(target=self._cancel_after, args=(left, tag, done), daemon=True)
        with translated(self.what, self.limits):
            self._tags("addJobTag", "addTag", tag)
            try:
                if left is not None:
                    timer.start()
                with followed(self.session):
                    yield
            except (KeyboardInterrupt, SystemExit):
                self._cancel(tag)
                raise
            finally:
                done.set()
                self._untag(tag)

    def _tags(self, classic: str, connect: str, tag: str) -> None:
        """Do something about a tag: with the context of a classic session, whose own tags other threads do not know."""
        if is_connect(self.session):
            getattr(self.session, connect)(tag)
        else:
            getattr(self.session.sparkContext, classic)(tag)

    def _cancel_after(self, seconds: float | None, tag: str, done: threading.Event) -> None:
        """Cancel again and again: what is only being planned cannot be cancelled yet."""
        wait = seconds
        while not done.wait(wait):
            self._cancel(tag)
            wait = CANCEL_AGAIN

    def _untag(self, tag: str) -> None:
        with suppress(Exception):  # the session is gone: there is nothing left to untag
            self._tags("removeJobTag", "removeTag", tag)

    def _cancel(self, tag: str) -> None:
        with suppress(Exception):  # the session is gone, and with it what ran
            self._tags("cancelJobsWithTag", "interruptTag", tag)
