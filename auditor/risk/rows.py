"""Equal rows of a table of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.risk._input import Floats

MOST_CODES = 2**62
"""Before so many combinations are told apart, those that occur are numbered anew."""


def row_codes(*tables: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
    """Number the distinct rows of tables below each other.

    Returns the code of each row, the first row of each code, and how many rows have it. Values are compared exactly; 0
    equals −0, and missing equals missing. One column is looked at at a time, so many take little more memory than one.
    """
    codes = np.zeros(sum(map(len, tables)), dtype=np.intp)
    several = 1
    for column in zip(*(table.T for table in tables), strict=True):
        values, places = np.unique(np.concatenate(column), return_inverse=True)
        if several * len(values) >= MOST_CODES:
            found, codes = np.unique(codes, return_inverse=True)
            several = len(found)
        codes *= len(values)
        codes += places
        several *= len(values)
        del places
    _, first, codes, counts = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
    return codes, first, counts.astype(np.int64)
