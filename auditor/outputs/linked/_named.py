"""Two columns that are one quantity by their names: `over65` beside `over66`, `under_18` beside `age_group`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from auditor.classes import BoolArray
from auditor.interval import NUMBERS, Interval
from auditor.outputs.linked._atoms import Atoms, Parts, joined
from auditor.outputs.linked._classes import Column, ColumnClasses
from auditor.outputs.published.quantities import NamedQuantity, quantity_of
from auditor.outputs.published.scales import PLAIN, Scale
from auditor.outputs.published.values import number_of
from auditor.truths import truth_of


@dataclass(frozen=True)
class _ClassNumbers:
    """The numbers in each class of a column, where something says them; `is_cut` where labels, or the name, cut it.

    `says` are the classes of those who have a number that is known, and `unknown` of those who have none.
    """

    spans: list[Parts | None]
    says: BoolArray
    unknown: BoolArray
    is_cut: bool


def by_names(
    one: Column, other: Column, classes: Mapping[Column, ColumnClasses], scales: Mapping[Column, Scale]
) -> BoolArray | None:
    """Which classes of two columns have a number in common; None where their names are of different quantities.

    Who is known to be over a number has a value of the column that was compared with it, and the other way round.
    """
    asked = quantity_of(one), quantity_of(other)
    if asked[0].name != asked[1].name:
        return None
    whole = any(scales.get(column, PLAIN).whole for column in (one, other))
    rows, columns = (_side(classes[name], each, whole=whole) for name, each in zip((one, other), asked, strict=True))
    if not (rows.is_cut or columns.is_cut):
        return None
    possible = np.ones((len(rows.spans), len(columns.spans)), dtype=np.bool_)
    for (i, mine), (j, theirs) in product(enumerate(rows.spans), enumerate(columns.spans)):
        if mine is not None and theirs is not None:
            possible[i, j] = any(a.meets(b) for a, b in product(mine, theirs))
    if any(quantity.span is not None for quantity in asked):
        for matrix, side, far in ((possible, rows, columns), (possible.T, columns, rows)):
            matrix[np.ix_(side.unknown, far.says)] = False
    return None if possible.all() else possible


def _side(classes: ColumnClasses, quantity: NamedQuantity, *, whole: bool) -> _ClassNumbers:
    truths = [truth_of(value) if isinstance(value, str) else None for value in classes.values]
    if isinstance(classes, Atoms):
        spans: list[Parts | None] = [each or None for each in classes.spans]
        is_cut = True
    else:
        spans = [_of_value(value, classes, quantity) for value in classes.values]
        is_cut = any(
            each is not None and isinstance(value, str) and (quantity.span is not None or number_of(value) is None)
            for each, value in zip(spans, classes.values, strict=True)
        )
    rest = None
    if classes.other and len(set(truths)) == 1 and truths[0] is not None:
        rest = quantity.told("no" if truths[0] else "yes")  # another value of a column of yes and no
    spans += [None if rest is None else (rest,)] * classes.other + [None] * classes.none
    told = sorted((span for each in spans if each is not None for span in each), key=lambda span: span.cuts)
    covered = joined(told) == [NUMBERS]
    if whole:
        spans = [None if each is None else tuple(span.whole for span in each) for each in spans]
    says = np.zeros(len(spans), dtype=np.bool_)
    says[: len(truths)] = [truth is not False and span is not None for truth, span in zip(truths, spans, strict=False)]
    unknown = np.zeros(len(spans), dtype=np.bool_)
    unknown[len(spans) - classes.none - (classes.other and covered and rest is None) :] = True
    return _ClassNumbers(spans, says, unknown, is_cut)


def _of_value(value: str | Fraction, classes: ColumnClasses, quantity: NamedQuantity) -> Parts | None:
    """The numbers in a class that is a value, or that lies between two marks."""
    if isinstance(value, Fraction):
        below = [mark for mark in classes.marks if mark < value]
        above = [mark for mark in classes.marks if mark > value]
        return (Interval(max(below, default=None), min(above, default=None), bool(below), bool(above)),)
    if quantity.span is not None and truth_of(value) is not None:
        span = quantity.told(value)
    else:
        number = number_of(value)
        span = quantity.told(value) if number is None else Interval.at(number)
    return None if span is None else (span,)
