"""SUDA2: all minimal sample uniques, scores and contributions of 100,000 records with 7 keys within 0.4 CPU seconds."""

from __future__ import annotations

import argparse
import sys
from functools import partial

import numpy as np
from numpy.typing import NDArray

from _measure import MET, MISSED, alternated, judge, show, start, timed
from auditor.risk import special_uniques

CATEGORIES = (2, 5, 7, 8, 16, 40, 74)
"""Like sex, race, marital status, workclass, education, country and age."""


def tables(records: int) -> dict[str, NDArray[np.int32]]:
    generator = np.random.default_rng(12345)
    even = [generator.integers(0, count, records) for count in CATEGORIES]
    skew = [np.minimum(generator.geometric(min(0.9, 3 / count), records) - 1, count - 1) for count in CATEGORIES]
    few = [generator.integers(0, 4, records) for _ in CATEGORIES]
    shapes = {"even categories": even, "skew categories": skew, "four categories each": few}
    return {name: np.stack(columns, axis=1).astype(np.int32) for name, columns in shapes.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000, help="how many records to make")
    parser.add_argument("--repeats", type=int, default=5, help="how often to measure")
    options = parser.parse_args()
    start(f"SUDA2 of {options.records:,} records with {len(CATEGORIES)} keys")
    keys = tables(options.records)
    calls = {name: partial(timed, partial(special_uniques, table)) for name, table in keys.items()}
    costs = alternated(calls, options.repeats)
    for name, cost in costs.items():
        show(f"{name}, {special_uniques(keys[name]).sizes.sum():,} minimal sample uniques", cost)
    met = [judge(f"{name}, CPU", cost.cpu, 0.4, " s") for name, cost in costs.items()]
    return MET if all(met) else MISSED


if __name__ == "__main__":
    sys.exit(main())
