"""How far Spark is with what it runs, told to whoever watches the running stage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from auditor.engines._following import Far, following


@contextmanager
def followed(session: Any) -> Iterator[None]:
    """Tell the running stage, while the body runs a job, how many tasks of its active stages are done.

    A session of Spark Connect has no tracker, and tells nothing.
    """

    def far() -> Far | None:
        try:
            tracker = session.sparkContext.statusTracker()
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        except Exception:  # noqa: BLE001  (whatever the session answers, the work itself goes on, or says what is wrong)
            return None
        known = [stage for stage in stages if stage is not None]
        tasks = sum(stage.numTasks for stage in known)
        return (sum(stage.numCompletedTasks for stage in known), tasks, "tasks") if tasks else None

    with following(far):
        yield
