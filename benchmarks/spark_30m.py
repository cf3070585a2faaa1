"""30 million rows on Spark, local[2], coarse: ten models within 1.5x of Spark's bare GROUP BY; a driver without rows.

Whole processes, session and all, each with a heap of 8 GB: with 4 the bare GROUP BY takes nearly twice its CPU time.
The driver's own memory is that of the Python process; it must not grow with the rows.
"""

from __future__ import annotations

import sys
from pathlib import Path

from _measure import MET, MISSED, judge, start
from _tables import PERSON_COLUMNS, auditing, person_policy, persons, workplace
from scale import MILLION, SHAPES, measured, on_spark, rewritten

FEW, MANY = 3 * MILLION, 30 * MILLION
RATIO, GROWTH = 1.5, 1.2
HEAP = "8g"


def bare(table: Path) -> list[str]:
    """Give the peer as a program: Spark counts the classes of the table, and does nothing else."""
    program = (
        "from pyspark.sql import SparkSession, functions as f\n"
        f"spark = (SparkSession.builder.master('local[2]').config('spark.driver.memory', {HEAP!r})"
        ".config('spark.ui.enabled', 'false').getOrCreate())\n"
        f"groups = spark.read.parquet({str(table)!r}).groupBy({list(PERSON_COLUMNS)!r}).count()\n"
        "groups.agg(f.count(f.lit(1)), f.max('count')).collect()\n"
        "spark.stop()"
    )
    return [sys.executable, "-c", program]


def main() -> int:
    start(f"{MANY:,} generated persons of Parquet, coarse, ten models, Spark local[2], whole processes")
    peaks = {}
    with workplace() as (options, folder):
        for rows in (FEW, MANY):
            fine = persons(rows, folder / "fine.parquet")
            table = rewritten(fine, folder / f"coarse-{rows}.parquet", SHAPES["coarse"])
            fine.unlink()
            audit = [*map(str, auditing(table, person_policy(), folder)), *on_spark(HEAP)]
            found: dict[str, list[tuple[float, float]]] = {"audit": [], "bare": []}
            for _ in range(options.repeats or 1):
                for name, command in (("audit", audit), ("bare", bare(table))):
                    wall, tree = measured(command, folder / "document.json")
                    cpu = sum(tree.cpu.values())
                    found[name].append((wall, cpu))
                    used = f"{wall:.1f} s wall, {cpu:.1f} CPU s, driver {tree.own_peak_mb:,.0f} MB"
                    print(f"   {rows:>11,} rows, {name}: {used}, all processes {tree.peak_mb:,.0f} MB", flush=True)
                    if name == "audit":
                        peaks[rows] = tree.own_peak_mb
    audits, peers = (list(map(min, zip(*found[name], strict=True))) for name in ("audit", "bare"))
    met = [
        judge("against Spark's bare GROUP BY, least wall", audits[0] / peers[0], RATIO, "x"),
        judge("against Spark's bare GROUP BY, least CPU", audits[1] / peers[1], RATIO, "x"),
        judge("driver's memory, 30 million rows over 3 million", peaks[MANY] / peaks[FEW], GROWTH, "x"),
    ]
    return MET if all(met) else MISSED


if __name__ == "__main__":
    sys.exit(main())
