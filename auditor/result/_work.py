"""How a work was done: by which engine, and in how many seconds each of its stages."""

from __future__ import annotations

from dataclasses import dataclass

from auditor.result._marks import fact, run
from auditor.stages import Record


@dataclass(frozen=True, kw_only=True)
class StageTime:
    """One stage: `seconds` of wall time, to the millisecond, and the rows that it was about, where it knows them."""

    stage: str = run()
    seconds: float = run()
    rows: int | None = run(None)


@dataclass(frozen=True, kw_only=True)
class Work:
    """The engine that read the data (None where none was needed), and the stages in the order in which they began.

    The stages do not overlap, so their seconds sum to at most those of the whole. They are of the run on its machine
    and differ from run to run: the public does not see them, and nothing is derived from them.
    """

    engine: str | None = fact(None)
    version: str | None = fact(None)
    stages: tuple[StageTime, ...] | None = run(())


def work_of(record: Record) -> Work:
    """What was recorded, as documents have it."""
    return Work(
        engine=record.engine,
        version=record.version,
        stages=tuple(
            StageTime(stage=name.value, seconds=round(spent.seconds, 3), rows=spent.rows)
            for name, spent in record.spent.items()
        ),
    )
