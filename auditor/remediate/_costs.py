"""What each quasi-identifier costs: the least loss with it at its finest level searched, found without every node."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auditor.remediate._branch import Branching, Expired, Score, ties_or_better
from auditor.remediate._evaluate import Evaluator
from auditor.remediate._lattice import Node, Sublattice
from auditor.remediate._losses import Losses

MOST_WORK = 2**30
"""Rows looked at for the costs of all quasi-identifiers together, about: some seconds."""
LEAST_ROWS = 2**14
"""A table of fewer rows takes as long, because a step has work of its own."""


@dataclass(frozen=True)
class Cost:
    """The least loss with one quasi-identifier at its finest level.

    Args:
        node: the solving node of that loss, the first of several; None where none solves (or none was found).
        score: its metrics.
        proved: whether the search ended before it was out of time or of patience.
    """

    node: Node | None
    score: Score
    proved: bool


def costs(
    evaluator: Evaluator,
    ranges: Sublattice,
    losses: Losses,
    metrics: Sequence[str],
    *,
    monotone: bool,
    scores: Mapping[Node, Score],
    proved: bool,
    expired: Expired,
) -> tuple[Cost, ...]:
    """Search the nodes with each quasi-identifier in turn at its finest level, by branch and bound.

    `scores` are solving nodes that are known already: a loss to begin with. `proved` says that every node of the least
    loss is among them; where one of these is as fine, there is nothing left to search. The number of steps is limited,
    so that the same search ends the same way on any machine unless its time is up.
    """
    rows = max(len(evaluator.tower.base.counts), LEAST_ROWS) * evaluator.effort
    steps = MOST_WORK // (rows * len(ranges.low))
    least = min((score[0] for score in scores.values()), default=math.inf)
    found = []
    for place, finest in enumerate(ranges.low):
        part = Sublattice(ranges.low, (*ranges.high[:place], finest, *ranges.high[place + 1 :]))
        known = {node: score for node, score in scores.items() if node in part}
        score, best = min(((score, node) for node, score in known.items()), default=((), None))
        if proved and best is not None and ties_or_better(score[0], least):
            found.append(Cost(best, score, proved=True))
            continue
        walk = Branching(
            evaluator, part, losses, metrics, monotone=monotone, thorough=False, expired=_limited(expired, steps)
        )
        walk.begin(known)
        walk.run()
        score, best = min(((score, node) for node, score in walk.scores.items()), default=((), None))
        ended = walk.left_bound is None or not ties_or_better(walk.left_bound, walk.least)
        found.append(Cost(best, score, ended))
    return tuple(found)


def _limited(expired: Expired, steps: int) -> Expired:
    """Whether the time is up, or this was asked more than so many times."""
    left = iter(range(steps))
    return lambda: next(left, None) is None or expired()
