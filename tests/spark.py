"""One Spark session for all tests, on this machine: its own JVM, two threads, few partitions.

A test skips where PySpark or Java is missing (Debian: `apt install openjdk-17-jre-headless`).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import cache

import pytest

from auditor.engines import RunLimits
from auditor.engines.spark import Spark

GROUP = [pytest.mark.slow, pytest.mark.spark, pytest.mark.xdist_group("spark")]
"""The marks of every test that needs the session: one worker runs them all, so that one JVM is started."""
SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "3",
    "spark.default.parallelism": "2",
    "spark.sql.session.timeZone": "America/New_York",
    "spark.sql.warehouse.dir": f"{tempfile.gettempdir()}/auditor-test-warehouse",
    "spark.ui.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Without it every task waits 40 ms for an acknowledgement (since Spark 4.1; earlier versions do not know it).
    "spark.python.unix.domain.socket.enabled": "true",
    # Everything here is short: what a second compiler would gain is less than what it costs.
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
"""The time zone is another one than that of texts: nothing may depend on it. No checkout gets a warehouse."""


def words() -> list[str]:
    """The same settings for a command that starts a session of its own."""
    return [f"--spark-conf={key}={value}" for key, value in SETTINGS.items()]


@cache
def shared() -> Spark:
    """The engine, with its session started; it is stopped when the process ends."""
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    if not shutil.which(f"{os.environ['JAVA_HOME']}/bin/java" if "JAVA_HOME" in os.environ else "java"):
        pytest.skip("there is no Java for Spark (Debian: apt install openjdk-17-jre-headless)")
    engine = Spark(conf=SETTINGS)
    engine._started(RunLimits.of("2GB"))
    return engine
