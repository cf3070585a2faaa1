"""What the tests of readers share: a file with a text in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str], Path]
SAMPLES = Path(__file__).parent / "samples"


def sample(name: str) -> str:
    """The text of a file that a program wrote, or that has the form in which it writes (samples/README.md)."""
    return (SAMPLES / name).read_text(encoding="utf-8")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a text to a file without a telling name."""

    def to_file(text: str) -> Path:
        path = tmp_path / "output"
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return to_file
