"""Every command that reads a table, on every broken one: a clear message, exit 3, nothing written or left behind."""

from __future__ import annotations

import json
import tempfile

import pytest

from auditor.cli import invoke
from tests.robustness.conftest import SECRET

BROKEN = {
    "empty.csv": b"",
    "blank.csv": b"\n\n",
    "ragged.csv": f"a,b\nx,1\n{SECRET}\n".encode(),
    "bytes.csv": f"a,b\n{SECRET}\xff,1\n".encode("latin-1"),
    "twice.csv": f"a,a\n{SECRET},1\n".encode(),
    "unnamed.csv": f"a,,b\n{SECRET},1,2\n".encode(),
    "quote.csv": f'a,b\n"{SECRET},1\n'.encode(),
    "ends.csv": f"a,b\nx,1\n{SECRET},1\r\n".encode(),
    "nul.csv": f"a\0,b\n{SECRET},1\n".encode(),
    "torn.parquet": f"PAR1{SECRET}".encode(),
    "torn.jsonl": f'{{"a": "{SECRET}"'.encode(),
    "torn.csv.gz": SECRET.encode(),
    "torn.arrow": SECRET.encode(),
}
POLICY = {
    "name": "p",
    "undeclared": "insensitive",
    "attributes": {"a": {"role": "quasi-identifier", "hierarchy": "suppress"}, "b": "sensitive"},
    "requirements": [{"model": "k-anonymity", "k": 2}],
    "protection": [{"method": "pram", "attributes": ["b"], "matrix": "invariant", "theta": 0.5}],
}
COMMANDS = {
    "check": ["check", "DATA", "-p", "p.json", "--report", "r.html"],
    "init": ["init", "DATA", "-o", "new.yaml"],
    "hierarchy": ["hierarchy", "DATA", "-p", "p.json", "--export", "ladders"],
    "remediate": [
        "remediate",
        "DATA",
        "-p",
        "p.json",
        "-o",
        "release.csv",
        "--mapping",
        "m.json",
        "--lattice",
        "l.csv",
    ],
    "mask": ["mask", "DATA", "-p", "p.json", "-o", "release.csv", "--report", "r.json"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("tmp", "ladders"):
        (tmp_path / name).mkdir()
    (tmp_path / "p.json").write_text(json.dumps(POLICY))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", [*BROKEN, "missing.csv", "tmp", "nowhere/*.csv"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_broken_table_ends_every_command_alike(command, name, folder, capfd):
    if name in BROKEN:
        (folder / name).write_bytes(BROKEN[name])
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    code = invoke([name if word == "DATA" else word for word in COMMANDS[command]])
    out, err = capfd.readouterr()
    assert (code, out) == (3, ""), err
    assert err.startswith("auditor: ")
    assert name in err
    assert SECRET not in err
    assert "Traceback" not in err
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == before
