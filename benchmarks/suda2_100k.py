"""SUDA2: all minimal sample uniques, scores and contributions of 100,000 records with 7 keys within 0.4 CPU seconds."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
from numpy.typing import NDArray

from _measure import MET, MISSED, alternated, judge, show, start, timed
from auditor.risk import special_uniques

RECORDS = 100_000
CATEGORIES = (2, 5, 7, 8, 16, 40, 74)
"""Like sex, race, marital status, workclass, education, country and age."""


def tables() -> dict[str, NDArray[np.int32]]:
    generator = np.random.default_rng(12345)
    even = [generator.integers(0, count, RECORDS) for count in CATEGORIES]
    skew = [np.minimum(generator.geometric(min(0.9, 3 / count), RECORDS) - 1, count - 1) for count in CATEGORIES]
    few = [generator.integers(0, 4, RECORDS) for _ in CATEGORIES]
    shapes = {"even categories": even, "skew categories": skew, "four categories each": few}
    return {name: np.stack(columns, axis=1).astype(np.int32) for name, columns in shapes.items()}


def main() -> int:
    start(f"SUDA2 of {RECORDS:,} records with {len(CATEGORIES)} keys")
    keys = tables()
    calls = {name: partial(timed, partial(special_uniques, table)) for name, table in keys.items()}
    costs = alternated(calls, 5)
    for name, cost in costs.items():
        show(f"{name}, {special_uniques(keys[name]).sizes.sum():,} minimal sample uniques", cost)
    met = [judge(f"{name}, CPU", cost.cpu, 0.4, " s") for name, cost in costs.items()]
    return MET if all(met) else MISSED


if __name__ == "__main__":
    sys.exit(main())
