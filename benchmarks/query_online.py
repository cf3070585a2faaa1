"""Decisions before the answer: how long one takes after a thousand answered queries over 100,000 records.

Ad-hoc sums, from the SQL text to the decision in the ledger; what is measured is `QueryAuditor.decide`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from _measure import MET, MISSED, judge, start
from _queries import COLUMNS, make_table, predicate, read_columns
from auditor import QueryAuditor

LIMITS: tuple[dict[str, Any], ...] = ({"exact_value": "deny"}, {"exact_value": "deny", "min_group": 3})
MEASURED = 40


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true", help="few queries over few records: does it run at all")
    options, _ = parser.parse_known_args()
    queries, records = (30, 2_000) if options.small else (1_000, 100_000)
    start(f"a decision after {queries:,} answered queries over {records:,} records")
    with tempfile.TemporaryDirectory() as folder:
        table = make_table(Path(folder), "people", COLUMNS, records)
        met = [_decisions(table, Path(folder), limits, queries) for limits in LIMITS]
    return MET if all(met) else MISSED


def _decisions(table: Path, folder: Path, limits: dict[str, Any], queries: int) -> bool:
    """Decide until so many were answered, then some more, which are measured."""
    generator, read = np.random.default_rng(3), read_columns(table)
    policy = {
        "version": 1,
        "name": "people",
        "attributes": {"id": "identifier", **dict.fromkeys(COLUMNS, "quasi-identifier"), "salary": "sensitive"},
        "queries": {"table": "people", "key": "id", "limits": limits},
    }
    cpu: list[float] = []
    wall: list[float] = []
    with QueryAuditor(table, policy, ledger=folder / f"{len(limits)}.ledger") as auditor:
        answered = 0
        while len(cpu) < MEASURED:
            statement = f"SELECT SUM(salary) FROM people WHERE {predicate(generator, read)[0]}"
            before = time.process_time(), time.perf_counter()
            decided = auditor.decide(statement)
            if answered >= queries:
                cpu.append((time.process_time() - before[0]) * 1_000)
                wall.append((time.perf_counter() - before[1]) * 1_000)
            answered += decided.answered
    named = ", ".join(limits)
    print(f"   {named}: {statistics.median(wall):.1f} ms wall (median), {max(cpu):.1f} CPU ms at most")
    return judge(f"a decision after {queries:,} answers, {named}, CPU ms", statistics.median(cpu), 50)


if __name__ == "__main__":
    sys.exit(main())
