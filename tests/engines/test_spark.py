"""Spark: the forms that it reads, what it must refuse, and what happens when a run is disturbed."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc
from pyarrow import parquet as pq

import auditor
from auditor.dialect import CsvDialect
from auditor.engines import ColumnUse, open_data
from auditor.engines.spark import Spark, _errors
from auditor.errors import DataError, OutOfMemory, OutOfTime, Unsupported, UsageError
from tests import spark
from tests.engines import data
from tests.engines.test_conformance import document

pytestmark = spark.GROUP

SMALL = {
    "version": 1,
    "name": "small",
    "attributes": {"a": "quasi-identifier", "b": "quasi-identifier"},
    "undeclared": "insensitive",
    "requirements": [{"model": "k-anonymity", "k": 2}],
}
READ = [
    "csv, CRLF",
    "csv, semicolons",
    "csv, byte order mark",
    "csv, UTF-16",
    "tsv",
    "csv.gz",
    "glob",
    "hive partitions of csv",
    "parts of parquet",
]


@pytest.fixture(scope="module")
def engine() -> Spark:
    return spark.shared()


@pytest.fixture(scope="module")
def expected():
    return document(data.arrow(data.people()), None, data.POLICY)


@pytest.mark.parametrize("form", READ)
def test_every_form_gives_the_same_document(form, tmp_path, engine, expected):
    given = data.FORMS[form](tmp_path, data.people())
    found = document(given, engine, data.POLICY)
    roles = {each["name"]: each for each in found["data"].pop("column_roles")}
    wanted = dict(expected["data"])
    assert roles == {each["name"]: each for each in wanted.pop("column_roles")}
    assert found == {**expected, "data": wanted}


def test_folders_that_spark_would_read_otherwise_are_refused(tmp_path, engine):
    """pyarrow writes ü as %C3%BC, which Spark takes for two letters."""
    given = data.FORMS["hive partitions of parquet"](tmp_path, data.people())
    with pytest.raises(Unsupported, match="Spark reads otherwise"):
        auditor.check(given, data.POLICY, engine=engine)


def test_partitions_of_parquet_are_texts(tmp_path, engine):
    table = pa.table({"a": ["1", "1", "2"], "b": ["01", "1", "01"]})
    pq.write_to_dataset(table, tmp_path / "hive", partition_cols=["b"])
    assert document(str(tmp_path / "hive"), engine, SMALL) == document(str(tmp_path / "hive"), None, SMALL)


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("coded", [False, True])
def test_times_that_differ_in_a_nanosecond_are_two(zone, coded, engine):
    column = pa.array([1, 2, 1, 1000], pa.timestamp("ns", zone))
    table = pa.table({"a": column.dictionary_encode() if coded else column, "b": ["x"] * 4})
    assert auditor.check(table, SMALL, engine=engine).classes.count == 3


def test_a_dataframe_chooses_the_engine_and_its_session_goes_on(engine):
    frame = engine._session.createDataFrame([("x", "1"), ("x", "1"), ("y", None)], "a string, b string")
    found = auditor.check(frame, SMALL)
    assert found.requirements[0].records_violating == 1
    assert engine._session.range(3).count() == 3


def test_a_table_of_the_catalog(engine):
    engine._session.range(6).selectExpr("id % 2 AS a", "'x' AS b").createOrReplaceTempView("people")
    found = auditor.check("table:people", SMALL, engine=engine)
    assert (found.data.rows, found.data.format, found.classes.count) == (6, "table", 2)
    with pytest.raises(DataError, match="no such table"):
        auditor.check("table:nowhere.people", SMALL, engine=engine)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n1,2,3\n", "more or fewer fields"),
        ("a,b\n1,2\n1\n", "more or fewer fields"),
        ('a,b\n1,"x" y\n', "quote out of place"),
        ("a,a\n1,2\n", "have the same name"),
        ("a\n1\n\n1\n", "empty lines"),
    ],
)
def test_csv_that_would_be_read_otherwise_is_refused(text, message, tmp_path, engine):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises((DataError, Unsupported), match=message) as refused:
        auditor.check(str(tmp_path / "t.csv"), SMALL, engine=engine)
    assert '"x" y' not in str(refused.value)


def test_bytes_of_another_encoding_are_refused(tmp_path, engine):
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,2\n" + b"\n".join([b"1,2"] * 20000) + "\n1,ä\n".encode("latin-1"))
    with pytest.raises(DataError, match="not UTF-8"):
        auditor.check(str(tmp_path / "t.csv"), SMALL, engine=engine)
    (tmp_path / "t.csv").write_bytes("a,b\n1,ä\n1,ä\n".encode("latin-1"))
    found = auditor.check(str(tmp_path / "t.csv"), SMALL, engine=engine, csv=CsvDialect(encoding="latin-1"))
    assert found.classes.count == 1


def test_files_with_other_columns_are_refused(tmp_path, engine):
    """Spark would take the column that one file lacks for missing."""
    pq.write_table(pa.table({"a": ["1"], "b": ["2"]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"a": ["1"]}), tmp_path / "1.parquet")
    with pytest.raises(DataError, match="differs from the first file"):
        auditor.check(str(tmp_path), SMALL, engine=engine)


def test_a_column_dropped_between_opening_and_counting_is_no_verdict(tmp_path, engine):
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["1", "1"], "b": ["2", "2"]}), file)
    with open_data(str(file), engine=engine) as source:
        pq.write_table(pa.table({"a": ["1", "1"]}), file)
        with pytest.raises(DataError):
            source.count([ColumnUse("a"), ColumnUse("b")])


def test_a_value_that_is_new_between_two_passes_is_no_verdict(tmp_path, engine):
    file = tmp_path / "t.csv"
    file.write_text("a,b\n1,2\n1,2\n")
    with open_data(str(file), engine=engine) as source:
        counted = source.count([ColumnUse("a"), ColumnUse("b")])
        file.write_text("a,b\n1,3\n1,3\n")
        with pytest.raises(DataError):
            list(counted.tables(["a", "b"]))


@pytest.mark.parametrize("sensitive", [None, "b"])
def test_a_dataframe_that_gives_other_rows_each_time_is_no_verdict(sensitive, engine):
    """As many records of the same values of each column, in other places."""
    fn = pytest.importorskip("pyspark.sql.functions")
    drawn = fn.substring(fn.reflect(fn.lit("java.util.UUID"), fn.lit("randomUUID")), 1, 1)
    columns = {"a": fn.col("id") % 20, "b": drawn, "c": fn.col("id") % 3}
    frame = engine._session.range(3000).select(*(each.cast("string").alias(name) for name, each in columns.items()))
    requirement = {"model": "distinct-l-diversity", "l": 2} if sensitive else {"model": "k-anonymity", "k": 2}
    roles = {"a": "quasi-identifier", "b": "sensitive" if sensitive else "quasi-identifier", "c": "sensitive"}
    requirements = [{**requirement, "sensitive": sensitive}] if sensitive else [requirement]
    policy = {"attributes": roles, "requirements": requirements}
    with pytest.raises(DataError, match="the data changed while it was read"):
        auditor.check(frame, policy, engine=engine)
    assert auditor.check(frame.localCheckpoint(), policy, engine=engine).data.rows == 3000


def test_what_is_not_there_or_not_for_spark(tmp_path, engine):
    for given, error, message in (
        (str(tmp_path / "none.csv"), DataError, "no such file"),
        ("file:///nowhere/at/all.parquet", DataError, "no such file"),
        ("postgresql://ana:secret@host/db?table=t", Unsupported, "reads files"),
        ("s3a://key:secret@bucket/t.parquet", Unsupported, "spark.jars.packages"),
        ("table:", UsageError, "name a table"),
    ):
        with pytest.raises(error, match=message) as refused:
            auditor.check(given, SMALL, engine=engine)
        assert "secret" not in str(refused.value)


def test_half_of_the_rows_in_one_class(engine):
    """They are put together before they are sent anywhere, so one partition does not get them all."""
    frame = engine._session.range(200_000).selectExpr("IF(id % 2 = 0, 0, id % 5000) AS a", "'x' AS b")
    found = auditor.check(frame, SMALL, engine=engine)
    assert found.classes.count == 2501
    assert found.classes.largest == 100_000


def test_columns_with_more_values_than_the_driver_takes(engine, monkeypatch):
    """Units are told apart by hashes, quasi-identifiers ranked by a sort; the document stays the same."""
    from auditor.engines.spark import _values

    rows = range(300)
    table = pa.table(
        {
            "a": pa.array([None if i % 50 == 7 else f"v{i % 90:02}" for i in rows]),
            "b": pa.array([i % 2 for i in rows], pa.int32()),
            "day": pa.array([i % 80 for i in rows], pa.int32()).cast(pa.date32()),
            "u": pa.array([f"p{i // 2 % 120}" for i in rows]),
            "s": pa.array(["x" if i % 3 else "y" for i in rows]),
        }
    )
    told = {
        **SMALL,
        "attributes": {
            "a": {"role": "quasi-identifier", "missing_values": ["v01"]},
            "b": "quasi-identifier",
            "day": {"role": "quasi-identifier", "missing_values": ["1970-01-03"]},
            "u": "identifier",
            "s": "sensitive",
        },
        "unit": {"column": "u"},
        "requirements": [
            {"model": "k-anonymity", "k": 3, "quasi_identifiers": ["a", "b"]},
            {"model": "distinct-l-diversity", "l": 2, "sensitive": "s", "quasi_identifiers": ["day"]},
            {"model": "average-risk", "max": 0.1},
        ],
    }
    expected = auditor.check(table, told).to_dict()["requirements"]
    monkeypatch.setattr(_values, "MOST_VALUES", 60)
    assert auditor.check(table, told, engine=engine).to_dict()["requirements"] == expected
    with pytest.raises(OutOfMemory, match=r"'\w+' has more than 60 distinct values.*--audience reviewer"):
        auditor.check(table, told, engine=engine, expose=True)
    told["attributes"]["a"] = "sensitive"
    told["requirements"].append({"model": "distinct-l-diversity", "l": 2, "sensitive": "a"})
    with pytest.raises(OutOfMemory, match="'a' has more than 60 distinct values"):
        auditor.check(table, told, engine=engine)


def test_the_other_zero_is_listed_by_value(engine, monkeypatch):
    """The two zeros are one value, so -0.0 lists it, also where the values stay on the cluster."""
    table = pa.table({"a": [float(i % 10) for i in range(40)], "b": ["x"] * 40})
    told = {**SMALL, "missing": "reject"}
    told["attributes"] = {**SMALL["attributes"], "a": {"role": "quasi-identifier", "missing_values": ["-0.0"]}}
    monkeypatch.setattr("auditor.engines.spark._values.MOST_VALUES", 5)
    assert auditor.check(table, told, engine=engine).verdict == auditor.check(table, told).verdict == "not-evaluated"


def test_a_class_table_that_does_not_fit_the_driver(engine):
    frame = engine._session.range(3_000_000).selectExpr("id % 2000 AS a", "CAST(id / 2000 AS INT) AS b")
    with open_data(frame, limits=auditor.engines.RunLimits.of("64MiB")) as source:
        counted = source.count([ColumnUse("a"), ColumnUse("b")])
        with pytest.raises(OutOfMemory, match="do not fit the driver's memory"):
            list(counted.tables(["a", "b"]))


def test_a_time_limit_cancels_what_runs(engine):
    frame = engine._session.range(10**12).selectExpr("id AS a", "id * 7 % 1000003 AS b")
    with pytest.raises(OutOfTime):
        auditor.check(frame, SMALL, time_limit=3)
    assert engine._session.range(3).count() == 3


def test_a_fault_in_a_worker_is_an_error_without_values(engine, monkeypatch):
    """On one machine Spark does not try a task again: an error without a verdict."""
    monkeypatch.setattr("auditor.engines.spark._counted._partition.told", lambda *_: b"not a task")
    with pytest.raises(DataError) as refused:
        auditor.check(pa.table({"a": ["secret-4711"], "b": ["1"]}), SMALL, engine=engine)
    assert "secret-4711" not in str(refused.value)
    assert "Traceback" not in str(refused.value)


@pytest.mark.parametrize("form", ["never", "encrypted"])
def test_a_policy_that_limits_spilling_is_kept(form, engine):
    with pytest.raises(Unsupported, match=f"spill: {form}"):
        auditor.check(pa.table({"a": ["1"], "b": ["1"]}), {**SMALL, "spill": form}, engine=engine)


def test_executors_with_another_version_are_refused(engine, monkeypatch):
    from auditor.engines.spark import _partition

    monkeypatch.setattr(_partition, "version", lambda: "0.0.1")
    with pytest.raises(Unsupported, match="install the same"):
        auditor.check(pa.table({"a": ["1"], "b": ["1"]}), SMALL, engine=engine)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("ModuleNotFoundError: No module named 'auditor'", Unsupported, "no module auditor"),
        ("java.lang.OutOfMemoryError: Java heap space", OutOfMemory, "ran out of memory"),
        (
            "Job aborted due to stage failure: ExecutorLostFailure (executor 3 exited)",
            DataError,
            "could not be replaced",
        ),
        ("[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file x", DataError, "gone, or has changed"),
        ("FileNotFoundException: /d/blockmgr-7/2c/temp_shuffle_9", DataError, "lost the folder of its temporary files"),
        ("[Errno 111] Connection refused", DataError, "connection to Spark was lost"),
        (
            "[PARQUET_TYPE_ILLEGAL] Illegal Parquet type: FIXED_LEN_BYTE_ARRAY (FLOAT16). SQLSTATE: 42846",
            Unsupported,
            "half floats (float16), which Spark does not read; write it as float32",
        ),
        (
            "[PARQUET_TYPE_NOT_SUPPORTED] Parquet type not yet supported: INT32 (TIME(MILLIS,true)). SQLSTATE: 42846",
            Unsupported,
            "the Parquet type INT32 (TIME(MILLIS,true)), which Spark does not read",
        ),
        ("[CANNOT_READ_FILE_FOOTER] x is not a Parquet file", DataError, "damaged"),
        ("value 'hiv' of patient 7", DataError, "could not read it"),
    ],
)
def test_errors_of_spark_say_what_happened_and_no_value(text, error, message):
    found = _errors.trouble("t.parquet", RuntimeError(text))
    assert type(found) is error
    assert message in str(found)
    assert "hiv" not in str(found)


def test_records_one_by_one_are_not_read_on_spark(engine):
    with (
        open_data(pa.table({"a": ["1"]}), engine=engine) as source,
        pytest.raises(Unsupported, match="record by record"),
    ):
        source.coded([ColumnUse("a")])


def test_the_command_line_prints_the_result_alone(tmp_path):
    """A process of its own: nothing of Spark's log on standard output or error, and Spark is gone at the end.

    No clock of New York showed half past two in that night, but the table has it; Spark's is another one.
    """
    spark.shared()
    hours = [dt.datetime(2026, 3, 8, hour, 30) for hour in (1, 2, 2)]  # noqa: DTZ001
    orc.write_table(pa.table({"a": pa.array(hours, pa.timestamp("us")), "b": ["2"] * 3}), tmp_path / "t.orc")
    (tmp_path / "p.yaml").write_text(json.dumps(SMALL))
    words = ["check", "t.orc", "-p", "p.yaml", "--format", "json", "--engine", "spark", *spark.words()]
    ended = subprocess.run(
        [Path(sys.executable).with_name("auditor"), *words],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "TZ": "America/New_York"},
    )  # fmt: skip
    assert ended.stderr == ""
    assert ended.returncode == 1
    assert json.loads(ended.stdout)["classes"]["count"] == 2


def test_the_command_line_refuses_settings_without_repeating_them(capfd):
    from auditor.cli import invoke

    assert invoke(["check", "t.csv", "-p", "p.yaml", "--spark-conf", "spark.x=secret"]) == 2
    assert invoke(["check", "t.csv", "-p", "p.yaml", "--engine", "spark", "--spark-conf", "password=secret"]) == 2
    assert "secret" not in capfd.readouterr().err


def test_without_java_or_pyspark_the_way_to_get_them_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr("auditor.engines.spark._session.running", lambda: None)
    with pytest.raises(Unsupported, match="needs Java 17"):
        auditor.check(pa.table({"a": ["1"]}), SMALL, engine=Spark())
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(Unsupported, match=r"pip install \"disclosure-auditor\[spark\]\""):
        auditor.check(pa.table({"a": ["1"]}), SMALL, engine=Spark())
