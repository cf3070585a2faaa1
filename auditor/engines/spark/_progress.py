"""How far Spark is with what it runs, told to whoever watches the running stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from auditor.engines._following import Far, following


def is_connect(session: Any) -> bool:
    """Whether a session is one of Spark Connect, which has no context."""
    return type(session).__module__.startswith("pyspark.sql.connect")


@contextmanager
def followed(session: Any) -> Iterator[None]:
    """Tell the running stage, while the body runs a job, how many tasks of its active stages are done."""
    with _reported(session) if is_connect(session) else _tracked(session):
        yield


@contextmanager
def _tracked(session: Any) -> Iterator[None]:
    def far() -> Far | None:
        try:
            tracker = session.sparkContext.statusTracker()
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        except Exception:  # noqa: BLE001  (whatever the session answers, the work itself goes on, or says what is wrong)
            return None
        return _far([(stage.numCompletedTasks, stage.numTasks) for stage in stages if stage is not None])

    with following(far):
        yield


@contextmanager
def _reported(session: Any) -> Iterator[None]:
    """A server of Spark Connect reports by itself on each operation that runs."""
    running: dict[str | None, list[tuple[int, int]]] = {}

    def report(stages: Sequence[Any] | None, operation_id: str | None = None, done: bool = False, **_: object) -> None:
        running[operation_id] = [] if done else [(each.num_completed_tasks, each.num_tasks) for each in stages or ()]

    session.registerProgressHandler(report)
    try:
        with following(lambda: _far([stage for stages in list(running.values()) for stage in stages])):
            yield
    finally:
        session.removeProgressHandler(report)


def _far(stages: Sequence[tuple[int, int]]) -> Far | None:
    tasks = sum(of for _, of in stages)
    return (sum(done for done, _ in stages), tasks, "tasks") if tasks else None
