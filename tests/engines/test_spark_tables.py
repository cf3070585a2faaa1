"""ORC and tables of the catalog, which Spark alone reads: the document of DuckDB on the same data as Parquet."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

import auditor
from auditor.engines import Allowed, ColumnUse, open_data
from auditor.engines.spark import Spark
from auditor.errors import DataError, Unsupported
from tests import spark
from tests.engines.test_conformance import document

pytestmark = spark.GROUP

POLICY = {
    "version": 1,
    "name": "tables",
    "attributes": {
        "zip": {"role": "quasi-identifier", "missing_values": ["NA"]},
        "age": "quasi-identifier",
        "born": "quasi-identifier",
        "cost": "sensitive",
        "paid": "sensitive",
        "well": "sensitive",
    },
    "requirements": [
        {"model": "k-anonymity", "k": 3},
        {"model": "entropy-l-diversity", "sensitive": ["paid", "well"], "l": 1.5},
        {"model": "t-closeness", "sensitive": "cost", "t": 0.3, "ground": "ordered"},
        {"model": "allowed-values", "attribute": "zip", "pattern": "[0-9]*"},
    ],
}


def people(rows: int = 240) -> pa.Table:
    """Each kind of value that both formats hold, with missing ones."""
    numbers = range(rows)
    return pa.table(
        {
            "zip": pa.array([["01234", "1234", "NA", None, "ä", " 1", ""][i * i % 7] for i in numbers]),
            "age": pa.array([None if i % 11 == 0 else 18 + i % 3 for i in numbers], pa.int8()),
            "born": pa.array([dt.date(1999, 12, 30 + i % 2) for i in numbers]),
            "cost": pa.array([[0.1, -0.0, 0.0, 1e20, float("nan"), 3.0, None][i % 7] for i in numbers]),
            "paid": pa.array([Decimal(i % 4) / 2 for i in numbers], pa.decimal128(6, 2)),
            "well": pa.array([None if i % 13 == 0 else i % 3 == 0 for i in numbers]),
        }
    )


@pytest.fixture(scope="module")
def engine() -> Spark:
    return spark.shared()


@pytest.fixture(scope="module")
def parquet(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "people.parquet"
    pq.write_table(people(), path, row_group_size=100)
    return path


@pytest.fixture(scope="module")
def expected(parquet) -> dict[str, Any]:
    return document(str(parquet), None, POLICY)


def test_an_orc_file(engine, expected, tmp_path):
    """Written by Arrow, as other programs write it."""
    orc.write_table(people(), tmp_path / "people.orc")
    assert document(str(tmp_path / "people.orc"), engine, POLICY) == expected


def test_a_folder_of_orc_files(engine, expected, parquet, tmp_path):
    """Written by Spark, with what its committer leaves beside."""
    engine._session.read.parquet(str(parquet)).repartition(3).write.orc(str(tmp_path / "people"))
    assert (tmp_path / "people" / "_SUCCESS").exists()
    found = auditor.check(str(tmp_path / "people"), POLICY, engine=engine)
    assert (found.data.format, found.data.files) == ("orc", 3)
    assert document(str(tmp_path / "people"), engine, POLICY) == expected


def test_orc_files_with_other_columns_are_refused(engine, tmp_path):
    orc.write_table(people(), tmp_path / "0.orc")
    orc.write_table(people().drop_columns("cost"), tmp_path / "1.orc")
    with pytest.raises(DataError, match="differs from the first file"):
        auditor.check(str(tmp_path), POLICY, engine=engine)


def test_times_in_orc_are_refused_where_two_of_them_would_be_one(engine, tmp_path):
    """No clock of New York showed half past two in that night; Spark would read half past one in its place."""
    hours = [dt.datetime(2026, 3, 8, hour, 30) for hour in (1, 2)]  # noqa: DTZ001
    orc.write_table(pa.table({"at": pa.array(hours, pa.timestamp("us"))}), tmp_path / "t.orc")
    zones = engine._session._jvm.java.util.TimeZone
    before = zones.getDefault()
    zones.setDefault(zones.getTimeZone("America/New_York"))
    try:
        with pytest.raises(Unsupported, match=r"'at' holds times.*user\.timezone=UTC"):
            auditor.check(str(tmp_path / "t.orc"), POLICY, engine=engine)
    finally:
        zones.setDefault(before)
    with open_data(str(tmp_path / "t.orc"), engine=engine) as source:
        assert source.count([ColumnUse("at")]).cardinality("at") == 2


@contextmanager
def kept(engine: Spark, parquet: Path, folder: Path, name: str) -> Iterator[str]:
    """A table of the catalog for as long as the body runs."""
    engine._session.read.parquet(str(parquet)).write.saveAsTable(name, path=str(folder / name))
    try:
        yield f"table:{name}"
    finally:
        engine._session.sql(f"DROP TABLE {name}")


def test_a_saved_table(engine, expected, parquet, tmp_path):
    with kept(engine, parquet, tmp_path, "default.saved") as table:
        assert document(table, engine, POLICY) == expected


def test_a_temporary_view(engine, expected, parquet):
    engine._session.read.parquet(str(parquet)).where("true").createOrReplaceTempView("viewed")
    assert document("table:viewed", engine, POLICY) == expected


def test_a_column_of_a_table_dropped_between_opening_and_counting_is_no_verdict(engine, parquet, tmp_path):
    with kept(engine, parquet, tmp_path, "changing") as table, open_data(table, engine=engine) as source:
        fewer = engine._session.read.parquet(str(parquet)).drop("cost")
        fewer.write.mode("overwrite").saveAsTable("changing", path=str(tmp_path / "changing"))
        with pytest.raises(DataError):
            source.count([ColumnUse("zip"), ColumnUse("cost")])


@pytest.mark.parametrize("missing", [(), ("0.0",)])
def test_the_two_zeros_are_one_where_values_are_judged(missing, engine):
    """A negative zero is 0.0 on both engines, in both sizes of floats; three numbers are neither it nor missing."""
    numbers = [-0.0, 0.0, 0.0, 1.5, None, float("nan"), 1e20, 0.1]
    table = pa.table({"double": pa.array(numbers), "float": pa.array(numbers, pa.float32())})
    asked = [Allowed(values=("-0.0",)), Allowed(pattern=r"[0-9.]*", missing=False)]
    with open_data(table) as here, open_data(table, engine=engine) as there:
        for name in table.column_names:
            use = ColumnUse(name, missing)
            found = [there.outside(use, allowed) for allowed in asked]
            assert found == [here.outside(use, allowed) for allowed in asked]
            assert found[0] == 3


def test_nanoseconds_of_old_times_in_parquet_are_not_cut_off(engine, tmp_path):
    """Spark reads the times of 96 bits, as it writes them itself, to the microsecond."""
    policy = {"attributes": {"born": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 2}]}
    fine, coarse = (pa.table({"born": pa.array([1000, other] * 2, pa.timestamp("ns"))}) for other in (1001, 2000))
    for name, table in (("fine", fine), ("coarse", coarse)):
        pq.write_table(table, tmp_path / f"{name}.parquet", use_deprecated_int96_timestamps=True)
    with pytest.raises(Unsupported, match="nanoseconds"):
        auditor.check(tmp_path / "fine.parquet", policy, engine=engine)
    found = auditor.check(tmp_path / "coarse.parquet", policy, engine=engine).requirements[0]
    assert (found.status, found.achieved) == ("pass", 2)
