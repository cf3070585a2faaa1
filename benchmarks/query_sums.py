"""What sums disclose: ad-hoc queries with planted trackers, GROUP BY over a million records, a decision online.

The queries are sets of records already: reading the log and evaluating predicates is not measured here.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from _measure import MET, MISSED, judge, process, show, start, timed
from auditor.inference import AnsweredSums, RowSpace
from auditor.inference.linear.equations import Row, collapse

BoolArray = NDArray[np.bool_]
VALUES = (100, 50, 30, 20, 10, 2, 300)
"""How many values the public columns have; predicates are ranges of three of them."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=["trackers", "groups"])
    parser.add_argument("--queries", type=int, default=2_000)
    options, _ = parser.parse_known_args()
    if options.part == "trackers":
        return _trackers(options.queries, 200_000)
    if options.part == "groups":
        return _group_by(10_000, 1_000_000)
    start("sums: 2,000 ad-hoc queries over 200,000 records; 10,000 by GROUP BY over a million; decisions online")
    met = [_growth(), _large(), _online(1_000, 100_000)]
    return MET if all(met) else MISSED


def _growth() -> bool:
    """Whole processes, the making of the data and the sets included."""
    met = []
    for queries in (100, 300, 1_000, 2_000, 5_000, 10_000):
        cost = process([sys.executable, __file__, "--part", "trackers", "--queries", str(queries)])
        show(f"{queries:,} ad-hoc queries over 200,000 records", cost)
        if queries == 2_000:
            met += [judge("2,000 ad-hoc queries, CPU seconds", cost.cpu, 20)]
    return all(met)


def _large() -> bool:
    cost = process([sys.executable, __file__, "--part", "groups"])
    show("10,000 queries by GROUP BY over 1,000,000 records", cost)
    seconds = judge("10,000 queries by GROUP BY, CPU seconds", cost.cpu, 60)
    return judge("10,000 queries by GROUP BY, peak MB", cost.peak_mb or 0, 4096) and seconds


def _trackers(queries: int, records: int) -> int:
    """Plant five pairs of sums that differ by one record; the audit must find these records and no others.

    Query sets have at least 50 records, so that no random one discloses anything.
    """
    generator = np.random.default_rng(queries)
    columns = _columns(generator, records)
    sets = [_query_set(generator, columns) for _ in range(queries - 5)]
    planted = []
    for which in generator.choice(len(sets), 5, replace=False):
        victim = int(generator.choice(np.flatnonzero(sets[which])))
        sets.append(sets[which].copy())
        sets[-1][victim] = False
        planted.append(victim)
    exposed: list[int] = []
    cost = timed(lambda: exposed.extend(_exposed([partial(_given, members) for members in sets], records)))
    sys.stderr.write(f"from the sets on: {cost}\n")
    return 0 if exposed == sorted(planted) else 1


def _exposed(rows: list[Row], records: int) -> list[int]:
    """The records whose values follow, each with a proof."""
    collapsed = collapse(rows, np.ones(records, dtype=np.int64))
    space = RowSpace(collapsed.equations)
    exposed = space.exposed()
    single = exposed[collapsed.equations.sizes[exposed] == 1]
    if any(certificate is None for _, certificate in space.proofs(single, sys.maxsize)):
        raise SystemExit("a disclosure without a proof")
    return np.flatnonzero(np.isin(collapsed.atom_of, single)).tolist()


def _given(members: BoolArray) -> BoolArray:
    return members


def _columns(generator: np.random.Generator, records: int) -> list[NDArray[np.int16]]:
    return [generator.integers(0, values, records).astype(np.int16) for values in VALUES]


def _query_set(generator: np.random.Generator, columns: list[NDArray[np.int16]], least: int = 50) -> BoolArray:
    """Records within random ranges of three columns."""
    while True:
        members = np.ones(len(columns[0]), dtype=np.bool_)
        for place in generator.choice(len(columns), 3, replace=False):
            beyond = int(columns[place].max()) + 1
            low = generator.integers(0, beyond)
            high = generator.integers(low, beyond)
            members &= (columns[place] >= low) & (columns[place] <= high)
        if members.sum() >= least:
            return members


def _group_by(queries: int, records: int) -> int:
    """Sums by a column of 50 values, each statement within a random range of two other columns."""
    generator = np.random.default_rng(7)
    columns = _columns(generator, records)
    rows: list[Row] = []
    while len(rows) < queries:
        inside = _query_set(generator, [columns[place] for place in (0, 2, 3, 4, 5, 6)])
        rows += [partial(_group, columns[1], value, inside) for value in range(VALUES[1])]
    rank = [0]

    def audit() -> None:
        collapsed = collapse(rows, np.ones(records, dtype=np.int64))
        space = RowSpace(collapsed.equations)
        space.exposed()
        rank[0] = space.rank
        sys.stderr.write(f"{collapsed.equations.atoms:,} atoms, {collapsed.equations.rows.nnz:,} entries\n")

    cost = timed(audit)
    sys.stderr.write(f"rank {rank[0]:,}; from the sets on: {cost}\n")
    return 0


def _group(column: NDArray[np.int16], value: int, inside: BoolArray) -> BoolArray:
    members: BoolArray = column == value
    return members & inside


def _online(queries: int, records: int) -> bool:
    """Decide and answer one query after another, with `queries` answered before."""
    generator = np.random.default_rng(3)
    columns = _columns(generator, records)
    sums = AnsweredSums(np.ones(records, dtype=np.int64), [_query_set(generator, columns) for _ in range(queries)])
    decisions, answers = [], []
    for _ in range(50):
        row = _query_set(generator, columns)
        decisions.append(_milliseconds(partial(sums.consequences, row, below=3)))
        answers.append(_milliseconds(partial(sums.answer, row)))
    print(
        f"   answered after the decision: {statistics.median(answers):.1f} ms (median), {max(answers):.1f} ms at most"
    )
    return judge(f"a decision after {queries:,} answers over {records:,} records, ms", statistics.median(decisions), 50)


def _milliseconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return (time.process_time() - began) * 1_000


if __name__ == "__main__":
    sys.exit(main())
