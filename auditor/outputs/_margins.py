"""Margins of tables: labels that are no values, but stand for all values of their column together.

pandas writes ``All``, R ``Sum``, Stata and spreadsheets ``Total``, SQL an empty field. A table that has them as if they
were values would hide that its suppressed cells follow by subtraction. A label is a margin by its word, unless its
numbers say otherwise everywhere; by its numbers, where these are the sums of the others; and with data by the data.
Where both readings are possible, it is a margin: that is what an attacker tries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from auditor.errors import NotEvaluated
from auditor.outputs._absences import Absences
from auditor.outputs.linked import cell_group
from auditor.outputs.published.addition import CellNumbers, says
from auditor.outputs.published.conditions import equal
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.lines import CHANCE, Key
from auditor.outputs.published.outputs import Cell, FrequencyTable, GroupStatistics, Published, Table
from auditor.outputs.published.scales import scales_of
from auditor.outputs.published.totals import has_like, is_null, quantifies, says_of_how_many, totalled
from auditor.outputs.published.values import same_value
from auditor.policy import Policy

NOT_A_TOTAL = (
    "a label that is a word for totals was taken for a value: its numbers are too small to be totals of the others"
)
DOUBTFUL_TOTAL = (
    "a label that is a word for totals was taken for a total, although its numbers are not always the sums of the "
    "others; if it is a value, give it another name"
)
TAKEN_FOR_TOTAL = (
    "a label about all, which can also be a value, was taken for the total, because its numbers do not tell which it "
    "is; if it is a value, give the data, or give it another name"
)
REST = "(others)"
"""The label of those whom a number of all counts, and none of the numbers beside it."""
OVERLAP = (
    "numbers beside those of all that come to more than these: of whom they are is not known; where the label of all "
    "is a value, give it another name"
)
BY_NUMBERS = (
    "a label that is not a word for a total was taken for one: its numbers are the sums of the others in every "
    "complete line"
)
EMPTY_KEY = (
    "a group of missing values, or a total without a name: give the data, or write All for totals and NaN for missing "
    "values"
)
TWO_TOTALS = "two labels of one column are words for totals, with different numbers: it is not known which is the total"


def with_margins(output: Published, counts: Counts | None = None, policy: Policy | None = None) -> Published:
    """The output with None in the keys of its margins, and with `missing` where it has groups of missing values."""
    if not isinstance(output, FrequencyTable | GroupStatistics):
        return output
    scales = {} if policy is None else scales_of(policy, output.by)
    table = Absences(output, counts, scales).told()
    while table.missing != output.missing:  # what one column says may tell of another
        output, table = table, Absences(table, counts, scales).told()
    return _Margins(table, counts, scales).with_totals()


@dataclass
class _Evidence:
    """How often a label's numbers are those of the others together, are less or more, and how often that is open."""

    fits: int = 0
    short: int = 0
    more: int = 0
    open: int = 0
    chance: int = 1


@dataclass
class _Margins(Absences):
    """The margins of one table; `of_how_many` are the labels, each at its place, beside which others are of these."""

    of_how_many: set[tuple[int, str]] = field(default_factory=set)

    def with_totals(self) -> Table:
        """The table with its margins."""
        missing = [self.missing_at(at) for at in self.places]
        for at in self.places:
            self.possible[at] -= missing[at]
        found = [{label for label in labels if self._is_margin(at, label)} for at, labels in enumerate(self.labels)]
        for at in self.places:
            if not found[at]:
                found[at] |= {label for label in self._largest(at) if self._is_sum(at, label)}
        keys = [self._key(number, found) for number in range(len(self.keys))]
        kept = self._distinct(keys)
        if any(_is_empty(part) and part not in missing[i] for at in kept for i, part in enumerate(keys[at])):
            self.unread.append(EMPTY_KEY)
        cells = (*(replace(self.output.cells[at], key=keys[at]) for at in kept), *self._rests(keys))
        notes, unread = dict.fromkeys((*self.output.notes, *self.notes)), (*self.output.unread, *self.unread)
        found_so = replace(self.output, notes=tuple(notes), unread=tuple(dict.fromkeys(unread)))
        return replace(found_so, cells=cells)  # type: ignore[arg-type]

    def _rests(self, keys: Sequence[Key]) -> Iterator[Cell]:
        """What is left of the numbers of all beside those of some: 12 of 50 where 38 died."""
        for at, label in self.of_how_many:
            for line in self.lines[at].values():
                if label in line:
                    key = keys[line[label]]
                    known = [self.numbers[n][0].point for part, n in line.items() if part not in (None, label)]
                    whole, parts = self.numbers[line[label]][0].point, [n for n in known if n is not None]
                    left = None if whole is None or len(parts) < len(known) else whole - sum(parts)
                    yield Cell(key=(*key[:at], REST, *key[at + 1 :]), count=None if left is None else int(left))

    def _key(self, number: int, found: Sequence[set[str]]) -> Key:
        """The key with None where its parts are margins, and in the empty places right behind a word for one."""
        told: list[str | None] = []
        behind = False
        key = self.keys[number]
        for at, part in enumerate(key):
            empty = part is not None and not part.strip()
            below = None if part is None else totalled(part, set(self.labels[at]))
            if below is not None and part not in found[at] and not any(map(_is_given, key[at + 1 :])):
                return (*told, below, *(None for _ in key[at + 1 :]))
            is_margin = part in found[at] or (behind and empty and self.is_behind(self.keys[number], at))
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
        if is_null(label) and all(self.is_behind(key, at) for key in self.keys if key[at] == label):
            return False  # it says no more than the total before it
        by_data = self._by_data(at, label)
        if by_data is not None:
            return by_data
        found = self._evidence(at, label)
        if is_null(label):
            return self._is_total_of_sql(found)
        if found.more + found.short and self._is_of_all_beside(at, label):
            (self.unread if found.short else self.notes).append(OVERLAP if found.short else TAKEN_FOR_TOTAL)
            self.of_how_many |= {(at, label)} if not found.short else set()
            return not found.short
        return self._is_by_word(at, label, found)

    def _is_by_word(self, at: int, label: str, found: _Evidence) -> bool:
        """Whether a label that speaks of all is a margin by its numbers."""
        if not self.is_word(at, label) and (
            ((found.more or found.short or has_like(label, self.labels[at])) and not found.fits)
            or not self._is_largest(at, label)
        ):
            return False
        if found.short and not (found.fits or found.more or found.open):
            self.notes.append(NOT_A_TOTAL)
            return False
        if found.short or (found.more and not found.fits):
            self.notes.append(DOUBTFUL_TOTAL)
        elif not found.fits and (not self.is_word(at, label) or quantifies(self.labels[at])):
            self.notes.append(TAKEN_FOR_TOTAL)
        return True

    def _is_of_all_beside(self, at: int, label: str) -> bool:
        """Whether a label says of how many those beside it are, and no number in a line with it is larger."""
        if type(self.output) is not FrequencyTable or self.counts is not None:
            return False
        if not says_of_how_many(label, self.labels[at]):
            return False
        for line in self.lines[at].values():
            own = self.numbers[line[label]][0].high if label in line else None
            others = (self.numbers[number][0].low for part, number in line.items() if part is not None)
            if own is not None and any(other is not None and other > own for other in others):
                return False
        return True

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
            return True if self.is_word(at, label) else None
        of_label, of_all, asked = 0, 0, 0
        for key, (known, *_) in zip(self.keys, self.numbers, strict=True):
            count = known.point
            if key[at] != label or count is None or any(key[i] in self.possible[i] for i in self.places if i != at):
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
            reached[key[at] or ""] += max((abs(each.low) for each in own if each.low is not None), default=Fraction(0))
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
                    found, self.is_word(at, label), self.numbers[line[label]], [self.numbers[part] for part in parts]
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

    def _compare(
        self,
        found: _Evidence,
        word: bool,
        own: CellNumbers,
        parts: Sequence[CellNumbers],
    ) -> None:
        """Compare a number with those of the others, of which there may be several kinds: counts and sums."""
        half = Fraction((self.rounded if self.rounded > 1 else 0) * (len(parts) + 1), 2)
        # A word is a value only where no rounding makes it a total, to either neighbour.
        whole = Fraction((self.step - 1) * (len(parts) + 1)) if word else half
        slacks = [(half, max(half, whole))] + [(Fraction(0), Fraction(0))] * (len(own) - 1)
        told = {says(mine, [each[i] for each in parts], *slacks[i], width=i) for i, mine in enumerate(own)}
        if "short" in told:
            found.short += 1
        elif "more" in told:
            found.more += 1
        elif "fits" in told:
            found.fits += 1
            large = sum(1 for each in parts if any(ends.high for ends in each)) > 1
            most = int(max(abs(ends.low) for ends in own if ends.low is not None))
            found.chance *= int(most / (2 * half + 1)) + 1 if large else 1
        else:
            found.open += 1


def _is_empty(part: str | None) -> bool:
    return part is not None and not part.strip()


def _is_given(part: str | None) -> bool:
    return part is not None and bool(part.strip())
