"""Labels of quasi-identifiers: which values of an original a label stands for, and which labels share a value.

A label stands for a value where it is that value, where the policy's hierarchy puts it above it, where it is an
interval that the number lies in, and where it is ``*`` or missing: then it stands for all of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from auditor.errors import AuditorError
from auditor.hierarchies import STAR, Ladder, build, ladder_spec
from auditor.interval import Interval
from auditor.policy import Attribute
from auditor.values import number_of, same_value

Label = str | None
_RANGE = re.compile(r"\s*([\[(])\s*([^\s,]+)\s*,\s*([^\s,]+)\s*([\])])\s*")


@dataclass(frozen=True)
class Cover:
    """The values that the labels of a column stand for.

    Labels lie in layers, in each of which a value is under one label at most. `layers` is int64[labels], −1 for a label
    that stands for none of the values; `tables` is int64[number of layers, values]: the label above each, or −1.
    """

    layers: NDArray[np.int64]
    tables: NDArray[np.int64]

    @classmethod
    def of(cls, labels: Sequence[Label], values: Sequence[Label], attribute: Attribute | None) -> Cover:
        """Of the labels of a release, over the values of its original; each may be missing (None)."""
        place = {_meant(label): code for code, label in enumerate(labels) if not is_all(label)}
        ladder = _ladder(attribute, values)
        layers = np.full(len(labels), -1, dtype=np.int64)
        tables: list[NDArray[np.int64]] = []
        for level in ladder.levels if ladder is not None else (tuple(values),):
            table = np.array([-1 if is_all(label) else place.get(_meant(label), -1) for label in level], dtype=np.int64)
            # Of a label on several levels the coarsest stands for most.
            layers[table[table >= 0]] = len(tables)
            tables.append(table)
        apart = [code for code, label in enumerate(labels) if layers[code] < 0 and interval_of(label) is not None]
        for layer in _disjoint([(code, interval_of(labels[code])) for code in apart]):
            table = np.full(len(values), -1, dtype=np.int64)
            for code, inside in _under(layer, values):
                table[inside] = code
                layers[code] = len(tables) if len(inside) else -1
            tables.append(table)
        for code in (code for code, label in enumerate(labels) if is_all(label)):
            layers[code] = len(tables)
            tables.append(np.full(len(values), code, dtype=np.int64))
        return cls(layers, np.array(tables, dtype=np.int64).reshape(len(tables), len(values)))


def meeting(first: Sequence[Label], second: Sequence[Label], attribute: Attribute | None) -> NDArray[np.bool_]:
    """bool[a, b]: which labels may stand for one value; only those do not that are known to share none."""
    both = list(dict.fromkeys((*first, *second)))
    row = {label: place for place, label in enumerate(both)}
    places = [np.array([row[label] for label in side], dtype=np.int64) for side in (first, second)]
    told = _by_interval(both)
    ladder = _ladder(attribute, [label for label in both if not is_all(label)])
    if attribute is not None and attribute.hierarchy is not None:
        # What the hierarchy does not know may be above anything, but for intervals that do not meet.
        told = _by_ladder(both, ladder, told)
    meanings: dict[object, int] = {}
    alike = np.array([meanings.setdefault(_meant(label), len(meanings)) for label in both], dtype=np.int64)
    found: NDArray[np.bool_] = (told | (alike[:, None] == alike[None, :]))[np.ix_(*places)]
    return found


def is_all(label: Label) -> bool:
    """Whether a label may stand for every value."""
    return label is None or label == STAR


def interval_of(label: Label) -> Interval[Fraction] | None:
    """The interval that a label is, ``[20, 25)`` or ``(20, 25]``; None for another text."""
    found = None if label is None else _RANGE.fullmatch(label)
    ends = None if found is None else (number_of(found[2]), number_of(found[3]))
    if found is None or ends is None or None in ends:
        return None
    return Interval(*ends, low_open=found[1] == "(", high_open=found[4] == ")")


def _meant(label: Label) -> object:
    return None if label is None else same_value(label)


def _ladder(attribute: Attribute | None, values: Sequence[Label]) -> Ladder | None:
    """The ladder of the policy over some values; None where it has none, or does not cover them."""
    if attribute is None or attribute.hierarchy is None or not values:
        return None
    try:
        return build(ladder_spec(attribute.hierarchy), tuple(values))
    except AuditorError:
        return None


def _disjoint(
    intervals: Sequence[tuple[int, Interval[Fraction] | None]],
) -> list[list[tuple[int, Interval[Fraction]]]]:
    """The intervals in as few layers as may be, of which each has none that meet."""
    layers: list[list[tuple[int, Interval[Fraction]]]] = []
    for code, interval in sorted(((c, i) for c, i in intervals if i is not None), key=lambda each: each[1].cuts):
        free = next((layer for layer in layers if not layer[-1][1].meets(interval)), None)
        if free is None:
            layers.append(free := [])
        free.append((code, interval))
    return layers


def _under(
    layer: Sequence[tuple[int, Interval[Fraction]]], values: Sequence[Label]
) -> list[tuple[int, NDArray[np.int64]]]:
    """For each interval, the values that lie in it."""
    numbers = [(number, place) for place, text in enumerate(values) if (number := number_of(text)) is not None]
    numbers.sort()
    places = np.array([place for _, place in numbers], dtype=np.int64)
    sides = {"low": bisect_left, "high": bisect_right}
    found = []
    for code, each in layer:
        first = sides["high" if each.low_open else "low"](numbers, each.low, key=lambda pair: pair[0])
        last = sides["low" if each.high_open else "high"](numbers, each.high, key=lambda pair: pair[0])
        found.append((code, places[first:last]))
    return found


def _by_interval(labels: Sequence[Label]) -> NDArray[np.bool_]:
    """bool[m, m]: which labels are all values, or numbers and intervals that meet."""
    everything = np.array([is_all(label) for label in labels], dtype=np.bool_)
    found = everything[:, None] | everything[None, :]
    spans = {place: span for place, label in enumerate(labels) if (span := _span(label)) is not None}
    cuts = {cut: rank for rank, cut in enumerate(sorted({cut for span in spans.values() for cut in span.cuts}))}
    at = np.array(list(spans), dtype=np.int64)
    ends = np.array([[cuts[cut] for cut in span.cuts] for span in spans.values()], dtype=np.int64).reshape(-1, 2)
    low, high = np.maximum.outer(ends[:, 0], ends[:, 0]), np.minimum.outer(ends[:, 1], ends[:, 1])
    found[np.ix_(at, at)] |= low < high
    return found


def _span(label: Label) -> Interval[Fraction] | None:
    number = number_of(label)
    return interval_of(label) if number is None else Interval.at(number)


def _by_ladder(labels: Sequence[Label], ladder: Ladder | None, told: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """As `told`, with what the hierarchy says of labels that it knows; others may be above anything."""
    spans = np.array([_span(label) is not None for label in labels], dtype=np.bool_)
    levels = [None if ladder is None or is_all(label) else ladder.level_of(label) for label in labels]
    known = np.array([level is not None for level in levels], dtype=np.bool_)
    decided = (spans[:, None] & spans[None, :]) | (known[:, None] & known[None, :])
    found = np.where(decided, told, np.True_)
    if ladder is None:
        return found
    row = {label: place for place, label in enumerate(ladder.values)}
    at = np.flatnonzero(known)
    standing = np.array([levels[place] for place in at.tolist()], dtype=np.int64)
    above = ladder.codes()[:, np.array([row[labels[place]] for place in at.tolist()], dtype=np.int64)]
    meet = np.zeros((len(at), len(at)), dtype=np.bool_)
    top = np.maximum.outer(standing, standing)
    for level in np.unique(top).tolist():
        meet |= (top == level) & (above[level][:, None] == above[level][None, :])
    found[np.ix_(at, at)] = meet
    return found
