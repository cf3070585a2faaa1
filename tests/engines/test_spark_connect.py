"""Spark Connect: a server in front of executors of its own, and a client that has neither Java nor a context."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import auditor
from auditor.engines import RunLimits
from auditor.engines.spark import Spark, _session
from auditor.errors import DataError, Unsupported
from tests import cluster, spark
from tests.connect_client import SMALL
from tests.engines import data
from tests.engines.test_conformance import document

pytestmark = spark.GROUP


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("connect")
    pq.write_table(data.arrow(data.people()), folder / "people.parquet", row_group_size=100)
    (folder / "policy.json").write_text(json.dumps(data.POLICY))
    return folder


@pytest.fixture(scope="module")
def found(folder) -> dict[str, Any]:
    """What a client has found; it knows of no Java."""
    pytest.importorskip("grpc", reason="what Spark Connect needs is not installed (pyspark[connect])")
    remote = cluster.shared().remote
    path = os.pathsep.join([str(cluster.ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    ended = subprocess.run(
        [sys.executable, "-m", "tests.connect_client", remote, str(folder)],
        env={**os.environ, "PYTHONPATH": path, "JAVA_HOME": str(folder)},
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_the_same_document_of_a_path(found, folder):
    assert _plain(found["path"]) == _plain(document(str(folder / "people.parquet"), None, data.POLICY))


def test_the_same_document_of_a_dataframe(found):
    rows = {"a": [i % 100 for i in range(1000)], "b": ["x" if i < 997 else "y" for i in range(1000)]}
    assert _plain(found["frame"]) == _plain(document(pa.table(rows), None, SMALL))


def _plain(document: dict[str, Any]) -> dict[str, Any]:
    """The document as JSON gives it back, without what names the data and the engine, and without times."""
    told = json.loads(json.dumps({name: value for name, value in document.items() if name != "work"}))
    for name in ("source", "format", "sha256", "guessable", "files"):
        told["data"].pop(name, None)
    return told


def test_a_release_is_made_there_and_meets_its_policy(found, folder):
    release = pq.read_table(folder / "release")
    assert 0 < release.num_rows <= 1000
    assert auditor.check(release, {**SMALL, "attributes": dict.fromkeys("ab", "quasi-identifier")}).passed


def test_a_time_limit_cancels_what_runs_and_the_session_goes_on(found):
    assert found["told"]["time"][0] == "OutOfTime"
    assert found["after"] == 3


def test_what_is_wrong_is_told_as_on_a_classic_session(found):
    assert found["told"]["table"] == [
        "DataError", "table:nowhere.at_all: there is no such table in the catalog"
    ]  # fmt: skip


def test_the_server_tells_how_far_it_is(found):
    assert found["tasks"] > 0


def test_a_server_that_does_not_answer_is_not_waited_for_long(folder, monkeypatch):
    pytest.importorskip("grpc")
    monkeypatch.setattr("auditor.engines.spark._session.PATIENCE", 0.5)
    engine = Spark(conf={"spark.remote": "sc://localhost:1/;token=secret"})
    with pytest.raises(DataError, match=r"no server of Spark Connect answers within 0\.5 s") as refused:
        auditor.check(str(folder / "people.parquet"), SMALL, engine=engine)
    assert "secret" not in str(refused.value)


def test_a_server_that_is_gone_is_asked_again_as_long_as_there_is_time():
    grpc = pytest.importorskip("grpc")
    pytest.importorskip("pyspark")
    _session.pyspark()

    class Unavailable(grpc.RpcError):
        def code(self) -> Any:
            return grpc.StatusCode.UNAVAILABLE

    policies: list[Any] = []
    session = SimpleNamespace(client=SimpleNamespace(set_retry_policies=policies.extend))
    for seconds, expected in ((None, True), (60, True), (0, False)):
        _session.be_patient(session, RunLimits.of(time_limit=seconds))
        assert policies.pop().can_retry(Unavailable()) is expected


def test_without_what_connect_needs_the_way_to_get_it_is_told(folder, monkeypatch):
    pytest.importorskip("pyspark")
    monkeypatch.setitem(sys.modules, "grpc", None)
    with pytest.raises(Unsupported, match=r"pip install \"pyspark\[connect\]\""):
        auditor.check(str(folder / "people.parquet"), SMALL, engine=Spark(conf={"spark.remote": "sc://localhost:1"}))
