"""The combinations of classes that some record may have, column by column, without those that are of nobody."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from auditor.classes import BoolArray, IntArray
from auditor.errors import NotEvaluated
from auditor.outputs.linked._classes import Column, ColumnClasses
from auditor.outputs.linked._nesting import Nesting
from auditor.outputs.linked._nests import MOST_CODES, Nest, Whole, nests_of, wholes_of
from auditor.outputs.published.counts import Counts

TOO_MANY = "the outputs speak of more combinations of values than can be examined together"


@dataclass(frozen=True)
class EmptyCombinations:
    """What combinations are of nobody: of two columns, and of the columns of a table."""

    nests: tuple[Nest, ...] = ()
    wholes: tuple[Whole, ...] = ()

    @property
    def edges(self) -> list[frozenset[Column]]:
        """The columns that have to be looked at together."""
        return [*(frozenset(each.columns) for each in self.nests), *(frozenset(each.columns) for each in self.wholes)]

    def among(self, columns: Sequence[Column]) -> EmptyCombinations:
        """What is known of these columns alone."""
        inside = set(columns)
        return EmptyCombinations(
            tuple(each for each in self.nests if inside.issuperset(each.columns)),
            tuple(each for each in self.wholes if inside.issuperset(each.columns)),
        )


NOTHING_KNOWN = EmptyCombinations()


def known_of(classes: Mapping[Column, ColumnClasses], nesting: Nesting, counts: Counts | None) -> EmptyCombinations:
    """What is known of the combinations of columns."""
    return EmptyCombinations(tuple(nests_of(classes, nesting, counts)), tuple(wholes_of(classes, nesting, counts)))


def combined(columns: Sequence[Column], sizes: Sequence[int], known: EmptyCombinations, most: int) -> IntArray:
    """int64[cells, columns]: the classes of each combination.

    Raises:
        NotEvaluated: there are more than `most`, or more than numbers can tell apart.
    """
    if math.prod(sizes) > MOST_CODES:
        raise NotEvaluated(TOO_MANY)
    known, size_of = known.among(columns), dict(zip(columns, sizes, strict=True))
    order = _in_order(columns, known)
    cells = np.zeros((1, 0), dtype=np.int64)
    for number, column in enumerate(order):
        before = order[:number]
        nests = [nest for nest in known.nests if column in nest.columns and set(nest.columns) <= {column, *before}]
        sides = [_beside(nest, column, before) for nest in nests]
        cells = _joined(cells, size_of[column], sides, most)
        for whole in known.wholes:
            if column in whole.columns and set(whole.columns) <= {column, *before}:
                cells = cells[whole.keeps(cells[:, [order.index(each) for each in whole.columns]])]
    return cells[:, [order.index(column) for column in columns]]


def _in_order(columns: Sequence[Column], known: EmptyCombinations) -> list[Column]:
    """The columns, those first that something is known of, each beside one that it is known with."""
    left, found = list(columns), list[Column]()
    while left:
        near = [c for c in left if any(c in n.columns and set(n.columns) & set(found) for n in known.nests)]
        nested = [c for c in left if any(c in n.columns for n in known.nests)]
        found.append((near or nested or left)[0])
        left.remove(found[-1])
    return found


Side = tuple[int, BoolArray]
"""The place of a column, and which classes of one column more go with each of its own."""


def _beside(nest: Nest, column: Column, before: Sequence[Column]) -> Side:
    return before.index(nest.columns[0] if nest.columns[1] == column else nest.columns[1]), nest.turned(column)


def _joined(cells: IntArray, size: int, given: Sequence[Side], most: int) -> IntArray:
    """Each combination with each class of one column more that may go with it."""
    sides = sorted(given, key=lambda side: int(side[1].sum()) / len(side[1]))
    if not sides:
        return _product(cells, size, most)
    at, possible = sides[0]
    rows, classes = np.nonzero(possible)
    many = np.bincount(rows, minlength=len(possible))
    starts = np.cumsum(many) - many
    chosen = cells[:, at]
    if int(many[chosen].sum()) > most:
        raise NotEvaluated(TOO_MANY)
    repeated = np.repeat(np.arange(len(cells)), many[chosen])
    offset = np.arange(len(repeated)) - np.repeat(np.cumsum(many[chosen]) - many[chosen], many[chosen])
    found = np.column_stack([cells[repeated], classes[np.repeat(starts[chosen], many[chosen]) + offset]])
    for other, allowed in sides[1:]:
        found = found[allowed[found[:, other], found[:, -1]]]
    return found


def _product(cells: IntArray, size: int, most: int) -> IntArray:
    if len(cells) * size > most:
        raise NotEvaluated(TOO_MANY)
    return np.column_stack([np.repeat(cells, size, axis=0), np.tile(np.arange(size), len(cells))])
