"""Running work on Spark: within the time limit, with errors of ours, and back as Arrow."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from auditor.engines._limits import Limits
from auditor.engines.spark._errors import translated


class Cluster:
    """A session, and what is being read with it. DataFrames and sessions are PySpark's, classic or Connect."""

    def __init__(self, session: Any, what: str, limits: Limits) -> None:
        """Work with a session about `what`."""
        self.session = session
        self.what = what
        self.limits = limits

    def arrow(self, frame: Any) -> Any:
        """Run a DataFrame and fetch it as an Arrow table."""
        with self._bounded():
            return frame.toArrow()

    def run(self, work: Callable[[], Any]) -> Any:
        """Do what runs on Spark, and give back what it gives."""
        with self._bounded():
            return work()

    def frame(self, table: Any) -> Any:
        """An Arrow table as a DataFrame."""
        with translated(self.what, self.limits):
            return self.session.createDataFrame(table)

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
        timer = threading.Timer(left or 0, self._cancel, [tag])
        timer.daemon = True
        with translated(self.what, self.limits):
            self.session.addTag(tag)
            try:
                if left is not None:
                    timer.start()
                yield
            except (KeyboardInterrupt, SystemExit):
                self._cancel(tag)
                raise
            finally:
                timer.cancel()
                self._untag(tag)

    def _untag(self, tag: str) -> None:
        with suppress(Exception):  # the session is gone: there is nothing left to untag
            self.session.removeTag(tag)

    def _cancel(self, tag: str) -> None:
        with suppress(Exception):  # the session is gone, and with it what ran
            self.session.interruptTag(tag)
