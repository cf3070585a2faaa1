"""A script that sweeps is run once, whatever it does not say about `__main__`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """\
import pandas as pd
import auditor

print("begun", flush=True)
numbers = [float((17 * n) % 101) for n in range(60)]
policy = {
    "version": 1,
    "name": "p",
    "attributes": {"pay": {"role": "sensitive", "type": "number"}},
    "requirements": [{"model": "max-interval-disclosure", "max": 0.5, "match": "position"}],
    "protection": [{"method": "noise", "attributes": ["pay"], "kind": "uncorrelated", "p": 10}],
}
found = auditor.tradeoff(pd.DataFrame({"pay": numbers}), policy, seeds=6, processes=2)
print(len(found.methods), __name__)
"""


def test_a_script_without_a_guard_is_run_once(tmp_path: Path) -> None:
    script = tmp_path / "sweep.py"
    script.write_text(SCRIPT, encoding="utf-8")
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=300)
    assert (ran.returncode, ran.stdout.split("\n")) == (0, ["begun", "1 __main__", ""]), ran.stderr
    assert "Traceback" not in ran.stderr
