"""What rendering costs to import: nothing that the asked format does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
