"""The driver of `tests.cluster`: a program that audits on a cluster of processes, and strikes at them meanwhile.

``python -m tests.cluster_driver FOLDER PORT`` reads a request per line and answers each with a line of JSON.

A strike is sure to come in mid-run, because what strikes is a task of the audit itself: the function that Spark runs on
a partition strikes before it goes on.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, Self

Mapped = Callable[[Iterator[Any]], Iterator[Any]]
EXECUTOR = b"org.apache.spark.executor.CoarseGrainedExecutorBackend"
SETTINGS = {
    "spark.master": "local-cluster[2,1,1024]",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1g",
    "spark.sql.shuffle.partitions": "4",
    "spark.default.parallelism": "2",
    "spark.task.maxFailures": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.progress.reportInterval": "100ms",
    # Everything here is short: what a second compiler would gain is less than what it costs.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
COMBINATIONS = 500
"""So many of them make a partition, that there are several."""
VALUES = 200
"""A column with more is ranked on the cluster."""


def kill_executor(folder: str) -> None:
    """End the JVM whose worker runs this, as a machine that is switched off ends."""
    process = os.getpid()
    while EXECUTOR not in Path(f"/proc/{process}/cmdline").read_bytes():
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(process, signal.SIGKILL)
    time.sleep(0.5)
    os._exit(0)


def delete_shuffle_files(folder: str) -> None:
    """Delete what every executor has sorted out for the others to fetch."""
    for path in Path(folder, "disks").rglob("shuffle_*"):
        path.unlink(missing_ok=True)


def take_folders(folder: str) -> None:
    """Take the folders themselves away, so that nothing can be sorted out any more."""
    for path in Path(folder, "disks").rglob("blockmgr-*"):
        path.rename(path.with_name(f"taken-{path.name}"))


def give_folders_back(folder: Path) -> None:
    """Executors that have lost their folders never work again, so a later audit gets them back."""
    for path in Path(folder, "disks").rglob("taken-*"):
        path.rename(path.with_name(path.name.removeprefix("taken-")))


# What strikes, and whether it does so once.
STRIKES: dict[str, tuple[Callable[[str], None], bool]] = {
    "executor": (kill_executor, True),
    "every executor": (kill_executor, False),
    "shuffle files": (delete_shuffle_files, True),
    "folders": (take_folders, True),
}


class Striking:
    """In place of `DataFrame.mapInArrow`: the first function that is given strikes when it runs."""

    def __init__(self, folder: Path, strike: str) -> None:
        self._marks = folder / "marks"
        shutil.rmtree(self._marks, ignore_errors=True)
        self._marks.mkdir()
        self._folder, self._strike = folder, strike

    def __call__(self, frame: Any, function: Mapped, *rest: Any, **more: Any) -> Any:
        strike, self._strike = self._strike, ""
        return self._plain(frame, self._struck(function, strike) if strike else function, *rest, **more)

    def _struck(self, function: Mapped, name: str) -> Mapped:
        strike, once = STRIKES[name]
        marks, folder = str(self._marks), str(self._folder)

        def struck(batches: Iterator[Any]) -> Iterator[Any]:
            held = list(batches)
            with suppress(FileExistsError):
                Path(marks, "struck" if once else str(os.getpid())).touch(exist_ok=False)
                strike(folder)
            yield from function(iter(held))

        return struck

    def __enter__(self) -> Self:
        from pyspark.sql.classic.dataframe import DataFrame

        def struck(frame: Any, *given: Any, **more: Any) -> Any:
            return self(frame, *given, **more)

        self._plain = DataFrame.mapInArrow
        DataFrame.mapInArrow = struck
        return self

    def __exit__(self, *_: object) -> None:
        from pyspark.sql.classic.dataframe import DataFrame

        DataFrame.mapInArrow = self._plain

    @property
    def struck(self) -> int:
        return len(list(self._marks.iterdir()))


class Stages:
    """Which of Spark's stages were tried again since this was made."""

    def __init__(self, context: Any) -> None:
        self._tracker = context.statusTracker()
        self._first = self._next(0)

    def _next(self, stage: int) -> int:
        """The number behind the last one that is known; skipped stages are not."""
        known = stage
        for number in range(stage, stage + 1000):
            known = number + 1 if self._tracker.getStageInfo(number) is not None else known
        return known

    @property
    def again(self) -> int:
        found = [self._tracker.getStageInfo(number) for number in range(self._first, self._next(self._first))]
        return sum(each is not None and (each.currentAttemptId > 0 or each.numFailedTasks > 0) for each in found)


def audit(session: Any, folder: Path, asked: dict[str, str]) -> dict[str, Any]:
    from auditor.cli import invoke

    words = ["check", asked["data"], "-p", asked["policy"], "--format", "json", "--engine", asked["engine"]]
    words += ["--time-limit", "280"]
    out, told, stages = io.TextIOWrapper(io.BytesIO()), io.StringIO(), Stages(session.sparkContext)
    with redirect_stdout(out), redirect_stderr(told), Striking(folder, asked["strike"]) as striking:
        if "view" in asked:
            frame = session.read.parquet(asked["view"]).coalesce(1)
            frame.mapInArrow(iter, frame.schema).createOrReplaceTempView(asked["data"].removeprefix("table:"))
        code = invoke(words)
    give_folders_back(folder)
    out.seek(0)
    written = out.read()
    document = json.loads(written) if written else None
    counts = {"struck": striking.struck, "again": stages.again}
    return {"code": code, "document": document, "told": told.getvalue(), **counts}


def main() -> None:
    folder, port = Path(sys.argv[1]), sys.argv[2]
    from auditor.engines import RunLimits
    from auditor.engines.spark import Spark, _combining, _values

    _values.MOST_VALUES = VALUES
    _combining.PARTITION_BYTES = _combining.BYTES_PER_COMBINATION * COMBINATIONS
    places = {
        "spark.local.dir": str(folder / "disks"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.connect.grpc.binding.port": port,
    }
    engine = Spark(conf={**SETTINGS, **places})
    session = engine._started(RunLimits.of("2GB"))
    answers = os.fdopen(os.dup(1), "w")
    print(json.dumps({"executors": 2}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(audit(session, folder, json.loads(line))), file=answers, flush=True)
    engine.close()


if __name__ == "__main__":
    main()
