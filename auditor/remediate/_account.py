"""What the document tells of a search: the lattice by height, the ladders climbed, what each attribute costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from auditor.remediate._costs import Cost
from auditor.remediate._lattice import Node, Sublattice
from auditor.remediate._problem import SearchProblem, by_column
from auditor.remediate._search import SearchResult
from auditor.result.remediation import AttributeCost, LadderChoice, Lattice, LatticeHeight, LatticeNode

DRAWN_NODES = 60
"""A lattice of more nodes is a tangle when it is drawn."""


def bound(searched: SearchProblem, found: SearchResult, metric: str) -> float | None:
    """What every node that was not looked at loses at least, where some are left; None where nothing says."""
    if not searched.never_tried or found.loss is None:
        return found.bound
    least = searched.losses.bound_of(metric, searched.least)
    return (least if found.bound is None else min(least, found.bound)) or None


def minimal_generalizations(searched: SearchProblem, found: SearchResult) -> tuple[Mapping[str, int], ...] | None:
    """Every minimal generalization; None where something finer was not looked at, which might solve."""
    if found.minimal is None or searched.never_tried:
        return None
    return tuple(by_column(searched.quasi_identifiers, node) for node in found.minimal)


def lattice(searched: SearchProblem, found: SearchResult) -> Lattice:
    """The lattice as the search left it; what is minimal in it is not told where levels were never tried."""
    if searched.never_tried:
        found = replace(found, minimal=None)
    nodes = searched.ranges.nodes
    return Lattice(
        nodes=nodes,
        evaluated=found.evaluated,
        solving=found.solving,
        by_height=_by_height(searched.ranges, found),
        drawn=_drawn(searched.ranges, found) if nodes <= DRAWN_NODES else (),
    )


def _by_height(ranges: Sublattice, found: SearchResult) -> tuple[LatticeHeight, ...]:
    decided = Counter(map(sum, found.known))
    solving = Counter(sum(node) for node, solves in found.known.items() if solves)
    minimal = None if found.minimal is None else Counter(map(sum, found.minimal))
    return tuple(
        LatticeHeight(
            height=height,
            nodes=nodes,
            solving=solving[height],
            minimal=None if minimal is None else minimal[height],
            undecided=nodes - decided[height],
        )
        for height, nodes in sorted(_nodes_by_height(ranges).items())
    )


def _nodes_by_height(ranges: Sublattice) -> Counter[int]:
    """How many nodes there are of each height, without visiting them."""
    nodes = Counter({0: 1})
    for low, high in zip(ranges.low, ranges.high, strict=True):
        wider: Counter[int] = Counter()
        for height, count in nodes.items():
            for level in range(low, high + 1):
                wider[height + level] += count
        nodes = wider
    return nodes


def _drawn(ranges: Sublattice, found: SearchResult) -> tuple[LatticeNode, ...]:
    least = set(found.minimal or ())
    ordered = sorted(ranges, key=lambda node: (sum(node), node))
    return tuple(LatticeNode(levels=node, solves=found.known.get(node), minimal=node in least) for node in ordered)


def ladders(searched: SearchProblem, node: Node) -> tuple[LadderChoice, ...]:
    """The level chosen for each quasi-identifier, with an example of its ladder from there up."""
    return tuple(
        LadderChoice(
            attribute=rungs.column,
            level=level,
            height=len(rungs.levels) - 1,
            labels=rungs.example[max(level, 1) - 1 :],
        )
        for rungs, level in zip(searched.rungs, node, strict=True)
    )


def costs(searched: SearchProblem, found: SearchResult) -> tuple[AttributeCost, ...]:
    """What each quasi-identifier costs at its finest level; nothing where the search minimized no loss."""
    if found.costs:
        told = [_searched(searched, cost, place) for place, cost in enumerate(found.costs)]
    elif found.solving is None or len(found.scores) < found.solving:
        return ()
    else:
        told = [_cost(searched, found, place) for place in range(len(searched.quasi_identifiers))]
    return tuple(replace(each, proved=each.proved and not searched.never_tried) for each in told)


def _searched(searched: SearchProblem, cost: Cost, place: int) -> AttributeCost:
    names = searched.quasi_identifiers
    return AttributeCost(
        attribute=names[place],
        level=searched.ranges.low[place],
        loss=None if cost.node is None else cost.score[0],
        levels=None if cost.node is None else by_column(names, cost.node),
        proved=cost.proved,
    )


def _cost(searched: SearchProblem, found: SearchResult, place: int) -> AttributeCost:
    names, finest = searched.quasi_identifiers, searched.ranges.low[place]
    there = [node for node in found.scores if node[place] == finest]
    best = min(there, key=lambda node: (found.scores[node], node), default=None)
    return AttributeCost(
        attribute=names[place],
        level=finest,
        loss=None if best is None else found.scores[best][0],
        levels=None if best is None else by_column(names, best),
    )
