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
from auditor.values import number_of, same_value, spelling

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
    """bool[a, b]: which labels may stand for one value.

    Only those do not of which something says so, and nothing else: the hierarchy, or that they are numbers or intervals
    which do not meet. Texts may mean anything: `20-29` and `25-34` do not say that a value lies in both.
    """
    both = list(dict.fromkeys((*first, *second)))
    row = {label: place for place, label in enumerate(both)}
    places = [np.array([row[label] for label in side], dtype=np.int64) for side in (first, second)]
    spellings: dict[object, int] = {}
    alike = np.array([spellings.setdefault(spelling(str(label)), len(spellings)) for label in both], dtype=np.int64)
    everything = np.array([is_all(label) for label in both], dtype=np.bool_)
    meet = (alike[:, None] == alike[None, :]) | everything[:, None] | everything[None, :]
    apart = np.zeros_like(meet)
    for at, found in (_by_interval(both, attribute), _by_ladder(both, attribute)):
        meet[np.ix_(at, at)] |= found
        apart[np.ix_(at, at)] |= ~found
    told: NDArray[np.bool_] = (meet | ~apart)[np.ix_(*places)]
    return told


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


def _by_interval(labels: Sequence[Label], attribute: Attribute | None) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The labels that are numbers or intervals, and which of these meet; none of a column that is declared as text."""
    numbers = attribute is None or attribute.is_numeric is not False
    spans = {place: span for place, label in enumerate(labels) if numbers and (span := _span(label)) is not None}
    cuts = {cut: rank for rank, cut in enumerate(sorted({cut for span in spans.values() for cut in span.cuts}))}
    ends = np.array([[cuts[cut] for cut in span.cuts] for span in spans.values()], dtype=np.int64).reshape(-1, 2)
    low, high = np.maximum.outer(ends[:, 0], ends[:, 0]), np.minimum.outer(ends[:, 1], ends[:, 1])
    return np.array(list(spans), dtype=np.int64), low < high


def _span(label: Label) -> Interval[Fraction] | None:
    number = number_of(label)
    return interval_of(label) if number is None else Interval.at(number)


def _by_ladder(labels: Sequence[Label], attribute: Attribute | None) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The labels that stand on the policy's hierarchy, and which of these are one, or one above the other."""
    plain = [label for label in labels if not is_all(label)]
    ladder = _ladder(attribute, plain)
    levels = {} if ladder is None else {label: ladder.level_of(label) for label in plain}
    known = [label for label, level in levels.items() if level is not None]
    if ladder is None or not known:
        return np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.bool_)
    standing = np.array([levels[label] for label in known], dtype=np.int64)
    row = {label: place for place, label in enumerate(plain)}
    above = ladder.codes()[:, np.array([row[label] for label in known], dtype=np.int64)]
    top = np.maximum.outer(standing, standing)
    meet = np.zeros(top.shape, dtype=np.bool_)
    for level in np.unique(top).tolist():
        meet |= (top == level) & (above[level][:, None] == above[level][None, :])
    where = {label: place for place, label in enumerate(labels)}
    return np.array([where[label] for label in known], dtype=np.int64), meet
