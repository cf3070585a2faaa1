"""A masked column read in the scale of its original: what keeps the order of values, or reverses it, hides none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.risk._input import Floats, pair
from auditor.risk.interval_disclosure import interval_disclosure

WIDTH = 10.0
"""Percent of the records: a value keeps its rank that moves by no more."""
KEPT = 0.5
"""From this share of values on that keep their ranks, beyond those that do by chance, a column keeps its order."""
RARE = 1e6
"""What chance does once in so many tables is none."""
ALREADY = 0.75
"""A column is in its scale where the values near the original ones are this part of those that keep their ranks."""


def in_own_scale(original: Floats, released: Floats) -> Floats:
    """The release with each column that is another scale of its original given the original's values, rank by rank.

    Both are float64[n, p], row i of both the same record. log x, −x and 1/x tell what x tells to whoever knows how x is
    distributed: the value of rank r of the release is the original's value of rank r, or of rank n + 1 − r where the
    order is reversed (r is the mean rank of equal values; between two ranks values are interpolated). A column is
    another scale where at least `KEPT` of its records keep their rank within `WIDTH` percent of the records, beyond the
    share that would by chance, and far fewer of the original values lie as near to the released ones. Noise, swapped
    ranks and means of groups stay in the scale of the original, so that they are left as they are.

    Raises:
        DataError: the tables do not fit each other.
    """
    original, released = pair(original, released)
    columns = zip(original.T, released.T, strict=True)
    return np.column_stack([_column(*both) for both in columns])


def _column(was: Floats, now: Floats) -> Floats:
    there = ~np.isnan(was) & ~np.isnan(now)
    count = int(there.sum())
    if count < 2:
        return now
    own, shown = ranks(was[there]), ranks(now[there])
    sides = [shown, count + 1 - shown]
    kept, told = max(((_beyond_chance(own, side), n) for n, side in enumerate(sides)), key=lambda each: each[0])
    if kept < KEPT:
        return now
    near = interval_disclosure(was[there, None], now[there, None], widths=(WIDTH,)).percent / 100
    if near >= ALREADY * float(_near(own, sides[told]).mean()):
        return now
    out = now.copy()
    out[there] = np.interp(sides[told], np.arange(1, count + 1), np.sort(was[there]))
    return out


def ranks(values: Floats) -> Floats:
    """1..n, equal values with the mean of their ranks; no value is missing."""
    ordered = np.sort(values)
    low, high = np.searchsorted(ordered, values), np.searchsorted(ordered, values, side="right")
    return (low + high + 1) / 2


def _near(own: Floats, shown: Floats) -> NDArray[np.bool_]:
    return np.abs(own - shown) <= WIDTH / 100 * len(own)


def _beyond_chance(own: Floats, shown: Floats) -> float:
    """The share of ranks that are kept, from 0 where as many would be if nothing had to do with them, to 1 for all.

    It is 0, too, where so many are kept by chance once in `RARE` tables: in a table of two records any order is one of
    two (`beyond_chance`).
    """
    count, ordered = len(own), np.sort(own)
    reach = WIDTH / 100 * count
    within = np.searchsorted(ordered, shown + reach, side="right") - np.searchsorted(ordered, shown - reach)
    chance, share = float(within.mean()) / count, float(_near(own, shown).mean())
    return (share - chance) / (1 - chance) if beyond_chance(share, chance, count) else 0.0


def beyond_chance(share: float, chance: float, count: int) -> bool:
    """Whether a share of `count` records, each counted by `chance`, is so large in one of `RARE` tables at most.

    By Chernoff's bound, exp(−n · KL(share ‖ chance)).
    """
    return share > chance and bool(count * _divergence(share, chance) >= np.log(RARE))


def _divergence(share: float, chance: float) -> float:
    """KL of two shares, share > chance > 0."""
    lost = (1 - share) * np.log((1 - share) / (1 - chance)) if share < 1 else 0.0
    return float(share * np.log(share / chance) + lost)
