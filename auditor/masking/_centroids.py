"""What the members of a group get in place of their values: the group's mean, median or mode."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.microdata import Categorical, Numeric, Variable


def centroids(variable: Variable, groups: NDArray[np.int32]) -> Variable:
    """A variable with each value replaced by its group's mean; median of ordered and mode of nominal categories.

    `groups` is int32[n], numbered from 0, none empty. The median is the lower one, so that it is a category; of
    several modes it is the first label. A mean lies between the group's least and largest value, and a group of equal
    values keeps them to the last digit.
    """
    if isinstance(variable, Numeric):
        return Numeric(variable.name, _means(variable.values, groups)[groups])
    found = _medians(variable.codes, groups) if variable.ordered else _modes(variable.codes, groups)
    return Categorical(variable.name, found[groups], variable.labels, variable.ordered)


def _means(values: NDArray[np.float64], groups: NDArray[np.int32]) -> NDArray[np.float64]:
    """float64[groups]: computed from the differences from the group's least value, which rounding hurts least."""
    order, starts = _runs(values, groups)
    ends = np.append(starts[1:], len(values)) - 1
    least, largest = values[order[starts]], values[order[ends]]
    above = np.bincount(groups, values - least[groups])
    means: NDArray[np.float64] = np.minimum(least + above / np.bincount(groups), largest)
    return means


def _medians(codes: NDArray[np.int32], groups: NDArray[np.int32]) -> NDArray[np.int32]:
    order, starts = _runs(codes, groups)
    sizes = np.diff(np.append(starts, len(codes)))
    medians: NDArray[np.int32] = codes[order[starts + (sizes - 1) // 2]]
    return medians


def _modes(codes: NDArray[np.int32], groups: NDArray[np.int32]) -> NDArray[np.int32]:
    pairs, counts = np.unique(np.stack((groups, codes)), axis=1, return_counts=True)
    best = np.lexsort((pairs[1], -counts, pairs[0]))
    first = np.flatnonzero(np.diff(pairs[0][best], prepend=-1))
    modes: NDArray[np.int32] = pairs[1][best[first]]
    return modes


def _runs(values: NDArray[np.generic], groups: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The records sorted by group and value, and where each group starts among them."""
    order = np.lexsort((values, groups))
    return order, np.flatnonzero(np.diff(groups[order], prepend=-1))
