"""The k that a microaggregated table has, when its variables were aggregated in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.errors import UsageError
from auditor.risk._input import Floats, table_of
from auditor.risk.rows import row_codes


@dataclass(frozen=True, eq=False)
class GroupK:
    """`sizes` is int64[n], how many records share a record's values in all protected variables together.

    `by_group` has the least such number for each group of variables by itself.
    """

    sizes: NDArray[np.int64]
    by_group: tuple[int, ...]

    @property
    def k(self) -> int:
        """The table's k: the least of `sizes`, at most each of `by_group`."""
        return int(self.sizes.min())


def group_k(masked: Floats, groups: Sequence[Sequence[int]]) -> GroupK:
    """Find the k-anonymity of float64[n, p] for each group of columns, and for the columns of all groups together.

    Microaggregation with groups of at least k records makes k records equal in the variables that were aggregated
    together. Records that are equal in one group of variables need not be in another, so that of all protected
    variables together a record may well be the only one with its values. Values are compared without a tolerance;
    missing equals missing.

    Raises:
        DataError: the table has no record, or an infinity.
        UsageError: no group, an empty one, or columns that the table does not have.
    """
    masked = table_of(masked, "masked")
    variables = masked.shape[1]
    if not groups or not all(groups) or not {column for group in groups for column in group} <= set(range(variables)):
        raise UsageError(f"groups are columns of 0..{variables - 1}, at least one in each, and at least one group")
    together = sorted({column for group in groups for column in group})
    codes, _, counts = row_codes(masked[:, together])
    return GroupK(counts[codes], tuple(int(row_codes(masked[:, list(group)])[2].min()) for group in groups))
