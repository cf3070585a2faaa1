"""What several models compute from the cells of a class table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from auditor.classes import Cells, ClassTable, FloatArray
from auditor.errors import InternalError
from auditor.models._base import SensitiveModel


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


class ShareModel(SensitiveModel):
    """A model whose number is the largest share that one value, of those `listed`, has of a class's members."""

    comparison = "<="
    counts_over_counts = True

    def measure(self, classes: ClassTable) -> FloatArray:
        """float64[n]: the largest share of a limited value in each class."""
        cells = cells_of(classes)
        limited = cells.domain.among(self.listed).astype(np.int64)
        shares: FloatArray = cells.max(cells.counts * limited[cells.values]) / classes.sizes
        return shares

    def exact(self, classes: ClassTable, index: int) -> Fraction:
        """The largest share as a ratio of counts."""
        cells = cells_of(classes)
        limited = cells.domain.among(self.listed)
        counts = [count for value, count in cells.class_counts(index) if limited[value]]
        return Fraction(max(counts, default=0), int(classes.sizes[index]))
