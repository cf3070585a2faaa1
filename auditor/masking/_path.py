"""The best way to cut a sequence of points into runs of k to 2k − 1, as a shortest path.

Nodes are the cuts 0 … n; an edge from cut i to cut j, k ≤ j − i < 2k, costs the sum of squared distances of the points
between them from their mean (SSE); a path from 0 to n is a partition. Longer runs need no edges: cutting one in two
never makes its SSE larger.

Source: S. L. Hansen, S. Mukherjee, A polynomial algorithm for optimal univariate microaggregation, IEEE Transactions on
Knowledge and Data Engineering 15 (2003), https://doi.org/10.1109/TKDE.2003.1209020.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

_CELLS = 2**18
"""How many edges are costed at once: memory against calls."""


def best_runs(points: NDArray[np.float64], k: int) -> NDArray[np.int32]:
    """int32[n]: the number of each point's run, from 0, for float64[n, p] points in their order; 1 ≤ k ≤ n.

    Of all partitions into runs of k to 2k − 1 consecutive points its SSE is least, to within the rounding of the sum
    of the SSE. In one dimension and ascending order no partition into groups of at least k has a smaller one. O(n k p).
    """
    records = len(points)
    reach = 2 * k - 1
    # The cuts before the first: so many that each end has edges from as many, none of which can be reached.
    least = np.full(reach + records + 1, np.inf)
    least[reach] = 0
    sizes = np.zeros(records + 1, np.intp)
    padded = np.concatenate((np.repeat(points[:1], reach, axis=0), points))
    starts = sliding_window_view(least, k)
    for first, last in _spans(records, k):
        costs = _costs(padded[first : last - 1 + reach], k)
        # Edges are at least k long, so k ends at a time depend on none of each other.
        for block in range(first, last, k):
            stop = min(block + k, last)
            ways = starts[block:stop, ::-1] + costs[block - first : stop - first]
            best = ways.argmin(axis=1)
            sizes[block:stop] = best + k
            least[reach + block : reach + stop] = ways[np.arange(stop - block), best]
    return _numbered(sizes)


def _spans(records: int, k: int) -> Iterator[tuple[int, int]]:
    """The cuts that a path can visit, a few at a time: those with k points or none after them, and k before them."""
    ends = max(1, _CELLS // k)
    inner = records - k + 1
    for first in range(k, inner, ends):
        yield first, min(first + ends, inner)
    yield records, records + 1


def _costs(points: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """float64[ends, k]: the SSE of the k, k + 1, …, 2k − 1 points up to each end; `points` begins 2k − 1 before it.

    Computed from the differences from the point at the end, so that it is exact to a few units of its own size.
    """
    lengths = np.arange(k, 2 * k)
    total = np.zeros((len(points) - 2 * k + 2, k))
    for coordinate in points.T:
        windows = sliding_window_view(coordinate, 2 * k - 1)[:, ::-1]
        away = windows - windows[:, :1]
        sums = away.cumsum(axis=1)[:, k - 1 :]
        squares = np.square(away).cumsum(axis=1)[:, k - 1 :]
        total += squares - np.square(sums) / lengths
    return total


def _numbered(sizes: NDArray[np.intp]) -> NDArray[np.int32]:
    """The runs of the path that ends at the last cut, numbered from the first point's."""
    runs = []
    cut = len(sizes) - 1
    while cut:
        runs.append(sizes[cut])
        cut -= sizes[cut]
    return np.repeat(np.arange(len(runs), dtype=np.int32), runs[::-1])
