"""A Spark session of our own: it prints nothing, and its times are in UTC."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from auditor.distribution import installation
from auditor.engines._limits import RunLimits
from auditor.errors import AuditorError, DataError, Unsupported

QUIET = {
    "spark.app.name": "auditor",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    # ORC's times are read by the clock of the process, and where it changes in spring two of them become one.
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
    "spark.executor.extraJavaOptions": "-Duser.timezone=UTC",
}
LOCAL_PARTITIONS = "16"
"""Of what is sorted out among tasks on one machine; Spark's own 200 are for clusters."""
LEAST_HEAP = 1 << 30
"""Below it, Spark does not work well."""
PATIENCE = 30.0
"""Seconds that a server of Spark Connect has to answer at first; PySpark itself would try for ten minutes."""
RETRIES = 8
"""So often a call is made again that such a server does not answer later on: for half a minute, unless time is up."""
LONGEST_WAIT = 5.0
"""Seconds between two such calls; by so much a time limit may be passed."""


def pyspark() -> Any:
    """The module, or an error that says how to get it."""
    # What PySpark says of pandas is not the user's to know, and pandas is not what it is used with here.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    # A server that is gone is told as an error.
    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]", UserWarning)
    try:
        import pyspark
        import pyspark.sql
    except ImportError:
        raise Unsupported(f"the engine spark needs PySpark; install it with: {installation('spark')}") from None
    return pyspark


def running() -> Any | None:
    """The session that this process has already, if it has one: a notebook's, or one that a program made."""
    pyspark()
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def started(conf: Mapping[str, str], memory: int, seconds: float | None = None) -> Any:
    """A new session; `memory` in bytes is the heap of a driver that is not told another.

    A server of Spark Connect is waited for as long as there are `seconds`, or `PATIENCE`.

    Raises:
        Unsupported: PySpark or Java is missing.
        DataError: Spark does not start, or cannot be reached.
    """
    pyspark()
    try:
        if "spark.remote" in conf:
            return _connected(conf, PATIENCE if seconds is None else min(PATIENCE, seconds))
        return _classic(conf, memory)
    except AuditorError:
        raise
    except Exception as error:  # noqa: BLE001  (whatever keeps Spark from starting; its text may name hosts and users)
        raise DataError(f"Spark does not start ({type(error).__name__}); see the settings under --spark-conf") from None


def _connected(conf: Mapping[str, str], patience: float) -> Any:
    """A session of a server of Spark Connect."""
    from pyspark.sql import SparkSession

    try:
        import grpc
        from pyspark.sql.connect.client import DefaultChannelBuilder
    except ImportError:
        raise Unsupported('Spark Connect needs gRPC; install it with: pip install "pyspark[connect]"') from None
    if conf["spark.remote"].startswith("sc:"):
        with DefaultChannelBuilder(conf["spark.remote"]).toChannel() as channel:
            try:
                grpc.channel_ready_future(channel).result(patience)
            except grpc.FutureTimeoutError:
                raise DataError(
                    f"no server of Spark Connect answers within {patience:g} s at the address in spark.remote"
                ) from None
    builder = SparkSession.builder
    for key, value in conf.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    return session


def be_patient(session: Any, limits: RunLimits) -> None:
    """Let calls that a server of Spark Connect does not answer be made again, but not when the time is up."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    class WhileThereIsTime(DefaultPolicy):
        def can_retry(self, exception: BaseException) -> bool:
            left = limits.remaining()
            return (left is None or left > 0) and super().can_retry(exception)

    session.client.set_retry_policies([WhileThereIsTime(max_retries=RETRIES, max_backoff=int(LONGEST_WAIT * 1000))])


def _classic(conf: Mapping[str, str], memory: int) -> Any:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    _refuse_without_java()
    master = conf.get("spark.master") or os.environ.get("MASTER") or "local[*]"
    settings = {"spark.master": master, **QUIET}
    if master.startswith("local"):
        settings["spark.sql.shuffle.partitions"] = LOCAL_PARTITIONS
        settings["spark.driver.memory"] = f"{max(memory, LEAST_HEAP) >> 20}m"
    settings |= conf
    told = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    # What Spark logs before and while it works belongs neither on standard output nor on standard error.
    with tempfile.TemporaryFile() as log:
        quiet = {"stdin": subprocess.PIPE, "stdout": log, "stderr": log}
        launch: Any = launch_gateway
        gateway = launch(told, popen_kwargs=quiet)
    with _python_of_workers(local=master.startswith("local")):
        context = SparkContext(conf=told, gateway=gateway)
    context.setLogLevel("OFF")
    return SparkSession(context)


@contextmanager
def _python_of_workers(*, local: bool) -> Iterator[None]:
    """On this machine, workers run by the Python of this process unless the environment says otherwise."""
    if not local or "PYSPARK_PYTHON" in os.environ:
        yield
        return
    os.environ["PYSPARK_PYTHON"] = sys.executable
    try:
        yield
    finally:
        del os.environ["PYSPARK_PYTHON"]


def _refuse_without_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if "PYSPARK_GATEWAY_PORT" in os.environ or shutil.which(f"{home}/bin/java" if home else "java"):
        return
    where = "JAVA_HOME names none" if home else "there is no java on PATH"
    raise Unsupported(f"the engine spark needs Java 17 or newer, and {where}; on Debian: apt install openjdk-17-jre")
