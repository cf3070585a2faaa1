"""Equivalence classes and what is counted in them: what every engine delivers and every model reads.

A class table holds integers only: the classes of one set of grouping columns, the size of each, and for one sensitive
attribute the count of each of its values in each class. Values are codes; a `Domain` knows what they mean.

Symbols: n classes, c cells (a cell is one sensitive value in one class), m values of the sensitive attribute::

    sizes   int64[n]      |E|: distinct units in the class (rows, where the policy names no unit)
    rows    int64[n]      records that stand in the class (equals sizes where rows are counted)
    keys    int64[n, w]   the codes of the grouping columns, packed into w words by a `KeyLayout`, in ascending order
    starts  int64[n]      the first cell of each class
    values  int64[c]      sensitive value codes; the cells of a class are adjacent, in ascending order of their codes
    counts  int64[c]      how many units (rows) of the class have that value; never 0
    units   int64[Σ counts] where units are counted, the units of each cell (of each class, where there are no cells)
    people  int64[n]      where a model reads the population: its persons who have the values of the class
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from auditor.values import Values

IntArray = NDArray[np.int64]
KeyArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Number = TypeVar("Number", np.int64, np.float64)

_SPREAD = 8
"""Numbers that are spread over more than so many times their count are sorted; others are counted by place."""
_SPARSE = 2**62
"""Numbers of combinations stay below it."""

WORD_BITS = 63
"""Bits of a packed key word: one less than a machine word, so that keys stay non-negative in SQL's BIGINT too."""


@dataclass(frozen=True)
class Domain:
    """The values of one sensitive attribute and their counts in the reference table.

    Args:
        labels: the value behind each code, as text; None is the missing value.
        reference: int64[m], how often each value occurs in the reference table; 0 for a value that does not.
        ranks: int64[m], the position of each value in ascending order, where the attribute has an order (else None).
        ladder: int64[H+1, m], at each level of the attribute's hierarchy the node above each value (else None).
        costs: float64[m, m], an expert's cost matrix (else None).
        numeric: whether the values are numbers.
        listed: whether the ranks are those of a list, so that a value counts even where the reference lacks it.
    """

    labels: tuple[str | None, ...]
    reference: IntArray
    ranks: IntArray | None = None
    ladder: IntArray | None = None
    costs: FloatArray | None = None
    numeric: bool = False
    listed: bool = False

    def among(self, listed: tuple[str, ...] | None) -> BoolArray:
        """bool[m]: which labels are the same value as one that is listed; all of them where nothing is."""
        if listed is None:
            return np.ones(len(self.labels), dtype=np.bool_)
        known: dict[tuple[str, ...], BoolArray] = self.__dict__.setdefault("_among", {})
        if listed not in known:
            values = Values(listed)
            known[listed] = np.array([label in values for label in self.labels], dtype=np.bool_)
        return known[listed]

    @cached_property
    def total(self) -> int:
        """N: the sum of the reference counts."""
        return int(self.reference.sum())

    @cached_property
    def share(self) -> FloatArray:
        """float64[m]: q, the reference distribution."""
        share: FloatArray = self.reference / max(self.total, 1)
        return share


@dataclass(frozen=True)
class Cells:
    """The counts of one sensitive attribute's values inside each class, class by class."""

    starts: IntArray
    values: IntArray
    counts: IntArray
    domain: Domain

    @cached_property
    def lengths(self) -> IntArray:
        """int64[n]: the number of distinct values in each class."""
        lengths = np.empty_like(self.starts)
        np.subtract(self.starts[1:], self.starts[:-1], out=lengths[:-1])
        lengths[-1:] = len(self.values) - self.starts[-1:]
        return lengths

    @cached_property
    def owner(self) -> IntArray:
        """int64[c]: the class of each cell."""
        return np.repeat(np.arange(len(self.starts)), self.lengths)

    @cached_property
    def totals(self) -> IntArray:
        """int64[n]: the sum of the counts of each class, the denominator of p."""
        return self.sum(self.counts)

    @cached_property
    def share(self) -> FloatArray:
        """float64[c]: p, each count over its class's total."""
        share: FloatArray = self.counts / self.totals[self.owner]
        return share

    @cached_property
    def reference(self) -> FloatArray:
        """float64[c]: q of each cell's value."""
        share: FloatArray = self.domain.share[self.values]
        return share

    def under(self, domain: Domain) -> Cells:
        """The same cells with another domain; what is worked out already and does not depend on it is kept."""
        cells = replace(self, domain=domain)
        known = ("lengths", "owner", "totals", "share")
        cells.__dict__.update({name: self.__dict__[name] for name in known if name in self.__dict__})
        return cells

    def sum(self, terms: NDArray[Number]) -> NDArray[Number]:
        """The sum of one term per cell, class by class (int64 or float64[n])."""
        sums: NDArray[Number] = np.add.reduceat(terms, self.starts) if len(self.starts) else terms[:0]
        return sums

    def max(self, terms: NDArray[Number]) -> NDArray[Number]:
        """The largest of one term per cell, class by class (int64 or float64[n])."""
        largest: NDArray[Number] = np.maximum.reduceat(terms, self.starts) if len(self.starts) else terms[:0]
        return largest

    def class_counts(self, index: int) -> list[tuple[int, int]]:
        """The (value code, count) pairs of one class, as Python integers."""
        start = int(self.starts[index])
        stop = start + int(self.lengths[index])
        return list(zip(self.values[start:stop].tolist(), self.counts[start:stop].tolist(), strict=True))


@dataclass(frozen=True)
class KeyLayout:
    """Where each column's code sits in a packed key: bit fields in words of 63 bits, first column highest.

    Sorting packed keys sorts by the first column, then the second, and so on; so the classes of the first j columns
    are runs of the sorted keys.

    >>> layout = KeyLayout.of({"sex": 2, "age": 100})
    >>> layout.words, layout.place("sex"), layout.place("age")
    (1, (0, 7, 1), (0, 0, 7))
    """

    columns: tuple[str, ...]
    places: tuple[tuple[int, int, int], ...]
    """For each column its word, its shift and its width in bits."""

    @classmethod
    def of(cls, cardinalities: dict[str, int]) -> KeyLayout:
        """The tightest layout for columns with so many distinct codes each; a field never straddles two words."""
        words: list[list[int]] = [[]]
        for count in cardinalities.values():
            width = max(int(count) - 1, 0).bit_length()
            if sum(words[-1]) + width > WORD_BITS:
                words.append([])
            words[-1].append(width)
        places = []
        for number, widths in enumerate(words):
            shift = sum(widths)
            for width in widths:
                shift -= width
                places.append((number, shift, width))
        return cls(tuple(cardinalities), tuple(places))

    @property
    def words(self) -> int:
        """How many words a key takes."""
        return self.places[-1][0] + 1 if self.places else 1

    def place(self, column: str) -> tuple[int, int, int]:
        """The word, shift and width of a column."""
        return self.places[self.columns.index(column)]

    def pack(self, codes: Sequence[IntArray]) -> KeyArray:
        """int64[n, w]: the keys of columns of codes, given in the layout's order."""
        rows = len(codes[0]) if codes else 0
        keys = np.zeros((rows, self.words), dtype=np.int64)
        for column, (word, shift, _) in zip(codes, self.places, strict=True):
            keys[:, word] |= column.astype(np.int64) << shift
        return keys

    def codes(self, keys: KeyArray, column: str) -> IntArray:
        """int64[n]: the codes of one column."""
        word, shift, width = self.place(column)
        codes: IntArray = (keys[:, word] >> shift) & ((1 << width) - 1)
        return codes

    def prefix(self, keys: KeyArray, columns: int) -> KeyArray:
        """The keys with everything behind the first so many columns cleared, unused words dropped."""
        if columns == 0:
            return keys[:, :0]
        word, shift, _ = self.places[columns - 1]
        head = keys[:, : word + 1].copy()
        if shift:
            head[:, word] = (head[:, word] >> shift) << shift
        return head


def distinct(values: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct values, ascending, and for each value its place among them.

    What ``numpy.unique`` does with ``return_inverse``, without its import of ``numpy.ma``: a third of a small audit.
    """
    order = values.argsort(kind="stable")
    ordered = values[order]
    fresh = np.ones(len(values), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    inverse = np.empty(len(values), dtype=np.int64)
    inverse[order] = fresh.cumsum() - 1
    return ordered[fresh], inverse


def numbered(columns: Iterable[IntArray], length: int) -> IntArray:
    """int64[n]: rows with the same codes in all columns get the same number, from 0 without gaps, in their order."""
    group, width = np.zeros(length, dtype=np.int64), 1
    for codes in columns:
        span = int(codes.max(initial=0)) + 1
        if width * span > _SPARSE:
            group, width = _without_gaps(group, width)
        group, width = group * span + codes, width * span
    return _without_gaps(group, width)[0]


def _without_gaps(numbers: IntArray, width: int) -> tuple[IntArray, int]:
    """The places of numbers below `width` among those that occur, and how many these are."""
    if width > _SPREAD * (len(numbers) + 1):
        ordered, place = distinct(numbers)
        return place, len(ordered)
    occurs = np.zeros(width, dtype=np.bool_)
    occurs[numbers] = True
    places: IntArray = occurs.cumsum() - 1
    return places[numbers], int(places[-1]) + 1


def run_starts(keys: KeyArray) -> IntArray:
    """int64: where each run of equal rows of sorted `keys` begins."""
    if not len(keys):
        return np.zeros(0, dtype=np.int64)
    changed = np.zeros(len(keys), dtype=np.bool_)
    changed[0] = True
    for word in range(keys.shape[1]):
        changed[1:] |= keys[1:, word] != keys[:-1, word]
    return np.flatnonzero(changed)


@dataclass(frozen=True)
class ClassTable:
    """Classes, their sizes and, for one sensitive attribute, their cells. See the module's legend.

    A table may be one batch of several; then it holds whole classes, and no class is in two batches.
    """

    sizes: IntArray
    rows: IntArray
    cells: Cells | None = None
    columns: tuple[str, ...] = ()
    keys: KeyArray | None = None
    layout: KeyLayout | None = None
    units: IntArray | None = None
    people: IntArray | None = None

    def __len__(self) -> int:
        return len(self.sizes)


def count_classes(
    keys: KeyArray,
    layout: KeyLayout,
    grouping: int,
    records: IntArray | None = None,
    *,
    domain: Domain | None = None,
    unit: bool = False,
) -> ClassTable:
    """Count packed records into a class table.

    The layout's columns are the `grouping` columns first, then the sensitive attribute (where `domain` is given), then
    the unit (where `unit` is true). `records` says how many records each key stands for (None: one).

    The keys are sorted in place: a near-unique table of 30 million records then needs no second copy.
    """
    keys, records = _sorted(keys, records)
    inner = grouping + (domain is not None)
    cell_keys = layout.prefix(keys, inner)
    cell_starts = run_starts(cell_keys)
    class_keys = layout.prefix(keys[cell_starts], grouping)
    starts = run_starts(class_keys)
    cell_rows = _run_sums(records, cell_starts, len(keys))
    rows = np.add.reduceat(cell_rows, starts) if len(starts) else cell_rows
    sizes, counts, units = rows, cell_rows, None
    if unit:
        members = run_starts(keys)
        units = layout.codes(keys[members], layout.columns[-1])
        counts = np.diff(np.searchsorted(members, cell_starts), append=len(members))
        sizes = counts if domain is None else _distinct_units(keys, layout, cell_starts[starts])
    cells = None
    if domain is not None:
        values = layout.codes(keys[cell_starts], layout.columns[grouping])
        cells = Cells(starts, values, counts, domain)
    return ClassTable(sizes, rows, cells, layout.columns[:grouping], class_keys[starts], layout, units)


def combined(keys: KeyArray, records: IntArray | None = None) -> tuple[KeyArray, IntArray]:
    """The distinct keys, ascending, and how many records have each; `records` and sorting as in `count_classes`."""
    keys, records = _sorted(keys, records)
    starts = run_starts(keys)
    return keys[starts], _run_sums(records, starts, len(keys))


def _sorted(keys: KeyArray, records: IntArray | None) -> tuple[KeyArray, IntArray | None]:
    if keys.shape[1] == 1 and records is None:
        keys[:, 0].sort()
        return keys, None
    order = np.argsort(keys[:, 0]) if keys.shape[1] == 1 else np.lexsort(keys.T[::-1])
    return keys[order], None if records is None else records[order]


def _run_sums(records: IntArray | None, starts: IntArray, length: int) -> IntArray:
    if records is None:
        return np.diff(starts, append=length)
    return np.add.reduceat(records, starts) if len(starts) else records


def _distinct_units(keys: KeyArray, layout: KeyLayout, class_starts: IntArray) -> IntArray:
    """How many distinct units each class holds, whatever their sensitive values."""
    owner = np.repeat(np.arange(len(class_starts)), np.diff(class_starts, append=len(keys)))
    units = layout.codes(keys, layout.columns[-1])
    width = int(units.max(initial=0)) + 1
    pairs = owner * width + units
    pairs.sort()
    return np.bincount(pairs[run_starts(pairs[:, None])] // width, minlength=len(class_starts)).astype(np.int64)


def merged_classes(table: ClassTable, group: IntArray) -> ClassTable:
    """The table with classes put together: those with the same number in `group` (0 … g−1) become one."""
    count = int(group.max()) + 1 if len(group) else 0
    sizes, rows = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    np.add.at(sizes, group, table.sizes)
    np.add.at(rows, group, table.rows)
    if table.cells is None:
        return ClassTable(sizes, rows)
    cells = table.cells
    width = len(cells.domain.labels)
    together, where = distinct(group[cells.owner] * width + cells.values)
    counts = np.zeros(len(together), dtype=np.int64)
    np.add.at(counts, where, cells.counts)
    starts = np.searchsorted(together // width, np.arange(count)).astype(np.int64)
    return ClassTable(sizes, rows, Cells(starts, together % width, counts, cells.domain))


def prefix_sizes(table: ClassTable) -> Iterator[tuple[str, IntArray]]:
    """For each grouping column in the layout's order, the class sizes (in records) of it and those before it.

    Costs one pass per column and no sort, because a class table is sorted by its packed key.
    """
    if table.keys is None or table.layout is None:
        return
    for count in range(1, len(table.columns) + 1):
        starts = run_starts(table.layout.prefix(table.keys, count))
        yield table.columns[count - 1], np.add.reduceat(table.rows, starts) if len(starts) else table.rows
