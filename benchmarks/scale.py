"""Growth: 1 to 100 million rows, of nearly as many classes and of few, on DuckDB and on Spark; see docs/scale.md.

No claim is judged here but the growth; the others have scripts of their own. ``--rows`` and ``--engines`` choose.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from _measure import MET, MISSED, judge, start
from _tables import auditing, person_policy, persons, reader

MILLION = 1_000_000
ROWS = (1, 3, 10, 30, 100)
MEMORY = "4GB"
LINEAR = 1.5
"""CPU seconds per row at the most rows, over the least at any size."""
POLL_SECONDS = 0.1
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
SHAPES = {
    "coarse": "age[:1] as age, zip[:2] as zip, education[10:]::int % 4 as education",
    "small": "age[:1] as age, '0' as zip, '0' as education, '0' as country",
}
"""What replaces columns of the near-unique persons: at most 8,265,600 classes, or 560."""


def on_spark(heap: str) -> tuple[str, ...]:
    """Give the options that count on two threads of Spark with a heap of so much."""
    return "--engine", "spark", "--spark-conf", "spark.master=local[2]", "--spark-conf", f"spark.driver.memory={heap}"


@dataclass
class Tree:
    """What a process and all that it starts have used so far."""

    cpu: dict[int, float] = field(default_factory=dict)
    peak_mb: float = 0.0
    own_peak_mb: float = 0.0

    def look(self, root: int) -> None:
        """Take the processes of a session as they are now."""
        resident = 0
        for pid, words in _processes():
            if int(words[3]) != root:
                continue
            self.cpu[pid] = (int(words[11]) + int(words[12])) / TICKS
            resident += int(words[21]) * PAGE
            if pid == root:
                self.own_peak_mb = max(self.own_peak_mb, int(words[21]) * PAGE / MILLION)
        self.peak_mb = max(self.peak_mb, resident / MILLION)


def _processes() -> Iterator[tuple[int, list[str]]]:
    """Every process by its number, and the fields of its stat file from the state on."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            yield int(folder.name), (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue


def measured(command: list[str], document: Path) -> tuple[float, Tree]:
    """Wall seconds of a command that prints a document, and what it and all that it started used."""
    tree, began = Tree(), time.perf_counter()
    with document.open("w") as out, document.with_suffix(".err").open("w") as messages:
        child = subprocess.Popen(command, stdout=out, stderr=messages, start_new_session=True)
        while child.poll() is None:
            tree.look(child.pid)
            time.sleep(POLL_SECONDS)
    wall = time.perf_counter() - began
    if child.returncode not in (0, 1):
        said = document.with_suffix(".err").read_text()[-2000:]
        sys.exit(f"{command[0]} ended with exit code {child.returncode}:\n{said}")
    return wall, tree


def rewritten(table: Path, target: Path, replaced: str) -> Path:
    """Write the same persons with some columns as other expressions."""
    with duckdb.connect() as database:
        database.execute("set enable_progress_bar = false; set preserve_insertion_order = false")
        select = f"select * replace ({replaced}) from {reader(table)}"
        database.execute(f"copy ({select}) to '{target}' (format parquet, compression zstd)")
    return target


def main() -> int:
    """Measure every size in every shape on every engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default=",".join(map(str, ROWS)), help="millions of rows, with commas")
    parser.add_argument("--engines", default="duckdb,spark", help="duckdb, spark, or both")
    parser.add_argument("--tables", type=Path, help="a folder with persons-N.parquet from an earlier run")
    options = parser.parse_args()
    start(f"ten models on {options.rows} million persons, --memory {MEMORY}")
    print("| engine | rows | classes | CPU s | wall s | µs of CPU per row | peak MB, all processes | auditor's own |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    per_row: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="auditor-benchmark-") as name:
        folder = Path(name)
        for millions in map(int, options.rows.split(",")):
            for shape, table in _tables(options.tables or folder, millions):
                for engine in options.engines.split(","):
                    command = [*map(str, auditing(table, person_policy(), folder)), "--memory", MEMORY]
                    document = folder / "document.json"
                    wall, tree = measured([*command, *(on_spark("4g") if engine == "spark" else ())], document)
                    classes = json.loads(document.read_text())["classes"]["count"]
                    cpu = sum(tree.cpu.values())
                    per_row.setdefault((engine, shape), []).append(cpu / millions)
                    cells = [engine, f"{millions},000,000", f"{classes:,}", f"{cpu:.1f}", f"{wall:.1f}"]
                    cells += [f"{cpu / millions:.2f}", f"{tree.peak_mb:,.0f}", f"{tree.own_peak_mb:,.0f}"]
                    print(f"| {' | '.join(cells)} |", flush=True)
            if options.tables is None:
                for table in folder.glob("*.parquet"):
                    table.unlink()
    met = [
        judge(f"{engine}, {shape}: CPU per row at the most rows, over the least", found[-1] / min(found), LINEAR, "x")
        for (engine, shape), found in per_row.items()
        if len(found) > 1
    ]
    return MET if all(met) else MISSED


def _tables(folder: Path, millions: int) -> Iterator[tuple[str, Path]]:
    fine = folder / f"persons-{millions}.parquet"
    if not fine.exists():
        persons(millions * MILLION, fine)
    yield "near-unique", fine
    for shape, replaced in SHAPES.items():
        table = folder / f"persons-{millions}-{shape}.parquet"
        yield shape, table if table.exists() else rewritten(fine, table, replaced)


if __name__ == "__main__":
    sys.exit(main())
