"""Ten models on Adult repeated to 3 million rows: at most 0.5 CPU s from Parquet, from CSV 1.5x a bare GROUP BY."""

from __future__ import annotations

import sys

import auditor
from _measure import MET, MISSED, alternated, judge, judge_against, show, start, timed
from _tables import ADULT_COLUMNS, adult, adult_policy, bare_group_by, repeated, workplace


def main() -> int:
    start("Adult repeated 100 times, 7 quasi-identifiers, ten models (t-closeness six ways)")
    with workplace() as (options, folder):
        table, policy = adult(options.data), adult_policy()
        parquet = repeated(table, 100, folder / "adult.parquet")
        csv = repeated(table, 100, folder / "adult.csv")
        bare = compile(bare_group_by(csv, ADULT_COLUMNS), "bare", "exec")
        auditor.check(table, policy)  # the lazy imports
        costs = alternated(
            {
                "parquet": lambda: timed(lambda: auditor.check(parquet, policy)),
                "csv": lambda: timed(lambda: auditor.check(csv, policy)),
                "bare": lambda: timed(lambda: exec(bare, {})),
            },
            options.repeats or 7,
        )
    show("an audit of the Parquet file", costs["parquet"])
    show("an audit of the CSV file", costs["csv"])
    show("DuckDB's bare GROUP BY of the CSV file", costs["bare"])
    met = [
        judge("Parquet, CPU seconds", costs["parquet"].cpu, 0.5),
        judge_against("CSV against the bare GROUP BY", costs["csv"], costs["bare"], 1.5),
    ]
    return MET if all(met) else MISSED


if __name__ == "__main__":
    sys.exit(main())
