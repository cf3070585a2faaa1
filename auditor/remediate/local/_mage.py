"""Microaggregation of quasi-identifiers: MAGE in the style of TSCKA, and MDAV of numbers alone.

A group is released as its centroid: the mean of its numbers, and the closest common generalization of its categories.

MAGE (Han, Yu, Mo, Lu & Liu 2014) is implemented after what could be read of it, so the steps are "TSCKA-style": first
the combinations of categories are put into classes that meet the demands, as KACA does with those alone; then every
class of at least 2k records is divided by MDAV on its numbers into groups of k to 2k − 1. k is the least size that the
demands imply. Groups that violate another demand are merged afterwards, as in any search for groups.

With numbers alone that is the microaggregation of all quasi-identifiers together, by which k-anonymity holds
(Domingo-Ferrer & Torra 2005); numbers are divided by their standard deviations over the whole table.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from auditor.classes import FloatArray
from auditor.masking import mdav_groups
from auditor.remediate.local._distance import Weights
from auditor.remediate.local._judge import Judge
from auditor.remediate.local._kaca import kaca
from auditor.remediate.local._partition import CombinationTable, Partition
from auditor.remediate.local._scales import LadderScale, MeanScale


def mage(table: CombinationTable, judge: Judge, weights: Weights, check: Callable[[], None]) -> Partition:
    """Classes of categories, each divided by its numbers.

    Args:
        table: what is put into groups.
        judge: whether groups meet the demands.
        weights: what a step of a ladder weighs, in the first step.
        check: called now and then; it raises where the time is up.
    """
    categories = [place for place, scale in enumerate(table.scales) if isinstance(scale, LadderScale)]
    coarse = kaca(table, judge, weights, check, categories) if categories else Partition.whole(table)
    return _divided(coarse, judge.least_size, check)


def _divided(coarse: Partition, k: int, check: Callable[[], None]) -> Partition:
    """Each group of at least 2k records divided by MDAV; records of one combination may go to several groups."""
    points = _points(coarse.table)
    if not points.shape[1] or k < 2:
        return coarse
    order = np.argsort(coarse.group, kind="stable")
    cuts = np.cumsum(np.bincount(coarse.group, minlength=coarse.groups))[:-1]
    cell, counts, group = coarse.cell.copy(), coarse.counts.copy(), coarse.group.copy()
    cells, records, groups = [], [], []
    found = coarse.groups
    for entries in np.split(order, cuts):
        check()
        if int(counts[entries].sum()) < 2 * k:
            continue
        # one point for each record: which of those with equal values goes where, MDAV decides by their places
        members = np.repeat(entries, counts[entries])
        numbers = mdav_groups(points[cell[members]], k).astype(np.int64)
        cells.append(cell[members])
        groups.append(found + numbers)
        records.append(np.ones(len(members), dtype=np.int64))
        found += int(numbers.max()) + 1
        counts[entries] = 0
    left = counts > 0
    return Partition.of(
        coarse.table,
        np.concatenate([cell[left], *cells]),
        np.concatenate([counts[left], *records]),
        np.concatenate([group[left], *groups]),
    )


def _points(table: CombinationTable) -> FloatArray:
    """float64[c, p]: the numbers of each combination, in standard deviations of the table's records."""
    columns = []
    for place, scale in enumerate(table.scales):
        if isinstance(scale, MeanScale):
            numbers = scale.numbers[table.codes[place]]
            mean = np.average(numbers, weights=table.records)
            deviation = float(np.sqrt(np.average((numbers - mean) ** 2, weights=table.records)))
            columns.append((numbers - mean) / (deviation or 1.0))
    return np.stack(columns, axis=1) if columns else np.zeros((len(table.records), 0))
