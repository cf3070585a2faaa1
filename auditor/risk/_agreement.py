"""Which pairs of an original and a masked record agree on which variables."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from auditor.risk._input import Floats

BLOCK = 1 << 18
"""How many pairs are compared at a time."""
NEVER = -(1 << 62)
"""Where a missing value stands: too far from everything to agree, on either side."""


@dataclass(frozen=True, eq=False)
class Closeness:
    """Places int64[n] of both tables for each variable; a pair agrees where they are at most `reach` apart."""

    original: tuple[NDArray[np.int64], ...]
    masked: tuple[NDArray[np.int64], ...]
    reach: tuple[int, ...]

    def blocks(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.int32]]]:
        """Some original records and, int32[rows, n], the pattern of their pairs: bit j says that variable j agrees."""
        records = len(self.original[0])
        rows = max(1, BLOCK // records)
        for start in range(0, records, rows):
            own = np.arange(start, min(start + rows, records))
            patterns = np.zeros((len(own), records), dtype=np.int32)
            for variable, (mine, others, reach) in enumerate(zip(self.original, self.masked, self.reach, strict=True)):
                agrees = mine[own, None] - reach <= others
                agrees &= others <= mine[own, None] + reach
                patterns |= agrees.astype(np.int32) << variable
            yield own, patterns

    def counts(self) -> Floats:
        """float64[2^h]: how many pairs have each pattern."""
        patterns = 1 << len(self.reach)
        return sum(
            (np.bincount(block.ravel(), minlength=patterns) for _, block in self.blocks()), np.zeros(patterns)
        ).astype(np.float64)


def agreement(original: Floats, masked: Floats, categories: Collection[int], tolerance: float) -> Closeness:
    """Numbers agree whose ranks differ by at most `tolerance` percent; the columns `categories` where they are equal.

    A rank is that among the values of the same table that are not missing, equal values having the mean of theirs, as a
    share of how many these are. A missing value agrees with nothing.
    """
    compared = [
        _equal(x, y) if column in categories else _ranked(x, y, tolerance)
        for column, (x, y) in enumerate(zip(original.T, masked.T, strict=True))
    ]
    mine, others, reach = zip(*compared, strict=True)
    return Closeness(mine, others, reach)


def _equal(original: Floats, masked: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    _, codes = np.unique(np.concatenate([original, masked]), return_inverse=True)
    return *_missing_apart(original, masked, codes[: len(original)], codes[len(original) :]), 0


def _ranked(original: Floats, masked: Floats, tolerance: float) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """With ranks r of m and r' of m', doubled because a mean may be a half: |2r·m' − 2r'·m| ≤ 2·t·m·m'/100."""
    ranks, many = _doubled_ranks(original)
    masked_ranks, masked_many = _doubled_ranks(masked)
    share = Fraction(str(tolerance)) / 100
    reach = int(2 * share * many * masked_many)
    return *_missing_apart(original, masked, ranks * masked_many, masked_ranks * many), reach


def _doubled_ranks(values: Floats) -> tuple[NDArray[np.int64], int]:
    ordered = np.sort(values[~np.isnan(values)])
    return np.searchsorted(ordered, values) + np.searchsorted(ordered, values, side="right") + 1, len(ordered)


def _missing_apart(
    original: Floats, masked: Floats, places: NDArray[np.int64], masked_places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.where(np.isnan(original), NEVER, places), np.where(np.isnan(masked), -NEVER, masked_places)
