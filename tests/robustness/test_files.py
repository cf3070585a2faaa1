"""Files that are missing, broken, of another kind or typed; databases; nothing of them gets into a message."""

from __future__ import annotations

import errno
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

import auditor
import auditor.errors
from auditor.cli import invoke
from auditor.engines.duckdb import sql
from tests.robustness.conftest import POLICY, SECRET


def parquet(folder, table, name="data.parquet"):
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), folder / name)
    return folder / name


def _at(*parts):
    return datetime(*parts)  # noqa: DTZ001  (a timestamp without a zone is what is tested)


def count(outcome):
    assert outcome.code in (0, 1), outcome.err
    return json.loads(outcome.out)["classes"]["count"]


# Paths


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.csv", "there is no such file, folder or glob"),
        ("*.tsv", "there is no such file, folder or glob"),
        ("p.yaml", "its name tells no known format; known formats are .csv,"),
        ("empty", "holds no file that can be read; known formats are .csv,"),
        ("mixed", "holds files of several formats (csv, parquet); name one with a glob"),
        ("zipped", "holds compressed and uncompressed files; name one kind with a glob"),
        ("pipe", "is neither a file nor a folder (a device or a pipe cannot be audited)"),
        ("/dev/zero", "is neither a file nor a folder (a device or a pipe cannot be audited)"),
        ("loop.csv", "there is no such file, folder or glob"),
        ("headers", "2.csv: its header differs from that of 1.csv"),
    ],
)
def test_paths_without_data(name, message, audit, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / ".hidden.csv").write_text("a,b\nx,1\n")
    for folder, files in {"mixed": ["a.csv", "b.parquet"], "zipped": ["a.csv", "b.csv.gz"]}.items():
        (tmp_path / folder).mkdir()
        for file in files:
            (tmp_path / folder / file).write_text(SECRET)
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "1.csv").write_text("a,b\nx,1\n")
    (tmp_path / "headers" / "2.csv").write_text("b,a\nx,1\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    outcome = audit(tmp_path / name if not name.startswith("/") else name)
    assert outcome.code == 3
    assert message in outcome.err


@pytest.mark.parametrize(
    "name", ["x[1]", "st*r", "wh?t", "[!x]", "{x}", "~", "it's", 'qu"ote', "new\nline", "東 ü", "a=b"]
)
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "parquet"])
def test_a_file_is_itself_and_never_a_pattern(name, ending, audit, tmp_path):
    """DuckDB takes names for globs: each has a neighbour here that would match."""
    write = {
        "csv": lambda path, value: path.write_text(f"a,b\n{value},1\n{value},2\n"),
        "csv.gz": lambda path, value: path.write_bytes(gzip.compress(f"a,b\n{value},1\n{value},2\n".encode())),
        "jsonl": lambda path, value: path.write_text(f'{{"a": "{value}", "b": "1"}}\n' * 2),
        "parquet": lambda path, value: parquet(tmp_path, {"a": [value] * 2, "b": ["1", "2"]}, path.name),
    }[ending]
    for neighbour in ("x1", "star", "what", "z"):
        write(tmp_path / f"{neighbour}.{ending}", "other")
    write(tmp_path / f"{name}.{ending}", "own")
    outcome = audit(tmp_path / f"{name}.{ending}", "--format", "json", policy={**POLICY, "requirements": OWN})
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["data"]["rows"] == 2


def test_a_folder_of_files_compressed_in_two_ways(audit, tmp_path):
    (tmp_path / "d").mkdir()
    for name, kind in (("1.csv.gz", "gzip"), ("2.csv.zst", "zstd")):
        duckdb.sql(f"COPY (SELECT 'own' AS a, 1 AS b) TO '{tmp_path / 'd' / name}' (FORMAT csv, COMPRESSION {kind})")
    assert count(audit(tmp_path / "d", "--format", "json", policy={**POLICY, "requirements": OWN})) == 1


OWN = [{"model": "allowed-values", "attribute": "a", "values": ["own"]}]


def test_linked_data_is_read(audit, tmp_path):
    (tmp_path / "data.csv").write_text("a,b\nx,1\nx,2\n")
    (tmp_path / "link.csv").symlink_to("data.csv")
    assert count(audit(tmp_path / "link.csv", "--format", "json")) == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can become nobody to be refused")
def test_a_file_that_may_not_be_read():
    """In a folder of its own: pytest closes those above `tmp_path` to others whenever it starts."""
    with tempfile.TemporaryDirectory() as folder:
        audit_as_nobody(Path(folder))


def audit_as_nobody(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n")
    path.chmod(0)
    (tmp_path / "readable.csv").write_text("a,b\nx,1\n")
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o777)
    (tmp_path / "p.yaml").write_text(json.dumps(POLICY))
    tmp_path.chmod(0o755)
    program = (
        "import os, sys; from auditor.cli import invoke;"
        "once = lambda path: invoke(['check', path, '-p', 'p.yaml']);"
        "once('readable.csv'); os.setuid(65534); sys.exit(once('data.csv'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        timeout=300,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert "cannot be read (Permission denied)" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("missing", [False, True])
def test_no_temporary_folder(missing, audit, tmp_path, monkeypatch):
    (tmp_path / "data.csv").write_text("a,b\nx,1\n")
    with monkeypatch.context() as patched:
        if missing:
            patched.setattr(tempfile, "gettempdir", refused)
        else:
            patched.setattr(Path, "mkdir", refused_where(lambda path: path.name.startswith("auditor-"), Path.mkdir))
        outcome = audit(tmp_path / "data.csv")
    assert outcome.code == 3
    assert (
        "no temporary folder can be made (Read-only file system); name one that can be written with --spill"
        in outcome.err
    )


def refused(*_args, **_options):
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


def refused_where(applies, function):
    return lambda path, *args, **options: refused() if applies(path) else function(path, *args, **options)


@pytest.mark.parametrize("url", ["https://user:geheim@host/t.csv", "hf://b/t", "azure://user:geheim@host/t.csv"])
def test_other_addresses_get_the_way_named(url, audit):
    outcome = audit(url)
    assert outcome.code == 3
    assert "copy the files to a local folder first" in outcome.err
    assert "geheim" not in outcome.err


@pytest.mark.parametrize("scheme", ["s3", "gs", "abfss"])
def test_of_a_store_no_password_is_repeated(scheme, audit, monkeypatch):
    """`tests.engines.test_stores` has what is read; here the store's package, or its credentials, are missing."""
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    outcome = audit(f"{scheme}://user:geheim@bucket/t.parquet")
    assert outcome.code == 3
    assert outcome.err.startswith(f"auditor: {scheme}://bucket/t.parquet: ")
    assert "geheim" not in outcome.err


# Parquet, Arrow, JSON


@pytest.mark.parametrize("content", [b"", b"PAR1", SECRET.encode() * 100, "truncated", "torn"])
def test_a_broken_parquet(content, audit, tmp_path):
    path = parquet(tmp_path, {"a": [SECRET] * 5000, "b": [str(i) for i in range(5000)]})
    whole = path.read_bytes()
    if content == "truncated":
        content = whole[: len(whole) // 2]
    elif content == "torn":
        content = whole[:20] + bytes(2000) + whole[2020:]
    path.write_bytes(content)
    outcome = audit(path)
    assert outcome.code == 3
    assert "data.parquet: is not a readable Parquet file" in outcome.err


@pytest.mark.parametrize("name", ["data.arrow", "data.feather"])
def test_a_broken_arrow_file(name, audit, tmp_path):
    (tmp_path / name).write_text(SECRET)
    outcome = audit(tmp_path / name)
    assert outcome.code == 3
    assert f"{name}: is not a readable Arrow file" in outcome.err


@pytest.mark.parametrize("ending", ["csv.gz", "csv.zst", "jsonl.gz"])
def test_a_broken_compressed_file(ending, audit, tmp_path):
    (tmp_path / f"data.{ending}").write_text(SECRET)
    outcome = audit(tmp_path / f"data.{ending}")
    assert outcome.code == 3
    assert f"data.{ending}: cannot be decompressed" in outcome.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no JSON objects with keys"),
        (f'{{"a": "{SECRET}", "b": ', "data.jsonl"),
        (f'{{"a": "{SECRET}"}}\n{{"a": }}\n', "data.jsonl: is not valid JSON lines"),
        (f'["{SECRET}"]\n["y"]\n', "holds no JSON objects with keys; write one object per line"),
        (f'"{SECRET}"\n', "holds no JSON objects with keys; write one object per line"),
        ("[]", "no"),
    ],
)
def test_broken_json(content, message, audit, tmp_path):
    (tmp_path / "data.jsonl").write_text(content)
    outcome = audit(tmp_path / "data.jsonl")
    assert outcome.code == 3
    assert message in outcome.err


def test_late_keys_of_json_lines_are_columns(audit, tmp_path):
    lines = ['{"a": "x", "b": "1"}'] * 30_000 + ['{"a": "x", "b": "1", "c": "late"}']
    (tmp_path / "data.jsonl").write_text("\n".join(lines))
    policy = {**POLICY, "attributes": {"a": "quasi-identifier", "c": "quasi-identifier", "b": "sensitive"}}
    assert count(audit(tmp_path / "data.jsonl", "--format", "json", policy=policy)) == 2


def test_json_keys_that_differ_only_in_case_are_refused(audit, tmp_path):
    (tmp_path / "data.jsonl").write_text('{"a": "1", "A": "2", "b": "3"}\n')
    outcome = audit(tmp_path / "data.jsonl")
    assert outcome.code == 3
    assert "has keys that differ only in case, as 'A' does; rename one of them" in outcome.err
    (tmp_path / "data.jsonl").write_text('{"a": "1", "A_1": "2", "b": "3"}\n')
    assert count(audit(tmp_path / "data.jsonl", "--format", "json")) == 1


def test_values_in_json_are_as_the_file_holds_them_and_equal_numbers_are_one(audit, tmp_path):
    values = [
        "1",
        "1.0",
        "1e0",
        "-0.0",
        "0",
        "true",
        "null",
        '"x"',
        '{"y": 1}',
        "[1, 2]",
        "12345678901234567890123",
        '"null"',
    ]
    lines = [f'{{"a": {value}, "b": "1"}}' for value in values]
    (tmp_path / "data.jsonl").write_text("\n".join(lines))
    assert (
        count(audit(tmp_path / "data.jsonl", "--format", "json")) == len(lines) - 4
    )  # 1 is written in four ways, 0 in two


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        (pa.array([1.0, 1.0, float("nan"), None]), 2),
        (pa.array([float("inf"), float("-inf"), 1e308, -0.0, 0.0]), 4),
        (pa.array([1, 2**62, -(2**63)]), 3),
        (pa.array([2**64 - 1, 2**63], pa.uint64()), 2),
        (pa.array([Decimal("1.10"), Decimal("1.1"), Decimal("99999999999999999999.01")], pa.decimal128(38, 2)), 2),
        (pa.array([date(1969, 12, 31), date(1, 1, 1), date(9999, 12, 31), None]), 4),
        (pa.array([_at(1969, 12, 31, 23, 59, 59, 999999), _at(1969, 12, 31)]), 2),
        (pa.array([0, 1], pa.timestamp("ns", "Europe/Berlin")), 2),
        (pa.array([0, 86399], pa.time32("s")), 2),
        (pa.array([True, False, None]), 3),
        (pa.array(["", None, "\0", "\0\0"]), 3),  # an empty text is missing
        (pa.array(["x"] * 3).dictionary_encode(), 1),
        (pa.nulls(3), 1),
    ],
)
def test_typed_values_are_classes_by_value(values, classes, audit, tmp_path):
    path = parquet(tmp_path, {"a": values, "b": ["1"] * len(values)})
    assert count(audit(path, "--format", "json")) == classes


def test_typed_values_as_the_policy_sees_them():
    table = pa.table(
        {
            "i": [7, 8],
            "f": [0.1, 1e22],
            "d": [date(2026, 1, 2), date(1969, 1, 2)],
            "t": [_at(2026, 1, 2, 3, 4, 5), _at(2026, 1, 2, 3, 4, 5, 60000)],
            "y": [True, False],
        }
    )
    wanted = {
        "i": ["7", "8"],
        "f": ["0.1", "1e+22"],
        "d": ["2026-01-02", "1969-01-02"],
        "t": ["2026-01-02T03:04:05", "2026-01-02T03:04:05.06"],
        "y": ["true", "false"],
    }
    policy = {
        "name": "p",
        "attributes": dict.fromkeys(wanted, "quasi-identifier"),
        "requirements": [{"id": n, "model": "allowed-values", "attribute": n, "values": v} for n, v in wanted.items()],
    }
    assert {r.id: r.achieved for r in auditor.check(table, policy).requirements} == dict.fromkeys(wanted, 0)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], [2]]),
        pa.array([{"x": 1}, {"x": 2}]),
        pa.array([b"\x00", b"\xff"]),
        pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
    ],
)
def test_nested_and_binary_columns(values, audit, tmp_path):
    path = parquet(tmp_path, {"a": values, "b": ["1", "2"]})
    outcome = audit(path)
    assert outcome.code == 3
    assert "column 'a' is nested or binary; it has no values to group by" in outcome.err
    unread = {**POLICY, "attributes": {"b": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 1}]}
    assert audit(path, policy=unread).code == 0


def test_duplicate_names_in_parquet_and_objects(audit, tmp_path):
    twice = pa.table([pa.array(["x"]), pa.array([{"k": [1]}]), pa.array([SECRET])], names=["a", "s", "a"])
    outcome = audit(parquet(tmp_path, twice))
    assert outcome.code == 3
    assert "columns 1 and 3 have the same name" in outcome.err
    for each in (twice, pd.DataFrame([["x", "y"]], columns=["a", "a"])):
        with pytest.raises(auditor.errors.DataError, match=r"columns 1 and [23] have the same name"):
            auditor.check(each, POLICY)


@pytest.mark.parametrize("form", ["parquet", "feather", "arrow", "pandas", "polars"])
def test_names_that_differ_only_in_case_are_two_columns(form, tmp_path):
    table = pa.table({"A": ["x", "x"], "s": pa.array([{"k": [1]}] * 2), "a": ["1", "2"], "b": ["1", "1"]})
    given = {
        "parquet": parquet,
        "feather": feathered,
        "arrow": lambda _, t: t,
        "pandas": lambda _, t: t.to_pandas(),
        "polars": lambda _, t: pl.from_arrow(t),
    }
    policy = {**POLICY, "attributes": {"A": "quasi-identifier", "a": "insensitive", "b": "sensitive"}}
    assert auditor.check(given[form](tmp_path, table), policy).classes.count == 1
    policy["attributes"] = {"A": "insensitive", "a": "quasi-identifier", "b": "sensitive"}
    assert auditor.check(given[form](tmp_path, table), policy).classes.count == 2


def feathered(folder, table):
    feather.write_feather(table, str(folder / "data.feather"))
    return folder / "data.feather"


def test_counts_beyond_32_bits(monkeypatch):
    """Every record counted three billion times: the integers stay whole from the engine to the result."""
    ours = sql.combinations
    monkeypatch.setattr(sql, "combinations", lambda *given: ours(*given).replace("count(*)", "count(*) * 3000000000"))
    found = auditor.check(pa.table({"a": ["x", "x", "y"], "b": ["1", "2", "2"]}), POLICY)
    assert (found.classes.smallest, found.classes.largest) == (3_000_000_000, 6_000_000_000)
    assert found.data.rows == 9_000_000_000
    assert found.requirements[0].achieved == 3_000_000_000


# Databases


@pytest.fixture
def sqlite(tmp_path):
    database = sqlite3.connect(tmp_path / "d.sqlite")
    database.execute("CREATE TABLE t (a, b)")
    database.executemany("INSERT INTO t VALUES (?, ?)", [(1, SECRET), ("1", "y"), (1.0, "z"), (None, "w")])
    database.execute("CREATE TABLE blobs (a, b)")
    database.execute("INSERT INTO blobs VALUES (x'00', 1)")
    database.commit()
    database.close()
    return f"sqlite:{tmp_path / 'd.sqlite'}"


@pytest.mark.parametrize(
    ("query", "code", "message"),
    [
        ("?table=t", 1, ""),
        ("?table=nowhere", 3, "d.sqlite?table=nowhere: cannot be read"),
        ("?table=blobs", 3, "binary"),
        ("", 2, "name what to read with ?table=NAME or ?query=SELECT"),
        ("?table=", 2, "name what to read with ?table=NAME or ?query=SELECT"),
        ("?table=t&query=SELECT 1", 2, "name what to read"),
        ("?tabel=t", 2, "name what to read"),
        ("?query=DROP TABLE t", 2, "the query must be one SELECT"),
        ("?query=SELECT 1 AS a; DROP TABLE t", 2, "the query must be one SELECT"),
        ("?query=SELEC a", 2, "the query"),
        ("?query=SELECT a, b FROM t WHERE a = 1", 0, ""),
    ],
)
def test_sqlite(query, code, message, audit, sqlite):
    outcome = audit(sqlite + query)
    assert outcome.code == code, outcome.err
    assert message in outcome.err


def test_sqlite_values_are_text_as_sqlite_writes_them(audit, sqlite):
    # 1 and "1" are the same text, and 1.0 is the same number
    assert count(audit(sqlite + "?table=t", "--format", "json")) == 2


@pytest.mark.parametrize("address", ["sqlite:none.db?table=t", "duckdb:none.db?table=t"])
def test_a_database_that_is_not_there(address, audit):
    outcome = audit(address)
    assert outcome.code == 3
    assert "none.db: there is no such database file" in outcome.err


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_a_file_that_is_no_database(scheme, audit, tmp_path):
    (tmp_path / "d.db").write_text(SECRET * 1000)
    outcome = audit(f"{scheme}:{tmp_path / 'd.db'}?table=t")
    assert outcome.code == 3
    assert "d.db" in outcome.err


def test_a_query_of_a_duckdb_file_reads_nothing_else(audit, tmp_path):
    with duckdb.connect(str(tmp_path / "d.duckdb")) as database:
        database.execute("CREATE TABLE t AS SELECT 'x' AS a, '1' AS b")
    (tmp_path / "secret.csv").write_text(f"a,b\n{SECRET},1\n")
    outcome = audit(f"duckdb:{tmp_path / 'd.duckdb'}?query=SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')")
    assert outcome.code == 3


# Objects


def test_objects_that_are_no_tables():
    for wrong in (7, None, [1, 2], {"a": [1]}, object()):
        with pytest.raises(auditor.errors.UsageError, match="cannot be opened; give a path, a URL or a dataframe"):
            auditor.check(wrong, POLICY)


def test_pandas_with_numbers_and_gaps():
    frame = pd.DataFrame({"a": pd.array([1, None, 1], dtype="Int64"), "b": [np.nan, "x", None]})
    found = auditor.check(frame, POLICY)
    assert found.classes.count == 2


def test_pandas_index_with_a_name_is_a_column():
    frame = pd.DataFrame({"a": ["x", "x"], "b": ["1", "2"]}, index=pd.Index([SECRET, "y"], name="id"))
    found = auditor.check(frame, {**POLICY, "undeclared": "fail"})
    assert found.data.columns == 3
    assert next(each.columns for each in found.requirements if each.model == "undeclared") == ("id",)


def test_an_open_audit_leaves_the_commands_usable(tmp_path):
    (tmp_path / "data.csv").write_text("a,b\nx,1\n")
    (tmp_path / "p.yaml").write_text(json.dumps(POLICY))
    assert [invoke(["check", str(tmp_path / "data.csv"), "-p", str(tmp_path / "p.yaml")]) for _ in range(3)] == [1] * 3
