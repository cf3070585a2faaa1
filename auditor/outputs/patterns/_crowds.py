"""A database that fits and in which nobody is alone: every way to hold items occurs k times or more, or not at all.

In such a database a pattern is held by nobody, or by k and more. So where there is one, no pattern is a channel, of
however many items. It is looked for among the published itemsets and unions of two of them, by an integer programme in
floating point; what is found is checked in integers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, combinations, islice

import numpy as np
from scipy.sparse import csr_array

from auditor.interval import CountInterval
from auditor.outputs.patterns.lattice import Exclusive, Key

MOST_PUBLISHED = 500
MOST_KINDS = 1_500
MOST_ROWS = 2_000
LONGEST = 10


def crowded(
    published: Mapping[Key, CountInterval],
    total: int,
    least: int,
    other: Callable[[Key], CountInterval],
    exclusive: Exclusive,
    *,
    deadline: float,
) -> bool:
    """Whether such a database was found.

    Args:
        published: what is said of supports.
        total: N.
        least: k.
        other: what is known of the support of an itemset that is not published.
        exclusive: items that nobody holds together.
        deadline: a time of `time.monotonic`.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    seconds = deadline - time.monotonic()
    told = {**published, (): CountInterval.at(total)}
    if len(told) > MOST_PUBLISHED or max(map(len, told)) > LONGEST or seconds <= 0 or total < least:
        return False
    kinds = list(islice(_kinds(told, total, exclusive), MOST_KINDS))
    for part in {part for kind in kinds for part in _border(kind, published)}:
        if (ends := other(part)) != CountInterval():
            told[part] = ends
    if len(told) > MOST_ROWS:
        return False
    inside = [set(kind) for kind in kinds]
    rows = csr_array(np.array([[kind.issuperset(key) for kind in inside] for key in told], dtype=np.int64))
    lows = np.array([ends.low for ends in told.values()], dtype=np.int64)
    highs = np.array([total if ends.high is None else min(ends.high, total) for ends in told.values()], dtype=np.int64)
    found = milp(
        np.zeros(len(kinds)),
        integrality=np.full(len(kinds), _NONE_OR_WHOLE),
        bounds=Bounds(least, total),
        constraints=LinearConstraint(rows.astype(np.float64), lows, highs),
        options={"time_limit": seconds},
    )
    if found.x is None:
        return False
    counts = np.rint(found.x).astype(np.int64)
    sums = np.asarray(rows @ counts)
    return bool(((counts == 0) | (counts >= least)).all() and (sums >= lows).all() and (sums <= highs).all())


_NONE_OR_WHOLE = 3
"""To `milp`, a variable that is 0, or a whole number within its bounds."""


def _kinds(told: Mapping[Key, CountInterval], total: int, exclusive: Exclusive) -> Iterator[Key]:
    """The published itemsets, items as they would meet by chance, and unions of two itemsets; each once."""
    seen: set[Key] = set()
    for key in chain(told, _by_chance(told, total), (_union(*pair) for pair in combinations(told, 2))):
        if key not in seen and len(key) <= LONGEST and not exclusive.holds(key):
            seen.add(key)
            yield key


def _by_chance(told: Mapping[Key, CountInterval], total: int) -> Iterator[Key]:
    items = sorted({item for key in told for item in key})
    shares = np.array([told.get((item,), CountInterval()).low / total for item in items])
    for held in np.random.default_rng(0).random((MOST_KINDS // 2, len(items))) < shares:
        yield tuple(item for item, here in zip(items, held.tolist(), strict=True) if here)


def _union(one: Key, other: Key) -> Key:
    return tuple(sorted({*one, *other}))


def _border(kind: Key, published: Mapping[Key, CountInterval]) -> Iterator[Key]:
    """Parts that are not published, the smallest among them: what bounds these bounds all others."""
    level: list[Key] = [()]
    while level:
        longer = [(*key, item) for key in level for item in kind if not key or item > key[-1]]
        level = [key for key in longer if key in published]
        yield from (key for key in longer if key not in published)
