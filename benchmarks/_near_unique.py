"""An audit of generated persons, nearly all of them classes of their own, beside DuckDB's bare GROUP BY."""

from __future__ import annotations

import sys

from _measure import MET, MISSED, alternated, judge, judge_against, process, show, start
from _tables import PERSON_COLUMNS, auditing, bare_group_by, person_policy, persons, workplace


def audited(rows: int, memory: str, *, most_gb: float, repeats: int) -> int:
    """Hold an audit within `memory` to 3 times the peer's time, held to the same, and to a peak of `most_gb`."""
    start(f"{rows:,} generated persons of Parquet, near-unique, ten models, whole processes, both held to {memory}")
    with workplace() as (options, folder):
        table = options.data or persons(rows, folder / "persons.parquet")
        audit = [*auditing(table, person_policy(), folder), "--memory", memory, "--spill", folder]
        bare = [sys.executable, "-c", bare_group_by(table, PERSON_COLUMNS, memory, folder)]
        costs = alternated(
            {"bare": lambda: process(bare), "audit": lambda: process(audit, expected=(0, 1))},
            options.repeats or repeats,
        )
    show("auditor check", costs["audit"])
    show("DuckDB's bare GROUP BY", costs["bare"])
    met = [
        judge_against("against the bare GROUP BY", costs["audit"], costs["bare"], 3),
        judge("peak memory", (costs["audit"].peak_mb or 0) / 1000, most_gb, " GB"),
    ]
    return MET if all(met) else MISSED
