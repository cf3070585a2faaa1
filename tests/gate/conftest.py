"""A repository for each test."""

from pathlib import Path

import pytest

from tests.gate.repository import Repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository whose main branch passes its gate; the test stands in it, on the branch `change`."""
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.delenv("AUDITOR_POLICIES", raising=False)
    return Repository(folder.resolve())
