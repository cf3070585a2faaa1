"""Remediation of 3 million rows, nearly all unique, with --memory 512MB: what fits is searched, within 600 MB."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from _measure import MET, MISSED, judge, process, show, start
from _tables import AUDITOR, PERSON_COLUMNS, persons, workplace

ROWS = 3_000_000
MEMORY = "512MB"
LADDERS: dict[str, Any] = {
    "age": {"intervals": {"widths": [5, 10, 20, 40], "start": 0}},
    "zip": {"mask": {"side": "right"}},
}


def main() -> int:
    start(f"{ROWS:,} generated persons of Parquet, near-unique, k = 5 and 3 diseases, --memory {MEMORY}")
    with workplace() as (options, folder):
        table = options.data or persons(ROWS, folder / "persons.parquet")
        report = folder / "result.json"
        command: list[str | Path] = [AUDITOR, "remediate", table, "-p", _policy(folder), "-o", folder / "out.parquet"]
        cost = process([*command, "--memory", MEMORY, "--report", report])
        solution = json.loads(report.read_text(encoding="utf-8"))["solution"]
    show("auditor remediate", cost)
    print(f"   loss {solution['loss']:.3f} at {solution['levels']}; never tried: {solution['never_tried']}")
    met = [
        judge("peak memory", cost.peak_mb or 0, 600, " MB"),
        judge("levels never tried", len(solution["never_tried"]), 1, at_least=True),
    ]
    return MET if all(met) else MISSED


def _policy(folder: Path) -> Path:
    """Demand two models of a table whose quasi-identifiers all have ladders."""
    attributes = {
        name: {"role": "quasi-identifier", "hierarchy": LADDERS.get(name, "suppress")} for name in PERSON_COLUMNS
    }
    policy = {
        "name": "persons",
        "attributes": {**attributes, "disease": "sensitive"},
        "requirements": [{"model": "k-anonymity", "k": 5}, {"model": "distinct-l-diversity", "l": 3}],
        "remediation": {"objective": "loss", "suppression_limit": "1%"},
    }
    file = folder / "policy.yaml"
    file.write_text(json.dumps(policy), encoding="utf-8")
    return file


if __name__ == "__main__":
    sys.exit(main())
