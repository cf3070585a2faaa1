"""A dry run: what metadata tells is exact, all else is said to be an estimate, and nothing is read or written."""

import gzip
import json
import sqlite3
import subprocess
import sys
import time

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.audit import masking_bytes
from auditor.classes import KeyLayout
from auditor.cli import invoke
from auditor.costs import dry_run, size
from auditor.costs._sizes import classes_at_most, packed_bytes
from auditor.engines import Column
from auditor.errors import DataError, Unsupported, UsageError
from tests.conftest import ROOT
from tests.postgres import private_server

ROWS = 1000
SECRET = "sesquipedalian"
POLICY = {
    "version": 1,
    "name": "p",
    "attributes": {
        "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right", "character": "*"}}},
        "old": "quasi-identifier",
        "sick": "sensitive",
        "pay": {"role": "sensitive", "type": "number"},
        "name": "identifier",
    },
    "requirements": [
        {"model": "k-anonymity", "k": 2},
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "sick"},
        {"model": "k-anonymity", "id": "zips", "k": 5, "quasi_identifiers": ["zip"]},
        {"model": "allowed-values", "attribute": "sick", "values": ["x0", "x1"]},
    ],
    "remediation": {},
    "protection": [{"method": "rank-swapping", "attributes": ["pay"], "p": 20}],
}
SELECT = (
    f"SELECT '{SECRET}' || range AS name, '0' || range % 7 AS zip, range % 2 = 0 AS old, 'x' || range % 3 AS sick, "
    f"range AS pay FROM range({ROWS})"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("costs")
    with duckdb.connect() as db:
        db.execute(f"COPY ({SELECT}) TO '{path}/d.csv'")
        db.execute(f"COPY ({SELECT}) TO '{path}/d.parquet'")
        db.execute(f"COPY ({SELECT}) TO '{path}/d.jsonl' (FORMAT json)")
        table = db.sql(SELECT).to_arrow_table()
        db.execute(f"ATTACH '{path}/d.duckdb' AS d; CREATE TABLE d.t AS {SELECT}")
    (path / "d.csv.gz").write_bytes(gzip.compress((path / "d.csv").read_bytes()))
    with pa.OSFile(str(path / "d.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    with pa.OSFile(str(path / "s.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    with sqlite3.connect(path / "d.sqlite") as lite:
        lite.execute("CREATE TABLE t (name, zip, old, sick, pay)")
        lite.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [tuple(row.values()) for row in table.to_pylist()])
    lite.close()
    (path / "p.yaml").write_text(json.dumps(POLICY), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("data", "known"),
    [
        ("{}/d.parquet", "exact"),
        ("{}/d.arrow", "exact"),
        ("{}/d.csv", "estimated"),
        ("{}/d.jsonl", "estimated"),
        ("{}/d.csv.gz", "estimated"),
        ("duckdb:{}/d.duckdb?table=t", "estimated"),
        ("sqlite:{}/d.sqlite?table=t", "estimated"),
        ("{}/s.arrow", "unknown"),
        ("duckdb:{}/d.duckdb?query=SELECT * FROM t", "unknown"),
    ],
)
def test_rows_and_columns_of_every_format(data, known, folder):
    (table,) = dry_run("check", data.format(folder), POLICY).tables
    assert table.rows_known == known
    assert table.rows == {"exact": ROWS, "unknown": None}.get(known, pytest.approx(ROWS, rel=0.1))
    assert table.columns == 5
    assert set(table.columns_read) == {"zip", "old", "sick"}
    assert table.bytes > 0


def test_columns_that_requirements_on_records_read_are_among_them(folder):
    weighted = {"model": "expected-reidentifications", "max": 0.5, "weights": "pay"}
    asked = {**POLICY, "requirements": [*POLICY["requirements"], weighted]}
    (table,) = dry_run("check", str(folder / "d.csv"), asked).tables
    assert set(table.columns_read) == {"zip", "old", "sick", "pay"}


def test_small_text_files_are_counted_to_the_row(folder):
    assert dry_run("check", str(folder / "d.csv"), POLICY).tables[0].rows == ROWS


@given(rows=st.integers(1, 40), end=st.booleans(), wide=st.integers(1, 30))
@settings(max_examples=30, deadline=None)
def test_a_file_that_is_looked_at_whole_has_as_many_rows_as_lines(rows, end, wide, tmp_path_factory):
    path = tmp_path_factory.mktemp("n") / "t.csv"
    path.write_text("zip,old\n" + "\n".join(["x" * wide + ",1"] * rows) + "\n" * end, encoding="utf-8")
    assert dry_run("check", str(path), POLICY).tables[0].rows == rows


def test_parquet_tells_the_bytes_of_the_columns_that_are_read(folder):
    """The second computation is pyarrow's, from the same footer."""
    import pyarrow.parquet as pq

    (table,) = dry_run("check", str(folder / "d.parquet"), POLICY).tables
    footer = pq.ParquetFile(folder / "d.parquet").metadata
    parts = [footer.row_group(g).column(c) for g in range(footer.num_row_groups) for c in range(footer.num_columns)]
    wanted = sum(part.total_compressed_size for part in parts if part.path_in_schema in table.columns_read)
    assert table.bytes_read == wanted < table.bytes == (folder / "d.parquet").stat().st_size


def test_the_groupings_are_those_that_an_audit_asks_for(folder):
    """By the names of columns, each with its requirements, those of all quasi-identifiers first."""
    found = dry_run("check", str(folder / "d.csv"), POLICY)
    asked = {(frozenset(each.by), each.sensitive): each.requirements for each in found.groupings}
    assert asked == {
        (frozenset({"zip", "old"}), None): ("k-anonymity",),
        (frozenset({"zip", "old"}), "sick"): ("distinct-l-diversity",),
        (frozenset({"zip"}), None): ("zips",),
    }
    assert found.tables[0].passes == ("hashing", "counting", "judging allowed-values")


def test_an_audit_never_has_more_classes_than_foretold(folder):
    for name in ("d.csv", "d.parquet"):
        path = str(folder / name)
        foretold = {frozenset(each.by): each.classes_at_most for each in dry_run("check", path, POLICY).groupings}
        found = auditor.check(path, POLICY)
        assert found.classes.count <= foretold[frozenset({"zip", "old"})]


def test_types_bound_the_classes():
    """Two truth values or none, and at most as many classes as rows."""
    flags = [Column("a", "BOOLEAN"), Column("b", "BOOLEAN")]
    assert classes_at_most(flags, None) == 9
    assert classes_at_most(flags, 5) == 5
    assert classes_at_most([*flags, Column("c", "ENUM('x', 'it''s', 'z')")], 1000) == 36
    assert classes_at_most([*flags, Column("c", "VARCHAR")], None) is None
    assert classes_at_most([Column("c", "TINYINT")], 10**6) == 257


def test_memory_and_what_goes_to_the_disk(folder):
    many = dry_run("check", str(folder / "d.csv"), POLICY, memory="64MiB").memory
    assert (many.limit, many.spill, many.batches) == (64 << 20, 0, 1)
    assert many.engine < many.limit
    never = dry_run("check", str(folder / "d.csv"), {**POLICY, "spill": "never"}).memory
    assert never.spill_form == "never"


def test_commands_differ_in_what_they_read_hold_and_write(folder):
    path = str(folder / "d.parquet")
    check, remediate, mask = (dry_run(command, path, POLICY) for command in ("check", "remediate", "mask"))
    assert check.written is None
    assert set(remediate.tables[0].columns_read) == {"zip", "old", "sick", "pay"}
    assert remediate.written.rows_at_most == mask.written.rows_at_most == ROWS
    assert remediate.written.bytes_about < (folder / "d.parquet").stat().st_size
    assert (check.memory.rows, mask.memory.rows) == (None, masking_bytes(ROWS, 1))
    assert len(check.tables[0].passes) < len(remediate.tables[0].passes)


def test_weights_are_read_and_earlier_counts_are_spoken_of(folder):
    found = dry_run("check", str(folder / "d.csv"), POLICY, weight="pay", adding=True)
    assert set(found.tables[0].columns_read) == {"zip", "old", "sick", "pay"}
    assert any("only new rows are counted" in each for each in found.assumptions)


def test_what_crosses_a_network(folder):
    assert dry_run("check", str(folder / "d.csv"), POLICY).moved == ()
    spark = dry_run("check", str(folder / "d.csv"), POLICY, engine="spark")
    (shuffle,) = spark.moved
    assert (spark.engine, spark.memory.counting, spark.memory.batches) == ("spark", None, None)
    assert spark.tables[0].passes[:3] == ("hashing", "counting", "judging")
    assert "shuffled" in shuffle.what
    assert shuffle.rows <= ROWS


def test_what_a_release_moves_on_a_cluster(folder):
    path = str(folder / "d.parquet")
    limited = {**POLICY, "remediation": {"suppression_limit": 0.25}}
    found = dry_run("remediate", path, limited, engine="spark", output="out.csv")
    here = dry_run("remediate", path, limited)
    shuffled, fetched, suppressed, rows = found.moved
    most = found.groupings[0].classes_at_most
    assert (shuffled.rows, fetched.rows, suppressed.rows, rows.rows) == (most, most, 250, ROWS)
    # zip, old and sick of at most 1000 codes: three times ten bits in one word, and the number of records
    assert (fetched.bytes, suppressed.bytes) == (most * 16, 250 * 8 * 3)
    assert rows.bytes == ROWS * (16 + 1 + 16 + 8)
    assert found.written.file == "out.csv"
    assert found.written.rows_at_most == here.written.rows_at_most == ROWS
    assert found.tables[0].passes == (
        *("hashing", "counting", "judging", "judging allowed-values"),
        *("hashing", "counting", "searching", "writing"),
    )
    assert not any("reads no rows" in each for each in found.assumptions)
    never = dry_run("remediate", path, {**limited, "spill": "never"}, engine="spark")
    assert any("it would fail" in each for each in never.assumptions)


@settings(max_examples=60)
@given(columns=st.integers(1, 40), groups=st.integers(1, 10**12))
def test_packed_codes_take_at_most_what_is_foretold(columns, groups):
    """The second computation packs as the engines do, for columns that all have as many values as there are groups."""
    layout = KeyLayout.of({f"c{place}": groups for place in range(columns)})
    assert packed_bytes(columns, groups) >= groups * 8 * (layout.words + 1)


@pytest.mark.parametrize("data", ["hdfs://host/d.csv", "s3a://bucket/d", "table:clinic.visits"])
def test_a_cluster_is_not_asked(data):
    with pytest.raises(Unsupported, match="starts no Spark session"):
        dry_run("remediate", data, POLICY, engine="spark")


def test_an_address_of_this_machine_is_a_path(folder):
    (table,) = dry_run("check", f"file://{folder}/d.parquet", POLICY, engine="spark").tables
    assert table.rows == ROWS


@pytest.mark.parametrize("command", ["check", "remediate", "mask"])
@pytest.mark.parametrize("format_", ["text", "json"])
def test_the_commands_show_it_and_write_nothing(command, format_, folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    extra = [] if command == "check" else ["-o", "r.csv"]
    assert invoke([command, "d.csv", "-p", "p.yaml", "--dry-run", "--format", format_, *extra]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert SECRET not in shown.out
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    if format_ == "json":
        document = json.loads(shown.out)
        assert (document["command"], document["dry_run"], document["schema_version"]) == (command, True, 1)
        assert "verdict" not in document
    else:
        assert "nothing is judged, nothing is written" in shown.out


def test_what_is_wrong_ends_as_always(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "bad.yaml").write_text("version: 1\nname: [", encoding="utf-8")
    for words, code in (
        (["check", "none.csv", "-p", "p.yaml"], 3),
        (["check", "d.csv", "-p", "bad.yaml"], 2),
        (["check", "d.csv", "-p", "p.yaml", "--format", "junit"], 2),
        (["check", "d.csv", "-p", "p.yaml", "--report", "r.html"], 2),
        (["check", "d.csv", "-p", "p.yaml", "--push-down"], 2),
    ):
        assert invoke([*words, "--dry-run"]) == code
    (folder / "bad.yaml").unlink()
    capsys.readouterr()
    with pytest.raises(UsageError, match="no protection"):
        dry_run("mask", "d.csv", {**POLICY, "protection": []})
    with pytest.raises(Unsupported, match="--original"):
        dry_run("check", "d.csv", {**POLICY, "reference": "original"})
    (folder / "many").mkdir()
    (folder / "many/a.csv").write_text("zip\n1\n", encoding="utf-8")
    (folder / "many/b.csv").write_text("old\n1\n", encoding="utf-8")
    with pytest.raises(DataError, match="header differs"):
        dry_run("check", "many", POLICY)


def test_the_original_is_a_table_of_its_own(folder):
    policy = {**POLICY, "reference": "original"}
    _, original = dry_run("check", str(folder / "d.csv"), policy, original=str(folder / "d.parquet")).tables
    assert (original.role, original.rows, original.rows_known) == ("original", ROWS, "exact")
    assert set(original.columns_read) == {"sick", "pay"}


def test_data_is_not_scanned(tmp_path):
    """Most of the file has no bytes on the disk: reading 40 GB of it would take minutes, and fill the disk."""
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.write(b"zip,old,sick\n" + b"1,2,x\n" * 40_000)
        file.truncate(40 << 30)
    began = time.process_time()
    dry_run("check", str(path), POLICY)
    assert time.process_time() - began < 2


@pytest.mark.slow
def test_a_server_is_asked_for_its_plan_and_no_row(folder):
    """Ten thousand rows after ANALYZE; read would be every row, by a function that refuses to be called."""
    with private_server() as running:
        running.sql(
            "CREATE TABLE t AS SELECT (i % 7)::text AS zip, i % 2 = 0 AS old, 'x' AS sick "
            "FROM generate_series(1, 10000) AS i",
            "ANALYZE t",
            "CREATE FUNCTION no(i integer) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RAISE 'was read'; END $$",
            "CREATE VIEW v AS SELECT zip, no(1) AS old, sick FROM t",
        )
        table = dry_run("check", running.url("?table=t"), POLICY)
        view = dry_run("check", running.url("?table=v"), POLICY)
        pushed = dry_run("check", running.url("?table=t"), POLICY, push_down=True)
    assert (table.tables[0].rows, table.tables[0].rows_known) == (10_000, "estimated")
    assert table.moved[0].rows == 10_000
    assert table.moved[0].bytes > 10_000
    assert view.tables[0].columns == 3
    assert "grouped in the server" in pushed.moved[0].what
    assert (table.engine, pushed.engine) == ("duckdb", "postgresql")
    assert "geheim" not in json.dumps(table.to_dict())


@pytest.mark.parametrize(("count", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_600, "1.0 MB")])
def test_bytes_for_the_eye(count, text):
    assert size(count) == text


def test_check_does_not_import_it():
    code = "import sys, auditor.cli.check; print(*({'auditor.costs', 'rich'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == ""
