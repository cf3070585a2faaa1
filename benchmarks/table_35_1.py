"""The published comparison of 25 masking methods (Torra 2010, table 35.1) made again: how near, and in 120 CPU s."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: CPU seconds of one thread

from _measure import MET, MISSED, ROOT, SKIPPED, judge, process, show, start

sys.path.insert(0, str(ROOT))
from tests.weighing.test_table_35_1 import BANDS, PUBLISHED

LIMIT = 120
POLICY = """
version: 1
name: census
attributes: {"*": {role: insensitive, type: number}}
requirements: [{model: allowed-values, attribute: AGI, min: 0}]
"""
DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "census.csv"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=DATA, help="the census file, 1,080 records of 13 numbers")
    data = parser.parse_args().data
    start("table 35.1: 25 methods, five seeds, 1,080 records of 13 numbers")
    if not data.exists():
        print(f"skipped: there is no {data.name} beside the checkout")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        policy = Path(folder, "census.yaml")
        policy.write_text(POLICY)
        command = "from auditor.cli import main; main()"
        report = Path(folder, "report.json")
        words = ("tradeoff", data, "-p", policy, "--preset", "table-35.1", "--quiet", "--report", report)
        cost = process([sys.executable, "-c", command, *words])
        show("the command", cost)
        methods = json.loads(report.read_text())["methods"]
    found = {each["name"]: (each["apil"], each["dr"], each["score"]) for each in methods}
    outside = [name for name in PUBLISHED if not _within(name, found[name])]
    for place, figure in enumerate(("aPIL", "DR", "Score")):
        differences = [abs(found[name][place] - PUBLISHED[name][place]) for name in PUBLISHED]
        print(f"{figure}: mean difference {sum(differences) / 25:.2f}, largest {max(differences):.2f}")
    met = [judge("rows outside their bands", len(outside), 0, ""), judge("CPU", cost.cpu, LIMIT, " s")]
    return MET if all(met) else MISSED


def _within(name: str, figures: tuple[float, float, float]) -> bool:
    band = BANDS[name.rstrip("0123456789")]
    return all(abs(f - p) <= width for f, p, width in zip(figures, PUBLISHED[name], band, strict=True))


if __name__ == "__main__":
    sys.exit(main())
