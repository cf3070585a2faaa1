"""Running an audit of one file, and what must hold however it ends."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.cli import invoke

SECRET = "Zebulon-7391"
"""A value of the data that no message may repeat."""

POLICY = {
    "name": "p",
    "undeclared": "insensitive",
    "attributes": {"a": "quasi-identifier", "b": {"role": "sensitive"}},
    "requirements": [{"model": "k-anonymity", "k": 2}, {"model": "distinct-l-diversity", "sensitive": "b", "l": 1}],
}


@dataclass
class Outcome:
    """How a run ended."""

    code: int
    out: str
    err: str


Audit = Callable[..., Outcome]


@pytest.fixture
def audit(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Audit:
    """Audit a file and check what every run promises: no traceback, no value in a message, no file left behind."""
    spill = tmp_path / "tmp"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))

    def run(data: Any, *options: str, policy: dict[str, Any] | None = None) -> Outcome:
        (tmp_path / "p.yaml").write_text(yaml.safe_dump(policy or POLICY, allow_unicode=True), encoding="utf-8")
        before = set(tmp_path.rglob("*"))
        capfd.readouterr()
        code = invoke(["check", str(data), "-p", str(tmp_path / "p.yaml"), *options])
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        assert "nanobind" not in out + err
        assert SECRET not in err
        assert code in (0, 1, 2, 3), err
        assert (code in (0, 1)) <= (err == "")
        if code in (2, 3) and not out:
            assert err.startswith(("auditor: ", "Usage: "))
            assert set(tmp_path.rglob("*")) == before, "a run that ends in an error writes nothing"
        assert not any(spill.iterdir()), "a run leaves no temporary folder"
        return Outcome(code, out, err)

    return run


@pytest.fixture
def csv(tmp_path: Path) -> Callable[..., Path]:
    """Write bytes or text as a CSV file."""

    def write(content: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
