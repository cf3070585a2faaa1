r"""How far categories have moved, record by record.

    nominal   d(c, c') = 0 where they are the same, 1 otherwise
    ordered   d(c, c') = |rank(c) − rank(c')| / (number of categories − 1)

Missing is a category that is 1 away from every other, and so is one that the original's labels do not list (a
generalized one). The loss of a variable is the mean over its records, from 0 to 1.

Source: J. Domingo-Ferrer, V. Torra, Disclosure control methods and information loss for microdata, in:
Confidentiality, Disclosure and Data Access, 2001, 91-110.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auditor.microdata import Microdata
from auditor.utility._categories import Aligned, categories


@dataclass(frozen=True)
class CategoryDistance:
    """The mean distance of each variable, and the mean over them: 0 nothing moved, 1 everything, the whole way."""

    average: float
    each: dict[str, float]


def category_distance(original: Microdata, masked: Microdata) -> CategoryDistance:
    """How far the categories of a masked table, row i the record of row i, have moved.

    The order is the original's: `Categorical.ordered` and its labels, occurring or not.

    Raises:
        DataError: no records, no variable of categories, other variables, another number of records.
    """
    each = {pair.name: _distance(pair) for pair in categories(original, masked, same_records=True)}
    return CategoryDistance(float(np.mean(list(each.values()))), each)


def _distance(pair: Aligned) -> float:
    apart = (pair.before != pair.after).astype(np.float64)
    if pair.ordered and pair.original > 1:
        ranked = (pair.before < pair.original) & (pair.after < pair.original)
        apart[ranked] = np.abs(pair.before - pair.after)[ranked] / (pair.original - 1)
    return float(apart.mean())
