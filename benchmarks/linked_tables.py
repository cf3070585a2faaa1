"""Three linked tables of 2,000 cells, a tenth of them suppressed: what follows from all of them together.

Two workloads: tables linked in a chain (region × occupation, occupation × age, age × education), and three smaller ones
linked in a circle, which need their joint table. Each is put to the check once from the files alone and once with the
data. The data are skewed, so that a tenth of the cells is small; the smallest cells are the suppressed ones, and some
of them do follow from their margins.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from _measure import MET, MISSED, judge, show, start, timed
from auditor import check_outputs

LETTERS = "abcd"


def main() -> int:
    start("linked tables with a tenth of the cells suppressed: suppressed cells and small groups that follow")
    chain = (("ab", "bc", "cd"), (40, 50, 40, 50), 200_000)
    circle = (("ab", "bc", "ac"), (10, 12, 10), 20_000)
    met = [
        _case("three tables of 2,000 cells in a chain", *chain, limit=10),
        _case("three tables of 100 to 120 cells in a circle", *circle, limit=60),
    ]
    return MET if all(met) else MISSED


def _case(name: str, pairs: Sequence[str], sizes: Sequence[int], records: int, *, limit: float) -> bool:
    data = _data(sizes, records)
    tables = [_table(data, of, sizes) for of in pairs]
    met = []
    for given, source in (("the files alone", None), ("with the data", data)):
        cost = timed(partial(_judged, tables, source))
        show(f"{name}, {given}", cost)
        met.append(judge(f"{name}, {given}, CPU seconds", cost.cpu, limit))
    return all(met)


def _judged(tables: list[dict[str, Any]], data: pd.DataFrame | None) -> None:
    policy = {
        "version": 1,
        "name": "linked",
        "attributes": dict.fromkeys(LETTERS, "insensitive"),
        "outputs": [{"type": "frequency-table", "differencing": True, "min_cell": 10}],
    }
    result = check_outputs(tables, policy, data)
    for each in result.requirements:
        if each.status == "not-evaluated":
            print(f"  {each.id} was not settled")
            sys.exit(MISSED)
    recovered = sum(v.reason == "suppressed-cell-recoverable" for output in result.outputs for v in output.violations)
    derived = sum(v.reason == "differencing" for output in result.outputs for v in output.violations)
    print(f"  {recovered} suppressed cells and {derived} small groups follow")


def _data(sizes: Sequence[int], records: int) -> pd.DataFrame:
    """Columns of skewed values: low numbers are common, high ones are rare."""
    generator = np.random.default_rng(1)
    drawn = {c: generator.exponential(0.35, records) for c in LETTERS[: len(sizes)]}
    columns = {c: np.minimum(x * size, size - 1).astype(int) for (c, x), size in zip(drawn.items(), sizes, strict=True)}
    return pd.DataFrame(columns).astype(str)


def _table(data: pd.DataFrame, of: str, sizes: Sequence[int]) -> dict[str, Any]:
    """A table with its margins; the smallest tenth of its cells that are not empty is suppressed."""
    first, second = of[0], of[1]
    shape = (
        [str(value) for value in range(sizes[LETTERS.index(first)])],
        [str(value) for value in range(sizes[LETTERS.index(second)])],
    )
    counts = pd.crosstab(data[first], data[second]).reindex(index=shape[0], columns=shape[1], fill_value=0).to_numpy()
    ordered = np.argsort(np.where(counts > 0, counts, np.iinfo(np.int64).max), axis=None, kind="stable")
    hidden = np.zeros(counts.size, dtype=bool)
    hidden[ordered[: counts.size // 10]] = True
    cells: list[dict[str, Any]] = [{"key": [None, None], "count": int(counts.sum())}]
    cells += [{"key": [row, None], "count": int(n)} for row, n in zip(shape[0], counts.sum(axis=1), strict=True)]
    cells += [{"key": [None, column], "count": int(n)} for column, n in zip(shape[1], counts.sum(axis=0), strict=True)]
    places = [(row, column) for row in shape[0] for column in shape[1]]
    for (row, column), count, gone in zip(places, counts.ravel().tolist(), hidden.tolist(), strict=True):
        cells.append({"key": [row, column], "count": None if gone else count})
    return {"type": "frequency-table", "by": [first, second], "cells": cells}


if __name__ == "__main__":
    sys.exit(main())
