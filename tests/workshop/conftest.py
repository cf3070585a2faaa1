"""A copy of the project in which the recipes of CONTRIBUTING.md were followed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workshop import pages
from tests.workshop.pages import ROOT

GENERATORS = ("auditor.policy.generate", "tests.workshop.tables", "tests.masking.pages")
"""What `make generate` writes of the recipes' files."""


class Followed:
    """The copy; `auditor` runs its program, in the folder of a test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def python(self, *words: str, at: Path | None = None) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"}
        return subprocess.run(
            [sys.executable, *words],
            cwd=at or self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def auditor(self, *words: str, at: Path | None = None) -> subprocess.CompletedProcess[str]:
        return self.python("-P", "-m", "auditor", *words, at=at)

    def page(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    """Every recipe's files, and what is generated of them."""
    folder = tmp_path_factory.mktemp("recipes")
    for name in ("auditor", "tests", "policies", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, folder)
    pages.write_files(ROOT / "CONTRIBUTING.md", folder)
    copy = Followed(folder)
    for generator in GENERATORS:
        run = copy.python("-m", generator)
        assert run.returncode == 0, run.stderr
    return copy
