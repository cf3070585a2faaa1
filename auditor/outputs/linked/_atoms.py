"""The classes of a column whose labels hold each other: states and regions, ages and age groups.

Each label is a set of atoms, the parts that no label cuts. Of a ladder, an atom is what a label holds besides the finer
labels that are named; of intervals, what lies between the cuts of all of them. An atom that is no label itself is
taken to be empty where some table lists parts of a label that leave it out: whoever reads states and regions takes
the states of a region to be all that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Self

import numpy as np

from auditor.classes import BoolArray
from auditor.interval import NUMBERS, Interval
from auditor.outputs.linked._classes import ORDERED, ColumnClasses, Key
from auditor.outputs.published.conditions import MISSING, Condition
from auditor.outputs.published.scales import PLAIN, Scale
from auditor.outputs.published.spans import compared, span_of
from auditor.outputs.published.values import number_of, same_value

Listings = Sequence[frozenset[Key]]
"""The labels that each table lists of a column, by what they are compared by."""
Parts = tuple[Interval[Fraction], ...]


@dataclass(frozen=True)
class Atoms(ColumnClasses):
    """The atoms of a column; `values` are their names.

    `holds` has of each label which atoms it holds, `spans` of each atom the numbers in it (none of a text), and
    `doubtful` which atoms are empty as far as the tables tell.
    """

    holds: Mapping[Key, BoolArray] | None = None
    spans: tuple[Parts, ...] = ()
    scale: Scale = PLAIN
    doubtful: tuple[bool, ...] = ()

    def met(self, condition: Condition) -> BoolArray:
        """See `ColumnClasses`."""
        return np.array([*self._named(condition), *self.rest(condition)], dtype=np.bool_)

    def place(self, label: str | None) -> int:
        """See `ColumnClasses`. A value of the data lies in the finest label that holds it."""
        if label is None:
            return len(self) - 1
        held = self.holds or {}
        for above in self.scale.path(label):
            at = np.flatnonzero(held.get(same_value(above), _NONE))
            if len(at):
                return self._own(above, at.tolist())
        span = self._span(label)
        inside = [at for at, parts in enumerate(self.spans) if span and any(part.holds(span) for part in parts)]
        return inside[0] if len(inside) == 1 else len(self.values)

    def only(self, kept: BoolArray) -> Self:
        """Some of the atoms."""
        chosen = np.flatnonzero(kept).tolist()
        return replace(
            self,
            values=tuple(self.values[at] for at in chosen),
            holds={key: atoms[kept] for key, atoms in (self.holds or {}).items()},
            spans=tuple(self.spans[at] for at in chosen),
            doubtful=tuple(self.doubtful[at] for at in chosen),
        )

    def _own(self, label: str, atoms: list[int]) -> int:
        """The atom that is a label, or what it holds besides finer ones; `other values` where that was left out."""
        if len(atoms) == 1:
            return atoms[0]
        own = [at for at in atoms if self.values[at] == label]
        return own[0] if own else len(self.values)

    def _named(self, condition: Condition) -> BoolArray:
        held = self.holds or {}
        if condition.operator == MISSING:
            return np.zeros(len(self.values), dtype=np.bool_)
        if condition.operator in ORDERED:
            bound = number_of(condition.values[0])
            wanted = None if bound is None else self._cut(compared(condition.operator, bound))
            return np.array(
                [bool(parts) and wanted is not None and all(wanted.holds(p) for p in parts) for parts in self.spans],
                dtype=np.bool_,
            )
        found = np.zeros(len(self.values), dtype=np.bool_)
        for value in condition.values:
            found |= held.get(same_value(value), np.zeros(len(self.values), dtype=np.bool_))
        return found if condition.operator in ("=", "in") else ~found

    def _span(self, label: str) -> Interval[Fraction] | None:
        number = number_of(label)
        found = span_of(label) if number is None else Interval.at(number)
        return None if found is None else self._cut(found)

    def _cut(self, span: Interval[Fraction]) -> Interval[Fraction]:
        return span.whole if self.scale.whole else span


_NONE = np.zeros(0, dtype=np.bool_)


def atoms_of(
    conditions: Iterable[Condition], scale: Scale, listings: Listings, *, full: bool, crossing: bool
) -> Atoms | None:
    """The atoms of a column; None where its labels do not hold each other. For `crossing` see `_doubtful`."""
    chosen = [condition for condition in conditions if condition.operator != MISSING]
    labels: dict[Key, str] = {}
    for condition in sorted(chosen):
        for value in condition.values if condition.operator not in ORDERED else ():
            labels.setdefault(same_value(value), value)
    cuts = [c for c in chosen if c.operator in ORDERED]
    found = _of_spans(labels, cuts, scale, listings, full=full)
    if found is None and not cuts:
        found = _of_ladder(labels, scale)
    return None if found is None else replace(found, doubtful=_doubtful(found.holds or {}, listings, crossing=crossing))


def _of_ladder(labels: Mapping[Key, str], scale: Scale) -> Atoms | None:
    """Of each label what it holds besides the finer ones; without those of which the ladder says that it is nothing."""
    if not any(scale.level(label) for label in labels.values()):
        return None
    place = {label: at for at, label in enumerate(labels.values())}
    holds = np.zeros((len(labels), len(labels)), dtype=np.bool_)
    for label, at in place.items():
        for above in scale.path(label):
            if above in place:
                holds[place[above], at] = True
    kept = np.array([not _parted(label, at, holds, scale, list(place)) for label, at in place.items()], dtype=np.bool_)
    found = Atoms(
        tuple(labels.values()),
        other=True,
        none=True,
        holds={key: holds[place[label]] for key, label in labels.items()},
        spans=((),) * len(labels),
        scale=scale,
        doubtful=(False,) * len(labels),
    )
    return found.only(kept)


def _parted(label: str, at: int, holds: BoolArray, scale: Scale, labels: Sequence[str]) -> bool:
    """Whether finer labels that are named are, by the ladder, all that a label holds."""
    whole = scale.leaves(label)
    inner = [x for x in np.flatnonzero(holds[at]).tolist() if x != at]
    if whole is None or not inner:
        return False
    largest = [x for x in inner if not any(holds[y, x] for y in inner if y != x)]
    return sum(scale.leaves(labels[x]) or 0 for x in largest) == whole


def _of_spans(
    labels: Mapping[Key, str], cuts: Sequence[Condition], scale: Scale, listings: Listings, *, full: bool
) -> Atoms | None:
    """The parts of the number line that labels and bounds cut; texts beside them are atoms of their own."""
    spans = {key: _span_of(label, key, scale) for key, label in labels.items()}
    if not any(spans[key] is not None and isinstance(key, str) for key in labels):
        return None
    if not _are_parts(spans, listings):
        if scale.whole:
            return None
        return _of_spans(labels, cuts, replace(scale, whole=True), listings, full=full)  # over 65, and under 66
    bounds = [compared(c.operator, b) for c in cuts if (b := number_of(c.values[0])) is not None]
    bounds = [each.whole if scale.whole else each for each in bounds]
    asked = [*(span for span in spans.values() if span is not None), *bounds]
    segments = _segments(asked)
    signatures: dict[tuple[bool, ...], list[Interval[Fraction]]] = {}
    for segment in segments:
        signature = tuple(span.holds(segment) for span in asked)
        if any(signature[: len(asked) - len(bounds)]) or (bounds and not full):
            signatures.setdefault(signature, []).append(segment)
    parts = [tuple(joined(each)) for each in signatures.values()]
    texts = [key for key, span in spans.items() if span is None]
    by_span: dict[Parts, str] = {(span,): labels[key] for key, span in spans.items() if span is not None}
    names = [by_span.get(each) or " or ".join(map(str, each)) for each in parts]
    holds = {
        key: np.array(
            [*(span is not None and span.holds(each[0]) for each in parts), *(text == key for text in texts)],
            dtype=np.bool_,
        )
        for key, span in spans.items()
    }
    return Atoms(
        (*names, *(labels[key] for key in texts)),
        other=True,
        none=True,
        holds=holds,
        spans=(*parts, *((),) * len(texts)),
        scale=scale,
    )


def _are_parts(spans: Mapping[Key, Interval[Fraction] | None], listings: Listings) -> bool:
    return all(_parts([s for key in listed if (s := spans.get(key)) is not None]) for listed in listings)


def _span_of(label: str, key: Key, scale: Scale) -> Interval[Fraction] | None:
    found = Interval.at(key) if isinstance(key, Fraction) else span_of(label)
    return found.whole if found is not None and scale.whole else found


def _parts(spans: Sequence[Interval[Fraction]]) -> bool:
    """Whether of any two of the spans one holds the other, or they have nothing in common."""
    open_: list[Interval[Fraction]] = []
    for span in sorted(spans, key=lambda each: (each.cuts[0], tuple(-part for part in each.cuts[1]))):
        while open_ and open_[-1].cuts[1] <= span.cuts[0]:
            open_.pop()
        if open_ and not open_[-1].holds(span):
            return False
        open_.append(span)
    return True


def _segments(spans: Sequence[Interval[Fraction]]) -> list[Interval[Fraction]]:
    """The parts of the number line between all cuts."""
    cuts = sorted({cut for span in (*spans, NUMBERS) for cut in span.cuts})
    return [Interval.between(first, last) for first, last in pairwise(cuts)]


def joined(spans: Sequence[Interval[Fraction]]) -> list[Interval[Fraction]]:
    """Spans in order, neighbours joined."""
    found: list[Interval[Fraction]] = []
    for span in spans:
        if found and found[-1].cuts[1] == span.cuts[0]:
            found[-1] = Interval.between(found[-1].cuts[0], span.cuts[1])
        else:
            found.append(span)
    return found


def _doubtful(holds: Mapping[Key, BoolArray], listings: Listings, *, crossing: bool) -> tuple[bool, ...]:
    """The atoms that are no label, and that some table leaves out while it lists parts of a label that holds them.

    With `crossing`, also where a label that it lists has but a part in common with that label: of `[0, 65)` beside
    `(0, 65]` the former is taken to hold nobody of 0.
    """
    sets = {key: frozenset(np.flatnonzero(atoms).tolist()) for key, atoms in holds.items()}
    atoms = len(next(iter(holds.values()), ()))
    alone = {next(iter(each)) for each in sets.values() if len(each) == 1}
    found = np.zeros(atoms, dtype=np.bool_)
    for listed in listings:
        own = [sets[key] for key in listed if key in sets]
        finest = [each for each in own if not any(other < each for other in own)]
        covered = frozenset[int]().union(*finest)
        meets = frozenset.__and__ if crossing else frozenset.__gt__
        broken = frozenset[int]().union(*(each for each in sets.values() if any(meets(each, part) for part in own)))
        found[sorted((broken - covered) - alone)] = True
    return tuple(found.tolist())
