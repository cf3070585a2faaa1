"""Releases at addresses of a cluster: made beside, audited there, renamed by Hadoop, and never over what is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from auditor.engines import Address
from auditor.engines.spark import Spark, _hadoop
from auditor.errors import DeliveryError, Unsupported, UsageError
from auditor.release import deferral
from auditor.remediate import remediate
from tests import spark
from tests.remediate.test_on_spark import ROWS, _asked, _rows, _table

pytestmark = spark.GROUP
HOME = "fs.viewfs.mounttable.auditor.link./home"


@pytest.fixture
def viewed(tmp_path):
    """The address of a folder in a file system of Hadoop's that no path of this machine names."""
    conf = spark.shared()._session.conf
    # Hadoop keeps file systems by their scheme and host, and this one with the folder of the test before.
    told = {HOME: tmp_path.as_uri(), "fs.viewfs.impl.disable.cache": "true"}
    for key, value in told.items():
        conf.set(key, value)
    yield "viewfs://auditor/home"
    for key in told:
        conf.unset(key)


@pytest.mark.parametrize(
    ("text", "name", "parent"),
    [
        ("hdfs://host:8020/out/visits", "visits", "hdfs://host:8020/out"),
        ("s3a://bucket/visits.csv/", "visits.csv", "s3a://bucket"),
        ("file:///tmp/x", "x", "file:///tmp"),
    ],
)
def test_an_address_has_a_name_and_lies_in_a_folder(text, name, parent):
    address = Address.of(text)
    assert (address.name, str(address.named), address.parent) == (name, name, parent)
    assert address.parent / name == address == text.rstrip("/")
    address.check()


@pytest.mark.parametrize("text", ["out/visits", "/tmp/x", "C:/x", "C:\\x", "table:x", None, 1, Path("/x")])
def test_what_is_no_address(text):
    assert Address.of(text) is None


@pytest.mark.parametrize(
    "text", ["s3a://bucket", "hdfs://h/", "hdfs://h/a*", "hdfs://h/a=b", "hdfs://h/.x", "s3a://b/_x"]
)
def test_names_that_are_refused(text):
    with pytest.raises(UsageError, match="folder name at an address"):
        Address.of(text).check()


@pytest.mark.parametrize(("mode", "name"), [("classes", "out"), ("units", "out.csv")])
def test_a_release_goes_to_an_address_as_to_a_folder(mode, name, tmp_path, viewed):
    table = _table(ROWS)
    here = remediate(table, _asked(mode))
    done = remediate(table, _asked(mode), output=f"{viewed}/{name}", engine=spark.shared())
    assert (done.passed, done.result.written, done.result.after.data.source) == (True, True, name)
    assert done.solution == here.solution
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".crc"] == [name]
    written = _csv(tmp_path / name) if name.endswith(".csv") else pq.read_table(tmp_path / name)
    wanted = here.data.cast(written.schema) if name.endswith(".csv") else here.data
    assert _rows(written) == _rows(wanted)
    assert (tmp_path / name / "_SUCCESS").exists()


def _csv(folder: Path) -> Any:
    import pyarrow as pa

    return pa.concat_tables(pc.read_csv(path) for path in folder.glob("part-*.csv"))


def test_a_path_of_this_machine_is_an_address_too(tmp_path):
    policy, address = _asked("classes"), (tmp_path / "out").as_uri()
    assert remediate(_table(ROWS), policy, output=address, engine=spark.shared()).passed
    before = _states(tmp_path)
    with pytest.raises(UsageError, match="already exists"):
        remediate(_table(ROWS), policy, output=address, engine=spark.shared())
    with pytest.raises(UsageError, match="is an input of this command, or lies in one"):
        remediate(tmp_path / "out", policy, output=f"{address}/inner", engine=spark.shared())
    with pytest.raises(UsageError, match="is an input of this command, or lies in one"):
        remediate(address, policy, output=f"{address}/inner", engine=spark.shared())
    assert _states(tmp_path) == before


@pytest.mark.parametrize("delivered", [True, False])
def test_a_release_at_an_address_waits_for_its_reports(delivered, tmp_path):
    before = _states(tmp_path)
    with deferral() as release:
        assert remediate(_table(ROWS), _asked("classes"), output=(tmp_path / "out").as_uri(), engine=spark.shared())
        assert not (tmp_path / "out").exists()
        if delivered:
            release.put()
    assert (tmp_path / "out" / "_SUCCESS").exists() == delivered
    assert delivered or _states(tmp_path) == before


def _states(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*"))


def test_what_comes_meanwhile_stays_and_nothing_is_left(tmp_path):
    real = _hadoop.Hadoop.rename

    def late(self: Any, old: Address, new: Address) -> None:
        (tmp_path / "out").mkdir()
        real(self, old, new)

    address = (tmp_path / "out").as_uri()
    with (
        mock.patch.object(_hadoop.Hadoop, "rename", late),
        pytest.raises(DeliveryError, match="was created in the meantime"),
    ):
        remediate(_table(ROWS), _asked("classes"), output=address, engine=spark.shared())
    assert [path.name for path in tmp_path.rglob("*")] == ["out"]


def test_where_nothing_can_be_written_it_is_told_without_the_address():
    policy, engine = _asked("classes"), spark.shared()
    with pytest.raises(Unsupported, match="Spark has no reader for this") as told:
        remediate(_table(ROWS), policy, output="nowhere://key:geheim@host/out", engine=engine)
    assert "geheim" not in str(told.value)


def test_only_a_cluster_writes_to_an_address():
    with pytest.raises(UsageError, match="-o out: is an address, and only a cluster writes to one"):
        remediate(_table(ROWS), _asked("classes"), output="s3a://key:geheim@host/out")


def test_connect_has_no_file_systems():
    connected = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with pytest.raises(Unsupported, match="Spark Connect"):
        Spark(connected).storage(Address("hdfs://host/out"), None)
