"""Equal rows of a table of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.risk._checked import Floats


def row_codes(table: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
    """Number the distinct rows: the code of each row, the first row of each code, and how many rows have it.

    Values are compared exactly; 0 equals −0, and missing equals missing.
    """
    codes = np.zeros(len(table), dtype=np.intp)
    for column in table.T:
        values, places = np.unique(column, return_inverse=True)
        _, codes = np.unique(codes * len(values) + places, return_inverse=True)
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    return codes, first, counts.astype(np.int64)
