"""Small tables with many ties, the census file and rank swapping as it was published, for tests alone."""

import numpy as np
from hypothesis import strategies as st


def tables(*, largest=3, variables=3, records=9, missing=False):
    """A pair of integer tables of the same shape, as lists of tuples; None is missing."""
    cell = st.integers(0, largest)
    if missing:
        cell = st.one_of(cell, cell, cell, st.none())

    def of_shape(shape):
        table = st.lists(st.tuples(*[cell] * shape[1]), min_size=shape[0], max_size=shape[0])
        return st.tuples(table, table)

    return st.tuples(st.integers(1, records), st.integers(1, variables)).flatmap(of_shape)


def numbers(table):
    """float64[n, p] of a list of tuples, None as NaN."""
    return np.array([[np.nan if value is None else value for value in row] for row in table], dtype=float)


def census(folder):
    return np.loadtxt(folder / "census.csv", delimiter=",", skiprows=1)


def rank_swapped(table, percent, generator):
    """Every variable rank-swapped by itself: a partner at most percent of n ranks above; the next free one if taken."""
    return np.column_stack([_swapped(column, percent, generator) for column in table.T])


def _swapped(values, percent, generator):
    order = np.argsort(values, kind="stable")
    ordered, count = values[order], len(values)
    reach = count * percent // 100
    free = np.ones(count, dtype=bool)
    for place in range(count):
        if not free[place]:
            continue
        drawn = min(place + 1 + int(reach * generator.random()), count - 1)
        partners = [*range(drawn, place, -1), *range(drawn + 1, min(place + reach, count - 1) + 1)]
        for partner in partners:
            if free[partner]:
                ordered[[place, partner]] = ordered[[partner, place]]
                free[[place, partner]] = False
                break
    result = np.empty(count)
    result[order] = ordered
    return result


def microaggregated(table, k, blocks, partition):
    """The means of groups formed by `partition` on the standardised variables of each block by itself."""
    masked = table.copy()
    for block in map(list, blocks):
        part = table[:, block]
        groups = partition((part - part.mean(axis=0)) / part.std(axis=0), k)
        for group in range(groups.max() + 1):
            masked[np.ix_(groups == group, block)] = part[groups == group].mean(axis=0)
    return masked
