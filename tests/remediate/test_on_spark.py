"""Remediation on a cluster: the same solution and the same rows as in this process, written whole or not at all."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.errors import DeliveryError, OutOfMemory, Unsupported, UsageError
from auditor.remediate import Remediated, remediate
from tests import spark
from tests.remediate.tables import left_behind
from tests.remediate.test_least import ATTRIBUTES, MODES, Row, _policy, room_for, tables
from tests.remediate.test_release_property import AGES, MOODS, PLACES

pytestmark = spark.GROUP
ROWS: list[Row] = [
    (age, place, mood, "abc"[(n + n // 3) % 3], "ny"[n // 72 % 2], f"p{n % 11}")
    for n, (_, age, place, mood) in enumerate(product(range(4), AGES, PLACES, MOODS))
]


def _table(rows: list[Row]) -> pa.Table:
    """A table with typed columns besides: a number that is a name to nobody, and its place."""
    columns: dict[str, Any] = {name: [row[i] for row in rows] for i, name in enumerate(ATTRIBUTES)}
    columns["height"] = pa.array([None if i % 7 == 3 else i / 4 for i in range(len(rows))], pa.float64())
    columns["a.b c"] = pa.array(range(len(rows)), pa.int32())
    return pa.table(columns)


def _asked(mode: str, k: int = 4, share: float = 0.1) -> dict[str, Any]:
    policy = _policy(mode, k, share)
    return {**policy, "attributes": {**policy["attributes"], "height": "insensitive", "a.b c": "pseudonym"}}


def _rows(table: pa.Table) -> Counter[tuple[tuple[str, Any], ...]]:
    return Counter(tuple(row.items()) for row in table.to_pylist())


def _both(table: pa.Table, policy: dict[str, Any], target: Path, room: int | None = None) -> Remediated | None:
    """A remediation on Spark, which is held to that in this process."""
    with room_for(10**6 if room is None else room):
        try:
            here = remediate(table, policy)
        except OutOfMemory as refused:
            with pytest.raises(OutOfMemory, match=str(refused)[:40]):
                remediate(table, policy, engine=spark.shared())
            return None
        there = remediate(table, policy, output=target, engine=spark.shared())
    assert there.solution == here.solution
    assert there.shortfall == here.shortfall
    assert there.exit_code == here.exit_code
    assert target.exists() == here.passed
    if here.passed:
        written = pq.read_table(target)
        assert written.column_names == here.data.column_names
        assert _rows(written) == _rows(here.data)
        assert _rows(there.data) == _rows(here.data)
        assert (target / "_SUCCESS").exists()
    assert not left_behind(target.parent)
    return there


@pytest.mark.parametrize("mode", sorted({*MODES} - {"two attributes"}))
def test_a_release_of_the_cluster_is_that_of_this_process(mode, tmp_path):
    rows = [*ROWS, *((None, *row[1:]) for row in ROWS[:6])] if mode == "wildcards" else ROWS
    done = _both(_table(rows), _asked(mode), tmp_path / "release")
    assert done is not None
    assert done.passed


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_so_it_is_of_any_small_table(tmp_path, data):
    rows = data.draw(tables(gaps=True))
    policy = _asked(data.draw(st.sampled_from([*MODES])), data.draw(st.integers(2, 3)), 0.3)
    number = len(list(tmp_path.iterdir()))
    _both(_table(rows), policy, tmp_path / f"release-{number}.parquet", data.draw(st.integers(1, 60)))


def test_a_dataframe_comes_back_as_one_and_is_what_was_audited(tmp_path):
    table = _table(ROWS)
    session = spark.shared()._session
    done = remediate(session.createDataFrame(table), _asked("units"), output=tmp_path / "out")
    assert type(done.data).__module__.startswith("pyspark.")
    assert _rows(done.data.toArrow().cast(pq.read_table(tmp_path / "out").schema)) == _rows(
        pq.read_table(tmp_path / "out")
    )
    assert done.result.after.data.source == "out"


def test_the_place_of_a_row_tells_nothing(tmp_path):
    policy = _asked("classes")
    turned = list(reversed(ROWS))
    one, other = _table(ROWS).drop_columns(["a.b c", "height"]), _table(turned).drop_columns(["a.b c", "height"])
    remediate(one, policy, output=tmp_path / "one", engine=spark.shared())
    remediate(other, policy, output=tmp_path / "other", engine=spark.shared())
    files = [sorted(path.glob("part-*")) for path in (tmp_path / "one", tmp_path / "other")]
    assert [pq.read_table(path).to_pylist() for path in files[0]] == [
        pq.read_table(path).to_pylist() for path in files[1]
    ]


def test_what_cannot_be_meant_is_refused(tmp_path):
    table, engine = _table(ROWS), spark.shared()
    (tmp_path / "there").mkdir()
    with pytest.raises(UsageError, match="is there already"):
        remediate(table, _asked("classes"), output=tmp_path / "there", engine=engine)
    with pytest.raises(UsageError, match="folder of Parquet files"):
        remediate(table, _asked("classes"), output=tmp_path / "out.csv", engine=engine)
    with pytest.raises(Unsupported, match="no order to keep"):
        remediate(table, _asked("classes"), output=tmp_path / "out", engine=engine, keep_order=True)
    local = _asked("classes") | {"remediation": {"search": "mondrian"}}
    with pytest.raises(Unsupported, match="search: optimal"):
        remediate(table, local, output=tmp_path / "out", engine=engine)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_failure_in_the_middle_of_writing_leaves_nothing(tmp_path):
    from pyspark.sql import functions as fn

    from auditor.engines.spark import _release

    real = _release.released

    def breaking(*given: Any) -> Any:
        frame = real(*given).repartition(4)
        last = fn.when(fn.spark_partition_id() == 3, fn.raise_error(fn.lit("disk"))).otherwise(fn.lit("n"))
        return frame.withColumn("hiv", last.cast("string"))

    with (
        mock.patch.object(_release, "released", breaking),
        pytest.raises(DeliveryError, match="nothing was written"),
    ):
        remediate(_table(ROWS), _asked("classes"), output=tmp_path / "out", engine=spark.shared())
    assert not list(tmp_path.iterdir())


def test_the_command_takes_the_engine_and_its_settings(tmp_path):
    pq.write_table(_table(ROWS), tmp_path / "in.parquet")
    (tmp_path / "p.yaml").write_text(json.dumps(_asked("classes")), encoding="utf-8")
    told = ["--engine", "spark", "--spark-conf", "spark.master=local[1]", "--format", "json"]
    command = ["auditor", "remediate", "in.parquet", "-p", "p.yaml", "-o", "out", *told]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["written"], document["after"]["data"]["source"]) == (True, "out")
    assert document["reproduce"] == "auditor check out -p p.yaml --engine spark"
    assert len(pq.read_table(tmp_path / "out")) == len(ROWS) - document["solution"]["suppressed_records"]
    refused = subprocess.run([*command, "--dry-run"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (refused.returncode, "not --engine spark" in refused.stderr) == (2, True)
