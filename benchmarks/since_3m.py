"""3 million rows appended to 30 million that were audited: adding to the counts costs at most half of counting anew.

Adult repeated, seven quasi-identifiers and ten models: a folder of Parquet that gets another file, and a CSV file that
grows. Both sides are whole processes, the digests of all files and the proof of what is old included.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from _measure import MET, MISSED, alternated, judge_against, process, show, start
from _tables import adult, adult_policy, auditing, repeated, workplace

TIMES, NEW_TIMES = 1000, 100
LIMIT = 0.5


def main() -> int:
    start(f"Adult repeated {TIMES:,} times and then {NEW_TIMES} times more, ten models, whole processes")
    met = []
    with workplace() as (options, folder):
        small = adult(options.data)
        for form in ("parquet", "csv"):
            place = folder / form
            place.mkdir()
            met += _measured(form, small, place, options.repeats or 3)
    return MET if all(met) else MISSED


def _measured(form: str, small: Path, place: Path, repeats: int) -> list[bool]:
    """Audit a table and keep its counts, append to it, and audit the whole in both ways."""
    table = place / "table"
    table.mkdir()
    old = repeated(small, TIMES, table / f"0.{form}")
    anew: list[str | Path] = auditing(table, adult_policy(), place)
    keep: list[str | Path] = ["--counts", place / "counts.parquet", "--report", place / "result.json"]
    kept = process([*anew, *keep], expected=(0, 1))
    if form == "parquet":
        repeated(small, NEW_TIMES, table / f"1.{form}")
    else:
        _grow(old, repeated(small, NEW_TIMES, place / f"new.{form}"))
    adding: list[str | Path] = [*anew, "--since", place / "result.json"]
    ways = {"add": adding, "anew": anew}
    costs = alternated({way: partial(process, words, expected=(0, 1)) for way, words in ways.items()}, repeats)
    show(f"{form}: auditor check --counts, before the append", kept)
    show(f"{form}: auditor check --since", costs["add"])
    show(f"{form}: auditor check of the whole", costs["anew"])
    return [judge_against(f"{form}: adding against counting anew", costs["add"], costs["anew"], LIMIT)]


def _grow(file: Path, more: Path) -> None:
    """Write the records of another CSV file to the end of one."""
    with file.open("ab") as end, more.open("rb") as new:
        new.readline()
        while chunk := new.read(1 << 20):
            end.write(chunk)


if __name__ == "__main__":
    sys.exit(main())
