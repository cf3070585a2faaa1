"""Searching a lattice for solving nodes: exact, and pruning only by what the demands grant in the setting asked for."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from auditor.errors import UsageError
from auditor.policy.remediation import Remediation
from auditor.remediate._evaluate import Evaluator, Outcome
from auditor.remediate._lattice import Node, Ranges, minimal
from auditor.remediate._losses import Losses
from auditor.remediate._problem import Problem
from auditor.remediate._rollup import Rolled

EXHAUSTIVE_NODES = 50_000
"""Up to so many nodes, evaluating each (rolled up from its neighbour) costs less than deciding which to skip."""
RELATIVE_TIE = 1e-12
"""Losses within this of each other, relatively, tie."""


Score = tuple[float, ...]
"""The values of the metrics, in order."""


@dataclass
class Found:
    """What a search found.

    Args:
        best: the solving nodes of the least loss (samarati: of the least height; incognito: all minimal ones).
        loss: the least loss, where a metric was minimized.
        minimal: every minimal generalization, where the search knows them all.
        solving: how many nodes solve, where every node was decided.
        evaluated: how many nodes were evaluated; the others were decided by monotonicity.
        known: whether a node solves, for every node that was decided.
        scores: the metrics of the solving nodes that were scored.
    """

    best: list[Node] = field(default_factory=list)
    loss: float | None = None
    minimal: list[Node] | None = None
    solving: int | None = None
    evaluated: int = 0
    known: Mapping[Node, bool] = field(default_factory=dict)
    scores: Mapping[Node, Score] = field(default_factory=dict)


class Decisions:
    """Which nodes solve: evaluated, or known from others where solving is monotone."""

    def __init__(self, evaluator: Evaluator, ranges: Ranges) -> None:
        self.evaluator = evaluator
        self.ranges = ranges
        self.known: dict[Node, bool] = {}

    def solves(self, node: Node) -> bool:
        """Whether a node solves; every node that it decides by monotonicity is decided with it."""
        if node not in self.known:
            self._spread(node, self.evaluator.at(node).solves)
        return self.known[node]

    def _spread(self, node: Node, solving: bool) -> None:
        step = self.ranges.coarser if solving else self.ranges.finer
        waiting = [node]
        while waiting:
            here = waiting.pop()
            if here not in self.known:
                self.known[here] = solving
                waiting.extend(step(here))

    def decide_all(self) -> None:
        """Decide every node, bisecting chains from the finest undecided node upwards (after Flash)."""
        for height in range(sum(self.ranges.low), sum(self.ranges.high) + 1):
            for node in self.ranges.at_height(height):
                if node not in self.known:
                    self._bisect(self._chain(node))

    def _chain(self, node: Node) -> list[Node]:
        """A path of undecided nodes upwards."""
        chain = [node]
        while True:
            following = next((n for n in self.ranges.coarser(chain[-1]) if n not in self.known), None)
            if following is None:
                return chain
            chain.append(following)

    def _bisect(self, chain: list[Node]) -> None:
        low, high = 0, len(chain) - 1
        while low <= high:
            middle = (low + high) // 2
            if self.solves(chain[middle]):
                high = middle - 1
            else:
                low = middle + 1


def all_nodes(evaluator: Evaluator, ranges: Ranges, *, fully: bool = False) -> Iterator[tuple[Outcome, Rolled]]:
    """Evaluate every node, through all rounds where `fully`; each table is rolled up from one a level finer."""
    walks = [tower.walk(ranges) for tower in evaluator.towers.values()]
    for steps in zip(*walks, strict=True):
        tables = {name: table for name, (_, table) in zip(evaluator.towers, steps, strict=True)}
        yield evaluator.decide(steps[0][0], tables, fully=fully), tables[evaluator.first]


def search(problem: Problem, settings: Remediation) -> Found:
    """Run the search that a policy names.

    Raises:
        UsageError: the search needs monotonicity, and a requirement does not grant it in the setting asked for.
    """
    metrics = (settings.objective,) if isinstance(settings.objective, str) else settings.objective
    if settings.search == "optimal":
        if problem.monotone and problem.ranges.nodes > EXHAUSTIVE_NODES:
            return optimal(problem.evaluator, problem.ranges, problem.losses, metrics)
        return exhaustive(problem.evaluator, problem.ranges, problem.losses, metrics)
    if problem.not_monotone:
        raise UsageError(
            f"search: {settings.search} needs requirements that generalizing keeps, and "
            f"{', '.join(problem.not_monotone)} is not in the setting asked for; use search: optimal"
        )
    strategy = samarati if settings.search == "samarati" else incognito
    return strategy(problem.evaluator, problem.ranges)


def samarati(evaluator: Evaluator, ranges: Ranges) -> Found:
    """All solving nodes of the least height, by binary search over heights (Samarati 2001); needs monotonicity."""
    decisions = Decisions(evaluator, ranges)
    low, high = sum(ranges.low), sum(ranges.high)
    best: list[Node] = []
    while low <= high:
        middle = (low + high) // 2
        solving = [node for node in ranges.at_height(middle) if decisions.solves(node)]
        if solving:
            best, high = solving, middle - 1
        else:
            low = middle + 1
    return Found(best, evaluated=evaluator.evaluated, known=decisions.known)


def incognito(evaluator: Evaluator, ranges: Ranges) -> Found:
    """All minimal generalizations, levelwise over subsets of the quasi-identifiers (LeFevre et al. 2005).

    A node of a subset that fails makes every node fail that is no coarser on the subset: fewer grouping columns mean
    larger classes. So the nodes of a subset of i + 1 attributes are joined from the surviving nodes of its subsets of
    i (Apriori), and only nodes all of whose projections survived are evaluated; a node that solves decides its
    generalizations.
    """
    width = len(ranges.low)
    surviving: dict[tuple[int, ...], set[Node]] = {(): {()}}
    for size in range(1, width + 1):
        level: dict[tuple[int, ...], set[Node]] = {}
        for attributes in combinations(range(width), size):
            part = Ranges(tuple(ranges.low[i] for i in attributes), tuple(ranges.high[i] for i in attributes))
            level[attributes] = _surviving(evaluator, attributes, part, surviving)
        surviving = level
    nodes = surviving[tuple(range(width))]
    known = {node: node in nodes for node in ranges}
    least = minimal(nodes)
    return Found(least, minimal=least, solving=len(nodes), evaluated=evaluator.evaluated, known=known)


def _surviving(
    evaluator: Evaluator, attributes: tuple[int, ...], part: Ranges, smaller: dict[tuple[int, ...], set[Node]]
) -> set[Node]:
    """The solving nodes of one subset of attributes, among those whose projections all survived."""
    solving: set[Node] = set()
    for height in range(sum(part.low), sum(part.high) + 1):
        for node in part.at_height(height):
            if any(finer in solving for finer in part.finer(node)) or (
                _projections_survive(node, attributes, smaller) and evaluator.at_subset(attributes, node).solves
            ):
                solving.add(node)
    return solving


def _projections_survive(node: Node, attributes: tuple[int, ...], smaller: dict[tuple[int, ...], set[Node]]) -> bool:
    return all(
        (*node[:i], *node[i + 1 :]) in smaller[(*attributes[:i], *attributes[i + 1 :])] for i in range(len(attributes))
    )


def optimal(evaluator: Evaluator, ranges: Ranges, losses: Losses, metrics: Sequence[str]) -> Found:
    """The solving nodes of the least loss; solving is monotone.

    Minimal solving nodes first; from them upwards, as long as a lower bound of the first metric leaves a chance. The
    bound is the metric without suppression, which only grows upwards: from the columns alone where the metric is a sum
    over them, else from the node's own class sizes.
    """
    decisions = Decisions(evaluator, ranges)
    decisions.decide_all()
    solving = [node for node, solves in decisions.known.items() if solves]
    found = Found(minimal=minimal(solving), solving=len(solving), known=decisions.known)
    waiting, seen = deque(found.minimal or ()), set(found.minimal or ())
    scores: dict[Node, Score] = {}
    least = math.inf
    while waiting:
        node = waiting.popleft()
        if not _ties_or_better(losses.bound_of(metrics[0], node), least):
            continue
        tables = evaluator.tables(node)
        outcome = evaluator.decide(node, tables)
        scores[node] = _score(losses, metrics, outcome, tables[evaluator.first])
        least = min(least, scores[node][0])
        if _ties_or_better(max(losses.bound_of(metrics[0], node), losses.floor_of(metrics[0], outcome)), least):
            fresh = [n for n in ranges.coarser(node) if n not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
    return _concluded(found, scores, evaluator)


def exhaustive(evaluator: Evaluator, ranges: Ranges, losses: Losses, metrics: Sequence[str]) -> Found:
    """The solving nodes of the least loss, every node evaluated; needs nothing to be monotone."""
    known: dict[Node, bool] = {}
    scores: dict[Node, Score] = {}
    for outcome, table in all_nodes(evaluator, ranges):
        known[outcome.node] = outcome.solves
        if outcome.solves:
            scores[outcome.node] = _score(losses, metrics, outcome, table)
    return _concluded(Found(minimal=minimal(scores), solving=len(scores), known=known), scores, evaluator)


def _score(losses: Losses, metrics: Sequence[str], outcome: Outcome, table: Rolled) -> Score:
    return tuple(losses.of(metric, outcome, table) for metric in metrics)


def _concluded(found: Found, scores: dict[Node, Score], evaluator: Evaluator) -> Found:
    """Keep the nodes of the least loss: by the first metric, ties by the next."""
    best = list(scores)
    for place in range(len(next(iter(scores.values()), ()))):
        least = min(scores[node][place] for node in best)
        best = [node for node in best if _ties_or_better(scores[node][place], least)]
    found.best = sorted(best)
    found.loss = scores[found.best[0]][0] if found.best else None
    found.scores = scores
    found.evaluated = evaluator.evaluated
    return found


def _ties_or_better(loss: float, least: float) -> bool:
    return loss <= least or loss <= least * (1 + RELATIVE_TIE)
