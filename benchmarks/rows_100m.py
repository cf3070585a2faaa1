"""100 million rows, nearly all classes of their own, within --memory 4GB: 3x the bare GROUP BY, at most 5 GB.

``--data`` names the table (as `persons` writes it) instead of making it, which takes a minute and 0.6 GB.
"""

from __future__ import annotations

import sys

from _measure import MET, MISSED, alternated, judge, judge_against, process, show, start
from _tables import PERSON_COLUMNS, auditing, bare_group_by, person_policy, persons, workplace

ROWS = 100_000_000
MEMORY = "4GB"


def main() -> int:
    """Measure both once, or as often as ``--repeats`` says."""
    start(f"{ROWS:,} generated persons of Parquet, near-unique, ten models, whole processes, both held to {MEMORY}")
    with workplace() as (options, folder):
        table = options.data or persons(ROWS, folder / "persons.parquet")
        audit = [*auditing(table, person_policy(), folder), "--memory", MEMORY, "--spill", folder]
        bare = [sys.executable, "-c", bare_group_by(table, PERSON_COLUMNS, MEMORY, folder)]
        costs = alternated(
            {"bare": lambda: process(bare), "audit": lambda: process(audit, expected=(0, 1))}, options.repeats or 1
        )
    show("auditor check", costs["audit"])
    show("DuckDB's bare GROUP BY", costs["bare"])
    met = [
        judge_against("against the bare GROUP BY", costs["audit"], costs["bare"], 3),
        judge("peak memory", (costs["audit"].peak_mb or 0) / 1000, 5, " GB"),
    ]
    return MET if all(met) else MISSED


if __name__ == "__main__":
    sys.exit(main())
