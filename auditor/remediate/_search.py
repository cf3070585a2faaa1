"""Searching a lattice for solving nodes: exact, and pruning only by what the demands grant in the setting asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from auditor.engines import RunLimits
from auditor.errors import OutOfTime, UsageError
from auditor.policy.remediation import Remediation
from auditor.remediate._branch import Branching, Expired, Score, ties_or_better
from auditor.remediate._costs import Cost, costs
from auditor.remediate._evaluate import Evaluator, NodeOutcome
from auditor.remediate._keys import Rolled
from auditor.remediate._lattice import Node, Sublattice, minimal
from auditor.remediate._losses import Losses
from auditor.remediate._problem import SearchProblem

EXHAUSTIVE_NODES = 50_000
"""Of a lattice of more nodes not every one is decided."""
EXHAUSTIVE_WORK = 2**30
"""Nor where the nodes times the rows of the finest table are more: some seconds of rolling up."""
REMEMBERED_NODES = 1_000_000
"""Samarati and Incognito remember nodes; a larger lattice is not for them."""
SEARCH_SHARE = 0.8
"""The share of the time left that a search may take; the rest is for writing and auditing the release."""


@dataclass
class SearchResult:
    """What a search found.

    Args:
        best: the solving nodes of the least loss (samarati: of the least height; incognito: all minimal ones, until
            they are weighed).
        loss: the least loss, where a metric was minimized.
        minimal: every minimal generalization, where the search knows them all.
        solving: how many nodes solve, where every node was decided.
        evaluated: how many nodes were evaluated; the others were decided by monotonicity.
        known: whether a node solves, for the nodes that were decided and are remembered.
        scores: the metrics of the solving nodes that were scored.
        costs: for each quasi-identifier the least loss with it at its finest level, where that was searched for.
        bound: where the time ran out before the least loss was proved, what every node not looked at loses at least.
    """

    best: list[Node] = field(default_factory=list)
    loss: float | None = None
    minimal: list[Node] | None = None
    solving: int | None = None
    evaluated: int = 0
    known: Mapping[Node, bool] = field(default_factory=dict)
    scores: Mapping[Node, Score] = field(default_factory=dict)
    bound: float | None = None
    costs: tuple[Cost, ...] = ()


class Decisions:
    """Which nodes solve: evaluated, or known from others; solving is monotone."""

    def __init__(self, evaluator: Evaluator, ranges: Sublattice, expired: Expired) -> None:
        self.evaluator = evaluator
        self.ranges = ranges
        self.known: dict[Node, bool] = {}
        self._expired = expired

    def solves(self, node: Node) -> bool:
        """Whether a node solves; every node that it decides by monotonicity is decided with it."""
        if node not in self.known:
            check_time(self._expired)
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


def check_time(expired: Expired) -> None:
    """Raise `OutOfTime` for a search that has nothing to show before its end."""
    if expired():
        raise OutOfTime("the time limit was reached before the search found a release; nothing was written")


def all_nodes(evaluator: Evaluator, ranges: Sublattice, *, fully: bool = False) -> Iterator[tuple[NodeOutcome, Rolled]]:
    """Evaluate every node, through all rounds where `fully`; each table is rolled up from one a level finer."""
    walks = [tower.walk(ranges) for tower in evaluator.towers.values()]
    for steps in zip(*walks, strict=True):
        tables = {name: table for name, (_, table) in zip(evaluator.towers, steps, strict=True)}
        yield evaluator.decide(steps[0][0], tables, fully=fully), tables[evaluator.first]


def _never() -> bool:
    return False


def search(problem: SearchProblem, settings: Remediation, limits: RunLimits | None = None) -> SearchResult:
    """Run the search that a policy names, in at most `SEARCH_SHARE` of the time that is left.

    Raises:
        UsageError: the search needs monotonicity, and a requirement does not grant it in the setting asked for; or the
            lattice is too large for it.
        OutOfTime: the time was up before anything was found.
    """
    expired = _timer(limits)
    metrics = (settings.objective,) if isinstance(settings.objective, str) else settings.objective
    if settings.search == "optimal":
        given = problem.evaluator, problem.ranges, problem.losses, metrics
        found = optimal(*given, monotone=problem.monotone, expired=expired)
        if found.best and found.solving is None:
            found.costs = costs(
                *given, monotone=problem.monotone, scores=found.scores, proved=found.bound is None, expired=expired
            )
        return found
    if problem.not_monotone:
        raise UsageError(
            f"search: {settings.search} needs requirements that generalizing keeps, and "
            f"{', '.join(problem.not_monotone)} is not in the setting asked for; use search: optimal"
        )
    if problem.ranges.nodes > REMEMBERED_NODES:
        raise UsageError(
            f"search: {settings.search} remembers every node, and {problem.ranges.nodes:,} are more than "
            f"{REMEMBERED_NODES:,}; use search: optimal, or restrict the levels with remediation.levels"
        )
    if settings.search == "samarati":
        return samarati(problem.evaluator, problem.ranges, expired)
    return weighed(
        incognito(problem.evaluator, problem.ranges, expired), problem.evaluator, problem.losses, metrics, expired
    )


def weighed(
    found: SearchResult, evaluator: Evaluator, losses: Losses, metrics: Sequence[str], expired: Expired = _never
) -> SearchResult:
    """What a search found, with the metrics of every solving node, and as the best those of the least loss."""
    scores: dict[Node, Score] = {}
    for node in (node for node, solves in found.known.items() if solves):
        check_time(expired)
        tables = evaluator.tables(node)
        outcome = evaluator.decide(node, tables)
        scores[node] = tuple(losses.of(metric, outcome, tables[evaluator.first]) for metric in metrics)
    best = _concluded(scores, evaluator)
    return replace(found, best=best.best, loss=best.loss, scores=scores)


def _timer(limits: RunLimits | None) -> Expired:
    left = None if limits is None else limits.remaining()
    if limits is None or left is None:
        return _never
    reserve = left * (1 - SEARCH_SHARE)
    return lambda: (limits.remaining() or 0.0) <= reserve


def samarati(evaluator: Evaluator, ranges: Sublattice, expired: Expired = _never) -> SearchResult:
    """All solving nodes of the least height, by binary search over heights (Samarati 2001); needs monotonicity."""
    decisions = Decisions(evaluator, ranges, expired)
    low, high = sum(ranges.low), sum(ranges.high)
    best: list[Node] = []
    while low <= high:
        middle = (low + high) // 2
        solving = [node for node in ranges.at_height(middle) if decisions.solves(node)]
        if solving:
            best, high = solving, middle - 1
        else:
            low = middle + 1
    return SearchResult(best, evaluated=evaluator.evaluated, known=decisions.known)


def incognito(evaluator: Evaluator, ranges: Sublattice, expired: Expired = _never) -> SearchResult:
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
            part = Sublattice(tuple(ranges.low[i] for i in attributes), tuple(ranges.high[i] for i in attributes))
            level[attributes] = _surviving(evaluator, attributes, part, surviving, expired)
        surviving = level
    nodes = surviving[tuple(range(width))]
    known = {node: node in nodes for node in ranges}
    least = minimal(nodes, ranges)
    return SearchResult(least, minimal=least, solving=len(nodes), evaluated=evaluator.evaluated, known=known)


def _surviving(
    evaluator: Evaluator,
    attributes: tuple[int, ...],
    part: Sublattice,
    smaller: Mapping[tuple[int, ...], set[Node]],
    expired: Expired,
) -> set[Node]:
    """The solving nodes of one subset of attributes, among those whose projections all survived."""
    solving: set[Node] = set()
    for height in range(sum(part.low), sum(part.high) + 1):
        for node in part.at_height(height):
            check_time(expired)
            if any(finer in solving for finer in part.finer(node)) or (
                _projections_survive(node, attributes, smaller) and evaluator.at_subset(attributes, node).solves
            ):
                solving.add(node)
    return solving


def _projections_survive(node: Node, attributes: tuple[int, ...], smaller: Mapping[tuple[int, ...], set[Node]]) -> bool:
    return all(
        (*node[:i], *node[i + 1 :]) in smaller[(*attributes[:i], *attributes[i + 1 :])] for i in range(len(attributes))
    )


def optimal(
    evaluator: Evaluator,
    ranges: Sublattice,
    losses: Losses,
    metrics: Sequence[str],
    *,
    monotone: bool,
    thorough: bool | None = None,
    expired: Expired = _never,
) -> SearchResult:
    """The solving nodes of the least loss, by branch and bound.

    `thorough` decides every node and scores every one that solves; by default where that takes seconds at most. Then
    everything about the lattice is known.

    Raises:
        OutOfTime: the time was up before anything was found.
    """
    if thorough is None:
        work = ranges.nodes * len(evaluator.tower.base.counts) * evaluator.effort
        thorough = ranges.nodes <= EXHAUSTIVE_NODES and work <= EXHAUSTIVE_WORK
    walk = Branching(evaluator, ranges, losses, metrics, monotone=monotone, thorough=thorough, expired=expired)
    walk.run()
    if walk.left_bound is not None and not walk.scores:
        check_time(expired)
    found = _concluded(walk.scores, evaluator)
    if walk.left_bound is not None and ties_or_better(walk.left_bound, walk.least):
        found.bound = walk.left_bound
    elif thorough:
        found.minimal, found.solving = minimal(walk.scores, ranges), len(walk.scores)
        found.known = {node: node in walk.scores for node in ranges}
    return found


def _concluded(scores: dict[Node, Score], evaluator: Evaluator) -> SearchResult:
    """The nodes of the least loss: by the first metric, ties by the next."""
    best = list(scores)
    for place in range(len(next(iter(scores.values()), ()))):
        least = min(scores[node][place] for node in best)
        best = [node for node in best if ties_or_better(scores[node][place], least)]
    best.sort()
    loss = scores[best[0]][0] if best else None
    known = dict.fromkeys(scores, True)
    return SearchResult(best, loss, evaluated=evaluator.evaluated, known=known, scores=scores)
