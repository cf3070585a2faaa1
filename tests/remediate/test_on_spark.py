"""Remediation on a cluster: the same solution and the same rows as in this process, written whole or not at all."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import auditor
from auditor.cli import invoke
from auditor.errors import DeliveryError, OutOfMemory, UncoveredValues, Unsupported, UsageError
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


@pytest.mark.parametrize("missing", ["value", "wildcard"])
def test_what_a_policy_says_is_missing_is_so_on_the_cluster(missing, tmp_path):
    """Ages -9, and moods NA and unknown: more of them than of any other value, each by itself too few."""
    rows = [
        (str("-9" if i % 5 == 0 else row[0]), row[1], ("NA", "?")[i % 2] if i % 7 == 0 else row[2], *row[3:])
        for i, row in enumerate(ROWS)
    ]
    asked = _asked("classes", k=3) | {"missing": missing}
    said = {"age": ["-9"], "mood": ["NA", "?"]}
    attributes = {name: asked["attributes"][name] | {"missing_values": values} for name, values in said.items()}
    asked["attributes"] = asked["attributes"] | attributes
    asked["remediation"] = asked["remediation"] | {"levels": {name: {"min": 1} for name in said}}
    done = _both(_table(rows), asked, tmp_path / "release")
    assert done is not None
    assert done.passed
    assert not {"-9", "NA", "?"} & {*done.data["age"].to_pylist(), *done.data["mood"].to_pylist()}
    with pytest.raises(UncoveredValues):
        remediate(_table(rows), _asked("classes", k=3), engine=spark.shared())


@pytest.mark.parametrize("reference", ["original", "others.csv"])
def test_a_reference_is_read_before_and_after(reference, tmp_path):
    """The classes are close to the original, or to a table of its own, in which almost nobody has a or b."""
    others = "dx,hiv\n" + "a,n\n" * 2 + "b,n\n" + "c,n\n" * 2
    (tmp_path / "others.csv").write_text(others, encoding="utf-8")
    (tmp_path / "p.yaml").write_text(json.dumps(_asked("classes") | {"reference": reference}), encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    here = remediate(_table(ROWS), tmp_path / "p.yaml")
    there = remediate(_table(ROWS), tmp_path / "p.yaml", output=tmp_path / "release", engine=spark.shared())
    assert (there.solution, there.shortfall, there.exit_code) == (here.solution, here.shortfall, here.exit_code)
    assert here.passed
    close = [[r.achieved for r in each.result.after.requirements] for each in (here, there)]
    assert close[0] == close[1]
    assert _rows(pq.read_table(tmp_path / "release")) == _rows(here.data)
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "release"])


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_so_it_is_of_any_small_table(tmp_path, data):
    rows = data.draw(tables(gaps=True))
    policy = _asked(data.draw(st.sampled_from([*MODES])), data.draw(st.integers(2, 3)), 0.3)
    number = len(list(tmp_path.iterdir()))
    _both(_table(rows), policy, tmp_path / f"release-{number}.parquet", data.draw(st.integers(1, 60)))


def _typed(rows: list[Row]) -> pa.Table:
    """A column of every type that has a text; of each some values that are written otherwise elsewhere, and gaps."""
    columns: dict[str, tuple[pa.DataType, list[Any]]] = {
        "flag": (pa.bool_(), [True, False]),
        "tiny": (pa.int8(), [-128, 0, 127]),
        "long": (pa.int64(), [2**63 - 1, -(2**63)]),
        "single": (pa.float32(), [0.1, 16777216.0, 1e10, 1e-5, -0.0]),
        "double": (pa.float64(), [0.1, 1e15, 1e16, 2e-3, 5e-324, 1e23, -0.0, float("inf"), 123456789.125]),
        "money": (pa.decimal128(12, 2), [Decimal("0.00"), Decimal("-1234567890.10")]),
        "small": (pa.decimal128(9, 8), [Decimal("0.00000001"), Decimal("0.5")]),
        "whole": (pa.decimal128(38, 0), [Decimal(10) ** 37]),
        "day": (pa.date32(), [dt.date(1, 1, 1), dt.date(1582, 10, 10), dt.date(2024, 2, 29), dt.date(9999, 12, 31)]),
        "time": (
            pa.timestamp("us"),
            [dt.datetime.fromisoformat("1900-01-01"), dt.datetime.fromisoformat("2024-03-10T02:30:00.000005")],
        ),
        "moment": (pa.timestamp("us", "UTC"), [dt.datetime(2024, 3, 10, 7, 30, tzinfo=dt.UTC)]),
        "text, 'odd'": (pa.string(), ["", " a ", "#1", 'say "x"', "a,b", "two\nlines", "\\n", "null", "é\t", "0012"]),
    }
    table = _table(rows)
    for name, (kind, values) in columns.items():
        known = [*values, None]
        table = table.append_column(name, pa.array([known[i % len(known)] for i in range(len(rows))], kind))
    return table


def _text(path: Path) -> tuple[str, Counter[str]]:
    """The header of a text, which all files of a folder have, and its lines."""
    files = sorted(path.glob(f"part-*{path.suffix}")) if path.is_dir() else [path]
    texts = [file.read_bytes().decode() for file in files]
    assert all(text.endswith("\n") for text in texts)
    headers, lines = zip(*(text.removesuffix("\n").split("\n", 1) for text in texts), strict=True)
    assert len({*headers}) == 1
    return headers[0], Counter(line for text in lines for line in text.split("\n"))


@pytest.fixture
def many_files():
    """Let the session write as many files as its shuffles have partitions, however few rows there are."""
    conf, key = spark.shared()._session.conf, "spark.sql.adaptive.coalescePartitions.enabled"
    before = conf.get(key)
    conf.set(key, "false")
    yield
    conf.set(key, before)


@pytest.mark.usefixtures("many_files")
@pytest.mark.parametrize(("mode", "ending"), [("classes", ".csv"), ("units", ".tsv"), ("stars", ".csv")])
def test_a_folder_of_csv_holds_what_a_file_of_this_process_holds(mode, ending, tmp_path):
    table, policy = _typed(ROWS), _asked(mode) | {"undeclared": "insensitive"}
    here, there = tmp_path / f"here{ending}", tmp_path / f"there{ending}"
    assert remediate(table, policy, output=here).passed
    done = remediate(table, policy, output=there, engine=spark.shared())
    assert done.passed
    assert (done.result.written, done.result.after.data.source) == (True, there.name)
    assert _text(there) == _text(here)
    assert len([*there.glob("part-*")]) > 1
    names = remediate(table, policy).data.column_names
    asked: dict[str, Any] = {
        "version": 1,
        "name": "as-read",
        "attributes": dict.fromkeys(names, "quasi-identifier") | {"dx": "sensitive"},
        "requirements": [
            {"model": "k-anonymity", "k": 1},
            {"model": "distinct-l-diversity", "l": 1, "sensitive": "dx"},
        ],
    }
    wanted = auditor.check(here, asked).to_dict()
    for engine in (None, spark.shared()):
        read = auditor.check(there, asked, engine=engine).to_dict()
        assert (read["requirements"], read["classes"]) == (wanted["requirements"], wanted["classes"])
    assert not left_behind(tmp_path)


@pytest.mark.usefixtures("many_files")
def test_a_missing_value_alone_in_its_line_is_a_record(tmp_path):
    """Two rows for three files: one of them has none, and perhaps the one that Spark writes always."""
    rows = pa.table({"a": ["x", "y"], "b": ["", None]})
    attributes = {"a": "identifier", "b": "quasi-identifier"}
    policy = {"version": 1, "name": "p", "attributes": attributes, "requirements": [{"model": "k-anonymity", "k": 1}]}
    assert remediate(rows, policy | {"remediation": {}}, output=tmp_path / "one.csv", engine=spark.shared()).passed
    found = [file.read_text(encoding="utf-8") for file in (tmp_path / "one.csv").glob("part-*")]
    assert sorted(line for text in found for line in text.splitlines() if line != "b") == ['""', '""']
    assert all(text.startswith("b\n") for text in found)


def test_a_dataframe_comes_back_as_one_and_is_what_was_audited(tmp_path):
    table = _table(ROWS)
    session = spark.shared()._session
    done = remediate(session.createDataFrame(table), _asked("units"), output=tmp_path / "out")
    assert type(done.data).__module__.startswith("pyspark.")
    assert _rows(done.data.toArrow().cast(pq.read_table(tmp_path / "out").schema)) == _rows(
        pq.read_table(tmp_path / "out")
    )
    assert done.result.after.data.source == "out"


def _described(rows: list[tuple[str, str, str]]) -> Any:
    """A DataFrame that says of each column which values it has, as Spark's machine learning does, and a note."""
    from pyspark.sql.types import StringType, StructField, StructType

    def field(name: str, values: list[str]) -> StructField:
        return StructField(name, StringType(), True, {"comment": name, "ml_attr": {"vals": sorted(set(values))}})

    columns = {name: [row[place] for row in rows] for place, name in enumerate("abs")}
    inner = StructType([field("s", columns["s"])])
    schema = StructType([*(field(name, values) for name, values in columns.items()), StructField("in", inner)])
    return spark.shared()._session.createDataFrame([(*row, (row[-1],)) for row in rows], schema)


def _told(frame: Any) -> dict[str, Any]:
    """What a DataFrame says of each of its columns, and of the field in the last one."""
    fields = list(frame.schema)
    said = {field.name: field.metadata for field in fields[:-1]}
    return {**said, "in": {**fields[-1].metadata, **fields[-1].dataType["s"].metadata}}


@pytest.mark.parametrize(
    ("others", "b", "remediation", "kept"),
    [
        ("", {}, {}, {"a", "b", "s", "in"}),
        ("x", {}, {"suppression_limit": "50%"}, set()),
        ("x", {"hierarchy": "suppress"}, {}, {"a", "s", "in"}),
        ("xy", {}, {"suppression_limit": "50%", "suppress": "star"}, {"s", "in"}),
    ],
    ids=["unchanged", "suppressed", "generalized", "starred"],
)
def test_what_is_said_of_a_column_stays_only_with_all_of_its_values(others, b, remediation, kept, tmp_path):
    alone = [(a, a + "w", "HIV") for a in others]
    frame = _described([("x", "v", "flu"), ("x", "v", "cold"), ("x", "v", "flu"), *alone])
    policy = {
        "attributes": {"a": "quasi-identifier", "b": {"role": "quasi-identifier", **b}},
        "undeclared": "insensitive",
        "requirements": [{"model": "k-anonymity", "k": 2}],
        "remediation": remediation,
    }
    done = remediate(frame, policy, output=tmp_path / "out")
    assert done.passed
    for shown in (done.data, spark.shared()._session.read.parquet(str(tmp_path / "out"))):
        told, wanted = _told(shown), _told(frame)
        assert told == {name: each if name in kept else {} for name, each in wanted.items()}
    files = [file.read_bytes() for file in (tmp_path / "out").glob("*.parquet")]
    assert any(b"HIV" in file for file in files) == ("s" in kept and bool(others))


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
    with pytest.raises(UsageError, match="already exists"):
        remediate(table, _asked("classes"), output=tmp_path / "there", engine=engine)
    with pytest.raises(UsageError, match="folder of Parquet files"):
        remediate(table, _asked("classes"), output=tmp_path / "out.csv.gz", engine=engine)
    nested = table.append_column("more", pa.array([[1]] * len(table)))
    with pytest.raises(Unsupported, match=r"column 'more' \(ARRAY.*has no text that every engine"):
        remediate(nested, _asked("classes") | {"undeclared": "insensitive"}, output=tmp_path / "out.csv", engine=engine)
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


def test_the_command_takes_the_engine(tmp_path, monkeypatch, capsys):
    """In the session that this process has; settings of its own are tried with `check`."""
    spark.shared()
    monkeypatch.chdir(tmp_path)
    pq.write_table(_table(ROWS), tmp_path / "in.parquet")
    (tmp_path / "p.yaml").write_text(json.dumps(_asked("classes")), encoding="utf-8")
    command = ["remediate", "in.parquet", "-p", "p.yaml", "-o", "out", "--engine", "spark", "--format", "json"]
    assert invoke(command) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["written"], document["after"]["data"]["source"]) == (True, "out")
    assert document["reproduce"] == "auditor check out -p p.yaml --engine spark"
    assert len(pq.read_table(tmp_path / "out")) == len(ROWS) - document["solution"]["suppressed_records"]
    assert invoke([*command, "--dry-run"]) == 0
    assert json.loads(capsys.readouterr().out)["written"]["rows_at_most"] == len(ROWS)
