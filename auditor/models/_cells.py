"""What several models compute from the cells of a class table."""

from __future__ import annotations

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
