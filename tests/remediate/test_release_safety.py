"""Whatever happens to a run, the target is what it was or the whole release, and nothing else is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from auditor import release
from auditor.errors import DeliveryError, InternalError, UsageError
from auditor.remediate import remediate
from tests.remediate.tables import POLICY, left_behind, read, write

OLD = b"what was released before\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path / "data.csv")


def start(data: Path, target: Path) -> subprocess.Popen[bytes]:
    """The program over a table, as a process of its own."""
    policy = data.with_name("policy.json.yaml")
    policy.write_text(json.dumps(POLICY), encoding="utf-8")
    words = ["remediate", str(data), "-p", str(policy), "-o", str(target), "--quiet"]
    program = "from auditor.cli import main; main()"
    data.with_name("temporary").mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-c", program, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(data.with_name("temporary"))},
    )


def unfinished(folder: Path) -> list[Path]:
    return [folder / name for name in left_behind(folder)]


def has_folder(folder: Path) -> bool:
    return bool(unfinished(folder))


def is_auditing_a_table(folder: Path) -> bool:
    return any(list(each.glob("source-*")) for each in unfinished(folder))


def is_auditing_the_release(folder: Path) -> bool:
    return has_bytes(folder) and is_auditing_a_table(folder)


def has_file(folder: Path) -> bool:
    return any(list(each.glob("*release.csv")) for each in unfinished(folder))


def has_bytes(folder: Path) -> bool:
    return any(file.stat().st_size for each in unfinished(folder) for file in each.glob("*release.csv"))


def is_now(moment: Callable[[Path], bool], folder: Path) -> bool:
    """Whether a run is at a moment; it moves and removes its files while they are looked at."""
    try:
        return moment(folder)
    except FileNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("moment", [has_folder, is_auditing_a_table, has_file, has_bytes, is_auditing_the_release])
def test_after_kill_9_the_target_is_as_it_was_and_the_next_run_cleans_up(
    tmp_path: Path, moment: Callable[[Path], bool]
) -> None:
    data = write(tmp_path / "data.csv", 150_000)
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder / "release.csv"
    target.write_bytes(OLD)
    run = start(data, target)
    deadline = time.monotonic() + 300
    while not is_now(moment, folder) and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    assert run.returncode == -signal.SIGKILL, "the run was over before it could be killed"
    assert target.read_bytes() == OLD
    assert list((tmp_path / "temporary").iterdir()) == []
    (left,) = left_behind(folder)
    assert left.startswith(".release.csv.auditor-tmp-")
    assert remediate(write(tmp_path / "data.csv"), POLICY, output=target).passed
    assert [path.name for path in folder.iterdir()] == ["release.csv"]
    assert len(read(target)) == 60


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    data = write(tmp_path / "data.csv", 150_000)
    folder = tmp_path / "out"
    folder.mkdir()
    run = start(data, folder / "release.csv")
    while not is_now(has_file, folder) and run.poll() is None:
        time.sleep(0.001)
    run.send_signal(number)
    _, said = run.communicate(timeout=300)
    assert run.returncode == 3
    assert b"interrupted" in said
    assert list(folder.iterdir()) == []


def test_a_live_run_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "r.csv"
    with release.unfinished(target) as first:
        (first / "r.csv").write_bytes(b"half")
        with release.unfinished(target) as second:
            assert first.exists()
            assert second != first
    assert list(tmp_path.iterdir()) == []


def test_a_target_keeps_its_permissions_and_its_link(tmp_path: Path, data: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    real, link = folder / "real.csv", tmp_path / "link.csv"
    real.write_bytes(OLD)
    real.chmod(0o640)
    link.symlink_to(real)
    assert remediate(data, POLICY, output=link).passed
    assert link.is_symlink()
    assert len(read(real)) == 60
    assert real.stat().st_mode & 0o777 == 0o640


def same(data: Path, tmp_path: Path) -> Path:
    return data


def symbolic(data: Path, tmp_path: Path) -> Path:
    (tmp_path / "link.csv").symlink_to(data)
    return tmp_path / "link.csv"


def hard(data: Path, tmp_path: Path) -> Path:
    (tmp_path / "hard.csv").hardlink_to(data)
    return tmp_path / "hard.csv"


def folder(data: Path, tmp_path: Path) -> Path:
    (tmp_path / "folder.csv").mkdir()
    return tmp_path / "folder.csv"


def device(data: Path, tmp_path: Path) -> Path:
    return Path("/dev/null")


def nowhere(data: Path, tmp_path: Path) -> Path:
    return tmp_path / "nowhere" / "r.csv"


def loop(data: Path, tmp_path: Path) -> Path:
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    return tmp_path / "loop.csv"


def unknown(data: Path, tmp_path: Path) -> Path:
    return tmp_path / "release.docx"


def arrow(data: Path, tmp_path: Path) -> Path:
    return tmp_path / "release.feather"


@pytest.mark.parametrize("named", [same, symbolic, hard, folder, device, nowhere, loop, unknown, arrow])
def test_a_target_that_cannot_be_meant_is_refused_before_anything_is_read(
    tmp_path: Path, data: Path, named: Callable[[Path, Path], Path]
) -> None:
    before = data.read_bytes()
    target = named(data, tmp_path)
    listed = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError):
        remediate(data, POLICY, output=target)
    assert data.read_bytes() == before
    assert sorted(tmp_path.rglob("*")) == listed


@pytest.mark.parametrize("source", ["data.csv", "*.csv", "."])
def test_no_output_takes_the_place_of_an_input(
    tmp_path: Path, data: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for option in ("output", "mapping", "lattice"):
        with pytest.raises(UsageError, match="is an input"):
            remediate(source, POLICY, **{option: data.name})


def test_two_results_do_not_go_to_one_file(tmp_path: Path, data: Path) -> None:
    with pytest.raises(UsageError, match="two results"):
        remediate(data, POLICY, output=tmp_path / "r.csv", mapping=tmp_path / "r.csv")


def test_a_folder_that_cannot_be_written_to_is_said(data: Path) -> None:
    with pytest.raises(DeliveryError, match="cannot be written to"):
        remediate(data, POLICY, output=Path("/proc/r.csv"))


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB; skips where none can be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_loses_nothing(tmp_path: Path, tiny_disk: Path) -> None:
    data = write(tmp_path / "data.csv", 20_000)
    target = tiny_disk / "r.csv"
    target.write_bytes(OLD)
    with pytest.raises(DeliveryError, match="space that the disk does not have; nothing was written"):
        remediate(data, POLICY, output=target)
    assert target.read_bytes() == OLD
    assert [path.name for path in tiny_disk.iterdir()] == ["r.csv"]


def test_a_rename_that_fails_loses_nothing(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "r.csv"
    target.write_bytes(OLD)

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(DeliveryError, match="it was left unchanged"):
        remediate(data, POLICY, output=target)
    assert target.read_bytes() == OLD
    assert left_behind(tmp_path) == []


def test_a_file_that_lost_records_is_not_released(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from auditor.engines.duckdb._counted import DuckDBCounted

    write_whole = DuckDBCounted.write

    def cut_short(self: DuckDBCounted, released: object, target: Path) -> None:
        write_whole(self, released, target)  # type: ignore[arg-type]
        target.write_text("".join(target.read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")

    monkeypatch.setattr(DuckDBCounted, "write", cut_short)
    with pytest.raises(InternalError, match="read back"):
        remediate(data, POLICY, output=tmp_path / "r.csv")
    assert not (tmp_path / "r.csv").exists()
