"""Large searches: 3 million nearly distinct rows within 60 s and 4 GB; 15 quasi-identifiers within a time limit."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb

from _measure import MET, MISSED, Cost, judge, process, show, start
from _remediation import K5, NINE, hierarchy_values, lattice_policy
from _tables import AUDITOR, adult, workplace

ROWS = 3_000_000
OBJECTIVES = ("loss", "discernibility")
SECONDS = 30
LEVELS = (3, 4, 5, 6, 3, 4, 5, 6, 3, 4, 5, 6, 3, 4, 5)


def main() -> int:
    start(f"{ROWS:,} random rows over Adult's domains, k = 5; and 15 quasi-identifiers of 3 to 6 levels")
    with workplace() as (options, folder):
        table = adult(options.data)
        rows = _random(table, folder)
        random = {objective: _remediated(rows, table, objective, folder) for objective in OBJECTIVES}
        fifteen: list[str | Path] = [
            AUDITOR,
            "remediate",
            _wide(folder),
            "-p",
            _wide_policy(folder),
            "--time-limit",
            str(SECONDS),
        ]
        told = folder / "wide.json"
        wide = process([*fifteen, "--plan", "--report", told], expected=(0, 3))
        show("15 quasi-identifiers, the whole process", wide)
        _tell(told)
    met = [
        *(judge(f"random rows, least {name}, wall seconds", cost.wall, 60) for name, cost in random.items()),
        *(judge(f"random rows, least {name}, peak MB", cost.peak_mb or 0, 4000) for name, cost in random.items()),
        judge("15 quasi-identifiers, wall seconds", wide.wall, SECONDS + 5),
        judge("15 quasi-identifiers, peak MB", wide.peak_mb or 0, 1000),
    ]
    return MET if all(met) else MISSED


def _remediated(rows: Path, table: Path, objective: str, folder: Path) -> Cost:
    policy = lattice_policy(table, folder, K5, objective=objective)
    cost = process([AUDITOR, "remediate", rows, "-p", policy, "-o", folder / f"{objective}.parquet"])
    show(f"random rows, least {objective}, the whole process", cost)
    return cost


def _tell(result: Path) -> None:
    """Say what the search proved, or how far its bound is from what it found."""
    solution = json.loads(result.read_text(encoding="utf-8"))["solution"]
    proved = "proved to be the least" if solution["proved_optimal"] else f"at least {solution['loss_bound']:.3f}"
    print(f"   15 quasi-identifiers: loss {solution['loss']:.3f}, {proved}")


def _random(table: Path, folder: Path) -> Path:
    """Write rows whose values are drawn alike from the leaves of each hierarchy, the same rows every time."""
    columns = []
    for place, column in enumerate(NINE):
        values = hierarchy_values(table, column)
        listed = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
        columns.append(f'([{listed}])[1 + (hash(range * 31 + {place * 7919}) % {len(values)})::int] as "{column}"')
    return _written(f"select {', '.join(columns)} from range({ROWS})", folder / "random.parquet")


def _wide(folder: Path) -> Path:
    """Write 30,000 rows of 15 skewed columns of 2 to the power of so many levels values."""
    columns = [
        f"floor(pow((hash(range * 31 + {place * 7919}) % 1000) / 1000.0, 3) * {2**levels})::int as q{place}"
        for place, levels in enumerate(LEVELS)
    ]
    return _written(f"select {', '.join(columns)} from range(30000)", folder / "wide.parquet")


def _wide_policy(folder: Path) -> Path:
    ladders = {
        f"q{place}": {"intervals": {"widths": [2**level for level in range(1, levels - 1)], "start": 0}}
        for place, levels in enumerate(LEVELS)
    }
    policy = {
        "name": "wide",
        "attributes": {name: {"role": "quasi-identifier", "hierarchy": ladder} for name, ladder in ladders.items()},
        "requirements": K5,
        "remediation": {"objective": "loss", "suppression_limit": "1%"},
    }
    file = folder / "wide.yaml"
    file.write_text(json.dumps(policy), encoding="utf-8")
    return file


def _written(query: str, target: Path) -> Path:
    with duckdb.connect() as database:
        database.execute("set enable_progress_bar = false")
        database.execute(f"copy ({query}) to '{target}' (format parquet, compression zstd)")
    return target


if __name__ == "__main__":
    sys.exit(main())
