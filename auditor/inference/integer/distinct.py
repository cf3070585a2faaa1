"""Distinct whole numbers under sums and extremes, by search: which of them have one value in every way to give values.

Every unknown is a record of its own here. Ends are narrowed by each sum (what the others leave), by each extreme, by
the order that may be asked of unknowns which nothing tells apart, and by taken values. A set of unknowns with fewer
numbers between their ends than there are of them has no solution, which serving the earliest end first shows (Hall
1935). What is left is split at a value, until nothing or one value of each is left. So "there is no other" is a proof;
where the effort does not suffice nothing is said. To decide is NP-hard, and this is for small systems.
"""

from __future__ import annotations

import heapq
import math
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

EFFORT = 20_000
"""So many times ends are narrowed for all unknowns together."""
_PASSES = 50
"""Narrowing goes on for so long at a time; ends that creep are split instead."""
EndLists = tuple[list[float], list[float]]
"""The low and the high end of every unknown: whole numbers, or ±∞."""


@dataclass(frozen=True)
class DistinctSystem:
    """Unknowns by number: their ends (None is no end), kinds within which values are distinct, sums and extremes.

    A sum is unknown → coefficient, and what it comes to; an extreme the unknowns, and the answer.
    """

    ends: Sequence[tuple[int | None, int | None]]
    kinds: Sequence[int]
    sums: Sequence[tuple[Mapping[int, int], int]]
    extremes: Sequence[tuple[Literal["max", "min"], Sequence[int], int]]


class EffortSpent(Exception):  # noqa: N818
    """The effort or the time did not suffice."""


class DistinctSearch:
    """Searches one system; `near` are values that solutions are looked for around, such as the true ones."""

    def __init__(
        self, system: DistinctSystem, near: Sequence[int], *, effort: int = EFFORT, deadline: float = math.inf
    ) -> None:
        self._system = system
        self._near = near
        self._left = effort
        self._deadline = deadline
        self._least: list[int] = []
        self._most: list[int] = []
        self._alike = _alike(system)

    def begin(self) -> bool:
        """Find a first solution; whether there is one.

        Raises:
            Spent: it was not found, nor that there is none.
        """
        return self._solution({}) is not None

    def span(self, unknown: int, wide: int = 1) -> tuple[int, int]:
        """Values that an unknown can have: the least and the greatest one, or two that are `wide` apart.

        Raises:
            Spent: that was not decided.
        """
        for sign in (-1, 1):
            reached, step = self._end(unknown, sign), 1
            while step and self._most[unknown] - self._least[unknown] < wide:
                if self._beyond(unknown, reached + sign * step, sign):
                    reached, step = self._end(unknown, sign), step * 2
                else:
                    step //= 2
        return self._least[unknown], self._most[unknown]

    def _end(self, unknown: int, sign: int) -> int:
        return self._most[unknown] if sign > 0 else self._least[unknown]

    def _beyond(self, unknown: int, value: int, sign: int) -> bool:
        ends: tuple[float, float] = (value, math.inf) if sign > 0 else (-math.inf, value)
        return self._solution({unknown: ends}) is not None

    def _solution(self, within: Mapping[int, tuple[float, float]]) -> list[int] | None:
        """A solution, by depth first; what it shows of every unknown is kept."""
        low = [-math.inf if end is None else end for end, _ in self._system.ends]
        high = [math.inf if end is None else end for _, end in self._system.ends]
        for unknown, (least, most) in within.items():
            low[unknown], high[unknown] = max(low[unknown], least), min(high[unknown], most)
        chains = [[each for each in chain if each not in within] for chain in self._alike]
        stack: list[EndLists] = [(low, high)]
        while stack:
            low, high = stack.pop()
            self._left -= 1
            if self._left < 0 or time.monotonic() > self._deadline:
                raise EffortSpent
            if not self._narrow(low, high, chains):
                continue
            open_ = [unknown for unknown in range(len(low)) if low[unknown] < high[unknown]]
            if not open_:
                found = [int(value) for value in low]
                if self._is_solution(found):
                    self._note(found)
                    return found
                continue
            stack.extend(self._split(low, high, min(open_, key=lambda unknown: high[unknown] - low[unknown])))
        return None

    def _is_solution(self, found: Sequence[int]) -> bool:
        """Whether values solve everything but the ends, which hold already."""
        system = self._system
        return (
            len(set(zip(system.kinds, found, strict=True))) == len(found)
            and all(sum(w * found[u] for u, w in coefficients.items()) == total for coefficients, total in system.sums)
            and all(
                (max if which == "max" else min)(found[u] for u in members) == answer
                for which, members, answer in system.extremes
            )
        )

    def _note(self, found: list[int]) -> None:
        self._least = [min(pair) for pair in zip(self._least, found, strict=True)] if self._least else list(found)
        self._most = [max(pair) for pair in zip(self._most, found, strict=True)] if self._most else list(found)

    def _split(self, low: list[float], high: list[float], unknown: int) -> Iterable[EndLists]:
        """Below a value, above it, and the value, which is tried first: the one next to the true one."""
        value = int(min(max(self._near[unknown], low[unknown]), high[unknown]))
        for least, most in ((low[unknown], value - 1), (value + 1, high[unknown]), (value, value)):
            if least <= most:
                ends = list(low), list(high)
                ends[0][unknown], ends[1][unknown] = least, most
                yield ends

    def _narrow(self, low: list[float], high: list[float], chains: Sequence[Sequence[int]]) -> bool:
        """Narrow the ends in place; False where nothing is left."""
        for _ in range(_PASSES):
            before = [*low, *high]
            for coefficients, total in self._system.sums:
                _narrow_sum(coefficients, total, low, high)
            for which, members, answer in self._system.extremes:
                if not _narrow_extreme(which, members, answer, low, high):
                    return False
            for chain in chains:
                for one, other in pairwise(chain):
                    low[other] = max(low[other], low[one] + 1)
                for one, other in zip(chain[-2::-1], chain[:0:-1], strict=True):
                    high[one] = min(high[one], high[other] - 1)
            if any(least > most for least, most in zip(low, high, strict=True)):
                return False
            if not self._leave_taken(low, high) or not self._enough_numbers(low, high):
                return False
            if [*low, *high] == before:
                return True
        return True

    def _leave_taken(self, low: list[float], high: list[float]) -> bool:
        """Move ends off values that others have."""
        taken: dict[tuple[int, float], int] = {}
        for unknown, kind in enumerate(self._system.kinds):
            if low[unknown] == high[unknown] and taken.setdefault((kind, low[unknown]), unknown) != unknown:
                return False
        for unknown, kind in enumerate(self._system.kinds):
            while taken.get((kind, low[unknown]), unknown) != unknown:
                low[unknown] += 1
            while taken.get((kind, high[unknown]), unknown) != unknown:
                high[unknown] -= 1
            if low[unknown] > high[unknown]:
                return False
        return True

    def _enough_numbers(self, low: list[float], high: list[float]) -> bool:
        """Whether every unknown finds a number of its own between its ends, the sums aside."""
        for kind in set(self._system.kinds):
            bounded = [
                (low[unknown], high[unknown])
                for unknown, own in enumerate(self._system.kinds)
                if own == kind and -math.inf < low[unknown] and high[unknown] < math.inf
            ]
            waiting: list[float] = []
            at, queue = -math.inf, sorted(bounded, reverse=True)
            while queue or waiting:
                at = at if waiting else max(at, queue[-1][0])
                while queue and queue[-1][0] <= at:
                    heapq.heappush(waiting, queue.pop()[1])
                if heapq.heappop(waiting) < at:
                    return False
                at += 1
        return True


def _alike(system: DistinctSystem) -> list[list[int]]:
    """Unknowns that nothing tells apart: a solution is one in every order of theirs."""
    signs: dict[int, list[object]] = defaultdict(list)
    for row, (coefficients, _) in enumerate(system.sums):
        for unknown, weight in coefficients.items():
            signs[unknown].append((row, weight))
    for place, (_, members, _) in enumerate(system.extremes):
        for unknown in members:
            signs[unknown].append(place)
    groups: dict[object, list[int]] = defaultdict(list)
    for unknown, (kind, ends) in enumerate(zip(system.kinds, system.ends, strict=True)):
        groups[kind, ends, tuple(signs[unknown])].append(unknown)
    return [group for group in groups.values() if len(group) > 1]


def _narrow_sum(coefficients: Mapping[int, int], total: int, low: list[float], high: list[float]) -> None:
    """Each unknown times its coefficient is what the others, at their ends, leave of the total."""
    least = {u: w * (low[u] if w > 0 else high[u]) for u, w in coefficients.items()}
    most = {u: w * (high[u] if w > 0 else low[u]) for u, w in coefficients.items()}
    for unknown, weight in coefficients.items():
        up = total - sum(value for other, value in least.items() if other != unknown)
        down = total - sum(value for other, value in most.items() if other != unknown)
        first, last = (down, up) if weight > 0 else (up, down)
        if math.isfinite(first):
            low[unknown] = max(low[unknown], -(-int(first) // weight))
        if math.isfinite(last):
            high[unknown] = min(high[unknown], int(last) // weight)


def _narrow_extreme(
    which: Literal["max", "min"], members: Sequence[int], answer: int, low: list[float], high: list[float]
) -> bool:
    """Nobody is beyond the answer, and somebody has it."""
    for unknown in members:
        if which == "max":
            high[unknown] = min(high[unknown], answer)
        else:
            low[unknown] = max(low[unknown], answer)
    able = [unknown for unknown in members if low[unknown] <= answer <= high[unknown]]
    if len(able) == 1:
        low[able[0]] = high[able[0]] = answer
    return bool(able)
