"""Rows of a release that are rows of the original, in whatever order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError
from auditor.risk._input import Floats, table_of
from auditor.risk.rows import row_codes


@dataclass(frozen=True, eq=False)
class SameRows:
    """`found` is bool[n], whether an original record's row is in the release; `rows` of the release are such rows.

    A row that the original has c times and the release c' times counts min(c, c') times in `rows`.
    """

    found: NDArray[np.bool_]
    rows: int

    @property
    def percent(self) -> float:
        """`rows` in percent of the original ones: 0 (every row was changed) to 100 (the release holds the original)."""
        return 100 * self.rows / len(self.found)


def same_rows(original: Floats, released: Floats) -> SameRows:
    """Find the rows of a release that equal rows of the original, as sets with repetition, whatever their order.

    `original` is float64[n, p] and `released` float64[n', p]. All p values must be equal, without a tolerance (0 equals
    −0, missing equals missing). A figure near 0 says little where most rows differ in one value only; a figure near 100
    says that nothing was masked, even where the order was changed and no record is linked to its own row.

    Raises:
        DataError: the tables have different variables, or hold an infinity, or no record.
    """
    original, released = table_of(original, "original"), table_of(released, "released")
    if original.shape[1] != released.shape[1]:
        raise DataError(
            f"the original table has {original.shape[1]} variables and the released one {released.shape[1]}; "
            "they must have the same"
        )
    codes, first, _ = row_codes(original, released)
    mine, theirs = (np.bincount(part, minlength=len(first)) for part in np.split(codes, [len(original)]))
    return SameRows(theirs[codes[: len(original)]] > 0, int(np.minimum(mine, theirs).sum()))
