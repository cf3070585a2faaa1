"""Which whole numbers distinct values can be: places in a flow.

All records have different whole numbers, each between its ends, and each answered value has exactly one holder among
those that can have it. Cut the numbers at every answered value and every end: within a gap between two cuts numbers are
interchangeable. So the ways to give values to records are the flows from *kinds* of records that may stand in the same
places to places, where an answered value takes exactly one record, another single number at most one, a gap as many as
it has numbers. A kind can use a place iff a flow does, or the residual graph of one flow has both in one strongly
connected component (Régin 1994, AAAI-94, who filters all-different constraints so).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow

from auditor.inference.linear.modular import IntArray
from auditor.interval import Interval


@dataclass(frozen=True, slots=True)
class _Place(Interval[int]):
    """Some whole numbers; `answered` where exactly one record has the number."""

    answered: bool = False

    def room(self, most: int) -> int:
        """How many different numbers there are, up to `most`."""
        return int(min(most, self.width + 1))


def distinct_ends(
    ends: Sequence[Interval[int]], sizes: IntArray, holders: Mapping[int, Collection[int]]
) -> list[Interval[int]] | None:
    """From which number to which a record of each column can have; None where there is no way at all.

    Args:
        ends: what is known of the records of each column.
        sizes: int64[c], how many records stand behind each column.
        holders: for each answered value the columns that may hold it, within their ends.

    A column of one record whose ends are the same is determined.
    """
    places = _places(ends, holders)
    allowed = [
        tuple(i for i, place in enumerate(places) if own.holds(place) and _may_hold(place, column, holders))
        for column, own in enumerate(ends)
    ]
    kinds = sorted({each for each, size in zip(allowed, sizes.tolist(), strict=True) if size})
    number = {kind: i for i, kind in enumerate(kinds)}
    supply = np.zeros(len(kinds), dtype=np.int64)
    for each, size in zip(allowed, sizes.tolist(), strict=True):
        if size:
            supply[number[each]] += size
    usable = _usable(kinds, supply, places)
    if usable is None:
        return None
    reach = [Interval(places[min(used)].low, places[max(used)].high) for used in usable]
    return [reach[number[each]] if size else own for each, size, own in zip(allowed, sizes.tolist(), ends, strict=True)]


def _places(ends: Sequence[Interval[int]], holders: Collection[int]) -> list[_Place]:
    marks = sorted({end for own in ends for end in own.ends} | set(holders))
    if not marks:
        return [_Place()]
    found = [_Place(None, marks[0] - 1)]
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        found.append(_Place(mark, mark, answered=mark in holders))
        if following is None or following > mark + 1:
            found.append(_Place(mark + 1, None if following is None else following - 1))
    return found


def _may_hold(place: _Place, column: int, holders: Mapping[int, Collection[int]]) -> bool:
    return not place.answered or (place.low is not None and column in holders[place.low])


def _usable(kinds: Sequence[tuple[int, ...]], supply: IntArray, places: Sequence[_Place]) -> list[set[int]] | None:
    """The places that records of each kind can be in; None where there is no flow.

    What must flow (all of each kind, one into each answered value) comes from the node `source` and goes to `sink`, as
    is usual for lower bounds; `end` is where the other places lead to.
    """
    n, m, total = len(kinds), len(places), int(supply.sum())
    end, source, sink = n + m, n + m + 1, n + m + 2
    edges = [(source, i, int(supply[i])) for i in range(n)]
    edges += [(i, n + j, int(supply[i])) for i, kind in enumerate(kinds) for j in kind]
    answered = [j for j, place in enumerate(places) if place.answered]
    edges += [(n + j, sink, 1) for j in answered]
    edges += [(n + j, end, place.room(total)) for j, place in enumerate(places) if not place.answered]
    edges.append((end, sink, total - len(answered)))
    if total < len(answered) or total >= 2**31:
        return None
    start, stop, room = np.array(edges, dtype=np.int32).T
    graph = csr_array((room, (start, stop)), shape=(sink + 1, sink + 1))
    found = maximum_flow(graph, source, sink)
    if found.flow_value != total:
        return None
    flow = csr_array(found.flow)
    label = _residual_components(graph, flow, end)
    carries = {(i, j) for i, j in zip(*_positive(flow), strict=True)}
    return [{j for j in kind if (i, n + j) in carries or label[i] == label[n + j]} for i, kind in enumerate(kinds)]


def _positive(flow: csr_array) -> tuple[list[int], list[int]]:
    entries = flow.tocoo()
    kept = entries.data > 0
    return entries.coords[0][kept].tolist(), entries.coords[1][kept].tolist()


def _residual_components(graph: csr_array, flow: csr_array, end: int) -> NDArray[np.int32]:
    """The strongly connected components of the residual graph among kinds, places and `end`."""
    left = (graph - flow).tocoo()  # the flow is antisymmetric: what flows can flow back
    inside = (left.data > 0) & (left.coords[0] <= end) & (left.coords[1] <= end)
    ones = np.ones(int(inside.sum()), dtype=np.int8)
    residual = csr_array((ones, (left.coords[0][inside], left.coords[1][inside])), shape=graph.shape)
    return connected_components(residual, directed=True, connection="strong")[1]
