"""Reports arrive whole or not at all, where they were asked for, and nowhere else."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import DeliveryError, UsageError
from auditor.report import delivery
from auditor.report.stored import parse
from auditor.result import Audience
from tests.report import samples


@pytest.mark.parametrize(
    ("given", "format_"),
    [
        ("r.html", "html"),
        ("r.HTML", "html"),
        ("r.json", "json"),
        ("r.sarif", "sarif"),
        ("r.xml", "junit"),
        ("r.md", "markdown"),
        ("gitlab=gl.json", "gitlab"),
        ("github=log", "github"),
        ("text=out.html", "text"),
        ("a-b=c.json", "json"),
    ],
)
def test_the_format_comes_from_the_name_or_stands_before_it(tmp_path: Path, given: str, format_: str) -> None:
    before, _, name = given.rpartition("=") if not given.startswith("a-b") else ("", "", given)
    report = f"{before}={tmp_path / name}" if before else str(tmp_path / name)
    (target,) = delivery.plan(reports=[report]).targets
    assert target == delivery.Target(format_, tmp_path / name)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("report.pdf", "does not tell the format"),
        ("report", "does not tell the format"),
        ("htlm=r.html", r"unknown format 'htlm' \(did you mean 'html'\?\)"),
        ("missing/r.html", "no folder"),
        (".", "does not tell the format"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=message):
        delivery.plan(reports=[given])
    assert list(tmp_path.iterdir()) == []


def test_a_folder_or_a_device_is_no_report(tmp_path: Path) -> None:
    (tmp_path / "r.html").mkdir()
    with pytest.raises(UsageError, match="not a regular file"):
        delivery.plan(reports=[str(tmp_path / "r.html")])
    with pytest.raises(UsageError, match="not a regular file"):
        delivery.plan(reports=["json=/dev/null"])


def test_two_reports_cannot_share_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two reports"):
        delivery.plan(reports=[str(tmp_path / "r.json"), f"gitlab={tmp_path}/./r.json"])


def link(kind: str) -> Callable[[Path, Path], None]:
    return {"symbolic": lambda new, old: new.symlink_to(old), "hard": lambda new, old: new.hardlink_to(old)}[kind]


@pytest.mark.parametrize("kind", ["symbolic", "hard", None])
def test_an_input_is_never_overwritten(tmp_path: Path, kind: str | None) -> None:
    data = tmp_path / "data.json"
    data.write_text("{}")
    report = data
    if kind:
        report = tmp_path / "report.json"
        link(kind)(report, data)
    with pytest.raises(UsageError, match="is an input"):
        delivery.plan(reports=[str(report)], inputs=[tmp_path / "elsewhere", data])


def test_a_file_inside_an_input_folder_is_an_input(tmp_path: Path) -> None:
    (tmp_path / "part-1.json").write_text("{}")
    with pytest.raises(UsageError, match="is an input"):
        delivery.plan(reports=[str(tmp_path / "part-1.json")], inputs=[tmp_path])
    assert delivery.plan(reports=[str(tmp_path / "report.json")], inputs=[tmp_path]).targets


@pytest.mark.parametrize("given", ["*.json", "**/part-*.json", "sqlite:part-1.json?table=t", "duckdb:part-1.json"])
def test_a_glob_or_a_database_is_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("part-1.json").write_text("{}")
    with pytest.raises(UsageError, match="is an input"):
        delivery.plan(reports=["part-1.json"], inputs=[given])


def test_every_report_is_for_its_own_audience(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    names = ["r.html", "r.json", "r.sarif", "r.xml", "r.md"]
    delivery.plan("json", [str(tmp_path / name) for name in names]).deliver(samples.failing())
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert json.loads(capsysbinary.readouterr().out)["audience"] == "reviewer"
    assert json.loads((tmp_path / "r.json").read_bytes())["audience"] == "reviewer"
    assert "for audience public" in (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "hidden" in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_the_audience_that_was_asked_for_holds_for_all(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    plan = delivery.plan("github", [str(tmp_path / "r.json")], Audience.INTERNAL)
    plan.deliver(samples.failing())
    assert json.loads((tmp_path / "r.json").read_bytes())["requirements"][0]["exposed"]
    assert b"achieved 1;" in capsysbinary.readouterr().out


def test_the_environment_does_not_widen_the_audience(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AUDIENCE", "AUDITOR_AUDIENCE"):
        monkeypatch.setenv(name, "internal")
    delivery.plan("json").deliver(samples.failing())
    assert json.loads(capsysbinary.readouterr().out)["audience"] == "reviewer"


def test_a_stored_result_narrows_defaults_to_its_own_audience(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    delivery.plan("json", audience=Audience.PUBLIC).deliver(samples.failing())
    delivery.plan("json").deliver_stored(parse(capsysbinary.readouterr().out))
    assert json.loads(capsysbinary.readouterr().out)["audience"] == "public"


class TestWrite:
    def test_a_new_file_has_ordinary_permissions_and_an_old_one_keeps_its_own(self, tmp_path: Path) -> None:
        old_mask = os.umask(0o022)
        try:
            delivery.write(tmp_path / "new", b"1")
        finally:
            os.umask(old_mask)
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o644
        (tmp_path / "new").chmod(0o600)
        delivery.write(tmp_path / "new", b"2")
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
        assert (tmp_path / "new").read_bytes() == b"2"

    @pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
    @pytest.mark.parametrize(
        ("fault", "error"),
        [
            (OSError(errno.ENOSPC, "No space left on device"), DeliveryError),
            (OSError(errno.EROFS, "Read-only file system"), DeliveryError),
            (KeyboardInterrupt(), KeyboardInterrupt),
        ],
    )
    def test_a_fault_leaves_the_old_file_and_nothing_else(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        step: str,
        fault: BaseException,
        error: type[BaseException],
    ) -> None:
        def broken(*args: Any, **kwargs: Any) -> None:
            raise fault

        target = tmp_path / "r.json"
        target.write_bytes(b"old")
        monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (Path, step)), broken)
        with pytest.raises(error):
            delivery.write(target, b"new")
        monkeypatch.undo()
        assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
        assert target.read_bytes() == b"old"

    def test_a_full_disk_is_an_error_that_names_the_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*args: Any) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(DeliveryError, match=r"r\.json: could not be written: No space left on device"):
            delivery.write(tmp_path / "r.json", b"x" * 100)

    def test_a_write_that_breaks_off_leaves_nothing_behind(self, tmp_path: Path) -> None:
        """The operating system stops the file at 1,000 bytes: part of it has been written by then."""
        (tmp_path / "r.json").write_bytes(b"old")
        program = (
            "import resource, sys; from pathlib import Path; from auditor.report import delivery\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
            "delivery.write(Path(sys.argv[1]), b'x' * 100_000)"
        )
        ended = subprocess.run(
            [sys.executable, "-B", "-c", program, tmp_path / "r.json"], capture_output=True, text=True, check=False
        )
        assert "DeliveryError: r.json: could not be written: File too large" in ended.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
        assert (tmp_path / "r.json").read_bytes() == b"old"

    def test_a_folder_that_vanished_is_a_delivery_error(self, tmp_path: Path) -> None:
        with pytest.raises(DeliveryError, match="could not be written"):
            delivery.write(tmp_path / "gone" / "r.json", b"")

    def test_a_link_is_followed_and_stays_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "real.html").write_bytes(b"old")
        (tmp_path / "r.html").symlink_to(tmp_path / "real.html")
        delivery.write(tmp_path / "r.html", b"new")
        assert (tmp_path / "r.html").is_symlink()
        assert (tmp_path / "real.html").read_bytes() == b"new"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full to stand for a full disk")
def test_a_full_standard_output_is_a_delivery_error() -> None:
    program = "from auditor.report import delivery; delivery.show('text')"
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-c", program], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert "DeliveryError: standard output could not be written: No space left on device" in ended.stderr
    assert "Exception ignored" not in ended.stderr


def test_a_format_whose_name_has_hyphens_can_stand_before_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "FORMATS", (*delivery.FORMATS, "csv-lines"))
    (target,) = delivery.plan(reports=[f"csv-lines={tmp_path / 'r.json'}"]).targets
    assert target == delivery.Target("csv-lines", tmp_path / "r.json")
