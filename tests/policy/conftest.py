"""Policies written for a test, in a folder of their own."""

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import PolicyError, Problem
from auditor.policy import Policy, load_policy

MARK = "»"
"""Stands in a test's policy directly before a place where a problem is expected."""

BASE = """\
attributes: {age: quasi-identifier, sex: quasi-identifier, ill: sensitive, zip: insensitive}
requirements:
  - {model: k-anonymity, k: 5}
"""


def unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A policy without its marks, and the line and column of each."""
    places = []
    lines = []
    for number, line in enumerate(textwrap.dedent(text).split("\n"), start=1):
        before, *rest = line.split(MARK)
        for part in rest:
            places.append((number, len(before) + 1))
            before += part
        lines.append(before)
    return "\n".join(lines), places


def place(problem: Problem) -> tuple[int, int]:
    """The line and column that a problem names."""
    _, line, column = problem.where.rsplit(":", 2)
    return int(line), int(column)


class Desk:
    """A folder in which a test writes policies and loads them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, text: str, name: str = "p.yaml") -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return file

    def load(self, text: str | Mapping[str, Any]) -> Policy:
        return load_policy(self.write(text) if isinstance(text, str) else text)

    def problems(self, text: str | Mapping[str, Any]) -> tuple[Problem, ...]:
        with pytest.raises(PolicyError) as wrong:
            self.load(text)
        return wrong.value.problems


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """An empty folder outside any repository, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AUDITOR_POLICIES", raising=False)
    return Desk(tmp_path)
