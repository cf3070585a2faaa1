"""What declared ranges add: dense sums of bounded reals with planted trackers, and a decision on a maximum online.

The queries are sets already: reading the log and evaluating predicates is not measured here.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from _measure import MET, MISSED, judge, process, show, start
from auditor.inference import Equations, UnknownDomain
from auditor.inference.extrema.extremes import ExtremeAnswer
from auditor.inference.extrema.worst_case import may_answer_extreme
from auditor.inference.integer.intervals import intervals

TRACKERS = 3


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=["reals"])
    parser.add_argument("--queries", type=int, default=100)
    options, _ = parser.parse_known_args()
    if options.part == "reals":
        return _reals(options.queries)
    start("bounded reals: dense sums over ten times as many values, all settled; maxima decided online")
    met = [_growth(), _online(100, 20_000)]
    return MET if all(met) else MISSED


def _growth() -> bool:
    """Whole processes, which end with 1 where they find others than the planted records or leave any unsettled."""
    met = []
    for queries, limit in ((20, 5), (50, 5), (100, 10), (200, 60)):
        cost = process([sys.executable, __file__, "--part", "reals", "--queries", str(queries)])
        show(f"{queries} dense sums over {10 * queries:,} values", cost)
        met.append(judge(f"{queries} dense sums of bounded reals, CPU seconds", cost.cpu, limit))
    return all(met)


def _reals(queries: int) -> int:
    """Random halves of the values, and three of them again without one record; values are cents from 0 to 100."""
    generator = np.random.default_rng(queries)
    values = 10 * queries
    rows = generator.integers(0, 2, (queries, values))
    planted = generator.choice(values, TRACKERS, replace=False)
    rows[np.arange(TRACKERS), planted] = 1
    without = rows[:TRACKERS].copy()
    without[np.arange(TRACKERS), planted] = 0
    matrix = csr_array(np.vstack([rows, without]))
    known = [Fraction(int(cents), 100) for cents in generator.integers(0, 10_001, values)]
    right = [sum((known[j] for j in np.flatnonzero(row)), Fraction(0)) for row in matrix.toarray()]
    equations = Equations(matrix, np.ones(values, dtype=np.int64))
    domains = [UnknownDomain(Fraction(0), Fraction(100))] * values
    found = intervals(equations, right, domains, enough=Fraction(10), known=[known], deadline=time.monotonic() + 300)
    closed = [place for place, interval in enumerate(found.of_atom) if interval.status != "free"]
    proved = all(found.of_atom[place].status == "determined" for place in closed)
    return 0 if proved and closed == sorted(planted.tolist()) else 1


def _online(queries: int, records: int) -> bool:
    """Decide on maxima of random sets, with `queries` maxima answered before."""
    generator = np.random.default_rng(1)
    values = generator.permutation(5 * records)[:records]
    asked = [_answered(_members(generator, records), values) for _ in range(queries)]
    sizes = np.ones(records, dtype=np.int64)
    took = []
    for _ in range(15):
        decide = partial(may_answer_extreme, asked, "max", _members(generator, records), sizes, distinct=False)
        began = time.process_time()
        decide()
        took.append((time.process_time() - began) * 1_000)
    print(f"   decided: {statistics.median(took):.1f} ms (median), {max(took):.1f} ms at most")
    return judge(f"a maximum after {queries} over {records:,} records, ms", statistics.median(took), 50)


def _members(generator: np.random.Generator, records: int) -> NDArray[np.int64]:
    return np.flatnonzero(generator.random(records) < generator.choice([0.01, 0.1, 0.5]))


def _answered(members: NDArray[np.int64], values: NDArray[np.int64]) -> ExtremeAnswer:
    return ExtremeAnswer("max", members, Fraction(int(values[members].max())))


if __name__ == "__main__":
    sys.exit(main())
