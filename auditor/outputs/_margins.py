"""Margins of tables: labels that are no values, but stand for all values of their column together.

pandas writes ``All``, R ``Sum``, Stata and spreadsheets ``Total``, SQL an empty field. A table that has them as if they
were values would hide that its suppressed cells follow by subtraction. A label is a margin by its word, unless its
numbers say otherwise everywhere; by its numbers, where these are the sums of the others; and with data by the data.
Where both readings are possible, it is a margin: that is what an attacker tries.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from auditor.errors import NotEvaluated
from auditor.outputs._conditions import equal
from auditor.outputs._counts import Counts
from auditor.outputs._published import Cell, FrequencyTable, MagnitudeTable, Published, Statistic, Statistics
from auditor.outputs._totals import has_like, is_null, is_of_all, is_total, may_be_total, totalled, union_of
from auditor.outputs._values import same_value
from auditor.outputs.linked import cell_group

NOT_A_TOTAL = (
    "a label that is a word for totals was taken for a value: its numbers are smaller than what they would be totals of"
)
DOUBTFUL_TOTAL = (
    "a label that is a word for totals was taken for one, although its numbers are not always those of the others "
    "together; where it is a value, give it another name"
)
BY_NUMBERS = (
    "a label that is no word for a total was taken for one: its numbers are the sums of the others in every line that "
    "is complete"
)
EMPTY_KEY = "a group of missing values, or one without a name"
TWO_TOTALS = (
    "two labels of one column that are words for totals, with different numbers: which is the total is not known"
)
CHANCE = 1000
"""Numbers of values may add up like totals by chance: their product must be at least this for them to prove one."""

Key = tuple[str | None, ...]
Table = FrequencyTable | Statistics
Ends = tuple[Fraction | None, Fraction | None]
"""The least and the largest that a number can be; None where nothing is known."""


def with_margins(output: Published, counts: Counts | None = None) -> Published:
    """The output with None in the keys of its margins, however it calls them."""
    if not isinstance(output, FrequencyTable | Statistics):
        return output
    return _Margins(output, counts).told()


@dataclass
class _Evidence:
    """How often a label's numbers are those of the others together, are less or more, and how often that is open."""

    fits: int = 0
    short: int = 0
    more: int = 0
    open: int = 0
    chance: int = 1


@dataclass
class _Margins:
    """The margins of one table. `by_label` are those that are found, with each place and label."""

    output: Table
    counts: Counts | None
    notes: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    @cached_property
    def keys(self) -> list[Key]:
        return [cell.key for cell in self.output.cells]

    @cached_property
    def numbers(self) -> list[tuple[Ends, ...]]:
        sums = isinstance(self.output, MagnitudeTable)
        return [_numbers(cell, sums=sums) for cell in self.output.cells]

    @cached_property
    def labels(self) -> list[list[str]]:
        """The labels at each place of the keys."""
        return [list(dict.fromkeys(key[at] for key in self.keys if key[at] is not None)) for at in self.places]  # type: ignore[misc]

    @property
    def places(self) -> range:
        return range(len(self.output.by))

    @cached_property
    def possible(self) -> list[set[str]]:
        """The labels at each place that may be no values."""
        return [
            {label for label in labels if is_null(label) or self._is_word(at, label) or may_be_total(label, labels)}
            for at, labels in enumerate(self.labels)
        ]

    @cached_property
    def unions(self) -> list[set[str]]:
        """The labels at each place that are unions of others, by what they say."""
        return [{label for label in labels if union_of(label, set(labels))} for labels in self.labels]

    @cached_property
    def lines(self) -> list[dict[Key, dict[str | None, int]]]:
        """Of each place the cells that differ there alone, by what they have in common."""
        found: list[dict[Key, dict[str | None, int]]] = [defaultdict(dict) for _ in self.places]
        for number, key in enumerate(self.keys):
            for at in self.places:
                found[at][(*key[:at], *key[at + 1 :])][key[at]] = number
        return found

    @cached_property
    def step(self) -> int:
        """The largest number that all counts are multiples of: what they may have been rounded to."""
        return max(math.gcd(*self._known), 1)

    @cached_property
    def rounded(self) -> int:
        """The same where so many counts are multiples of it that they hardly are by chance; else 1."""
        return self.step if self.step ** sum(1 for count in self._known if count) >= CHANCE**2 else 1

    @property
    def _known(self) -> list[int]:
        return [int(low) for (low, high), *_ in self.numbers if low is not None and low == high]

    def told(self) -> Table:
        """The table with its margins."""
        found = [{label for label in labels if self._is_margin(at, label)} for at, labels in enumerate(self.labels)]
        for at in self.places:
            if not found[at]:
                found[at] |= {label for label in self._largest(at) if self._is_sum(at, label)}
        keys = [self._key(key, found) for key in self.keys]
        kept = self._distinct(keys)
        if any(part is not None and not part.strip() for at in kept for part in keys[at]):
            self.unread.append(EMPTY_KEY)
        cells = tuple(replace(self.output.cells[at], key=keys[at]) for at in kept)
        notes, unread = dict.fromkeys((*self.output.notes, *self.notes)), (*self.output.unread, *self.unread)
        return replace(self.output, cells=cells, notes=tuple(notes), unread=tuple(dict.fromkeys(unread)))  # type: ignore[arg-type]

    def _key(self, key: Key, found: Sequence[set[str]]) -> Key:
        """The key with None where its parts are margins, and in the empty places right behind a word for one."""
        told: list[str | None] = []
        behind = False
        for at, part in enumerate(key):
            empty = part is not None and not part.strip()
            below = None if part is None else totalled(part, set(self.labels[at]))
            if below is not None and part not in found[at] and not any(map(_is_given, key[at + 1 :])):
                return (*told, below, *(None for _ in key[at + 1 :]))
            is_margin = part in found[at] or (behind and empty)
            told.append(None if is_margin else part)
            behind = is_margin and (behind or not empty)
        return tuple(told)

    def _distinct(self, keys: list[Key]) -> list[int]:
        """The cells to keep: a total that is written twice is one, and of two different ones the second is a label."""
        first: dict[Key, int] = {key: at for at, key in enumerate(self.keys) if None in key}
        kept = []
        for at, key in enumerate(keys):
            other = first.setdefault(key, at)
            if other == at or key == self.keys[at]:
                kept.append(at)
            elif self.numbers[at] != self.numbers[other]:
                kept.append(at)
                keys[at] = self.keys[at]
                if keys[other] != self.keys[other]:
                    self.unread.append(TWO_TOTALS)
        return kept

    # By words

    def _is_margin(self, at: int, label: str) -> bool:
        if label not in self.possible[at]:
            return False
        by_data = self._by_data(at, label)
        if by_data is not None:
            return by_data
        found = self._evidence(at, label)
        if is_null(label):
            return self._is_total_of_sql(found)
        if not self._is_word(at, label) and (
            ((found.more or found.short or has_like(label, self.labels[at])) and not found.fits)
            or not self._is_largest(at, label)
        ):
            return False
        if found.short and not (found.fits or found.more or found.open):
            self.notes.append(NOT_A_TOTAL)
            return False
        if found.short or (found.more and not found.fits):
            self.notes.append(DOUBTFUL_TOTAL)
        return True

    def _is_word(self, at: int, label: str) -> bool:
        return is_total(label) or is_of_all(label, self.output.by[at])

    def _is_largest(self, at: int, label: str) -> bool:
        """Whether no label that may be no value has larger numbers: only the largest can be that of all."""
        reached = self._reached(at)
        most = max(reached[other] for other in self.possible[at])
        return reached[label] == most and (most > 0 or not any(reached.values()))

    def _is_total_of_sql(self, found: _Evidence) -> bool:
        """Whether no value is a total, or a group of missing values: a total, where neither can be told, and unread."""
        if found.short or found.more:
            return False
        if not found.fits and found.open:
            self.unread.append(EMPTY_KEY)
        return bool(found.fits or found.open)

    def _by_data(self, at: int, label: str) -> bool | None:
        """Whether the data says that a label is a margin; None where it says nothing."""
        column = self.output.by[at]
        if self.counts is None:
            return None
        if column not in self.counts.names:
            held = any(set(self.labels[at]) <= set(self.counts.column(name)[0]) for name in self.counts.names)
            return False if held else None
        values = self.counts.column(column)[0]
        is_value = same_value(label) in {same_value(value) for value in values if value is not None}
        if not is_value and not is_null(label):
            return True if self._is_word(at, label) else None
        of_label, of_all, asked = 0, 0, 0
        for key, ((count, most), *_) in zip(self.keys, self.numbers, strict=True):
            if key[at] != label or count != most or any(key[i] in self.possible[i] for i in self.places if i != at):
                continue
            asked += 1
            of_all += self._counted((*key[:at], None, *key[at + 1 :])) == count
            of_label += is_value and self._counted(key) == count
        if not asked:
            return False if is_value else None
        return of_all == asked and (not is_value or of_label < asked)

    def _counted(self, key: Key) -> int | None:
        assert self.counts is not None  # noqa: S101  (who calls has looked)
        try:
            return self.counts.count(cell_group(self.output, key))
        except NotEvaluated:
            return None

    # By numbers

    def _is_sum(self, at: int, label: str) -> bool:
        """Whether the numbers of a label that says nothing are those of the others together, hardly by chance."""
        if label in self.possible[at] or self._is_held(at, label):
            return False
        found = self._evidence(at, label)
        proved = found.fits > 1 and not found.short and not found.more and found.chance >= CHANCE
        if proved:
            self.notes.append(BY_NUMBERS)
        return proved

    def _largest(self, at: int) -> list[str]:
        """The label with the largest numbers, which alone can be that of sums; none where too few could prove it."""
        if len(self.places) < 2 or len(self.labels[at]) < 3 or any(key[at] is None for key in self.keys):
            return []
        return [max(self.labels[at], key=self._reached(at).__getitem__)]

    def _reached(self, at: int) -> dict[str, Fraction]:
        """What the numbers of each label come to that are known."""
        reached: dict[str, Fraction] = defaultdict(Fraction)
        for key, own in zip(self.keys, self.numbers, strict=True):
            reached[key[at] or ""] += max((abs(low) for low, _ in own if low is not None), default=Fraction(0))
        return reached

    def _is_held(self, at: int, label: str) -> bool:
        """Whether the data has records under a label, or under what stands below it; of an unnamed column, in any."""
        if self.counts is None:
            return False
        if self.output.by[at] in self.counts.names:
            return self.counts.count(frozenset({equal(self.output.by[at], label)})) != 0
        return any(label in self.counts.column(name)[0] for name in self.counts.names)

    def _evidence(self, at: int, label: str) -> _Evidence:
        found = _Evidence()
        for line in self.lines[at].values():
            if label not in line:
                continue
            parts = [
                number
                for other, number in line.items()
                if other is not None and other != label and other not in self.possible[at] | self.unions[at]
            ] or list(self._inside(self.keys[line[label]]))
            if parts:
                self._compare(
                    found, self._is_word(at, label), self.numbers[line[label]], [self.numbers[part] for part in parts]
                )
        return found

    def _inside(self, key: Key) -> Iterator[int]:
        """The cells, of values alone, that a key counts where its parts that may be no values are margins."""
        for number, other in enumerate(self.keys):
            pairs = enumerate(zip(key, other, strict=True))
            if other != key and all(
                (mine is None or mine in self.possible[i] or mine == part) and not self._is_open(i, part)
                for i, (mine, part) in pairs
            ):
                yield number

    def _is_open(self, at: int, part: str | None) -> bool:
        return part is None or part in self.possible[at] or part in self.unions[at]

    def _compare(self, found: _Evidence, word: bool, own: tuple[Ends, ...], parts: Sequence[tuple[Ends, ...]]) -> None:
        """Compare a number with those of the others, of which there may be several kinds: counts and sums."""
        half = Fraction((self.rounded if self.rounded > 1 else 0) * (len(parts) + 1), 2)
        # A word is a value only where no rounding makes it a total, to either neighbour.
        whole = Fraction((self.step - 1) * (len(parts) + 1)) if word else half
        slacks = [(half, max(half, whole))] + [(Fraction(0), Fraction(0))] * (len(own) - 1)
        says = {_says(mine, [each[i] for each in parts], *slacks[i], width=i) for i, mine in enumerate(own)}
        if "short" in says:
            found.short += 1
        elif "more" in says:
            found.more += 1
        elif "fits" in says:
            found.fits += 1
            large = sum(1 for each in parts if any(ends[1] for ends in each)) > 1
            most = int(max(abs(ends[0]) for ends in own if ends[0] is not None))
            found.chance *= int(most / (2 * half + 1)) + 1 if large else 1
        else:
            found.open += 1


def _is_given(part: str | None) -> bool:
    return part is not None and bool(part.strip())


def _says(own: Ends, parts: Sequence[Ends], near: Fraction, far: Fraction, *, width: int) -> str:
    """How a number and others go together: it fits their sum, is less or more, or nothing is known.

    It fits what is as `near` as rounding each by half makes it, and is less or more where it is not even `far`. Numbers
    that are known to more than `width` say nothing.
    """
    low, high = _sum([low for low, _ in parts]), _sum([high for _, high in parts])
    if low is not None and own[1] is not None and own[1] < low - far:
        return "short"
    if low is None or high is None or any(b is None or a is None or b - a > width for a, b in (own, *parts)):
        return "open"
    least, most = (end if end is not None else Fraction(0) for end in own)
    if least - near <= high and most + near >= low:
        return "fits"
    return "more" if least > high + far else "open"


def _sum(numbers: Sequence[Fraction | None]) -> Fraction | None:
    known = [number for number in numbers if number is not None]
    return sum(known, Fraction(0)) if len(known) == len(numbers) else None


def _numbers(cell: Cell | Statistic, *, sums: bool) -> tuple[Ends, ...]:
    """What is known of a cell's count, and of its sum where the table has sums."""
    if isinstance(cell, Statistic):
        total = dict(cell.values).get("sum")
        return _count(cell.n, None, None), (None, None) if total is None else total.ends
    count = _count(cell.count, cell.least, cell.most)
    if not sums:
        return (count,)
    return (count, cell.sum.ends if cell.sum is not None else cell.sum_ends)


def _count(count: int | None, least: int | None, most: int | None) -> Ends:
    if count is not None:
        return Fraction(count), Fraction(count)
    return Fraction(least or 0), None if most is None else Fraction(most)
