r"""How alike two partitions of the same records are, counted in pairs of records.

Of the n(n−1)/2 pairs, a are together in both partitions, b in the first alone, c in the second alone, d in neither::

    Rand              (a + d) / (a + b + c + d)
    adjusted Rand     2 (ad − bc) / ((a+b)(b+d) + (a+c)(c+d))     0 on average by chance, 1 the same, may be below 0
    Jaccard           a / (a + b + c)
    Fowlkes-Mallows   a / √((a+b)(a+c))

All are 1 for the same partition, also where the quotient is 0/0: one record, or every record alone. Fowlkes-Mallows is
0 where one partition alone has no pair together. The counts are integers, however many records there are.

Sources: W. M. Rand, JASA 66 (1971) 846-850; L. Hubert, P. Arabie, Comparing partitions, Journal of Classification 2
(1985) 193-218, doi:10.1007/BF01908075; E. B. Fowlkes, C. L. Mallows, JASA 78 (1983) 553-569.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditor.errors import UsageError


@dataclass(frozen=True)
class Agreement:
    """The pairs of two partitions: together in both, in the first alone, in the second alone, in neither."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def rand(self) -> float:
        """The share of pairs on which the partitions agree, 0 to 1."""
        pairs = self.both + self.first + self.second + self.neither
        return (self.both + self.neither) / pairs if pairs else 1.0

    @property
    def adjusted_rand(self) -> float:
        """The Rand index beyond what chance gives partitions of these sizes; at most 1."""
        a, b, c, d = self.both, self.first, self.second, self.neither
        return 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d)) if b or c else 1.0

    @property
    def jaccard(self) -> float:
        """Of the pairs together in either, the share together in both, 0 to 1."""
        either = self.both + self.first + self.second
        return self.both / either if either else 1.0

    @property
    def fowlkes_mallows(self) -> float:
        """The geometric mean of the shares of either's pairs that the other has, 0 to 1."""
        if not self.first and not self.second:
            return 1.0
        product = (self.both + self.first) * (self.both + self.second)
        return self.both / math.sqrt(product) if product else 0.0


def agreement(first: ArrayLike, second: ArrayLike) -> Agreement:
    """Count the pairs of two partitions, each an array of one label per record; the labels' names do not matter.

    >>> agreement([0, 0, 1, 1], [5, 5, 5, 9]).rand
    0.5

    Raises:
        UsageError: they are not of the same records.
    """
    one, other = (_numbered(np.asarray(labels)) for labels in (first, second))
    if len(one) != len(other):
        raise UsageError(f"partitions of {len(one)} and of {len(other)} records were given; they must be of the same")
    both = _together(np.unique(one * (len(other) + 1) + other, return_counts=True)[1])
    of_first, of_second = (_together(np.bincount(labels)) for labels in (one, other))
    pairs = len(one) * (len(one) - 1) // 2
    return Agreement(both, of_first - both, of_second - both, pairs - of_first - of_second + both)


def _numbered(labels: NDArray[np.generic]) -> NDArray[np.int64]:
    if labels.ndim != 1:
        raise UsageError(f"an array of {labels.ndim} dimensions was given, where one label per record is needed")
    return np.asarray(np.unique(labels, return_inverse=True)[1], np.int64)


def _together(sizes: NDArray[np.int64]) -> int:
    """The pairs within groups of these sizes."""
    return int(np.sum(sizes * (sizes - 1) // 2))
