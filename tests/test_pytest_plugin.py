"""The plug-in for pytest, as a project uses it: in a run of its own, found by its entry point."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

POLICY = "name: clinic\nattributes: {age: quasi-identifier}\nrequirements: [{id: crowd, model: k-anonymity, k: 3}]\n"
TESTS = """
import pandas as pd

SECRET = "31337"

def test_met(assert_release_meets):
    assert assert_release_meets(pd.DataFrame({"age": ["30"] * 3}), "policies/clinic.yaml").passed

def test_unmet(assert_release_meets):
    frame = pd.DataFrame({"age": ["30"] * 3 + [SECRET]})
    assert_release_meets(frame, "policies/clinic.yaml")

def test_unread(assert_release_meets):
    frame = pd.DataFrame({"age": ["30"] * 3, SECRET: 1}, index=pd.Index([1, 2, 3], name=SECRET))
    assert_release_meets(frame, "policies/clinic.yaml")

def test_of_nothing(assert_release_meets):
    assert_release_meets("absent.csv", "policies/clinic.yaml")

def test_without_a_policy(assert_release_meets):
    assert_release_meets(pd.DataFrame({"age": [1]}), "policies/absent.yaml")
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest prints with all variables shown, begun in a folder below its root."""
    root: Path = tmp_path_factory.mktemp("project")
    (root / "policies").mkdir()
    (root / "checks").mkdir()
    (root / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (root / "policies" / "clinic.yaml").write_text(POLICY, encoding="utf-8")
    (root / "checks" / "test_release.py").write_text(TESTS, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "--showlocals", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(words, cwd=root / "checks", capture_output=True, text=True, check=False, timeout=300)
    return done.stdout + done.stderr


def test_a_release_is_a_test(said: str) -> None:
    assert "4 failed, 1 passed" in said
    assert "crowd" in said
    assert "at least 3" in said


def test_what_cannot_be_judged_fails(said: str) -> None:
    assert "absent.csv" in said
    assert "absent.yaml" in said
    assert "its index and a column are both called '…'" in said


def test_no_variable_with_data_is_shown(said: str) -> None:
    assert "31337" not in said
    assert "Traceback" not in said


def test_nothing_is_imported_before_a_test_asks() -> None:
    """Every run of pytest in the environment loads the plug-in."""
    code = "import sys, auditor.pytest_plugin; print([name for name in sys.modules if name.startswith('auditor.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "['auditor.pytest_plugin']"
