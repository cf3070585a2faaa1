r"""Distortion: how far up their hierarchy the values of a column have gone, record by record.

A value has the path of labels above it, from itself to the top, h steps long; a label that repeats on it is one. With
the weights w of its steps, from the value up, going g steps costs the weighted hierarchical distance::

    WHD = Σ_{t=1..g} w_t / Σ_{t=1..h} w_t,     w_t = 1 / (h + 1 − t)^beta

0: unchanged; 1: at the top. With beta = 0 every step costs the same; with beta ≥ 1 steps near the top cost more.

Source: J. Li, R. C.-W. Wong, A. W.-C. Fu, J. Pei, Achieving k-anonymity by clustering in attribute hierarchical
structures, DaWaK 2006, LNCS 4081, 405-416. There all paths of a hierarchy have one length; here each value has its own.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from auditor.errors import DataError, UsageError
from auditor.hierarchies import Ladder
from auditor.microdata import Categorical
from auditor.utility._numbers import Floats


def distortion(original: Categorical, masked: Categorical, ladder: Ladder, beta: float = 0.0) -> Floats:
    """float64[n] from 0 to 1: the weighted hierarchical distance of each record's value to its masked one.

    A masked value that is missing, or that does not stand above the original one, is a distance of 1: what it was can
    no longer be said. A missing value that stays missing is 0. A value with nothing above it can only be 0 or 1.

    Args:
        original: the column as it was; each of its occurring labels is a value of the ladder.
        masked: the column as it is published, row i the record of row i.
        ladder: the hierarchy, built for the original's values.
        beta: the exponent of the weights, ≥ 0.

    Raises:
        DataError: another number of records, or a value of the original that the ladder was not built for.
        UsageError: beta is below 0.
    """
    if not beta >= 0:
        raise UsageError(f"beta is {beta}; it must be at least 0")
    if len(masked.codes) != len(original.codes):
        raise DataError(f"the masked column has {len(masked.codes)} records and the original {len(original.codes)}")
    paths = dict(zip(ladder.values, zip(*ladder.levels, strict=True), strict=True))
    seen, place = np.unique(np.stack([original.codes, masked.codes]), axis=1, return_inverse=True)
    costs = []
    for before, after in seen.T:
        value = None if before < 0 else original.labels[before]
        if value is not None and value not in paths:
            raise DataError(f"column {original.name!r} holds a value that its hierarchy was not built for")
        costs.append(_climbed(paths.get(value, (None,)), None if after < 0 else masked.labels[after], beta))
    return np.array(costs, np.float64)[place.reshape(-1)]


def _climbed(path: tuple[str | None, ...], label: str | None, beta: float) -> float:
    """The cost of going up a value's path to a label."""
    steps = [path[0], *(now for before, now in pairwise(path) if now != before)]
    if label == steps[0]:
        return 0.0
    if label not in steps or label is None:
        return 1.0
    weights = [(len(steps) - t) ** -beta for t in range(1, len(steps))]
    return float(sum(weights[: steps.index(label)]) / sum(weights))
