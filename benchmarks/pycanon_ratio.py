"""pyCANON's JSON report against an audit of the same nine models, on the same dataframe: CPU seconds (goal 1,000x)."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pandas as pd

import auditor
from _measure import MET, MISSED, Cost, alternated, judge, show, start, timed
from _tables import ADULT_COLUMNS, adult, adult_policy, workplace

REPORT = """
import json, sys, time
from importlib.metadata import version
import pandas as pd
from pycanon import report
table = pd.read_csv(sys.argv[1], sep=";")
cpu, wall = time.process_time(), time.perf_counter()
report.json.get_json_report(table, json.loads(sys.argv[2]), ["occupation"])
print(json.dumps([time.process_time() - cpu, time.perf_counter() - wall, version("pycanon"), version("pandas")]))
"""


def main() -> int:
    start("pyCANON's JSON report and an audit of its nine models: Adult, 30,162 rows, a dataframe in memory")
    with workplace() as (options, folder):
        file = adult(options.data)
        python = _install(folder)
        table, policy = pd.read_csv(file, sep=";"), _nine_models()
        auditor.check(table, policy)  # the lazy imports
        ours = alternated({"audit": lambda: timed(lambda: auditor.check(table, policy))}, options.repeats or 11)
        theirs, versions = _report(python, file)
    show("an audit (median)", ours["audit"])
    show(f"pyCANON {versions} (once)", theirs)
    met = judge("CPU, pyCANON against an audit", theirs.cpu / ours["audit"].cpu, 1000, "x", at_least=True)
    return MET if met else MISSED


def _nine_models() -> dict[str, Any]:
    """Demand what pyCANON's report holds: not p-sensitivity, and t-closeness by the equal distance alone."""
    policy = adult_policy()
    others = ("p-sensitive-k-anonymity", "t-closeness")
    kept = [requirement for requirement in policy["requirements"] if requirement["model"] not in others]
    closeness = {"model": "t-closeness", "t": 0.3, "ground": "equal", "sensitive": "occupation"}
    return {**policy, "requirements": [*kept, closeness]}


def _install(folder: Path) -> Path:
    """Install pyCANON into a virtual environment of its own: it needs an older pandas than the newest."""
    venv.create(folder / "peer", with_pip=True)
    python = folder / "peer" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-qq", "pycanon"], check=True)
    return python


def _report(python: Path, table: Path) -> tuple[Cost, str]:
    command: list[str | Path] = [python, "-W", "ignore", "-c", REPORT, table, json.dumps(ADULT_COLUMNS)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    cpu, wall, pycanon, pandas = json.loads(printed.splitlines()[-1])
    return Cost(cpu, wall, wall), f"{pycanon} on pandas {pandas}"


if __name__ == "__main__":
    sys.exit(main())
