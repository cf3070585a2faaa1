"""The least loss by branch and bound: one depth-first walk of the lattice, attribute by attribute.

A branch fixes the levels of the first attributes of the tower's order. Its *finest* node has the others at their least
level; its *hull* leaves them out of the grouping, so it generalizes every node of the branch. A branch is left

* when its hull has too many records in classes that are too small: their number only falls by generalizing;
* when its hull does not solve, where solving is monotone;
* when for some attribute that is not fixed no level will do: with any one of them at its least level, the rest left
  out, a branch generalizes its nodes as well. A level that will not do is raised, in all of the branch;
* when the node that is as coarse as the best loss so far allows each attribute has too many such records: it
  generalizes every node of the branch that could be better;
* when a lower bound of the first metric in it is above the least loss found. A thorough search does not do this: it
  scores every solving node.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from auditor.remediate._evaluate import Evaluator, NodeOutcome, Tables
from auditor.remediate._keys import Rolled
from auditor.remediate._lattice import Node, Sublattice
from auditor.remediate._losses import Losses

RELATIVE_TIE = 1e-12
"""Losses within this of each other, relatively, tie."""

SMALL_TABLE = 100_000
"""So many rows of the finest table are rolled up to a node in milliseconds."""

WORTH_LOOKING_AHEAD = 100
"""In a branch of so many nodes at least it pays to look ahead at each attribute that is not fixed."""

MANY_NODES = 1_000_000
"""A search of so many nodes may take longer than it is given."""
PART = 250_000
"""So many rows are looked at before asking whether they are enough to rule a branch out."""

Score = tuple[float, ...]
"""The values of the metrics, in order."""
Expired = Callable[[], bool]
"""Whether the time is up."""


class _TimeIsUp(Exception):  # noqa: N818  (it ends a walk; it is no error)
    pass


def ties_or_better(loss: float, least: float) -> bool:
    """Whether a loss is at most another, or so near that they tie."""
    return loss <= least * (1 + RELATIVE_TIE)


class Branching:
    """One search for the least loss.

    Args:
        evaluator: decides nodes.
        ranges: the searched levels.
        losses: the metrics over the evaluator's tables.
        metrics: what to minimize, in order.
        monotone: whether solving is kept by generalizing.
        thorough: whether every node is to be decided and every solving one to be scored.
        expired: asked again and again whether to stop.

    Attributes:
        scores: the metrics of the solving nodes that were scored, those of the least loss among them.
        least: the least value of the first metric.
        left_bound: where the time ran out, what the first metric has at least in every node not looked at.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        ranges: Sublattice,
        losses: Losses,
        metrics: Sequence[str],
        *,
        monotone: bool,
        thorough: bool,
        expired: Expired,
    ) -> None:
        self._evaluator = evaluator
        self._ranges = ranges
        self._losses = losses
        self._metrics = metrics
        self._expired = expired
        self._thorough = thorough
        self._tower = evaluator.tower
        self._order = self._tower.order
        self._full_hulls = monotone and not evaluator.size_decides
        self.scores: dict[Node, Score] = {}
        self.least = math.inf
        self.left_bound: float | None = None
        self._cap = math.inf

    def begin(self, scores: Mapping[Node, Score]) -> None:
        """Know the metrics of some solving nodes of the ranges beforehand."""
        self.scores.update(scores)
        self.least = min((score[0] for score in self.scores.values()), default=math.inf)

    def run(self) -> None:
        """Search until nothing better can be left, or the time is up."""
        low, passed = self._ranges.low, -math.inf
        try:
            if not self._thorough:
                self._dive()
            tables = self._evaluator.tables(low)
            for cap in self._caps():
                self._cap = cap
                self._enter(0, tables, low, 0.0)
                passed = cap
                if self.least <= cap:
                    return
        except _TimeIsUp:
            left = self._losses.bound_of(self._metrics[0], low) if self.left_bound is None else self.left_bound
            self.left_bound = max(left, passed)

    def _caps(self) -> Iterator[float]:
        """What a loss may be at most, pass by pass.

        In a large lattice the first pass only shows that nothing is left in the lower half of the gap between the bound
        and the loss found first: it ends long before the second, and is the bound where that does not end.
        """
        if not self._thorough and self._ranges.nodes > MANY_NODES and self.least < math.inf:
            yield (self._losses.bound_of(self._metrics[0], self._ranges.low) + self.least) / 2
        yield math.inf

    # a first solution, to compare with

    def _dive(self) -> None:
        """Find a node that solves, if none is known, then go to better neighbours."""
        found = min(self.scores, key=lambda node: (self.scores[node], node), default=None) or self._first()
        while found is not None:
            found = self._better(found, self._ranges.finer(found)) or self._better(found, self._beside(found))

    def _first(self) -> Node | None:
        """A node that solves, found by bisecting a chain from the finest to the coarsest node."""
        chain = list(self._chain())
        first, last, found = 0, len(chain) - 1, None
        while first <= last:
            middle = (first + last) // 2
            if self._try(chain[middle]) is not None:
                found, last = chain[middle], middle - 1
            else:
                first = middle + 1
        return found

    def _better(self, node: Node, others: Iterable[Node]) -> Node | None:
        """The best of others that solves and is better than a node."""
        scored = [(score, other) for other in others if (score := self._try(other)) is not None]
        score, best = min(scored, default=(self.scores[node], node))
        return best if score < self.scores[node] else None

    def _beside(self, node: Node) -> Iterator[Node]:
        """The nodes with one level more and another one less, where looking at so many is cheap."""
        if len(self._tower.base.counts) <= SMALL_TABLE:
            for coarser in self._ranges.coarser(node):
                yield from (other for other in self._ranges.finer(coarser) if other != node)

    def _chain(self) -> Iterator[Node]:
        low, high = self._ranges.low, self._ranges.high
        for step in range(max(b - a for a, b in zip(low, high, strict=True)) + 1):
            yield tuple(min(a + step, b) for a, b in zip(low, high, strict=True))

    def _try(self, node: Node) -> Score | None:
        self._check_time()
        if node not in self.scores:
            tables = self._evaluator.tables(node)
            self._judged(self._evaluator.decide(node, tables), tables[self._evaluator.first])
        return self.scores.get(node)

    # the walk

    def _enter(self, depth: int, tables: Tables, levels: Node, price: float) -> None:
        """Search a branch of so many fixed attributes, given the tables of its finest node (at these levels)."""
        metric = self._metrics[0]
        if depth == len(self._order):
            self._judged(self._evaluator.decide(levels, tables), tables[self._evaluator.first])
            return
        least = self._least_levels(depth, tables, levels)
        if least is None or not self._worth(self._losses.bound_of(metric, least)):
            return
        tables = self._raised_to(tables, levels, least)
        floor = self._floor(tables)
        if self._worth(floor + price):
            self._branch(depth, tables, least, floor)

    def _floor(self, tables: Tables) -> float:
        """What the first metric has at least at a node with these tables and every generalization of it."""
        if self._thorough:
            return 0.0
        return self._losses.floor_of(self._metrics[0], self._tower.sizes(tables[self._evaluator.first]))

    def _branch(self, depth: int, tables: Tables, levels: Node, floor: float) -> None:
        """Search a branch attribute by attribute.

        `floor` is what the first metric has at least at its finest node and generalizations of it, nothing suppressed.
        """
        i, metric = self._order[depth], self._metrics[0]
        low, high = levels[i], self._ranges.high[i]
        last = depth + 1 == len(self._order)
        hull, at = tables if last else self._hull(tables, depth + 1), low
        for level in range(low, high + 1):
            levels = (*levels[:i], level, *levels[i + 1 :])
            bound = self._losses.bound_of(metric, levels)
            if not self._worth(bound):
                break
            try:
                self._check_time()
                hull = self._raised(hull, i, max(level - 1, low), level, lowest=not (last or self._full_hulls))
                price = self._price(hull, levels, decided=last)
                if price is None or not self._worth(floor + price):
                    continue
                if not last:
                    if not self._may_solve(depth + 1, tables, at, levels):
                        continue
                    tables, at = self._raised(tables, i, at, level), level
                self._enter(depth + 1, hull if last else tables, levels, price)
            except _TimeIsUp:
                left = max(bound, floor)
                self.left_bound = left if self.left_bound is None else min(self.left_bound, left)
                raise

    def _judged(self, outcome: NodeOutcome, table: Rolled) -> None:
        """Score a decided node, if it solves."""
        if outcome.solves and outcome.node not in self.scores:
            score = tuple(self._losses.of(metric, outcome, table) for metric in self._metrics)
            self.scores[outcome.node] = score
            self.least = min(self.least, score[0])

    # what a branch is left for

    def _least_levels(self, depth: int, tables: Tables, levels: Node) -> Node | None:
        """The levels of a branch's finest node that may solve: raised as far as each attribute for itself demands.

        What solves generalizes to the fixed attributes and any one of the others, the rest left out; where that has too
        many records in classes that are too small, the other must be coarser. None where no level of it will do.
        """
        table = tables[self._evaluator.first]
        if len(table.counts) > SMALL_TABLE or self._nodes_below(depth, levels) < WORTH_LOOKING_AHEAD:
            return levels
        ahead = self._tower.ahead(table, depth, levels)
        raised = list(levels)
        for i in self._order[depth:]:
            while self._evaluator.too_small(ahead(i, raised[i])) > self._evaluator.limit:
                raised[i] += 1
                if raised[i] > self._ranges.high[i]:
                    return None
        return tuple(raised)

    def _may_solve(self, depth: int, tables: Tables, at: int, levels: Node) -> bool:
        """Whether something in a branch may solve that is better than what was found.

        Each attribute that is not fixed can only be as coarse as the bound allows with the others at their least
        levels. The node that has all of them as coarse generalizes every node that is worth looking at.

        `tables` are those of the branch's finest node, but for the last fixed attribute, which is at level `at`.
        """
        open_, fixed = self._order[depth:], self._order[depth - 1]
        greatest = {i: self._greatest_level(i, levels) for i in open_}
        if all(greatest[i] == self._ranges.high[i] for i in open_):
            return True
        top = tuple(greatest.get(i, level) for i, level in enumerate(levels))
        here = (*levels[:fixed], at, *levels[fixed + 1 :])
        lost = 0
        for part in self._tower.parts(tables[self._evaluator.first], depth - 1, PART):
            lost += self._evaluator.too_small(self._tower.sizes(self._tower.raised_to(part, here, top)))
            if lost > self._evaluator.limit:
                return False
        return True

    def _greatest_level(self, attribute: int, levels: Node) -> int:
        for level in range(self._ranges.high[attribute], levels[attribute], -1):
            node = (*levels[:attribute], level, *levels[attribute + 1 :])
            if self._worth(self._losses.bound_of(self._metrics[0], node)):
                return level
        return levels[attribute]

    def _nodes_below(self, depth: int, levels: Node) -> int:
        return math.prod(self._ranges.high[i] - levels[i] + 1 for i in self._order[depth:])

    def _hull(self, tables: Tables, depth: int) -> Tables:
        """The tables of a branch's hull; the class sizes alone where nothing else of it decides."""
        if self._full_hulls:
            return {name: tower.above(tables[name], depth) for name, tower in self._evaluator.towers.items()}
        return {self._evaluator.first: self._tower.hull(tables[self._evaluator.first], depth)}

    def _price(self, hull: Tables, levels: Node, *, decided: bool) -> float | None:
        """What suppression costs at least in a branch; None where nothing in it solves. Both by its hull.

        `decided` says that the hull is a node, so that its own decision follows.
        """
        lost = self._evaluator.too_small(self._tower.sizes(hull[self._evaluator.first]))
        if lost > self._evaluator.limit:
            return None
        if self._full_hulls and not decided and not self._evaluator.decide(levels, hull).solves:
            return None
        return self._losses.price_of(self._metrics[0], lost, self._evaluator.limit)

    def _raised(self, tables: Tables, attribute: int, level: int, to: int, *, lowest: bool = False) -> Tables:
        towers = self._evaluator.towers
        return {name: towers[name].raised(table, attribute, level, to, lowest=lowest) for name, table in tables.items()}

    def _raised_to(self, tables: Tables, levels: Node, to: Node) -> Tables:
        return {name: self._evaluator.towers[name].raised_to(table, levels, to) for name, table in tables.items()}

    def _worth(self, bound: float) -> bool:
        """Whether something with this lower bound is to be looked at."""
        return self._thorough or ties_or_better(bound, min(self.least, self._cap))

    def _check_time(self) -> None:
        if self._expired():
            raise _TimeIsUp
