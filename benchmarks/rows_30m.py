"""30 million rows: at most twice the time of DuckDB's bare GROUP BY, and 2 GB, whole processes."""

from __future__ import annotations

import sys

from _measure import MET, MISSED, alternated, judge, process, show, start
from _tables import ADULT_COLUMNS, adult, adult_policy, auditing, bare_group_by, repeated, workplace


def main() -> int:
    start("Adult repeated 1,000 times to 30 million rows of Parquet, ten models, whole processes")
    with workplace() as (options, folder):
        table = repeated(adult(options.data), 1000, folder / "adult.parquet")
        audit = auditing(table, adult_policy(), folder)
        bare = [sys.executable, "-c", bare_group_by(table, ADULT_COLUMNS)]
        costs = alternated(
            {"audit": lambda: process(audit, expected=(0, 1)), "bare": lambda: process(bare)}, options.repeats or 5
        )
    show("auditor check", costs["audit"])
    show("DuckDB's bare GROUP BY", costs["bare"])
    met = [
        judge("CPU against the bare GROUP BY", costs["audit"].cpu / costs["bare"].cpu, 2, "x"),
        judge("wall against the bare GROUP BY", costs["audit"].wall / costs["bare"].wall, 2, "x"),
        judge("peak memory", (costs["audit"].peak_mb or 0) / 1000, 2, " GB"),
    ]
    return MET if all(met) else MISSED


if __name__ == "__main__":
    sys.exit(main())
