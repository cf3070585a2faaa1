"""Ladders that follow how a column is distributed: numbers in round intervals, categories by how frequent they are.

What stands in a ladder, stands in a policy, and a policy lies in a repository. So bounds are round numbers that at
least `FEWEST` records lie beyond, and a value is named only where at least `NAMED` records share it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import accumulate, compress
from typing import Any, get_args

import numpy as np

from auditor.classes import FloatArray, IntArray
from auditor.dialect import DateForm
from auditor.errors import AuditorError
from auditor.hierarchies import STAR, build
from auditor.hierarchies.country import is_listed
from auditor.policy.file.yaml import FORBIDDEN

FEWEST = 11
"""Records that lie beyond a bound at least."""
NAMED = 50
"""Records that share a value at least, for a policy to name it."""
TAIL = 0.1
"""The share of the records that lie beyond a bound at least; of fewer, few would be left beside other columns."""
LONG_TAIL = 0.25
"""With more of the records beyond it, a bound cuts off no tail."""
INTERVALS = 8
"""At most so many intervals of the finest level hold the middle half of the numbers."""
STEPS = (1, 5, 20)
"""How much wider than the finest level the others are."""
COUNTS = (2, 4, 16)
"""The widths for small whole numbers."""
REACH = (1e-9, 1e18)
"""Numbers that spread less or more are no quantities of a person."""
SHARES = (0.01, 0.05, 0.2)
"""A value is kept by a level where it holds such a share of the records; the last level keeps one."""
MOST_NAMED = 50
"""Values of a column that a policy names."""
LONGEST_NAME = 80
"""Characters of a value that a policy names; longer ones are sentences."""
RESTS = ("all others", "all other values", "every other value")
"""The names of the rest; the first that is no value of the column."""
OLDEST = 90
"""Ages from it on are one group (45 CFR 164.514(b)(2)(i)(C))."""
AGES = (5, 10, 20, 40)
COUNTRIES = 0.9
"""The share of the records that hold a country in a column of countries."""
HOME = 0.8
"""Where so many records are of one country, whether a record is, tells more than the region does."""
DECADES = 10
"""Days of more years than this go on to decades."""

Spec = Mapping[str, Any] | str


@dataclass(frozen=True)
class Distribution:
    """The distinct values of a column and how many records hold each; `numbers` in ascending order."""

    labels: tuple[str, ...]
    counts: tuple[int, ...]

    @property
    def records(self) -> int:
        """Records that hold a value."""
        return sum(self.counts)

    @cached_property
    def _sorted(self) -> tuple[FloatArray, IntArray]:
        numbers = np.array([float(label) for label in self.labels])
        order = np.argsort(numbers, kind="stable")
        return numbers[order], np.cumsum(np.array(self.counts, dtype=np.int64)[order])

    def is_tail(self, beyond: int, share: float = 0.0) -> bool:
        """Whether so many records are enough to lie beyond a bound, at least such a share, and not too many."""
        return max(FEWEST, share * self.records) <= beyond <= LONG_TAIL * self.records

    def below(self, bound: float) -> int:
        """How many records lie below a number."""
        numbers, up_to = self._sorted
        place = int(np.searchsorted(numbers, bound, side="left"))
        return int(up_to[place - 1]) if place else 0

    def at(self, rank: int) -> float:
        """The number of the record at a place, from 1 for the least."""
        numbers, up_to = self._sorted
        return float(numbers[int(np.searchsorted(up_to, rank, side="left"))])

    def is_whole(self) -> bool:
        """Whether all are whole numbers."""
        return bool(np.all(np.floor(self._sorted[0]) == self._sorted[0]))

    def groups(self, width: float) -> int:
        """How many intervals of a width hold a number."""
        return len(np.unique(np.floor(self._sorted[0] / width)))

    def spread(self) -> float:
        """How far the middle half of the numbers reaches; where one value holds it, that of the others."""
        reach = self.at(math.ceil(0.75 * self.records)) - self.at(math.ceil(0.25 * self.records))
        if reach or len(self.labels) < 2:
            return reach
        return self._without(int(np.argmax(self.counts))).spread()

    def _without(self, place: int) -> Distribution:
        kept = [i for i in range(len(self.labels)) if i != place]
        return Distribution(tuple(self.labels[i] for i in kept), tuple(self.counts[i] for i in kept))


def covers(spec: Spec, found: Distribution) -> bool:
    """Whether a ladder has a place for every value."""
    try:
        build(spec, found.labels)
    except AuditorError:
        return False
    return True


def intervals(found: Distribution) -> Spec | None:
    """Round widths, by the spread of the middle half; None where nothing spreads.

    Below `bottom` and from `top` on lie at least `FEWEST` records, and no more than a tail.
    """
    spread = found.spread()
    if not REACH[0] <= spread <= REACH[1]:
        return None
    finest = _round(spread / INTERVALS)
    counted = finest <= 1 and found.is_whole()
    widths = _merging(found, [Decimal(step) for step in COUNTS] if counted else [finest * step for step in STEPS])
    if not widths:
        return None
    bottom, top = _bound(found, widths, 1), _bound(found, widths, -1)
    ends_meet = bottom is not None and top is not None and bottom >= top
    bounds = {} if ends_meet else {"bottom": bottom, "top": top}
    return {"intervals": {"widths": list(map(_plain, widths)), **_given(bounds)}}


def ages(found: Distribution) -> Spec:
    """Ages by 5, 10, 20 and 40 years; the oldest are one group, and the youngest where a person among them is rare."""
    old = (age for age in range(OLDEST, 0, -AGES[0]) if found.is_tail(found.records - found.below(age)))
    top = next(old, OLDEST)
    first = math.floor(found.at(1) / AGES[0]) * AGES[0] + AGES[0]
    young = (age for age in range(first, top, AGES[0]) if found.is_tail(found.below(age)))
    bottom = next(young, first)
    return {"intervals": {"widths": list(AGES), **({"bottom": bottom} if bottom > first else {}), "top": top}}


def days(found: Distribution) -> dict[str, Any] | None:
    """Months, quarters, years, and decades where the days are of many years; None where a value is no date.

    Where days and months can be told in two ways, only what holds either way: years and decades.
    """
    years = {year[0] for label in found.labels if (year := re.search("[0-9]{4}", label))}
    periods = ["month", "quarter", "year"] + ["decade"] * (len(years) > DECADES)
    if covers({"date": periods}, found):  # also months, which have no other form
        return {"date": periods}
    specs = [{"date": periods, "written": form} for form in get_args(DateForm)]
    fitting = [spec for spec in specs if covers(spec, replace(found, labels=found.labels[:1])) and covers(spec, found)]
    return {**fitting[0], "date": periods if len(fitting) == 1 else periods[2:]} if fitting else None


def countries(found: Distribution) -> Spec | None:
    """`country`, or the frequent ones where nearly all records are of one; None where the values are no countries."""
    listed = [is_listed(label) for label in found.labels]
    records = sum(compress(found.counts, listed))
    if records < COUNTRIES * found.records or 2 * sum(listed) < len(listed) or sum(listed) < 2:
        return None
    return common(found) if max(found.counts) >= HOME * found.records else "country"


def common(found: Distribution) -> Spec:
    """The frequent values on each level, and all others as one; `suppress` where too few are frequent.

    All others are two values at least, which at least `NAMED` records hold.
    """
    pairs = zip(found.counts, found.labels, strict=True)
    ranked = sorted((pair for pair in pairs if _can_be_named(pair[1])), key=lambda pair: (-pair[0], pair[1]))
    rest = next((name for name in RESTS if name not in {label.casefold() for label in found.labels}), None)
    frequent = [count for count, _ in ranked[:MOST_NAMED] if count >= NAMED]
    others = [found.records - held for held in accumulate(frequent)]
    most = sum(left >= NAMED for left in others[: max(0, len(found.labels) - 2)])
    shared = [sum(count >= share * found.records for count in frequent) for share in SHARES]
    kept = sorted({min(keep, most) for keep in [*shared, 1]} - {0}, reverse=True)
    if not kept or rest is None:
        return "suppress"
    return {"common": [label for _, label in ranked[: kept[0]]], "keep": kept} | (
        {} if rest == RESTS[0] else {"rest": rest}
    )


def _can_be_named(value: str) -> bool:
    """Whether a policy can hold a value; what was suppressed before is none."""
    return value != STAR and len(value) <= LONGEST_NAME and not FORBIDDEN.search(value)


def _bound(found: Distribution, widths: Sequence[Decimal], side: int) -> Decimal | None:
    """The outermost multiple of a width, of the coarsest that does, beyond which a tail lies; `side` 1: from below."""
    rank = max(1, math.ceil(TAIL * found.records))
    edge = Decimal(found.at(rank if side > 0 else found.records - rank + 1))
    for width in reversed(widths):
        bound = width * (math.floor(edge / width) + (side > 0))
        below = found.below(float(bound))
        if found.is_tail(below if side > 0 else found.records - below, TAIL):
            return bound
    return None


def _merging(found: Distribution, widths: Sequence[Decimal]) -> list[Decimal]:
    """The widths whose intervals are fewer than those before, and more than one."""
    kept, finer = [], len(found.labels)
    for width in widths:
        own = found.groups(float(width))
        if 1 < own < finer:
            kept.append(width)
            finer = own
    return kept


def _round(number: float) -> Decimal:
    """The least of 1, 2 and 5 times a power of ten that is not smaller."""
    exponent = math.floor(math.log10(number))
    digit = next(digit for digit in (1, 2, 5, 10) if digit * 10.0**exponent >= number * (1 - 1e-9))
    return Decimal(digit).scaleb(exponent)


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)


def _given(bounds: Mapping[str, Any]) -> dict[str, int | float]:
    return {key: _plain(Decimal(value)) for key, value in bounds.items() if value is not None}
