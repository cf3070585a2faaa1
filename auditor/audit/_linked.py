"""Whose record is in which class of a release: told by the table that the release was made from.

A record of the original may be in each class whose labels stand for its values. Where as many records may be in a class
as it has, they are; they are in no other class then, and so on. What is not told so is not guessed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from auditor.audit._labels import Cover
from auditor.classes import IntArray, numbered
from auditor.errors import NotEvaluated

NOWHERE = -1


def linked(keys: IntArray, people: IntArray, covers: Sequence[Cover], records: NDArray[np.int32]) -> IntArray:
    """int64[n]: the class that each record of an original is in; −1 for one that the release does not hold.

    Args:
        keys: int64[c, d], the labels of each class.
        people: int64[c], how many records of the original each class holds.
        covers: what the labels of each column stand for.
        records: int32[n, d], the values of the original.

    Raises:
        NotEvaluated: a class holds more records than may be in it, or it is not told which.
    """
    found = np.full(len(records), NOWHERE, dtype=np.int64)
    rows, classes = _candidates(keys, covers, records)
    open_classes = people > 0
    while open_classes.any():
        able = np.bincount(classes, minlength=len(people))
        if (able < people)[open_classes].any():
            raise NotEvaluated("holds people in some classes whom its original does not have there")
        sure = open_classes & (able == people)
        hit = sure[classes]
        if not hit.any() or np.bincount(rows[hit]).max() > 1:
            raise NotEvaluated("does not tell which people of its original some classes hold: it has fewer than may be")
        found[rows[hit]] = classes[hit]
        open_classes &= ~sure
        left = (found[rows] == NOWHERE) & open_classes[classes]
        rows, classes = rows[left], classes[left]
    return found


def _candidates(
    keys: IntArray, covers: Sequence[Cover], records: NDArray[np.int32]
) -> tuple[NDArray[np.int64], IntArray]:
    """Each record with each class that it may be in: int64[m] and int64[m]."""
    layers = np.column_stack([cover.layers[keys[:, place]] for place, cover in enumerate(covers)])
    rows, classes = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for layer in np.unique(layers, axis=0):
        inside = np.flatnonzero((layers == layer).all(axis=1))
        above = [
            cover.tables[at][records[:, place]] for place, (cover, at) in enumerate(zip(covers, layer, strict=True))
        ]
        able = np.flatnonzero(np.all([each >= 0 for each in above], axis=0))
        columns = [np.concatenate([keys[inside, place], each[able]]) for place, each in enumerate(above)]
        together = numbered(columns, len(inside) + len(able))
        which = np.full(int(together.max(initial=-1)) + 1, NOWHERE, dtype=np.int64)
        which[together[: len(inside)]] = inside
        of_row = which[together[len(inside) :]]
        rows.append(able[of_row >= 0])
        classes.append(of_row[of_row >= 0])
    return np.concatenate(rows), np.concatenate(classes)
