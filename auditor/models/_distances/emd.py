"""Earth mover's distances in closed form: ordered and hierarchical grounds (Li, Li & Venkatasubramanian 2007).

The equal ground needs no function of its own: it is the variational distance.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from auditor.classes import Cells, Domain, FloatArray, IntArray, distinct
from auditor.errors import InternalError
from auditor.models._distances.divergences import variational

DENSE = 4
"""A class's whole distribution is computed where it has at most so many places for one that is taken."""


def ordered(cells: Cells) -> FloatArray:
    """float64[n]: 1/(m−1) · Σ_{i<m} |P_i − Q_i| with P, Q the cumulative shares in rank order; in [0, 1].

    Sparse: between two neighbouring values of a class P is constant and Q only grows, so the sum over that stretch of
    ranks follows from the prefix sums of Q and the rank where Q passes P, found by bisection.
    """
    ranks = _ranks(cells.domain)
    m = len(ranks)
    if m < 2:
        return np.zeros(len(cells.starts))
    q = np.empty(m)
    q[ranks] = cells.domain.share
    cumulative = np.cumsum(q)[:-1]
    prefix = np.concatenate(([0.0], np.cumsum(cumulative)))

    counts, position = _in_rank_order(cells, ranks)
    p = _running(cells, counts) / cells.totals[cells.owner]
    last = np.append(cells.starts[1:], len(counts)) - 1
    stop = np.append(position[1:], m - 1)
    stop[last] = m - 1
    position = np.minimum(position, m - 1)
    passed = np.clip(np.searchsorted(cumulative, p), position, stop)
    stretch = p * (passed - position) - (prefix[passed] - prefix[position])
    stretch += (prefix[stop] - prefix[passed]) - p * (stop - passed)
    before = prefix[position[cells.starts]]
    distances: FloatArray = np.maximum(cells.sum(stretch) + before, 0.0) / (m - 1)
    return distances


def hierarchical(cells: Cells) -> FloatArray:
    """float64[n]: the distance over the attribute's own hierarchy of height H; in [0, 1].

    Li et al. charge each inner node height/H · min(surplus, deficit of its children). Summed over the nodes of a
    level, min(a, b) = (a + b − |a − b|)/2 telescopes over the levels, so the distance is the mean over the levels
    0 … H−1 of the variational distance between the distributions generalized to that level.
    """
    ladder = _ladder(cells.domain)
    height = len(ladder) - 1
    total = np.zeros(len(cells.starts))
    for level in ladder[:height]:
        total += _surplus(cells, level)
    return total / max(height, 1)


def _surplus(cells: Cells, nodes: IntArray) -> FloatArray:
    """float64[n]: Σ over nodes of max(P − Q, 0), with the values of each node put together."""
    width, classes = int(nodes.max()) + 1, len(cells.starts)
    if len(set(nodes.tolist())) == len(nodes):  # no node holds two values, as at the leaves
        return variational(cells)
    q = np.bincount(nodes, weights=cells.domain.share, minlength=width)
    if width * classes <= DENSE * len(cells.values):
        places = cells.owner * width + nodes[cells.values]
        p = np.bincount(places, weights=cells.share, minlength=width * classes).reshape(classes, width)
        dense: FloatArray = np.maximum(p - q, 0.0).sum(axis=1)
        return dense
    together, where = distinct(cells.owner * width + nodes[cells.values])
    p = np.bincount(where, weights=cells.share)
    surplus = np.maximum(p - q[together % width], 0.0)
    sums: FloatArray = np.bincount(together // width, weights=surplus, minlength=classes).astype(np.float64)
    return sums


def _in_rank_order(cells: Cells, ranks: IntArray) -> tuple[IntArray, IntArray]:
    """The counts and the ranks of the cells, sorted by rank inside each class."""
    position = ranks[cells.values]
    if (np.diff(ranks) > 0).all():  # codes ascend with the values, as engines give them, and cells with their codes
        return cells.counts, position
    order = np.argsort(cells.owner * len(ranks) + position)  # no two cells of a class have the same rank
    return cells.counts[order], position[order]


def _running(cells: Cells, counts: IntArray) -> IntArray:
    """int64[c]: the running sum of the counts, begun anew in each class."""
    running = np.cumsum(counts)
    offset = np.concatenate(([0], running[cells.starts[1:] - 1]))
    within: IntArray = running - offset[cells.owner]
    return within


def exact_variational(counts: list[tuple[int, int]], reference: IntArray) -> Fraction:
    """The variational (equal ground) distance of one class as a ratio of counts."""
    size, total = sum(count for _, count in counts), int(reference.sum())
    surplus = (Fraction(count, size) - Fraction(int(reference[value]), total) for value, count in counts)
    return sum((s for s in surplus if s > 0), Fraction(0))


def exact_ordered(counts: list[tuple[int, int]], domain: Domain) -> Fraction:
    """The ordered distance of one class as a ratio of counts."""
    ranks, present = _ranks(domain), dict(counts)
    size, total, m = sum(present.values()), domain.total, len(ranks)
    running, distance = 0, 0
    for value in np.argsort(ranks)[:-1].tolist():
        running += present.get(value, 0) * total - int(domain.reference[value]) * size
        distance += abs(running)
    return Fraction(distance, size * total * (m - 1)) if m > 1 else Fraction(0)


def exact_hierarchical(counts: list[tuple[int, int]], domain: Domain) -> Fraction:
    """The hierarchical distance of one class as a ratio of counts."""
    ladder = _ladder(domain)
    height = len(ladder) - 1
    distance = Fraction(0)
    for level in ladder[:height]:
        together: dict[int, int] = {}
        for value, count in counts:
            node = int(level[value])
            together[node] = together.get(node, 0) + count
        reference = np.zeros(int(level.max()) + 1, dtype=np.int64)
        np.add.at(reference, level, domain.reference)
        distance += exact_variational(list(together.items()), reference)
    return distance / max(height, 1)


def _ranks(domain: Domain) -> IntArray:
    if domain.ranks is None:
        raise InternalError("the ordered distance was asked of an attribute without an order")
    return domain.ranks


def _ladder(domain: Domain) -> IntArray:
    if domain.ladder is None:
        raise InternalError("the hierarchical distance was asked of an attribute without a hierarchy")
    return domain.ladder
