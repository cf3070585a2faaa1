"""30 million rows generalized, classes under 5 left out, and written: 1.5x a bare join-and-write, within --memory 1GB.

Both count the classes of the generalized table, leave out the small ones, and write the others as Parquet. The peer
joins the same tables of labels and writes the rows as they come; a release is besides sorted by what it shows.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import numpy as np

from _measure import MET, MISSED, alternated, judge, judge_against, process, show, start
from _tables import PERSON_COLUMNS, persons, reader, workplace
from auditor.classes import ClassTable, IntArray

ROWS = 30_000_000
MEMORY = "1GB"
K = 5
COARSER = {"age": "v[:1] || '0s'", "zip": "v[:2] || '***'", "country": "'*'"}
"""What the columns are generalized to: 806,400 classes, the youngest and the oldest of them small."""


def labels(column: str, value: str) -> str:
    """What a value is generalized to; the same as in `COARSER`."""
    return {"age": f"{value[:1]}0s", "zip": f"{value[:2]}***", "country": "*"}[column]


def generalized(table: Path, target: Path) -> None:
    """Generalize, suppress and write as a remediation does, once it has chosen the levels."""
    from auditor.engines import ColumnUse, Recoding, ReleaseRequest, RunLimits, open_data

    with open_data(table, limits=RunLimits.of(MEMORY), workspace=target.parent / "work") as source:
        counted = source.count([ColumnUse(column) for column in PERSON_COLUMNS])
        recodings = []
        for column in COARSER:
            shown = [labels(column, str(value)) for value in counted.labels(column)]
            nodes = {label: node for node, label in enumerate(dict.fromkeys(shown))}
            recodings.append(Recoding(column, np.array([nodes[label] for label in shown]), tuple(shown)))
        tables = counted.tables(PERSON_COLUMNS, recoded={each.column: each.nodes for each in recodings})
        small = [_codes(classes)[classes.sizes < K] for classes in tables]
        release = ReleaseRequest(
            (*PERSON_COLUMNS, "disease"), tuple(recodings), PERSON_COLUMNS, np.concatenate(small).astype(np.int64)
        )
        written = source.workspace / target.name
        counted.write(release, written)
        written.rename(target)


def _codes(classes: ClassTable) -> IntArray:
    """int64[n, d]: the codes or nodes of each class."""
    assert classes.keys is not None
    assert classes.layout is not None
    return np.stack([classes.layout.codes(classes.keys, column) for column in PERSON_COLUMNS], axis=1)


def bare(table: Path, target: Path) -> str:
    """The peer as a Python program."""
    joins = " ".join(f"join m_{c} on s.{c} is not distinct from m_{c}.v" for c in COARSER)
    shown = ", ".join(f"m_{c}.label as {c}" if c in COARSER else f"s.{c}" for c in (*PERSON_COLUMNS, "disease"))
    rows = f"(select {shown} from {reader(table)} s {joins})"
    by, same = ", ".join(PERSON_COLUMNS), " and ".join(f"g.{c} is not distinct from small.{c}" for c in PERSON_COLUMNS)
    statements = [
        "set enable_progress_bar = false",
        "set preserve_insertion_order = false",
        f"set memory_limit = '{MEMORY}'",
        f"set temp_directory = '{target.parent}'",
        *(
            f"create temp table m_{column} as select v, {coarser} as label from "
            f"(select {column} as v from {reader(table)} group by 1)"
            for column, coarser in COARSER.items()
        ),
        f"create temp table small as select {by} from {rows} group by {by} having count(*) < {K}",
        f"copy (select g.* from {rows} g anti join small on {same}) to '{target}' (format parquet, compression zstd)",
    ]
    return f"import duckdb\nd = duckdb.connect()\nfor s in {statements!r}: d.execute(s).fetchall()"


def main() -> int:
    """Measure both, and compare what they wrote."""
    start(f"{ROWS:,} generated persons generalized, suppressed and written, whole processes, both held to {MEMORY}")
    with workplace() as (options, folder):
        table = options.data or persons(ROWS, folder / "persons.parquet")
        ours, theirs = folder / "ours.parquet", folder / "theirs.parquet"
        write = [sys.executable, __file__, "--write", table, ours]
        peer = [sys.executable, "-c", bare(table, theirs)]
        costs = alternated({"ours": lambda: process(write), "bare": lambda: process(peer)}, options.repeats or 3)
        same = _contents(ours) == _contents(theirs)
        print(f"   {ours.stat().st_size / 1e6:.0f} MB sorted, {theirs.stat().st_size / 1e6:.0f} MB as the rows came")
    show("counted, generalized, suppressed, written", costs["ours"])
    show("DuckDB's bare joins, count and write", costs["bare"])
    met = [
        same,
        judge_against("against the bare join and write", costs["ours"], costs["bare"], 1.5),
        judge("peak memory", (costs["ours"].peak_mb or 0) / 1000, 1.1, " GB"),
    ]
    if not same:
        print("   MISSED  the two hold other records")
    return MET if all(met) else MISSED


def _contents(table: Path) -> tuple[int, int]:
    """How many records a file has, and a sum over their hashes."""
    listed = ", ".join((*PERSON_COLUMNS, "disease"))
    with duckdb.connect() as database:
        found = database.execute(f"select count(*), sum(hash({listed})) from {reader(table)}").fetchall()
    return int(found[0][0]), int(found[0][1])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        generalized(Path(sys.argv[2]), Path(sys.argv[3]))
        sys.exit(MET)
    sys.exit(main())
