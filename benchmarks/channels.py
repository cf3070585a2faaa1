"""The inference channels of a collection of 50,000 itemsets, from the file and against the data.

The itemsets are mined from 8,000 records of 23 columns that hang together, at the largest support that gives so many.
The collection of mushroom.dat at 20 % (53,583 itemsets) is measured too, where `--data` names the file.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from _measure import MET, MISSED, judge, process, show, start
from _tables import AUDITOR

RECORDS, COLUMNS, ITEMSETS, LEAST = 8_000, 23, 50_000, 10
Bits = NDArray[np.uint8]
Supports = dict[tuple[str, ...], int]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="mushroom.dat, to be measured too")
    options = parser.parse_args()
    start(f"channels of {ITEMSETS:,} itemsets, whole processes")
    met = []
    with tempfile.TemporaryDirectory(prefix="auditor-benchmark-") as name:
        folder = Path(name)
        (folder / "policy.json").write_text(json.dumps(_policy()))
        rows = _records(folder / "records.parquet")
        threshold, supports = _many(rows)
        _written(folder / "made.json", supports, len(rows), threshold)
        met += _measured("made, from the file", [folder / "made.json"], folder)
        met += _measured("made, against the data", [folder / "made.json", "-d", folder / "records.parquet"], folder)
        if options.data is not None:
            rows = [line.split() for line in options.data.read_text().splitlines()]
            supports = _mined(rows, -(-len(rows) // 5))
            _written(folder / "mushroom.json", supports, len(rows), -(-len(rows) // 5))
            met += _measured(f"mushroom at 20 %, {len(supports):,} itemsets", [folder / "mushroom.json"], folder)
    return MET if all(met) else MISSED


def _measured(what: str, arguments: list[str | Path], folder: Path) -> list[bool]:
    result = folder / "result.json"
    command: list[str | Path] = [AUDITOR, "outputs", *arguments, "-p", folder / "policy.json", "--quiet"]
    cost = process([*command, "--report", result], expected=(0, 1))
    show(what, cost)
    (output,) = json.loads(result.read_text())["outputs"]
    reasons = {violation["reason"] for violation in output["violations"]}
    if output["not_evaluated"] or reasons != {"inference-channel"}:
        sys.exit(f"the channels were not all looked for: {output['not_evaluated']}, {reasons}")
    print(f"   {output['items']:,} itemsets, {output['violations_count']:,} channels")
    return [judge(f"{what}, CPU seconds", cost.cpu, 30), judge(f"{what}, peak MB", cost.peak_mb or 0, 2048)]


def _records(path: Path) -> list[list[str]]:
    """The items of each record: columns of two to six values that follow a hidden kind, mostly."""
    generator = np.random.default_rng(11)
    kinds = generator.integers(0, 4, RECORDS)
    columns = {}
    for at in range(COLUMNS):
        values = int(generator.integers(2, 7))
        usual = generator.integers(0, values, 4)[kinds] * (generator.random(4) < 0.6)[kinds]
        odd = generator.random(RECORDS) < 0.15
        columns[f"c{at}"] = np.where(odd, generator.integers(0, values, RECORDS), usual)
    connection = duckdb.connect()
    connection.register("columns", columns)
    texts = ", ".join(f"{name}::VARCHAR AS {name}" for name in columns)
    connection.execute(f"COPY (SELECT {texts} FROM columns) TO '{path}' (FORMAT parquet)")
    return [[f"{name}={values[row]}" for name, values in columns.items()] for row in range(RECORDS)]


def _many(rows: list[list[str]]) -> tuple[int, Supports]:
    """The largest support, in steps of 50, that gives as many itemsets as are wanted."""
    for threshold in range(len(rows) // 2, 0, -50):
        supports = _mined(rows, threshold)
        if len(supports) >= ITEMSETS:
            return threshold, supports
    raise SystemExit("the records have too few itemsets")


def _mined(rows: list[list[str]], threshold: int) -> Supports:
    """Every itemset of that support, by intersecting bits, depth first."""
    names = sorted({item for row in rows for item in row})
    place = {name: at for at, name in enumerate(names)}
    held = np.zeros((len(names), len(rows)), dtype=np.bool_)
    for at, row in enumerate(rows):
        held[[place[item] for item in row], at] = True
    packed = np.packbits(held, axis=1)
    found: Supports = {}

    def extend(items: tuple[str, ...], candidates: list[int], bits: Bits) -> None:
        supports = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
        kept = np.flatnonzero(supports >= threshold)
        for at, row in enumerate(kept.tolist()):
            key = (*items, names[candidates[row]])
            found[key] = int(supports[row])
            later = kept[at + 1 :]
            if len(later):
                extend(key, [candidates[other] for other in later.tolist()], bits[later] & bits[row])

    extend((), list(range(len(names))), packed)
    return found


def _written(path: Path, supports: Supports, records: int, threshold: int) -> None:
    listed = [{"items": _items(items), "support": support} for items, support in supports.items()]
    document: dict[str, Any] = {"type": "frequent-itemsets", "records": records, "min_support": threshold}
    path.write_text(json.dumps({**document, "itemsets": listed}))


def _items(items: tuple[str, ...]) -> Any:
    if any("=" not in item for item in items):
        return list(items)
    return dict(item.split("=") for item in items)


def _policy() -> dict[str, Any]:
    rule = {"type": "frequent-itemsets", "min_support_count": LEAST, "channels": True}
    return {"version": 1, "name": "itemsets", "attributes": {"c*": "insensitive"}, "outputs": [rule]}


if __name__ == "__main__":
    sys.exit(main())
