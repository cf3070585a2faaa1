"""Columns of categories for this room's tests."""

import numpy as np

from auditor.microdata import MISSING, Categorical, Microdata


def column(name, values, labels=None, *, ordered=False):
    """A column from a list of labels; None is missing."""
    labels = tuple(labels or sorted({value for value in values if value is not None}))
    codes = [MISSING if value is None else labels.index(value) for value in values]
    return Categorical(name, np.array(codes, np.int32), labels, ordered)


def table(**columns):
    return Microdata(tuple(column(name, values) for name, values in columns.items()))
