r"""Certainty penalty: which share of an attribute's values a generalized one leaves possible, record by record.

    numbers       (high − low) / (largest − smallest value of the original)
    categories    leaves under the label / leaves of the hierarchy; 0 for a single leaf

The mean over records and attributes is the normalised certainty penalty, from 0 (as it was) to 1 (anything).

Source: J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. W.-C. Fu, Utility-based anonymization using local recoding, KDD
2006, 785-790, doi:10.1145/1150402.1150504.
"""

from __future__ import annotations

import numpy as np

from auditor.errors import DataError
from auditor.hierarchies import Ladder
from auditor.microdata import Categorical, Numeric
from auditor.utility._numbers import Floats


def interval_penalty(original: Numeric, low: Floats, high: Floats) -> Floats:
    """float64[n]: the widths of the intervals that numbers became, as shares of the original's range.

    `low` and `high` are float64[n]; NaN in either is a suppressed value, with the penalty 1. An interval wider than the
    range is 1 as well. Of a constant column every interval is 0, for there is nothing to be uncertain of.

    Raises:
        DataError: another number of records, an interval that ends before it begins, or no value in the original.
    """
    known = original.values[~np.isnan(original.values)]
    if not len(known):
        raise DataError(f"column {original.name!r} holds no value, so its range is not known")
    if not len(low) == len(high) == len(original.values):
        raise DataError(f"{len(low)} and {len(high)} ends of intervals were given for {len(original.values)} records")
    if (high < low).any():
        raise DataError(f"column {original.name!r} has an interval that ends before it begins")
    span = float(known.max() - known.min())
    width = (high - low) / span if span else np.where(np.isnan(high - low), np.nan, 0.0)
    return np.where(np.isnan(width), 1.0, np.minimum(width, 1.0))


def category_penalty(masked: Categorical, ladder: Ladder) -> Floats:
    """float64[n]: the leaves under each generalized category, as shares of the hierarchy's; missing is 1.

    Raises:
        DataError: a label that stands nowhere in the ladder.
    """
    share: dict[str | None, float] = {None: 1.0}
    for level in range(ladder.height, -1, -1):
        for node, leaves in zip(ladder.nodes(level), ladder.leaves[level].tolist(), strict=True):
            if node is not None:
                share[node] = leaves / ladder.leaf_count if leaves > 1 else 0.0
    occurring = set(np.unique(masked.codes[~masked.missing]).tolist())
    if any(code in occurring and label not in share for code, label in enumerate(masked.labels)):
        raise DataError(f"column {masked.name!r} holds a label that is not in its hierarchy")
    table = np.array([*(share.get(label, 0.0) for label in masked.labels), share[None]], np.float64)
    return table[masked.codes]
