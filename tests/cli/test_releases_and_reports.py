"""A release and its reports stand together or not at all: whatever writes one, and whichever report fails."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from auditor.cli import COMMANDS as EVERY
from auditor.cli import invoke
from auditor.report import delivery
from tests.protect.tables import POLICY as MASKING
from tests.protect.tables import write as write_masked
from tests.remediate.tables import POLICY, write

COMMANDS = {
    "remediate": ["remediate", "data.csv", "-p", "policy.yaml", "-o", "r.csv", "--mapping", "m.csv"],
    "lattice": ["remediate", "data.csv", "-p", "policy.yaml", "-o", "r.csv", "--lattice", "l.csv"],
    "mask": ["mask", "masked.csv", "-p", "masking.yaml", "-o", "r.csv"],
    "counts": ["check", "data.csv", "-p", "loose.yaml", "--source", "--counts", "k.counts", "--report", "k.json"],
    "hide": ["hide", "t.dat", "--sensitive", "s.txt", "--min-support", "3", "-o", "r.dat"],
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what every command needs, and a release and a report of before."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "data.csv")
    write_masked(tmp_path / "masked.csv")
    (tmp_path / "policy.yaml").write_text(json.dumps(POLICY), encoding="utf-8")
    loose = {**POLICY, "requirements": [{"model": "k-anonymity", "k": 1}]}
    (tmp_path / "loose.yaml").write_text(json.dumps(loose), encoding="utf-8")
    (tmp_path / "masking.yaml").write_text(json.dumps(MASKING), encoding="utf-8")
    (tmp_path / "t.dat").write_text("a b c d\na b c\na b d\na c d\nb c d\na b\nc d\na c\n", encoding="utf-8")
    (tmp_path / "s.txt").write_text("a b\n", encoding="utf-8")
    for name in ("r.csv", "r.dat", "two.html"):
        (tmp_path / name).write_text("before", encoding="utf-8")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones among them."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", COMMANDS)
def test_without_its_reports_nothing_is_written(command: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written, before = delivery._written_beside, contents(here)

    def full_at_the_second(path: Path, content: bytes, mode: int) -> Path:
        if path.name == "two.html":
            raise delivery._undelivered(path, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        return written(path, content, mode)

    monkeypatch.setattr(delivery, "_written_beside", full_at_the_second)
    reports = ["--report", "one.html", "--report", "two.html"]
    assert invoke([*COMMANDS[command], *reports]) == 3
    assert contents(here) == before


@pytest.mark.parametrize("command", COMMANDS)
def test_with_its_reports_everything_is(command: str, here: Path) -> None:
    assert invoke([*COMMANDS[command], "--report", "one.html", "--report", "two.html"]) == 0
    after = contents(here)
    written = {name for name in COMMANDS[command] if name in {"r.csv", "r.dat", "m.csv", "l.csv", "k.counts"}}
    assert written | {"one.html", "two.html"} <= set(after)
    assert all(after[name] != b"before" for name in written)
    assert not [name for name in after if name.startswith(".")]


NEEDS_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
OUTPUTS = [pytest.param("full", marks=NEEDS_FULL), "closed"]


@contextmanager
def standard_output(kind: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One that nothing can be written to: of a full disk, closed (`>&-`, Python has None), its reader gone."""
    handle = None
    if kind == "full":
        handle = os.open("/dev/full", os.O_WRONLY)
    elif kind == "gone":
        reader, handle = os.pipe()
        os.close(reader)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", None if handle is None else os.fdopen(handle, "w", encoding="utf-8"))
        try:
            yield
        finally:
            with suppress(OSError):
                sys.stdout.close()


@pytest.mark.parametrize("output", [*OUTPUTS, "gone"])
@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("command", COMMANDS)
def test_without_standard_output_nothing_is_written(
    command: str, form: str, output: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(here)
    with standard_output(output, monkeypatch):
        assert invoke([*COMMANDS[command], "--format", form, "--report", "one.html", "--quiet"]) == 3
    assert contents(here) == before


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("words", [["schema"], ["explain", "k-anonymity"], *([name, "--help"] for name in EVERY)])
def test_no_command_takes_a_full_disk_for_a_fault_of_its_own(
    words: list[str],
    output: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with standard_output(output, monkeypatch):
        assert invoke(words) == 3
    assert "standard output could not be written: " in capsys.readouterr().err


def test_a_command_that_says_nothing_needs_no_standard_output(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with standard_output("closed", monkeypatch):
        assert invoke(["init", "data.csv", "-o", "new.yaml", "--quiet"]) == 0
    assert (here / "new.yaml").stat().st_size > 0
