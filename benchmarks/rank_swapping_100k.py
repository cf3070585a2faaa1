"""Rank swapping of 100,000 records with 13 columns within 0.5 CPU s, distinct numbers and ties."""

from __future__ import annotations

import os
import sys
from functools import partial

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: CPU seconds of one thread

import numpy as np

from _measure import MET, MISSED, alternated, judge, show, start, timed
from auditor.masking.rank_swapping import RankSwapping
from auditor.microdata import Microdata, Numeric

RECORDS, COLUMNS = 100_000, 13
PERCENT = (1.0, 15.0)
LIMIT = 0.5


def table(values: np.ndarray) -> Microdata:
    return Microdata(tuple(Numeric(f"c{column}", values[:, column].copy()) for column in range(values.shape[1])))


def main() -> int:
    start(f"Rank swapping of {RECORDS:,} records, {COLUMNS} columns")
    generator = np.random.default_rng(0)
    tables = {
        "distinct": table(generator.standard_normal((RECORDS, COLUMNS))),
        "100 values": table(generator.integers(0, 100, (RECORDS, COLUMNS)).astype(np.float64)),
    }
    calls = {
        f"{name}, p = {p:g}": partial(timed, partial(RankSwapping(attributes=data.names, p=p).masked, data, generator))
        for name, data in tables.items()
        for p in PERCENT
    }
    costs = alternated(calls, 5)
    for name, cost in costs.items():
        show(name, cost)
    met = [judge(f"{name}, CPU", cost.cpu, LIMIT, " s") for name, cost in costs.items()]
    return MET if all(met) else MISSED


if __name__ == "__main__":
    sys.exit(main())
