"""The Makefile on machines that lack something: it says what, and leaves nothing behind."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.workshop.pages import ROOT


def _make(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "--silent", *words], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture
def old_python(tmp_path: Path) -> Path:
    """Something that answers as an old Python does."""
    python = tmp_path / "python3"
    python.write_text('#!/bin/sh\n[ "$1" = --version ] && { echo Python 3.9.2; exit 0; }\nexit 1\n', encoding="utf-8")
    python.chmod(0o755)
    return python


@pytest.mark.parametrize("target", ["demo", "test"])
def test_an_old_python_is_named_with_what_is_needed(target: str, old_python: Path, tmp_path: Path) -> None:
    run = _make(target, f"PYTHON={old_python}", f"VENV={tmp_path / 'venv'}")
    assert run.returncode != 0
    assert "auditor needs Python 3.11 or newer" in run.stderr
    assert "Python 3.9.2" in run.stderr
    assert not (tmp_path / "venv").exists()


def test_a_missing_python_is_named(tmp_path: Path) -> None:
    run = _make("demo", "PYTHON=no-such-python", f"VENV={tmp_path / 'venv'}")
    assert run.returncode != 0
    assert "there is no no-such-python here" in run.stderr


def test_an_installed_environment_is_used_as_it_is(tmp_path: Path) -> None:
    """Nothing is installed again while pyproject.toml is older than the stamp."""
    (tmp_path / ".demo").touch()
    planned = _make("--dry-run", "demo", f"VENV={tmp_path}").stdout
    assert "reports/fair.py" in planned
    assert "pip" not in planned
