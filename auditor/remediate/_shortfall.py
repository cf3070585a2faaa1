"""Why no generalization meets a policy, and what would be enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from auditor.engines import RunLimits
from auditor.models import SampleRequirement, TableModel
from auditor.remediate._evaluate import NodeDemand
from auditor.remediate._lattice import Node
from auditor.remediate._problem import SearchProblem, by_column
from auditor.remediate._search import all_nodes
from auditor.result import Finding, Kind, RequirementResult, Result, Status
from auditor.result.remediation import CoarserLadder, Obstacle, Shortfall

MOST_WORK = 500_000_000
"""Nodes times combinations, up to which every node is looked at; beyond that the coarsest alone."""
_NOT_ACHIEVABLE = Finding(
    message="No generalization within the policy's levels and suppression limit meets it; nothing was written."
)
_OBSTACLE = "Not met at the coarsest levels that the policy allows."
_REFUSED = Finding(
    message="The release that was found does not meet the policy, and no other was tried; nothing was written."
)
_OF_RELEASE = "Not met by the release that was found."
_OF_COLUMNS = "Stands in the way: no level that may be searched makes the columns comply."


def shortfall(searched: SearchProblem, before: Result, limits: RunLimits) -> Shortfall:
    """Explain a search that found nothing: what the coarsest node violates, and the node that comes nearest.

    Where the time is up, the nodes that were looked at have to do.
    """
    judged = {requirement.id: requirement for requirement in before.requirements}
    evaluator = searched.evaluator
    obstacles = [_obstacle(searched, demand, judged) for demand in evaluator.demands]
    work = searched.ranges.nodes * len(evaluator.tower.base.counts) * evaluator.effort
    nearest, needed, exhaustive = _nearest(searched, limits, every=work <= MOST_WORK)
    exhaustive = exhaustive and not searched.never_tried
    names = searched.quasi_identifiers
    return Shortfall(
        coarsest=by_column(names, searched.ranges.high),
        obstacles=tuple(obstacle for obstacle in obstacles if obstacle is not None),
        nearest=None if nearest is None else by_column(names, nearest),
        suppression_needed=needed,
        exhaustive=exhaustive,
        never_tried=searched.never_tried,
        coarser_ladders=tuple(_coarser(searched, place, limits) for place in searched.extendable),
    )


def findings(found: Shortfall) -> tuple[Finding, ...]:
    """What the reader should know: that there is no such release, and which requirements stand in the way."""
    return (
        _REFUSED if any(obstacle.of_release for obstacle in found.obstacles) else _NOT_ACHIEVABLE,
        *(
            Finding(
                requirement=obstacle.requirement,
                message=_OF_COLUMNS if obstacle.columns else _OF_RELEASE if obstacle.of_release else _OBSTACLE,
                records_count=obstacle.to_suppress,
            )
            for obstacle in found.obstacles
        ),
    )


def refused(searched: SearchProblem, after: Result) -> Shortfall:
    """Explain a release that was found, and that its audit refused: what its columns hold stands in the way."""
    return Shortfall(
        coarsest=by_column(searched.quasi_identifiers, searched.ranges.high),
        obstacles=tuple(
            Obstacle(
                requirement=failed.id,
                model=failed.model,
                bound=failed.bound,
                achieved=failed.achieved,
                kind=failed.kind,
                columns=failed.columns,
                of_release=not failed.columns,
            )
            for failed in after.requirements
            if failed.status is Status.FAIL
        ),
        exhaustive=False,
    )


def _obstacle(searched: SearchProblem, demand: NodeDemand, judged: Mapping[str, RequirementResult]) -> Obstacle | None:
    """What the coarsest node lacks for one demand alone; None where it meets it."""
    limit = searched.evaluator.limit
    alone = searched.evaluator.only((demand,), searched.evaluator.tower.records)
    outcome = alone.at(searched.ranges.high)
    if outcome.solves and outcome.suppressed <= limit:
        return None
    requirement = judged[str(demand.model.id)]
    by_size = requirement.edge is not None and requirement.kind == Kind.COUNT
    return Obstacle(
        requirement=requirement.id,
        model=requirement.model,
        bound=requirement.bound,
        achieved=_number(searched, demand),
        kind=requirement.kind,
        to_suppress=outcome.suppressed if outcome.solves else None,
        enough=_largest_k(searched, demand) if by_size else None,
    )


def _coarser(searched: SearchProblem, place: int, limits: RunLimits) -> CoarserLadder:
    """Whether the coarsest node would solve if one quasi-identifier's ladder went up to a single value."""
    enough = None
    if not _time_is_up(limits):
        taller = searched.evaluator.topped(place)
        high = searched.ranges.high
        top = len(taller.tower.ladders[place]) - 1
        enough = taller.at((*high[:place], top, *high[place + 1 :])).solves
    return CoarserLadder(attribute=searched.quasi_identifiers[place], enough=enough)


def _time_is_up(limits: RunLimits) -> bool:
    left = limits.remaining()
    return left is not None and left <= 0


def _number(searched: SearchProblem, demand: NodeDemand) -> float:
    """The requirement's number at the coarsest node, nothing suppressed: the worst class's, or the whole table's."""
    model, evaluator, node = demand.model, searched.evaluator, searched.ranges.high
    if isinstance(model, TableModel):
        return float(evaluator.share(demand, model, node))
    if isinstance(model, SampleRequirement):
        return evaluator.number_of_sample(model, node, evaluator.classes(demand, node).sizes)
    numbers = np.concatenate([model.measure(classes) for classes in evaluator.patterns(demand, node)])
    return float(numbers.min() if model.comparison == ">=" else numbers.max())


def _largest_k(searched: SearchProblem, demand: NodeDemand) -> int | None:
    """The largest k that the coarsest node meets within the limit; None where it meets none.

    It is the size of a class there, or of the class of those that stay as `*`: the smallest ones together.
    """
    evaluator, node = searched.evaluator, searched.ranges.high
    sizes = np.sort(evaluator.classes(demand, node).sizes)
    starred = np.cumsum(sizes).tolist() if searched.starred else []
    for k in sorted({*sizes.tolist(), *starred}, reverse=True):
        smaller = replace(demand, model=demand.model.model_copy(update={"k": k}))
        if evaluator.only((smaller,), evaluator.limit).at(node).solves:
            return int(k)
    return None


def _nearest(searched: SearchProblem, limits: RunLimits, *, every: bool) -> tuple[Node | None, int | None, bool]:
    """The node that meets everything with the least records suppressed, how many those are; whether none was left."""
    unlimited = searched.evaluator.only(searched.evaluator.demands, searched.evaluator.tower.records)
    outcomes = (
        (outcome for outcome, _ in all_nodes(unlimited, searched.ranges))
        if every
        else iter((unlimited.at(searched.ranges.high),))
    )
    nearest, needed = None, None
    for outcome in outcomes:
        if outcome.solves and (needed is None or outcome.suppressed < needed):
            nearest, needed = outcome.node, outcome.suppressed
        if _time_is_up(limits):
            return nearest, needed, False
    return nearest, needed, every
