"""A folder with a policy and files that test it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from auditor.result.policy_tests import PolicyTestsResult
from auditor.testing import load_tests, run

CLINIC = """\
name: clinic
attributes: {age: quasi-identifier, ill: sensitive}
requirements:
  - {id: k, model: k-anonymity, k: 3}
  - {id: l, model: distinct-l-diversity, l: 2}
"""


class Bench:
    """A folder in which a test writes policies and their tests, and runs them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return file

    def run(self, text: str, *, covered: bool = False) -> PolicyTestsResult:
        return run([load_tests(self.write("clinic_test.yaml", text))], covered=covered)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    found = Bench(tmp_path)
    found.write("clinic.yaml", CLINIC)
    return found
