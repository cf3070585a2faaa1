"""The least loss by branch and bound: one depth-first walk of the lattice, attribute by attribute.

A branch fixes the levels of the first attributes of the tower's order; its *finest* node has the others at their least
level, its *hull* leaves them out of the grouping, so it generalizes every node of the branch. A branch is left

* when its hull has too many records in classes that are too small: this only falls by generalizing, whatever the demands;
* when its hull does not solve, where solving is monotone;
* when a lower bound of the first metric at its finest node is above the least loss found.

Where the lattice is small enough to remember, each node is decided all the same: a branch that costs too much is
searched for what solves, and solves as a whole when its finest node does (where solving is monotone).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from auditor.remediate._evaluate import Evaluator, Outcome, Tables
from auditor.remediate._lattice import Node, Ranges
from auditor.remediate._losses import Losses
from auditor.remediate._rollup import Rolled

RELATIVE_TIE = 1e-12
"""Losses within this of each other, relatively, tie."""
REMEMBERED_NODES = 200_000
"""Of a lattice of more nodes it is not remembered which of them solve."""

Score = tuple[float, ...]
"""The values of the metrics, in order."""
Expired = Callable[[], bool]
"""Whether the time is up."""
FAILS, SOLVES, UNDECIDED = 0, 1, 2


class _TimeIsUp(Exception):
    pass


class Branching:
    """One search for the least loss.

    Attributes:
        scores: the metrics of the solving nodes that were worth scoring.
        least: the least value of the first metric so far.
        open_bound: where the time ran out, what the first metric has at least in every node not looked at.
        decided: uint8 by node, in the order of the tower's attributes: FAILS, SOLVES or UNDECIDED; None where the
            lattice is too large.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        ranges: Ranges,
        losses: Losses,
        metrics: Sequence[str],
        *,
        monotone: bool,
        expired: Expired,
    ) -> None:
        self._evaluator = evaluator
        self._ranges = ranges
        self._losses = losses
        self._metrics = metrics
        self._monotone = monotone
        self._expired = expired
        self._tower = evaluator.tower
        self._order = self._tower.order
        self._full_hulls = monotone and not evaluator.size_decides
        self.scores: dict[Node, Score] = {}
        self.least = math.inf
        self.open_bound: float | None = None
        shape = [ranges.high[i] - ranges.low[i] + 1 for i in self._order]
        small = ranges.nodes <= REMEMBERED_NODES
        self.decided: NDArray[np.uint8] | None = np.full(shape, UNDECIDED, dtype=np.uint8) if small else None

    def run(self) -> None:
        """Search until nothing better can be left, or the time is up."""
        try:
            self._dive()
            self._branch(0, self._evaluator.tables(self._ranges.low), list(self._ranges.low), wanted=True)
        except _TimeIsUp:
            if self.open_bound is None:
                self.open_bound = self._bound(self._ranges.low)

    # a first solution

    def _dive(self) -> None:
        """Find a good solving node soon: bisect a chain from the finest to the coarsest node, then descend greedily."""
        low, high = self._ranges.low, self._ranges.high
        chain = [tuple(min(a + step, b) for a, b in zip(low, high, strict=True)) for step in range(self._steps() + 1)]
        first, last, found = 0, len(chain) - 1, None
        while first <= last:
            middle = (first + last) // 2
            if self._try(chain[middle]) is not None:
                found, last = chain[middle], middle - 1
            else:
                first = middle + 1
        while found is not None:
            finer = [(score, node) for node in self._ranges.finer(found) if (score := self._try(node)) is not None]
            here = self.scores[found]
            score, node = min(finer, default=(here, found))
            found = node if score < here else None

    def _steps(self) -> int:
        return max(high - low for low, high in zip(self._ranges.low, self._ranges.high, strict=True))

    def _try(self, node: Node) -> Score | None:
        if node in self.scores:
            return self.scores[node]
        self._check_time(node)
        tables = self._evaluator.tables(node)
        return self._judged(self._evaluator.decide(node, tables), tables[self._evaluator.first])

    # the walk

    def _branch(self, depth: int, tables: Tables, levels: list[int], *, wanted: bool) -> None:
        """Search below a branch of so many fixed attributes, given the tables of its finest node.

        `wanted`: whether something in it may be worth its loss; else its nodes are only decided.
        """
        i = self._order[depth]
        low, high = self._ranges.low[i], self._ranges.high[i]
        sized = depth + 1 == len(self._order) and self._evaluator.size_decides
        hull, at, solves = self._hull(tables, depth + 1), low, False
        for level in range(low, high + 1):
            levels[i] = level
            wanted = wanted and self._worth(self._bound(levels))
            if not wanted and self.decided is None:
                break
            if solves and not wanted:
                self._mark(depth, levels, SOLVES)
                continue
            hull = self._raised(hull, i, max(level - 1, low), level, lowest=True)
            if self._fails(hull, levels):
                self._mark(depth, levels, FAILS)
                continue
            if not sized:
                tables, at = self._raised(tables, i, at, level), level
            solves = self._visit(depth + 1, hull if sized else tables, levels, wanted=wanted)
        levels[i] = low

    def _visit(self, depth: int, tables: Tables, levels: list[int], *, wanted: bool) -> bool:
        """Look at the finest node of a branch, then below it; whether all of the branch is known to solve."""
        self._check_time(levels)
        table = tables[self._evaluator.first]
        if depth == len(self._order):
            return self._leaf(tables, levels, wanted=wanted) and self._monotone
        solves = self._monotone and (self._evaluator.size_decides or not wanted) and self._solves(tables, levels)
        if solves:
            self._mark(depth - 1, levels, SOLVES)
        sizes = self._tower.sizes(table)
        wanted = wanted and self._worth(self._losses.floor_of(self._metrics[0], sizes))
        if wanted or not (solves or self.decided is None):
            self._branch(depth, tables, levels, wanted=wanted)
        return solves

    def _leaf(self, tables: Tables, levels: list[int], *, wanted: bool) -> bool:
        node = tuple(levels)
        outcome = self._evaluator.decide(node, tables)
        self._mark(len(levels) - 1, levels, SOLVES if outcome.solves else FAILS)
        if wanted and node not in self.scores:
            self._judged(outcome, tables[self._evaluator.first])
        return outcome.solves

    def _judged(self, outcome: Outcome, table: Rolled) -> Score | None:
        """The score of a decided node, if it solves."""
        if not outcome.solves:
            return None
        score = tuple(self._losses.of(metric, outcome, table) for metric in self._metrics)
        self.scores[outcome.node] = score
        self.least = min(self.least, score[0])
        return score

    # what a branch is left for

    def _hull(self, tables: Tables, depth: int) -> Tables:
        """The tables of a branch's hull; the class sizes alone where those decide, or nothing else is monotone."""
        if self._full_hulls:
            return {name: tower.above(tables[name], depth) for name, tower in self._evaluator.towers.items()}
        return {self._evaluator.first: self._tower.hull(tables[self._evaluator.first], depth)}

    def _fails(self, hull: Tables, levels: list[int]) -> bool:
        """Whether no node of a branch solves, by its hull."""
        if self._full_hulls:
            return not self._evaluator.decide(tuple(levels), hull).solves
        return self._evaluator.too_small(hull[self._evaluator.first].counts) > self._evaluator.limit

    def _solves(self, tables: Tables, levels: list[int]) -> bool:
        if self._evaluator.size_decides:
            sizes = tables[self._evaluator.first].counts
            return self._evaluator.too_small(sizes) <= self._evaluator.limit
        return self._evaluator.decide(tuple(levels), tables).solves

    def _raised(self, tables: Tables, attribute: int, level: int, to: int, *, lowest: bool = False) -> Tables:
        lowest = lowest and not self._full_hulls
        return {
            name: self._evaluator.towers[name].raised(table, attribute, level, to, lowest=lowest)
            for name, table in tables.items()
        }

    def _bound(self, levels: Sequence[int]) -> float:
        return self._losses.bound_of(self._metrics[0], levels)

    def _worth(self, bound: float) -> bool:
        """Whether something with this lower bound may be as good as the best."""
        return bound <= self.least * (1 + RELATIVE_TIE)

    def _mark(self, depth: int, levels: Sequence[int], decision: int) -> None:
        """Remember what became of every node that shares the levels of the attributes up to this depth."""
        if self.decided is not None:
            self.decided[tuple(levels[i] - self._ranges.low[i] for i in self._order[: depth + 1])] = decision

    def _check_time(self, levels: Sequence[int]) -> None:
        if self._expired():
            raise _TimeIsUp
