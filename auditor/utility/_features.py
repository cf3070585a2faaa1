"""Records as classifiers want them: a matrix of numbers, prepared by what the training records tell alone."""

from __future__ import annotations

import numpy as np

from auditor.errors import DataError
from auditor.microdata import Categorical, Microdata, Numeric, Variable
from auditor.utility._categories import align
from auditor.utility._numbers import Floats

MOST_CELLS = 2**26
"""A matrix of more numbers (half a gigabyte) is refused: a column of codes has one indicator per code."""


def features(train: Microdata, test: Microdata) -> tuple[Floats, Floats]:
    """float64[n, d] and float64[m, d] of two tables with the same variables.

    A variable of numbers becomes one column, standardised by the training records' mean and standard deviation, missing
    the mean; one of categories becomes a column of 0 and 1 per label of either table, missing all 0.

    Raises:
        DataError: a variable holds numbers in one table and categories in the other, or the categories are so many
            that the matrix would have more than `MOST_CELLS` numbers.
    """
    for one in (train, test):
        _refuse_wide(one)
    pairs = [_columns(train[variable.name], variable) for variable in test.variables]
    first, second = (np.column_stack([pair[side] for pair in pairs]) for side in (0, 1))
    return first, second


def _refuse_wide(data: Microdata) -> None:
    labels = {each.name: len(each.labels) for each in data.variables if isinstance(each, Categorical)}
    width = len(data.variables) - len(labels) + sum(labels.values())
    if width * max(data.records, width) > MOST_CELLS:
        widest = max(labels, key=labels.__getitem__, default=data.names[0])
        raise DataError(
            f"{data.records:,} records by {width:,} columns and categories are too many to learn from; leave columns "
            f"out, such as {widest!r}"
        )


def _columns(train: Variable, test: Variable) -> tuple[Floats, Floats]:
    if isinstance(train, Numeric) and isinstance(test, Numeric):
        return _standardised(train.values, test.values)
    if isinstance(train, Categorical) and isinstance(test, Categorical):
        pair = align(train, test)
        indicators = np.vstack([np.eye(pair.missing), np.zeros(pair.missing)])
        return indicators[pair.before], indicators[pair.after]
    raise DataError(f"column {test.name!r} holds numbers in one table and categories in the other")


def _standardised(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    known = train[~np.isnan(train)]
    if not len(known) or known.min() == known.max():
        return np.zeros((len(train), 1)), np.zeros((len(test), 1))
    mean, deviation = known.mean(), known.std()
    one, other = (np.nan_to_num((values - mean) / deviation, nan=0.0)[:, None] for values in (train, test))
    return one, other
