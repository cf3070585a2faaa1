"""Runs that do not get to their end: interrupts, limits, full disks. Nothing half-written, nothing left behind."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from auditor.report import delivery
from tests.robustness.conftest import POLICY, SECRET

pytestmark = pytest.mark.slow

ROWS = 1_500_000
LONG = 300
"""Seconds after which a run hangs, on whatever machine."""
PROGRAM = [sys.executable, "-c", "from auditor.cli import main; main()"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A file that takes seconds to audit: nearly every row is a class of its own."""
    path = tmp_path_factory.mktemp("large") / "data.csv"
    names = [f"q{i}" for i in range(9)]
    with path.open("w") as file:
        file.write(",".join([*names, "b"]) + "\n")
        for i in range(ROWS):
            file.write(f"{i},{i * 7},{i % 97},{i * 31},{i % 13},{i * 3},{i * 5},{i * 11},{i * 13},{SECRET}\n")
    return path


@pytest.fixture
def large(table, tmp_path):
    """A folder of the test's own with that file in it, a policy, and a place for temporary files."""
    folder = tmp_path / "large"
    folder.mkdir()
    (folder / "data.csv").hardlink_to(table)
    ladder = {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}}
    policy = {**POLICY, "attributes": {"q0": ladder, "q*": "quasi-identifier", "b": "sensitive"}}
    (folder / "p.yaml").write_text(json.dumps(policy))
    (folder / "tmp").mkdir()
    return folder


@pytest.fixture
def start(large):
    """Starts the program in the folder; what a failed test leaves running is ended, and takes no time from the next."""
    started = []

    def program(*options, command=("check", "data.csv", "-p", "p.yaml", "--report", "r.html")):
        environment = {**os.environ, "TMPDIR": str(large / "tmp")}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen([*PROGRAM, *command, *options], cwd=large, env=environment, **pipes))
        return started[-1]

    yield program
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def finished(process, folder):
    out, err = process.communicate(timeout=LONG)
    assert "Traceback" not in err
    assert "nanobind" not in out + err
    assert SECRET not in out + err
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "p.yaml", "tmp"]
    assert not any((folder / "tmp").iterdir())
    return process.returncode, out, err


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("after", [0, 0.5])
def test_an_interrupt_ends_the_run_and_leaves_nothing(sent, after, large, start):
    process = start()
    while process.poll() is None and not any((large / "tmp").iterdir()):
        time.sleep(0.01)
    time.sleep(after)
    process.send_signal(sent)
    code, out, err = finished(process, large)
    assert code == 3
    assert out == ""
    assert "interrupted; nothing was written" in err


@pytest.mark.parametrize(
    "command", [["init", "data.csv", "-o", "new.yaml"], ["hierarchy", "data.csv", "-p", "p.yaml", "--export", "tmp"]]
)
def test_commands_that_only_look_are_interrupted_alike(command, large, start):
    process = start(command=command)
    while process.poll() is None and not any((large / "tmp").iterdir()):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    code, out, err = finished(process, large)
    assert (code, out) == (3, "")
    assert "interrupted; nothing was written" in err


def test_what_a_killed_run_spilled_is_removed_by_the_next_one(large, start):
    (spill := large / "tmp" / "spill").mkdir()
    killed = start("--spill", str(spill))
    while killed.poll() is None and not any(spill.iterdir()):
        time.sleep(0.01)
    killed.kill()
    killed.communicate(timeout=LONG)
    assert len(list(spill.iterdir())) == 1
    stopped = start("--spill", str(spill), "--time-limit", "1s")
    assert stopped.communicate(timeout=LONG)[0] == ""
    assert stopped.returncode == 3
    assert not any(spill.iterdir())
    spill.rmdir()


@pytest.mark.parametrize("wrong", ["nowhere", "data.csv"])
def test_a_folder_to_spill_to_that_is_none_is_refused(wrong, large, start):
    code, out, err = finished(start("--spill", wrong), large)
    assert (code, out) == (2, "")
    assert f"--spill {wrong}: " in err


def test_the_time_limit_ends_the_run(large, start):
    """Its processor time is looked at: on a machine that is busy with other things, a second of it may take long."""
    began = _spent_by_children()
    code, out, err = finished(start("--time-limit", "1s"), large)
    assert _spent_by_children() - began < 20
    assert (code, out) == (3, "")
    assert "the time limit of 1 s was reached; nothing was written" in err


def _spent_by_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_too_little_memory_is_never_a_wrong_answer(large, start):
    process = start("--memory", "64MiB", "--format", "json")
    out, err = process.communicate(timeout=2 * LONG)
    assert process.returncode in (1, 3), err
    if process.returncode == 3:
        assert out == ""
        assert "[memory]" in err
    else:
        assert json.loads(out)["classes"]["count"] == ROWS
    assert not any((large / "tmp").iterdir())


def test_a_reader_that_goes_away():
    with subprocess.Popen([*PROGRAM, "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 3


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("existing", [True, False])
def test_a_full_disk_leaves_the_report_as_it_was(number, existing, tmp_path, audit, csv, monkeypatch):
    report = tmp_path / "r.html"
    if existing:
        report.write_text("before")

    def full(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(delivery.os, "fsync", full)
    outcome = audit(csv("a,b\nx,1\nx,2\n"), "--report", str(report))
    assert outcome.code == 3
    assert outcome.out == ""
    assert f"r.html: could not be written: {os.strerror(number)}" in outcome.err
    assert report.exists() == existing
    assert not existing or report.read_text() == "before"


def test_a_full_disk_on_standard_output(tmp_path):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full here")
    (tmp_path / "data.csv").write_text("a,b\nx,1\n")
    (tmp_path / "p.yaml").write_text(json.dumps(POLICY))
    with full.open("w") as out:
        command = [*PROGRAM, "check", "data.csv", "-p", "p.yaml"]
        done = subprocess.run(
            command, cwd=tmp_path, stdout=out, stderr=subprocess.PIPE, text=True, timeout=LONG, check=False
        )
    assert done.returncode == 3
    assert "standard output could not be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("target", ["data.csv", "p.yaml", "link.html", "nowhere/r.html", "tmp", "r.pdf", "pdf=r.pdf"])
def test_reports_that_cannot_be_written_are_refused_before_anything_runs(target, audit, csv, tmp_path):
    path = csv("a,b\nx,1\n")
    (tmp_path / "link.html").symlink_to(path)
    named = target if "=" in target else str(tmp_path / target)
    outcome = audit(path, "--report", f"html={named}" if target in ("data.csv", "p.yaml", "tmp") else named)
    assert outcome.code == 2
    assert path.read_text() == "a,b\nx,1\n"


def test_a_fault_of_the_program_says_where_and_not_what(audit, csv, monkeypatch, capfd):
    from auditor.cli import invoke

    def broken(*_args, **_options):
        raise ValueError(SECRET)

    monkeypatch.setattr("auditor.audit._check.bind", broken)
    (csv("").parent / "p.yaml").write_text(json.dumps(POLICY))
    path = csv("a,b\nx,1\n")
    assert invoke(["check", str(path), "-p", str(path.parent / "p.yaml")]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("auditor: a fault of this program (ValueError at ")
    assert SECRET not in err
