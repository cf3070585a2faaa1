"""Where data goes that does not fit into memory: into a named folder, encrypted, or nowhere."""

import contextlib
import stat
import subprocess
from importlib.util import find_spec

import duckdb
import pytest

import auditor
import auditor.errors
from auditor.dialect import CsvDialect
from auditor.engines import RunLimits, Spill, open_data
from auditor.engines._spill import PREFIX
from auditor.engines.duckdb.connection import Connection
from auditor.errors import DeliveryError, OutOfMemory, Unsupported, UsageError

VALUE = "A-VALUE-OF-THE-DATA"
SPILLING = f"CREATE TEMP TABLE t AS SELECT '{VALUE}' || range AS a, hash(range) AS b FROM range(3_000_000)"
"""About 100 MB, which 64 MiB do not hold."""
CAN_ENCRYPT = find_spec("duckdb_extension_httpfs") is not None


def opened(folder, form=None, workspace=None):
    return Connection(RunLimits.of("64MiB", None, folder, form), workspace, threads=1)


def spilled(folder):
    """What stands on the disk below a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_data_is_spilled_into_the_named_folder_and_gone_with_the_connection(tmp_path):
    connection = opened(tmp_path)
    connection.lock([])
    connection.run("data", SPILLING)
    (own,) = tmp_path.iterdir()
    assert own.name.startswith(PREFIX)
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    assert VALUE.encode() in spilled(own)
    connection.close()
    assert not any(tmp_path.iterdir())


def test_without_a_named_folder_it_goes_to_the_workspace(tmp_path):
    (workspace := tmp_path / "workspace").mkdir()
    connection = opened(None, workspace=workspace)
    connection.run("data", SPILLING)
    assert VALUE.encode() in spilled(workspace)
    connection.close()
    assert not any(tmp_path.iterdir())


def test_with_a_workspace_it_still_goes_to_the_named_folder(tmp_path):
    (workspace := tmp_path / "workspace").mkdir()
    (named := tmp_path / "named").mkdir()
    connection = opened(named, workspace=workspace)
    connection.lock([])
    connection.run("data", SPILLING)
    assert VALUE.encode() in spilled(named)
    assert not any(workspace.iterdir())
    connection.run("data", f"COPY (SELECT 1) TO '{workspace}/release.csv'")
    connection.close()
    assert sorted(tmp_path.iterdir()) == [named]
    assert not any(named.iterdir())


def test_never_writes_nothing_and_says_so_where_the_memory_does_not_suffice(tmp_path):
    connection = opened(tmp_path, "never")
    with pytest.raises(OutOfMemory, match="the policy says spill: never"):
        connection.run("data", SPILLING)
    assert not spilled(tmp_path)
    connection.run("data", SPILLING.replace("3_000_000", "30"))
    assert not spilled(tmp_path)
    connection.close()


@pytest.mark.skipif(CAN_ENCRYPT, reason="DuckDB's extension httpfs is installed")
def test_what_cannot_be_encrypted_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))  # where DuckDB looks for extensions
    (folder := tmp_path / "spill").mkdir()
    with pytest.raises(Unsupported, match=f"pip install duckdb-extension-httpfs=={duckdb.__version__}"):
        opened(folder, "encrypted")
    assert not any(folder.iterdir())


@pytest.mark.skipif(not CAN_ENCRYPT, reason="needs the package duckdb-extension-httpfs")
def test_what_is_spilled_encrypted_cannot_be_read(tmp_path):
    connection = opened(tmp_path, "encrypted")
    connection.lock([])
    connection.run("data", SPILLING)
    found = spilled(tmp_path)
    assert len(found) > 10_000_000
    assert VALUE.encode() not in found
    assert connection.rows("data", "SELECT count(*), sum(a[20:]::BIGINT) FROM t") == [(3_000_000, 4_499_998_500_000)]
    connection.close()


def test_a_copy_in_another_encoding_is_no_less_data(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("a,b\nx,ü\n", encoding="cp1252")
    for form in ("never", "encrypted"):
        policy = {"name": "p", "spill": form, "attributes": {"*": "quasi-identifier"}, "requirements": []}
        policy["requirements"] = [{"model": "k-anonymity", "k": 1}]
        with pytest.raises(Unsupported, match=f"spill: {form}|needs its extension"):
            auditor.check(data, policy, csv=CsvDialect(encoding="cp1252"))
    with open_data(data, csv=CsvDialect(encoding="cp1252")) as source:
        assert source.records() == 1


@pytest.mark.parametrize("form", ["never", "encrypted"])
def test_the_strictest_of_policies_holds(form):
    spill = Spill.of(None, form)
    assert spill.under(None) == spill
    assert spill.under("never").form == "never"
    assert Spill.of(Spill(form="never"), form).form == "never"


def test_a_folder_that_is_none_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="there is no such folder"):
        RunLimits.of(None, None, tmp_path / "nowhere")
    with pytest.raises(UsageError, match="is not a folder"):
        RunLimits.of(None, None, tmp_path / "file")


def test_a_folder_that_has_gone_is_told(tmp_path):
    (folder := tmp_path / "spill").mkdir()
    limits = RunLimits.of("1GB", None, folder)
    folder.rmdir()
    with pytest.raises(DeliveryError, match=r"--spill .*: no folder can be made in it \(No such file or directory\)"):
        Connection(limits)


@pytest.fixture
def tiny_disk(tmp_path):
    """A disk of 8 MiB; skips where none can be mounted."""
    (place := tmp_path / "disk").mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("announced", [True, False])
def test_a_full_disk_is_told_and_left_empty(announced, tiny_disk):
    """DuckDB keeps to the space that it found; somebody else may take it in the meantime."""
    connection = opened(tiny_disk)
    if not announced:
        connection.raw.execute("SET max_temp_directory_size = '1TB'")
    with pytest.raises(OutOfMemory, match="with --spill a folder on a larger disk"):
        connection.run("data", SPILLING)
    connection.close()
    assert not any(tiny_disk.iterdir())


def test_a_policy_inherits_it_and_its_digest_tells_it(tmp_path):
    text = "name: {0}\nattributes: {{a: quasi-identifier}}\nrequirements: [{{model: k-anonymity, k: 1}}]\n{1}"
    for name, more in (("parent", "spill: never\n"), ("child", "extends: [parent.yaml]\n"), ("free", "")):
        (tmp_path / f"{name}.yaml").write_text(text.format(name, more))
    parent, child, free = (auditor.load_policy(tmp_path / f"{name}.yaml") for name in ("parent", "child", "free"))
    assert (child.spill, free.spill) == ("never", None)
    assert '"spill":"never"' in parent.canonical_json()
    assert "spill" not in free.canonical_json()


@pytest.mark.parametrize("form", [None, "never"])
def test_an_audit_writes_what_the_policy_allows(form, tmp_path, monkeypatch):
    """The form reaches every connection of a check, a remediation and an audit of outputs."""
    data = tmp_path / "data.csv"
    data.write_text("a,b\n" + "x,1\n" * 4)
    policy = {
        "name": "p",
        "attributes": {"a": "quasi-identifier", "b": "sensitive"},
        "requirements": [{"model": "k-anonymity", "k": 2}],
        "outputs": [{"type": "frequency-table", "min_cell": 2}],
        **({"spill": form} if form else {}),
    }
    (spill := tmp_path / "spill").mkdir()
    seen = []
    opening = Connection.__init__

    def watched(connection, limits, *args, **options):
        opening(connection, limits, *args, **options)
        place = connection.raw.execute("SELECT current_setting('temp_directory')").fetchone()[0]
        seen.append((limits.spill.form, place.startswith(str(spill))))

    monkeypatch.setattr(Connection, "__init__", watched)
    auditor.check(data, policy, spill=spill)
    auditor.remediate(data, policy, output=tmp_path / "release.csv", spill=spill)
    table = {"type": "frequency-table", "rows": ["a"], "cells": [{"a": "x", "count": 4}]}
    with contextlib.suppress(auditor.errors.AuditorError):
        auditor.check_outputs(table, policy, data, spill=spill)
    assert len(seen) >= 5
    assert set(seen) == {(form, form is None)}
    assert not any(spill.iterdir())
