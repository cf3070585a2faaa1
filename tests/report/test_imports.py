"""What is imported: nothing that the asked format, or the policy, does not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import auditor
from auditor.models import registry

AUDITOR = Path(auditor.__file__).parent
HEAVY = {"rich", "jinja2", "numpy", "pandas", "duckdb", "scipy", "pydantic"}

LOAD = """
import sys
from auditor.report import redact, render
from auditor.report import delivery
from auditor.report.stored import parse
print(*sorted({m.partition(".")[0] for m in sys.modules}))
"""


@pytest.mark.parametrize("extra", ["", "from auditor.cli import report, _options"])
def test_the_room_imports_no_renderer_and_no_dataframes(extra: str) -> None:
    code = f"{extra}\n{LOAD}"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not HEAVY & set(loaded)


POLICY = """
version: 1
attributes: {age: quasi-identifier}
requirements: [{model: k-anonymity, k: 2}]
"""
CHECK = """
import sys
from auditor.cli import main
try:
    main()
except SystemExit as ended:
    assert not ended.code
print(*sorted(m for m in sys.modules if m.startswith("auditor")))
"""


def test_an_audit_imports_no_document_and_no_part_of_the_policy_language_that_it_does_not_use(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n30\n30\n30\n")
    (tmp_path / "p.yaml").write_text(POLICY)
    arguments = ["check", "t.csv", "-p", "p.yaml"]
    done = subprocess.run(
        [sys.executable, "-c", CHECK, *arguments], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "auditor.models.k_anonymity" in loaded
    assert "auditor.audit._records" not in loaded  # no requirement of this policy is on records
    rooms = ("auditor.masking", "auditor.policy.outputs", "auditor.policy.queries", "auditor.policy.hierarchies")
    documents = {f"auditor.result.{file.stem}" for file in (AUDITOR / "result").glob("[!_]*.py")}
    assert "auditor.result.gate" in documents
    assert not loaded & documents
    others = {f"auditor.models.{name.replace('-', '_')}" for name in registry()} - {"auditor.models.k_anonymity"}
    assert not {module for module in loaded if module.startswith(rooms)} | loaded & others
