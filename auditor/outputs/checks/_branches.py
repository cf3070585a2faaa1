"""The inner nodes of a tree that was written as its leaves: found again in the leaves' paths, to draw it.

Below a node every leaf has gone one of two ways: a condition stands in the paths of some, its opposite in all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from auditor.outputs.published.conditions import EVERYBODY, Condition, Group, Operator

_OPPOSITES: dict[Operator, Operator] = {
    "=": "!=",
    "!=": "=",
    "<": ">=",
    ">=": "<",
    "<=": ">",
    ">": "<=",
    "in": "not in",
    "not in": "in",
}


def branches(leaves: Sequence[Group], above: Group = EVERYBODY) -> Iterator[Group]:
    """The paths of the inner nodes above some leaves, each before those below it.

    Args:
        leaves: the paths of the leaves.
        above: the path of the node that all of them lie below.
    """
    if len(leaves) < 2:  # a leaf has nothing below it
        return
    yield above
    for condition in sorted(leaves[0] - above):
        ways = (condition, _opposite(condition))
        sides = [[leaf for leaf in leaves if way in leaf] for way in ways]
        if all(sides) and sum(map(len, sides)) == len(leaves):
            for way, side in zip(ways, sides, strict=True):
                yield from branches(side, above | {way})
            return


def _opposite(condition: Condition) -> Condition:
    return replace(condition, operator=_OPPOSITES[condition.operator])
