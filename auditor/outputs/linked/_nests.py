"""The combinations of two columns that some record may have; the others are of nobody, and no unknowns."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from auditor.classes import BoolArray, IntArray
from auditor.interval import Interval
from auditor.outputs.linked._atoms import Atoms, Parts
from auditor.outputs.linked._chance import within
from auditor.outputs.linked._classes import Column, ColumnClasses, Key
from auditor.outputs.linked._named import by_names
from auditor.outputs.linked._nesting import Listing, Nesting
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.quantities import quantity_of
from auditor.outputs.published.scales import Scale
from auditor.outputs.published.spans import span_of
from auditor.outputs.published.values import number_of, same_value

Pair = tuple[Column, Column]
AllClasses = Mapping[Column, ColumnClasses]

MOST_CODES = 2**62
MOST_PAIRS = 50_000_000
"""Of two columns with more combinations of classes nothing is said."""
STRANGERS = 0.05
"""What more than this share of the records contradicts, a ladder or names, is not of these columns."""


@dataclass(frozen=True)
class Nest:
    """Which classes of two columns a record may have at once: bool[classes of the first, classes of the second]."""

    columns: Pair
    possible: BoolArray

    def turned(self, column: Column) -> BoolArray:
        """The same with one of the two columns second."""
        return self.possible if self.columns[1] == column else self.possible.T


@dataclass(frozen=True)
class Whole:
    """A table that lists all the combinations that there are: of the classes that it covers, these codes alone."""

    columns: tuple[Column, ...]
    covered: tuple[BoolArray, ...]
    codes: IntArray

    def keeps(self, cells: IntArray) -> BoolArray:
        """bool[cells]: which combinations of classes, int64[cells, columns], it leaves possible."""
        sizes = tuple(len(each) for each in self.covered)
        inside = np.all([each[cells[:, at]] for at, each in enumerate(self.covered)], axis=0)
        code = np.ravel_multi_index(tuple(cells.T), sizes)
        return np.asarray(~inside | np.isin(code, self.codes), dtype=np.bool_)


def nests_of(classes: AllClasses, nesting: Nesting, counts: Counts | None) -> list[Nest]:
    """What is known of each two columns."""
    if not (nesting.labels or nesting.ladders or nesting.data or nesting.listed != "none"):
        return []
    columns = sorted(column for column in classes if not column.startswith("\0"))
    found: list[Nest] = []
    for one, other in _spoken_of(columns, nesting, counts):
        if len(classes[one]) * len(classes[other]) > MOST_PAIRS:
            continue
        possible = np.ones((len(classes[one]), len(classes[other])), dtype=np.bool_)
        held = _held(one, other, classes, counts)
        for each in _known(one, other, classes, nesting, held):
            possible &= each
        if counts is not None and held is not None:
            if nesting.data:
                possible &= _in_data(one, other, classes, counts, nesting)
                possible &= _in_data(other, one, classes, counts, nesting).T
            possible |= held > 0
        if not possible.all():
            found.append(Nest((one, other), possible))
    return found


def _spoken_of(columns: Sequence[Column], nesting: Nesting, counts: Counts | None) -> Iterable[Pair]:
    """The pairs of columns of which something may be known: all, where there are ladders or data."""
    if counts is not None or nesting.scales:
        return combinations(columns, 2)
    known, alike = set(columns), defaultdict[str, list[Column]](list)
    for column in columns:
        alike[quantity_of(column).name].append(column)
    listed = (sorted(known.intersection(listing.by)) for listing in nesting.listings)
    return sorted({pair for each in (*listed, *alike.values()) for pair in combinations(each, 2)})


def _known(
    one: Column, other: Column, classes: AllClasses, nesting: Nesting, held: IntArray | None
) -> Iterator[BoolArray]:
    """What names, ladders and tables say of two columns."""
    said: list[BoolArray] = []
    if nesting.labels and (named := by_names(one, other, classes, nesting.scales)) is not None:
        said.append(named)
    if nesting.ladders:
        said += _by_ladders(one, other, classes, nesting.scales)
    yield from (each for each in said if held is None or held[~each].sum() <= STRANGERS * held.sum())
    for listing in nesting.listings:
        if {one, other} <= set(listing.by) and nesting.listed != "none":
            listed = _by_listing(one, other, classes, listing, functions=nesting.listed == "functions")
            if listed is not None:
                yield listed


def _held(one: Column, other: Column, classes: AllClasses, counts: Counts | None) -> IntArray | None:
    """How many records of the data have each combination of classes; None where it lacks a column."""
    if counts is None or not counts.names.issuperset((one, other)):
        return None
    code = _codes(counts, (one, other), classes)
    sizes = len(classes[one]), len(classes[other])
    return np.bincount(code, minlength=sizes[0] * sizes[1]).reshape(sizes)


def _in_data(one: Column, other: Column, classes: AllClasses, counts: Counts, nesting: Nesting) -> BoolArray:
    """What the data says of two columns: where the values of a class of one lie."""
    if (one, other) not in nesting.kept:
        nesting.kept[one, other] = within(counts, one, other)
    outer = nesting.kept[one, other]
    places = np.array([classes[one].place(label) for label in counts.column(one)[0]], dtype=np.int64)
    far = np.array([classes[other].place(label) for label in counts.column(other)[0]], dtype=np.int64)
    held = np.zeros((len(classes[one]), len(classes[other])), dtype=np.bool_)
    known = outer >= 0
    held[places[known], far[outer[known]]] = True
    free = np.ones(len(classes[one]), dtype=np.bool_)
    free[places] = False
    free[places[~known]] = True
    return held | free[:, np.newaxis]


def _by_ladders(one: Column, other: Column, classes: AllClasses, scales: Mapping[Column, Scale]) -> Iterator[BoolArray]:
    """What each ladder says that both columns stand on, where one of them has labels above the values."""
    for owner, scale in scales.items():
        if scale.ladder is None:
            continue
        members = [column == owner or _above(column, classes, scale, scales) for column in (one, other)]
        if not all(members):
            continue
        if (found := _on_ladder(classes[one], classes[other], scale)) is not None:
            yield found


def _above(column: Column, classes: AllClasses, scale: Scale, scales: Mapping[Column, Scale]) -> bool:
    """Whether all labels of a column stand above the values of a ladder, and on no level of a ladder of its own."""
    own, labels = scales.get(column), [value for value in classes[column].values if isinstance(value, str)]
    if own is not None and any(own.level(label) for label in labels):
        return False
    return bool(labels) and all(scale.level(label) for label in labels)


def _on_ladder(one: ColumnClasses, other: ColumnClasses, scale: Scale) -> BoolArray | None:
    """Two classes of two columns meet where one lies within the other, and in none of its finer ones.

    Labels of a ladder that lists its values are its own. Others (years, intervals) could be those of any column, and
    are taken for this one where all classes of one column lie within the other's, or all of the other's hold some.
    """
    named = slice(len(one.values)), slice(len(other.values))
    lists = any(isinstance(value, str) and scale.leaves(value) is not None for value in (*one.values, *other.values))
    spans = _spans(one), _spans(other)
    if not lists and all(each is not None for side in spans for each in side):
        possible = _meeting(one, other, *spans)
    else:
        possible = _along(one, other, scale)
    met = possible[named]
    if not met.any() or not (lists or met.any(axis=0).all() or met.any(axis=1).all()):
        return None
    return possible


def _along(one: ColumnClasses, other: ColumnClasses, scale: Scale) -> BoolArray:
    """By the labels that stand above each on the ladder."""
    within_ = _within(one, other, scale), _within(other, one, scale)
    possible = np.zeros((len(one), len(other)), dtype=np.bool_)
    hit = np.flatnonzero(within_[0] < len(other.values))
    possible[hit, within_[0][hit]] = True
    hit = np.flatnonzero(within_[1] < len(one.values))
    possible[within_[1][hit], hit] = True
    _beside(possible, one, other, within_, scale)
    return possible


def _within(one: ColumnClasses, other: ColumnClasses, scale: Scale) -> IntArray:
    """int64[named classes of one]: the finest class of the other that each lies within; past its values for none."""
    place = {label: at for at, label in enumerate(other.values)}
    found = []
    for value in one.values:
        path = scale.path(value) if isinstance(value, str) else ()
        found.append(next((place[label] for label in path if label in place), len(other.values)))
    return np.array(found, dtype=np.int64)


def _beside(
    possible: BoolArray, one: ColumnClasses, other: ColumnClasses, within: Sequence[IntArray], scale: Scale
) -> None:
    """Other values of a column, or none, beside classes of the other column that no class of it holds or fills."""
    for matrix, side, far, places in ((possible, one, other, within[1]), (possible.T, other, one, within[0])):
        rest, end = len(side.values), len(far.values)
        if side.other:
            filled = [_filled(str(label), side, scale) for label in far.values]
            matrix[rest, :end] = (places == rest) & ~np.array(filled, dtype=np.bool_)
            matrix[rest, end:] = True
        if side.none:
            matrix[-1, :] = True


def _filled(label: str, side: ColumnClasses, scale: Scale) -> bool:
    """Whether the values of a column are all that a label of the ladder holds."""
    whole = scale.leaves(label)
    inner = [v for v in side.values if isinstance(v, str) and label in scale.path(v)]
    largest = [v for v in inner if not any(w != v and w in scale.path(v) for w in inner)]
    return whole is not None and sum(scale.leaves(v) or 0 for v in largest) == whole


def _spans(classes: ColumnClasses) -> list[Parts | None]:
    if isinstance(classes, Atoms):
        return [each or None for each in classes.spans]
    found: list[Parts | None] = []
    for value in classes.values:
        number = number_of(value) if isinstance(value, str) else value
        span = Interval.at(number) if number is not None else span_of(str(value))
        found.append(None if span is None else (span,))
    return found


def _meeting(
    one: ColumnClasses,
    other: ColumnClasses,
    first: Sequence[Parts | None],
    second: Sequence[Parts | None],
) -> BoolArray:
    possible = np.ones((len(one), len(other)), dtype=np.bool_)
    for i, parts in enumerate(first):
        for j, others in enumerate(second):
            possible[i, j] = any(a.meets(b) for a in parts or () for b in others or ())
    return possible


def _by_listing(
    one: Column, other: Column, classes: AllClasses, listing: Listing, *, functions: bool
) -> BoolArray | None:
    """The pairs that a table lists; None where it is to be a function and is none."""
    at = listing.by.index(one), listing.by.index(other)
    pairs = {(same_value(key[at[0]]), same_value(key[at[1]])) for key in listing.keys}
    if not pairs or (functions and not any(_function(pairs, side) for side in (0, 1))):
        return None
    if not functions and not listing.whole:
        return None
    masks = _Masks(classes[one]), _Masks(classes[other])
    firsts, seconds = sorted({a for a, _ in pairs}, key=str), sorted({b for _, b in pairs}, key=str)
    rows = {label: at for at, label in enumerate(firsts)}
    columns = {label: at for at, label in enumerate(seconds)}
    joined = np.zeros((len(firsts), len(seconds)), dtype=np.int64)
    for a, b in pairs:
        joined[rows[a], columns[b]] = 1
    left = np.array([masks[0][label] for label in firsts], dtype=np.int64)
    right = np.array([masks[1][label] for label in seconds], dtype=np.int64)
    covered = np.outer(left.any(axis=0), right.any(axis=0))
    return np.asarray(~covered | ((left.T @ joined @ right) > 0), dtype=np.bool_)


def _function(pairs: Iterable[tuple[object, object]], of: int) -> bool:
    """Whether each label of one side stands beside one label of the other, of which there are several."""
    chosen = list(pairs)
    return len({pair[of] for pair in chosen}) == len(chosen) and len({pair[1 - of] for pair in chosen}) > 1


class _Masks:
    """Of labels of a column, which classes they are."""

    def __init__(self, classes: ColumnClasses) -> None:
        self._classes = classes
        self._place = {same_value(v) if isinstance(v, str) else v: at for at, v in enumerate(classes.values)}

    def __getitem__(self, label: Key) -> BoolArray:
        found = np.zeros(len(self._classes), dtype=np.bool_)
        if isinstance(self._classes, Atoms):
            held = (self._classes.holds or {}).get(label)
            if held is not None:
                found[: len(held)] = held
        elif label in self._place:
            found[self._place[label]] = True
        return found


def wholes_of(classes: AllClasses, nesting: Nesting, counts: Counts | None) -> list[Whole]:
    """Tables over three and more columns, where what they do not list is of nobody."""
    tables = (each for each in nesting.listings if len(each.by) > 2 and each.whole and each.keys)
    known = [each for each in tables if classes.keys() >= set(each.by)] if nesting.listed == "all" else []
    return [found for each in known if (found := _whole(each, classes, counts)) is not None]


def _whole(listing: Listing, classes: AllClasses, counts: Counts | None) -> Whole | None:
    sizes = tuple(len(classes[column]) for column in listing.by)
    if math.prod(sizes) > MOST_CODES:
        return None
    masks = [_Masks(classes[column]) for column in listing.by]
    covered = [np.zeros(size, dtype=np.bool_) for size in sizes]
    codes = set[int]()
    for key in listing.keys:
        places = [np.flatnonzero(mask[same_value(label)]) for mask, label in zip(masks, key, strict=True)]
        for at, each in enumerate(places):
            covered[at][each] = True
        codes.update(np.ravel_multi_index(np.ix_(*places), sizes).ravel().tolist())
    if counts is not None:
        if not counts.names.issuperset(listing.by):
            return None
        codes.update(np.unique(_codes(counts, listing.by, classes)).tolist())
    return Whole(listing.by, tuple(covered), np.array(sorted(codes), dtype=np.int64))


def _codes(counts: Counts, columns: Sequence[Column], classes: AllClasses) -> IntArray:
    """int64[records]: the combination of classes of each record, row by row."""
    code = np.zeros(counts.records, dtype=np.int64)
    for column in columns:
        labels, codes = counts.column(column)
        code = code * len(classes[column]) + np.array([classes[column].place(x) for x in labels], np.int64)[codes]
    return code
