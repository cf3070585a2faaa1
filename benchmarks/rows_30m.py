"""30 million rows: at most twice the time of DuckDB's bare GROUP BY in one process after import, and 2 GB."""

from __future__ import annotations

import sys

import auditor
from _measure import MET, MISSED, alternated, judge, judge_against, process, show, start, timed
from _tables import ADULT_COLUMNS, adult, adult_policy, auditing, bare_group_by, repeated, workplace


def main() -> int:
    start("Adult repeated 1,000 times to 30 million rows of Parquet, 7 quasi-identifiers, ten models")
    with workplace() as (options, folder):
        small, policy = adult(options.data), adult_policy()
        table = repeated(small, 1000, folder / "adult.parquet")
        bare = compile(bare_group_by(table, ADULT_COLUMNS), "bare", "exec")
        auditor.check(small, policy)  # the lazy imports
        costs = alternated(
            {
                "audit": lambda: timed(lambda: auditor.check(table, policy)),
                "bare": lambda: timed(lambda: exec(bare, {})),
            },
            options.repeats or 7,
        )
        whole = process(auditing(table, policy, folder), expected=(0, 1))
    show("an audit", costs["audit"])
    show("DuckDB's bare GROUP BY", costs["bare"])
    show("auditor check, the whole process", whole)
    met = [
        judge_against("against the bare GROUP BY", costs["audit"], costs["bare"], 2),
        judge("peak memory", (whole.peak_mb or 0) / 1000, 2, " GB"),
    ]
    return MET if all(met) else MISSED


if __name__ == "__main__":
    sys.exit(main())
