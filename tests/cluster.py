"""A Spark cluster of processes of its own: a driver that audits what it is told to, and executors that it strikes at.

``local-cluster`` is Spark's own way to have real executors on one machine: each is a JVM with workers in Python, has
shuffle files in a folder of its own, and is replaced when it is gone. A process has one Spark context, so the driver is
a process of its own, `tests.cluster_driver`; it also answers as a server of Spark Connect.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


class Cluster:
    """A running driver, and the folder in which it and its executors keep their files."""

    def __init__(self, folder: Path) -> None:
        """Start the driver, in a group of processes of its own."""
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        words = [sys.executable, "-m", "tests.cluster_driver", str(folder), str(self.port)]
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        own = {"PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1"}
        self._errors = (folder / "driver.log").open("wb")
        self._driver = subprocess.Popen(
            words, cwd=folder, env={**os.environ, **own}, text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
        )  # fmt: skip
        atexit.register(self.stop)
        self._answer()

    @property
    def remote(self) -> str:
        """The address of its Spark Connect server."""
        return f"sc://localhost:{self.port}"

    def audit(self, data: str, policy: Path, engine: str = "spark", strike: str = "", **more: str) -> dict[str, Any]:
        """Check data as the command line does; `strike` says what is struck when a partition of it is first read.

        `view` is a Parquet file that the cluster reads as one partition under the name in `data`, and what is struck is
        its reading; without it, it is that of the classes. What comes back: `code`, the exit code; `document`; `told`,
        standard error; `struck`, how often; `again`, how many of Spark's stages had a failed task or a second attempt.
        """
        asked = {"data": data, "policy": str(policy), "engine": engine, "strike": strike, **more}
        assert self._driver.stdin is not None
        self._driver.stdin.write(json.dumps(asked) + "\n")
        self._driver.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._driver.stdout is not None
        line = self._driver.stdout.readline()
        if not line:
            raise AssertionError((self.folder / "driver.log").read_text(errors="replace")[-4000:])
        found: dict[str, Any] = json.loads(line)
        return found

    def stop(self) -> None:
        """End the driver and, with its group, whatever it has started."""
        if self._driver.poll() is None:
            os.killpg(self._driver.pid, signal.SIGTERM)
        self._driver.wait(60)
        self._errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def shared() -> Cluster:
    """The cluster of all tests, gone when the process ends."""
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    if not shutil.which(f"{os.environ['JAVA_HOME']}/bin/java" if "JAVA_HOME" in os.environ else "java"):
        pytest.skip("there is no Java for Spark (Debian: apt install openjdk-17-jre-headless)")
    return Cluster(Path(tempfile.mkdtemp(prefix="auditor-cluster-")))
