"""Records that one value gives away: it stands in the release as it stood, and nobody else has it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.risk._input import Floats, pair

MOSTLY = 0.5
"""An attacker goes by a column where at least this part of the values that stand once in both tables are right."""


def given_away(original: Floats, released: Floats) -> NDArray[np.bool_]:
    """bool[n]: the records that an attacker finds who looks for an original value that stands once in either table.

    Both are float64[n, p], row i of both the same record. He looks at one column at a time, so that noise in the others
    hides nothing, and goes by a column where at least `MOSTLY` of the values that he finds so are at the right record:
    where values were exchanged, as rank swapping does, they are at others.

    Raises:
        DataError: the tables do not fit each other.
    """
    original, released = pair(original, released)
    found = np.zeros(len(original), np.bool_)
    for was, now in zip(original.T, released.T, strict=True):
        once = _once(was) & np.isin(was, now[_once(now)])
        right = once & (was == now)
        if right.sum() >= MOSTLY * once.sum():
            found |= right
    return found


def _once(values: Floats) -> NDArray[np.bool_]:
    """Which values are there and equal no other."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((counts[codes] == 1) & ~np.isnan(values))
