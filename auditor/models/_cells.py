"""What several models compute from the cells of a class table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from auditor.classes import Cells, ClassTable, FloatArray
from auditor.errors import InternalError


def cells_of(classes: ClassTable) -> Cells:
    """The sensitive cells of a table; a model that needs them is never asked without."""
    if classes.cells is None:
        raise InternalError("a model of a sensitive attribute was given a class table without one")
    return classes.cells


def gains(cells: Cells) -> FloatArray:
    """float64[c]: the relative gain (p − q)/q of each cell's value, 0 where p ≤ q, +∞ where q = 0 < p."""
    q = cells.reference
    gain = np.full(len(q), np.inf)
    np.divide(cells.share - q, q, out=gain, where=q > 0)
    positive: FloatArray = np.maximum(gain, 0.0)
    return positive


def largest_shares(classes: ClassTable, listed: tuple[str, ...] | None) -> FloatArray:
    """float64[n]: the largest share of a class's members that has one value, of those listed (None: of all)."""
    cells = cells_of(classes)
    limited = cells.domain.among(listed).astype(np.int64)
    shares: FloatArray = cells.max(cells.counts * limited[cells.values]) / classes.sizes
    return shares


def largest_share(classes: ClassTable, index: int, listed: tuple[str, ...] | None) -> Fraction:
    """The same of one class, as a ratio of counts."""
    cells = cells_of(classes)
    limited = cells.domain.among(listed)
    counts = [count for value, count in cells.class_counts(index) if limited[value]]
    return Fraction(max(counts, default=0), int(classes.sizes[index]))
