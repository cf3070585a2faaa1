"""Whole processes: help and schema within 0.25 s, an audit of a CSV file of 1,000 rows within 0.8 s."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from _measure import MET, MISSED, alternated, judge, process, show, start
from _tables import AUDITOR, auditing, person_policy, persons, workplace

LIMITS = {"auditor --help": 0.25, "auditor schema": 0.25, "auditor check, 1,000 rows": 0.8}


def main() -> int:
    start("Time from the start of a process to its end")
    with workplace() as (options, folder):
        audit = auditing(persons(1000, folder / "persons.csv"), person_policy(), folder)
        commands: dict[str, list[str | Path]] = {
            "auditor --help": [AUDITOR, "--help"],
            "auditor schema": [AUDITOR, "schema"],
            "auditor check, 1,000 rows": audit,
            "python -c pass": [sys.executable, "-c", "pass"],
        }
        calls = {name: partial(process, words, expected=(0, 1)) for name, words in commands.items()}
        costs = alternated(calls, options.repeats or 11)
    for name, cost in costs.items():
        show(name, cost)
    met = [judge(f"{name}, wall", costs[name].wall, limit, " s") for name, limit in LIMITS.items()]
    return MET if all(met) else MISSED


if __name__ == "__main__":
    sys.exit(main())
