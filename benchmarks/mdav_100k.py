"""MDAV, k = 10, of 100,000 records with 13 numbers within 15 CPU s, normal and with heavy tails."""

from __future__ import annotations

import os
import sys
from functools import partial

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: CPU seconds of one thread

import numpy as np

from _measure import MET, MISSED, judge, show, start, timed
from auditor.masking.microaggregation import Microaggregation
from auditor.microdata import Microdata, Numeric

RECORDS, COLUMNS, K = 100_000, 13, 10
LIMIT = 15


def table(values: np.ndarray) -> Microdata:
    return Microdata(tuple(Numeric(f"c{column}", values[:, column].copy()) for column in range(values.shape[1])))


def main() -> int:
    start(f"MDAV of {RECORDS:,} records, {COLUMNS} columns, k = {K}")
    generator = np.random.default_rng(0)
    normal = generator.standard_normal((RECORDS, COLUMNS))
    tables = {
        "normal": normal,
        "log-normal": np.exp(normal),
        "whole numbers from 0 to 9": generator.integers(0, 10, (RECORDS, COLUMNS)).astype(np.float64),
    }
    met = []
    for name, values in tables.items():
        data = table(values)
        method = Microaggregation(attributes=data.names, k=K)
        cost = timed(partial(method.masked, data, generator))
        show(name, cost)
        met.append(judge(f"{name}, CPU", cost.cpu, LIMIT, " s"))
    return MET if all(met) else MISSED


if __name__ == "__main__":
    sys.exit(main())
