"""Which columns have to be looked at together: a junction tree over the column sets of the published groups.

Numbers over A × B and numbers over B × C need no table A × B × C: any two tables of whole counts that agree on B are
margins of one. In general, tables over the cliques of a triangulated graph that agree on the separators of a junction
tree are the margins of one table (Lauritzen 1996, Graphical Models, chapter 4; of whole counts, Dobra & Fienberg 2000,
doi:10.1073/pnas.97.22.11885), so that the unknowns are the cells of the cliques only.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise

Clique = frozenset[str]
Edge = tuple[int, int, Clique]
"""Two tables, by their places, and the columns that they share."""


def cliques(edges: Iterable[Clique]) -> list[Clique]:
    """The maximal cliques of a triangulation (minimal fill) of the graph that joins the columns of each edge."""
    near: dict[str, set[str]] = {}
    for edge in edges:
        for column in edge:
            near.setdefault(column, set()).update(edge - {column})
    found: list[Clique] = []
    left = {column: set(others) for column, others in near.items()}
    fills = {column: _fill(left, column) for column in left}
    while left:
        column = min(left, key=lambda each: (fills[each], len(left[each]), each))
        others = left.pop(column)
        clique = frozenset({column, *others})
        if not any(clique <= known for known in found):
            found.append(clique)
        for other in others:
            left[other].discard(column)
        if fills[column]:
            for one, other in combinations(sorted(others), 2):
                left[one].add(other)
                left[other].add(one)
            changed = others.union(*(left[other] for other in others))
            fills.update((each, _fill(left, each)) for each in changed)
        else:  # each loses the pairs of this column and of what is not beside it
            fills.update((other, fills[other] - len(left[other] - others)) for other in others)
    return found or [frozenset()]


def largest(edges: Iterable[Clique]) -> list[Clique]:
    """The column sets that no other contains."""
    found: list[Clique] = []
    for edge in sorted(set(edges), key=lambda each: (-len(each), sorted(each))):
        if not any(edge <= known for known in found):
            found.append(edge)
    return found or [frozenset()]


def _fill(near: dict[str, set[str]], column: str) -> int:
    return sum(other not in near[one] for one, other in combinations(sorted(near[column]), 2))


def tree(nodes: list[Clique]) -> list[Edge]:
    """The edges of a junction tree, each with its separator: a spanning tree with separators as large as can be."""
    of_column: dict[str, list[int]] = {}
    for at, node in enumerate(nodes):
        for column in node:
            of_column.setdefault(column, []).append(at)
    near = sorted({pair for places in of_column.values() for pair in combinations(places, 2)})
    ordered = sorted(near, key=lambda pair: -len(nodes[pair[0]] & nodes[pair[1]]))
    ordered += [(0, other) for other in range(1, len(nodes))]  # of tables that share nothing, all beside the first
    root = list(range(len(nodes)))

    def find(node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    found = []
    for one, other in ordered:
        if find(one) != find(other):
            root[find(one)] = find(other)
            found.append((one, other, nodes[one] & nodes[other]))
    return found


def pairs(nodes: list[Clique]) -> list[Edge]:
    """Edges by which any two tables agree on the columns that they share: of those that share some, a row of edges."""
    shared = {nodes[one] & nodes[other] for one, other in combinations(range(len(nodes)), 2)}
    found = []
    for columns in sorted(shared, key=lambda each: (-len(each), sorted(each))):
        holding = [at for at, node in enumerate(nodes) if columns <= node]
        found += [(one, other, columns) for one, other in pairwise(holding)]
    return found
