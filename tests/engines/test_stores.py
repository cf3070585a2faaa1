"""Object stores: a server of S3 on this machine, read as its files would be; copies are gone afterwards."""

from __future__ import annotations

import gzip
import hashlib
import tempfile
import zlib
from pathlib import Path

import duckdb
import pytest

import auditor
from auditor.cli import invoke
from auditor.engines import ColumnUse, RunLimits, open_data
from auditor.engines._digest import digest_later
from auditor.errors import DataError, OutOfTime, Unsupported

pytest.importorskip("s3fs", reason="the extra s3 is not installed")
moto = pytest.importorskip("moto.server", reason="moto is not installed")

POLICY = """version: 1
name: visits
attributes: {zip: quasi-identifier, sex: quasi-identifier, "ye*r": quasi-identifier, diagnosis: sensitive}
requirements: [{model: k-anonymity, k: 2}]
remediation: {suppression_limit: 50%}
"""
CSV = "zip,sex,diagnosis\n02138,F,flu\n02138,F,asthma\n02139,M,flu\n02139,M,flu\n"


@pytest.fixture(scope="module")
def server():
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(server, monkeypatch, tmp_path):
    """A new bucket; the store's objects are put there by the client that AWS has."""
    import boto3
    import s3fs

    for name, value in {
        "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "not-to-be-shown", "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": server, "TMPDIR": str(tmp_path / "temporary"),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "temporary").mkdir()
    s3fs.S3FileSystem.clear_instance_cache()
    client = boto3.client("s3")
    name = f"bucket-{hashlib.sha256(str(tmp_path).encode()).hexdigest()[:20]}"
    client.create_bucket(Bucket=name)
    (tmp_path / "p.yaml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    return lambda key, text: client.put_object(Bucket=name, Key=key, Body=text) and f"s3://{name}"


def left(folder: Path) -> list[Path]:
    return [path for path in (folder / "temporary").rglob("*") if path.is_file()]


def test_an_object_is_judged_as_the_file_is(bucket, tmp_path, capsys):
    place = bucket("out/visits.csv", CSV.encode())
    local = tmp_path / "visits.csv"
    local.write_text(CSV)
    found = auditor.check(f"{place}/out/visits.csv", "p.yaml")
    same = auditor.check(local, "p.yaml")
    assert found.passed
    assert found.data.sha256 == same.data.sha256
    assert found.data.source == f"{place}/out/visits.csv"
    assert found.classes == same.classes
    assert not left(tmp_path)
    assert invoke(["check", f"{place}/out/visits.csv", "-p", "p.yaml"]) == 0
    told = capsys.readouterr()
    assert "not-to-be-shown" not in told.out + told.err


def test_a_prefix_and_a_glob_are_read_as_folders_and_globs_are(bucket, tmp_path):
    bucket("out/year=2024/a.csv.gz", gzip.compress(CSV.encode()))
    bucket("out/year=2025/b.csv.gz", gzip.compress(CSV.encode()))
    bucket("out/", b"")  # as consoles show a folder
    place = bucket("out/README", b"not a table")
    with open_data(f"{place}/out") as source:
        assert source.records() == 8
        assert source.dictionary(ColumnUse("year"))[0] == ("2024", "2025")
        assert source.facts.unread == ("README",)
    with open_data(f"{place}/out/year=2024/*.csv.gz") as source:
        assert source.records() == 4
    assert not left(tmp_path)


def test_a_release_is_made_from_an_object(bucket, tmp_path):
    place = bucket("raw.csv", (CSV + "02140,M,flu\n").encode())
    assert invoke(["remediate", f"{place}/raw.csv", "-p", "p.yaml", "-o", "release.csv", "-q"]) == 0
    assert (tmp_path / "release.csv").read_text().count("\n") == 5
    assert not left(tmp_path)


def parquet(statement: str, folder: Path) -> bytes:
    target = folder / "made.parquet"
    with duckdb.connect() as made:
        made.sql(statement).write_parquet(str(target), row_group_size=5000)
    found = target.read_bytes()
    target.unlink()
    return found


RECORDS = "SELECT range % 10 AS zip, range % 2 AS sex, {} || range % 5 AS diagnosis FROM range(40000)"


def test_parquet_is_read_where_it_is(bucket, tmp_path):
    content = parquet(RECORDS.format("'d'"), tmp_path)
    names = ["year=2024/a [1].parquet", "year=2025/b*?.parquet", "_SUCCESS"]
    for name in names:
        place = bucket(f"out/{name}", content if name != "_SUCCESS" else b"")
        (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / name).write_bytes(content if name != "_SUCCESS" else b"")
    (tmp_path / "p.yaml").write_text(f"{POLICY}spill: never\n")
    for address in ("out", "out/year=2024/a [[]1].parquet", "out/*/*.parquet"):
        found, same = auditor.check(f"{place}/{address}", "p.yaml"), auditor.check(address, "p.yaml")
        assert found.passed
        assert found.classes == same.classes
        assert found.data.sha256 == same.data.sha256
    assert not left(tmp_path)


def test_an_object_called_as_another_is_escaped_is_another(bucket, tmp_path):
    bucket("out/a[1].parquet", parquet("SELECT 1 AS zip, 1 AS sex, 'x' AS diagnosis", tmp_path))
    place = bucket("out/a[[]1].parquet", parquet("SELECT 2 AS zip, 1 AS sex, 'y' AS diagnosis", tmp_path))
    found = auditor.check(f"{place}/out", "p.yaml")
    assert found.data.rows == 2
    assert not found.passed


def test_checksums_beside_parquet_are_held_against_it(bucket, tmp_path):
    content = parquet(RECORDS.format("'d'"), tmp_path)
    told = b"".join(zlib.crc32(content[at : at + 512]).to_bytes(4, "big") for at in range(0, len(content), 512))
    for name, text in {
        "a.parquet": content, ".a.parquet.crc": b"crc\0" + (512).to_bytes(4, "big") + told,
        "b.parquet": content, ".b.parquet.crc": b"crc\0" + (512).to_bytes(4, "big") + told[:-4] + b"none",
        ".gone.parquet.crc": b"crc\0" + (512).to_bytes(4, "big"),
    }.items():  # fmt: skip
        place = bucket(f"out/{name}", text)
    with open_data(f"{place}/out") as source:
        assert source.facts.unread == (".b.parquet.crc", ".gone.parquet.crc")


def test_times_that_pyarrow_reads_are_read_where_they_are(bucket, tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    written_by = pytest.importorskip("pyarrow.parquet")
    moments = pyarrow.array([1, 1, 2, 2], pyarrow.timestamp("ns"))
    table = pyarrow.table({"zip": ["a", "a", "b", "b"], "sex": moments, "diagnosis": ["x", "y", "x", "y"]})
    with pyarrow.BufferOutputStream() as written:
        written_by.write_table(table, written, use_deprecated_int96_timestamps=True)
        place = bucket("nano.parquet", written.getvalue().to_pybytes())
    with open_data(f"{place}/nano.parquet") as source:
        assert len(source.dictionary(ColumnUse("sex"))[0]) == 2


def test_an_object_that_is_replaced_is_told(bucket, tmp_path):
    place = bucket("one.parquet", parquet(RECORDS.format("'d'"), tmp_path))
    with open_data(f"{place}/one.parquet") as source:
        assert source.records() == 40_000
        bucket("one.parquet", parquet(RECORDS.format("'e'"), tmp_path))
        with pytest.raises(DataError, match=r"one\.parquet: was replaced in the store while it was read; run it again"):
            source.dictionary(ColumnUse("diagnosis"))


@pytest.mark.parametrize(
    ("event", "said"),
    [("deleted", "was replaced in the store while it was read"), ("lost", "cannot be read to the end; run it again")],
)
def test_an_object_that_is_gone_during_a_run_is_told(event, said, tmp_path, monkeypatch):
    import boto3
    import s3fs

    own = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    own.start()
    address = "http://{}:{}".format(*own.get_host_and_port())
    for name, value in {"ACCESS_KEY_ID": "k", "SECRET_ACCESS_KEY": "s", "DEFAULT_REGION": "us-east-1",
                        "ENDPOINT_URL": address, "MAX_ATTEMPTS": "1"}.items():  # fmt: skip
        monkeypatch.setenv(f"AWS_{name}", value)
    s3fs.S3FileSystem.clear_instance_cache()
    client = boto3.client("s3")
    client.create_bucket(Bucket="ours")
    client.put_object(Bucket="ours", Key="one.parquet", Body=parquet(RECORDS.format("'d'"), tmp_path))
    with open_data("s3://ours/one.parquet") as source:
        assert source.records() == 40_000
        client.delete_object(Bucket="ours", Key="one.parquet") if event == "deleted" else None
        own.stop() if event == "lost" else None
        with pytest.raises(DataError, match=f"one.parquet: {said}"):
            source.dictionary(ColumnUse("diagnosis"))
    own.stop() if event == "deleted" else None


def test_a_digest_of_a_store_that_is_gone_ends_with_an_error():
    class Gone(type(Path())):
        def open(self, *_, **__):
            raise RuntimeError("no connection")

    with pytest.raises(OSError, match="RuntimeError"):
        digest_later((Gone("a"),)).result(timeout=20)


def test_a_release_is_made_from_parquet_in_a_store(bucket, tmp_path):
    place = bucket("raw.parquet", parquet(RECORDS.format("'d'") + " UNION ALL SELECT 99, 1, 'd1'", tmp_path))
    assert invoke(["remediate", f"{place}/raw.parquet", "-p", "p.yaml", "-o", "release.parquet", "-q"]) == 0
    with open_data("release.parquet") as source:
        assert source.records() == 40_000


@pytest.mark.parametrize("key", ["none.csv", "none/*.csv", "none/"])
def test_what_is_not_there_is_told(bucket, key):
    place = bucket("there.csv", CSV.encode())
    with pytest.raises(DataError, match="there is no such object, prefix or glob"):
        auditor.check(f"{place}/{key}", "p.yaml")


def test_a_bucket_that_is_not_there_or_not_ours_is_told(bucket, monkeypatch):
    bucket("there.csv", CSV.encode())
    with pytest.raises(DataError, match=r"there is no such object|cannot be read"):
        auditor.check("s3://another-bucket-than-that/x.csv", "p.yaml")


@pytest.mark.parametrize("form", ["never", "encrypted"])
def test_nothing_is_copied_where_the_policy_allows_no_copy(bucket, tmp_path, form):
    place = bucket("visits.csv", CSV.encode())
    (tmp_path / "p.yaml").write_text(f"{POLICY}spill: {form}\n")
    with pytest.raises(Unsupported, match=f"the policy says spill: {form}"):
        auditor.check(f"{place}/visits.csv", "p.yaml")
    assert not left(tmp_path)


def test_a_name_that_leads_elsewhere_is_refused(bucket, tmp_path):
    bucket("out/a.csv", CSV.encode())
    place = bucket("out/x/../../../../escaped.csv", CSV.encode())
    with pytest.raises(DataError, match="an object has a name that is no path"):
        auditor.check(f"{place}/out", "p.yaml")
    assert not list(tmp_path.rglob("escaped.csv"))


OTHER = CSV.replace("02139,M,flu\n", "02139,M,flu\n02141,F,flu\n", 1)
"""A table that does not meet the policy."""


@pytest.mark.parametrize("key", ["a[1].csv", "a*.csv", "a?.csv"])
def test_an_object_whose_name_looks_like_a_glob_is_itself(bucket, key):
    bucket("a1.csv", CSV.encode())
    place = bucket(key, OTHER.encode())
    found = auditor.check(f"{place}/{key}", "p.yaml")
    assert not found.passed
    assert found.data.rows == 5
    assert found.data.source == f"{place}/{key}"


def test_a_glob_reads_all_that_is_below_the_folders_that_it_finds(bucket, tmp_path):
    for key, text in {"out/a.csv": CSV, "out/sub/b.csv": OTHER}.items():
        place = bucket(key, text.encode())
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_text(text)
    for at in (place, str(tmp_path)):
        assert auditor.check(f"{at}/out/*", "p.yaml").data.rows == 9
        assert auditor.check(f"{at}/out/s*", "p.yaml").data.rows == 5
        assert auditor.check(f"{at}/out/*.csv", "p.yaml").data.rows == 4


def test_a_folder_with_contents_of_its_own_is_refused_by_a_glob_too(bucket):
    bucket("out/a.csv", CSV.encode())
    place = bucket("out/sub.csv/", OTHER.encode())
    with pytest.raises(DataError, match="an object has a name that is no path"):
        auditor.check(f"{place}/out/*", "p.yaml")


def test_an_address_with_a_slash_behind_it_is_a_prefix(bucket):
    bucket("d.csv", CSV.encode())
    place = bucket("d.csv/part.csv", OTHER.encode())
    assert auditor.check(f"{place}/d.csv", "p.yaml").passed
    assert not auditor.check(f"{place}/d.csv/", "p.yaml").passed


@pytest.mark.parametrize(
    ("key", "shown"),
    [("ann@home.csv", "/ann@home.csv"), ("a?.csv", "/a?.csv"), ("a1.csv?X-Amz-Signature=secret", "/a1.csv")],
)
def test_a_message_names_the_address_as_it_stands_but_for_what_proves_who_asks(bucket, key, shown):
    place = bucket("none", b"")
    with pytest.raises(DataError) as error:
        auditor.check(f"{place}/{key}", "p.yaml")
    assert f"{error.value}".startswith(f"{place}{shown}: there is no such object")


@pytest.mark.parametrize("keys", [("out/a.csv", "out/b.csv.gz"), ("out/a.csv", "out/y=1/b.csv"), ("out/a.txt2",)])
def test_no_message_names_a_folder_that_is_gone(bucket, tmp_path, keys):
    for key in keys:
        place = bucket(key, CSV.encode())
    with pytest.raises(DataError) as error:
        auditor.check(f"{place}/out", "p.yaml")
    assert f"{error.value}".startswith(f"{place}/out: ")


@pytest.mark.parametrize("keys", [("out/a.csv", "out/a.csv/b.csv"), (f"out/{'n' * 300}.csv",)])
def test_an_object_that_no_file_can_be_called_after_is_told(bucket, tmp_path, keys):
    for key in keys:
        place = bucket(key, CSV.encode())
    with pytest.raises(DataError, match=r"/out: an object has a name that no file can have here .*; copy it under"):
        auditor.check(f"{place}/out", "p.yaml")
    assert not left(tmp_path)


def test_a_chain_of_addresses_is_refused(bucket):
    place = bucket("a.csv", CSV.encode())
    with pytest.raises(Unsupported, match="::"):
        auditor.check(f"{place}/a.csv::b.csv", "p.yaml")


def test_an_object_that_changes_while_it_is_read_is_told(bucket, monkeypatch):
    bucket("out/a.csv", CSV.encode())
    place = bucket("out/b.csv", CSV.encode())
    checked = RunLimits.check

    def changing(limits: RunLimits) -> None:
        bucket("out/b.csv", OTHER.encode())
        checked(limits)

    monkeypatch.setattr(RunLimits, "check", changing)
    with pytest.raises(DataError, match="/out: was replaced in the store while it was read; run it again"):
        auditor.check(f"{place}/out", "p.yaml")


def test_no_certificate_is_promised_for_what_cannot_have_one(bucket, tmp_path, capsys):
    place = bucket("visits.csv", CSV.encode())
    assert invoke(["check", f"{place}/visits.csv", "-p", "p.yaml", "--certificate", "c.json"]) == 3
    told = capsys.readouterr()
    assert "Meets" not in told.out
    assert "needs files of its own" in told.err
    assert "are not read" not in told.err
    assert not (tmp_path / "c.json").exists()


def test_the_time_limit_is_kept(bucket):
    place = bucket("visits.csv", CSV.encode())
    with pytest.raises(OutOfTime), open_data(f"{place}/visits.csv", limits=RunLimits.of(None, 1e-9)):
        pass


def test_what_needs_files_of_its_own_says_so(bucket, capsys):
    place = bucket("visits.csv", CSV.encode())
    assert invoke(["check", f"{place}/visits.csv", "-p", "p.yaml", "--dry-run"]) == 3
    assert "object stores" in capsys.readouterr().err


@pytest.mark.parametrize(("scheme", "extra"), [("gs", "gs"), ("az", "az")])
def test_a_store_whose_package_is_not_installed_is_told(scheme, extra, tmp_path):
    with pytest.raises((Unsupported, DataError), match=rf"\[{extra}\]|cannot be read"):
        auditor.check(f"{scheme}://bucket/x.csv", POLICY_DATA)


POLICY_DATA = {"attributes": {"zip": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 2}]}
