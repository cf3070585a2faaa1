"""Trackers: the classical ways to ask around a limit on query-set size, recognised in a certificate.

The linear audit finds every disclosure whatever its shape; a name only helps the reader. C is the disclosed set, T and
U are sets of records, q(·) is a sum over a set (Denning, Denning & Schwartz, TODS 4(1), 1979):

* individual tracker: q(C) = q(A) − q(A without C);
* general tracker T: q(C) = q(C ∪ T) + q(C ∪ ¬T) − q(T) − q(¬T), or with q(all) for the last two;
* double tracker T ⊂ U: q(C) = q(U) + q(C ∪ T) − q(T) − q(U without C ∩ T).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from typing import Literal

import numpy as np

from auditor.queries._query import BoolArray

Tracker = Literal["individual", "general", "double"]


def tracker(
    coefficients: Sequence[Fraction], sets: Sequence[BoolArray], disclosed: BoolArray, everybody: BoolArray
) -> Tracker | None:
    """The tracker that a certificate is, if it is one.

    Args:
        coefficients: of the sums that the certificate combines.
        sets: bool[p] each, the query set of each sum.
        disclosed: bool[p], the records that the combination speaks of.
        everybody: bool[p], all records that could contribute.
    """
    plus = [s for c, s in zip(coefficients, sets, strict=True) if c == 1]
    minus = [s for c, s in zip(coefficients, sets, strict=True) if c == -1]
    shape = (len(plus), len(minus))
    if sum(shape) < len(coefficients):
        return None
    if shape == (1, 1):
        return "individual"
    if shape in ((2, 2), (2, 1)) and _is_general(plus, minus, disclosed, everybody):
        return "general"
    return "double" if shape == (2, 2) and _is_double(plus, minus, disclosed) else None


def _is_general(
    plus: Sequence[BoolArray], minus: Sequence[BoolArray], disclosed: BoolArray, everybody: BoolArray
) -> bool:
    """Whether T and its complement are subtracted (or all at once), and each is added together with C."""
    if len(minus) == 1:
        covers = np.array_equal(minus[0], everybody) and np.array_equal(plus[0] | plus[1], everybody)
        return covers and np.array_equal(plus[0] & plus[1], disclosed)
    t, rest = minus
    if (t & rest).any() or not np.array_equal(t | rest, everybody):
        return False
    return any(np.array_equal(a, disclosed | t) and np.array_equal(b, disclosed | rest) for a, b in permutations(plus))


def _is_double(plus: Sequence[BoolArray], minus: Sequence[BoolArray], disclosed: BoolArray) -> bool:
    return any(
        not (t & ~u).any() and np.array_equal(joined, disclosed | t) and np.array_equal(rest, u & ~(disclosed & t))
        for u, joined in permutations(plus)
        for t, rest in permutations(minus)
    )
