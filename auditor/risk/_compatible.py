"""How many records agree with a record wherever neither has a missing value: a missing key agrees with every value.

Keys are sorted by which of them are missing (a *shape*). For each pair of shapes, the records of one side are added up
by the keys that both sides have, and looked up there by the records of the other: S² sorts for S shapes, whatever the
number of agreeing pairs is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from auditor.microdata import MISSING
from auditor.risk._keys import Codes, Reals, classes_of, packed


def agreeing(asked: Codes, among: Codes, amounts: Reals) -> Reals:
    """float64[n, a]: for each record of `asked`, the amounts of the records of `among` that agree with it, added up.

    Args:
        asked: int32[n, d] codes, −1 is missing.
        among: int32[m, d] codes of the same categories.
        amounts: float64[m, a], what each record of `among` counts for, in a ways.
    """
    first, where = classes_of(asked)
    patterns = asked[first]
    base, base_class = classes_of(among)
    sums = _added(amounts, base_class, len(base))
    found = np.zeros((len(patterns), amounts.shape[1]))
    sides = [(right, among[base[theirs]], sums[theirs]) for right, theirs in _shapes(among[base])]
    for left, mine in _shapes(patterns):
        ours, together = patterns[mine], np.zeros((len(mine), amounts.shape[1]))
        for right, theirs, added in sides:
            shared = ~(left | right)
            together += _looked_up(ours[:, shared], theirs[:, shared], added)
        found[mine] = together
    return found[where]


def _shapes(codes: Codes) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.intp]]]:
    """Which keys are missing, and the records that miss exactly those."""
    missing = codes == MISSING
    if not missing.any():
        yield np.zeros(codes.shape[1], dtype=bool), np.arange(len(codes))
        return
    first, where = classes_of(missing.astype(np.int32))
    order = np.argsort(where, kind="stable")
    yield from zip(missing[first], np.split(order, np.cumsum(np.bincount(where))[:-1]), strict=True)


def _looked_up(asked: Codes, among: Codes, amounts: Reals) -> Reals:
    """The amounts of equal keys, none of which is missing."""
    key = packed(np.concatenate((among, asked)))
    values, where = np.unique(key[: len(among)], return_inverse=True)
    sums = _added(amounts, where, len(values))
    place = np.minimum(np.searchsorted(values, key[len(among) :]), len(values) - 1)
    return np.where((values[place] == key[len(among) :])[:, None], sums[place], 0.0)


def _added(amounts: Reals, where: NDArray[np.intp], groups: int) -> Reals:
    return np.stack([np.bincount(where, column, minlength=groups) for column in amounts.T], axis=1)
