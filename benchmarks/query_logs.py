"""Reading a query log: 100,000 statements of PostgreSQL's csvlog within 12 CPU s and 150 MB, whole process."""

from __future__ import annotations

import sys
from pathlib import Path

from _measure import MET, MISSED, alternated, judge, process, show, start
from _tables import workplace

STATEMENTS = 100_000
CPU_SECONDS, MEGABYTES = 12.0, 150.0
READ = """
import sys
from auditor.queries.logs import read_log
found = sum(1 for _ in read_log(sys.argv[1]))
sys.exit(f"{found} statements were read" if sys.argv[2] not in ("any", str(found)) else 0)
"""
ENTRY = (
    '2026-11-21 09:00:00.000 UTC,"ana","hr",47,"127.0.0.1:40000",65a1b2c3.{session:x},{line},"idle",'
    '2026-11-21 08:59:00 UTC,3/{line},0,LOG,00000,"{message}",,,,,,,,,"psql","client backend",,0\n'
)
QUERY = (
    "statement: SELECT dept, sum(salary), count(*)\nFROM staff\n"
    "WHERE age BETWEEN {low} AND {high} AND sex <> '{sex}'\nGROUP BY dept ORDER BY dept"
)


def written(file: Path) -> Path:
    """A log of so many statements over 50 sessions, each followed by its duration."""
    with file.open("w", encoding="utf-8") as log:
        for i in range(STATEMENTS):
            query = QUERY.format(low=i % 40, high=40 + i % 50, sex="FM"[i % 2])
            for message in (query, f"duration: {i % 90}.25 ms"):
                log.write(ENTRY.format(session=i % 50, line=i, message=message))
    return file


def main() -> int:
    start(f"Reading {STATEMENTS:,} statements of a server's log")
    with workplace() as (options, folder):
        log = options.data or written(folder / "postgresql.csv")
        command = [sys.executable, "-c", READ, log, "any" if options.data else str(STATEMENTS)]
        costs = alternated({"read_log": lambda: process(command)}, options.repeats or 3)
    cost = costs["read_log"]
    show("read_log", cost)
    met = [
        judge("read_log, CPU", cost.cpu, CPU_SECONDS, " s"),
        judge("idem, peak", cost.peak_mb or 0, MEGABYTES, " MB"),
    ]
    return MET if all(met) else MISSED


if __name__ == "__main__":
    sys.exit(main())
