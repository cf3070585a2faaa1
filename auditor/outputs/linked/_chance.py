"""What the data says that no record can be: values of one column that lie within one value of another.

A state lies within one region, and all who are over 66 within those over 65. So does every value that one record has;
that says nothing. What counts as known is what chance would hardly have made:

* the values of A that lie within one value of B, together, where they hold at least half of the records of each value
  of B (all of them where B is a function of A): to give every value of A one value of B there are at most |B|^|A| of
  the N! / ∏ bⱼ! ways to deal the values of B out to the N records;
* of the others, a value of A with a records that lie within one value of B with b of N: C(b, a) of C(N, a) ways.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from auditor.classes import BoolArray, FloatArray, IntArray
from auditor.outputs.published.counts import Counts

CHANCE = math.log(0.02)
"""What chance makes as rarely as this is known; of values one by one, of all values of a column together."""


def within(counts: Counts, one: str, other: str) -> IntArray:
    """int64[values of one]: the value of the other column that each lies within, as is known; −1 for none.

    Values are numbered as in `Counts.column`. Records without a value of one of the columns say nothing.
    """
    (labels, codes), (others, other_codes) = counts.column(one), counts.column(other)
    inner, outer = codes.astype(np.int64), other_codes.astype(np.int64)
    missing = np.isin(inner, _missing(labels)) | np.isin(outer, _missing(others))
    pairs, sizes = np.unique(inner[~missing] * len(others) + outer[~missing], return_counts=True)
    first, second = pairs // len(others), pairs % len(others)
    alone = np.bincount(first, minlength=len(labels))[first] == 1
    values, held = first[alone], second[alone]
    own = sizes[alone]
    of_other = np.bincount(second, weights=sizes, minlength=len(others)).astype(np.float64)
    known = _one_by_one(own, of_other[held], float(sizes.sum()), len(np.unique(first)))
    if _together(own, held, of_other):
        known[:] = True
    found = np.full(len(labels), -1, dtype=np.int64)
    found[values[known]] = held[known]
    return found


def _missing(labels: tuple[str | None, ...]) -> list[int]:
    return [at for at, label in enumerate(labels) if label is None]


def _one_by_one(own: IntArray, outer: FloatArray, records: float, values: int) -> BoolArray:
    """Whether chance would hardly have put all records of a value into one value of the other column."""
    ways = _choices(outer, own) - _choices(np.full(len(own), records), own)
    return np.asarray(ways + math.log(max(values, 1)) < CHANCE, dtype=np.bool_)


def _together(own: IntArray, held: IntArray, of_other: FloatArray) -> bool:
    """Whether chance would hardly have put each of these values into one value of the other column."""
    nested = np.bincount(held, weights=own, minlength=len(of_other))
    present = of_other > 0
    if present.sum() < 2 or (2 * nested < of_other)[present].any():
        return False
    ways = len(own) * math.log(int(present.sum())) + gammaln(nested + 1).sum() - gammaln(own.sum() + 1)
    return bool(ways < CHANCE)


def _choices(n: FloatArray, k: IntArray) -> FloatArray:
    """The logarithm of n over k."""
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
