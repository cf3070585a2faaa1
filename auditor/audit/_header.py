"""A header that is the first record: no column would be what its name says, and a person's values would be the names.

The policy names no column of the table exactly, and CSV says nothing else of which line is the header. Refused is

- a name over values that are dates as it is, or have one of the shapes that identify, as e-mail addresses do;
- names that are texts, and that their columns hold beside at least two other values: two of them, or the only column.
  Every name, where each column holds it beside others and no two columns hold the same value.

Otherwise a word over values that are all numbers, dates, codes or names of persons is a name: the line is a header by
one that headers are made of, or where no more columns say the contrary. These are

- names that are numbers and might stand in their columns: they lie among the numbers below, or no farther away than
  these reach, and are not the numbers of a wide table (years, days, 0, 1, 2, …), which are equally far apart or would
  fit the others' columns as well. One alone needs that no word beside it is one that headers are made of;
- names that are codes with digits (C50.9), names of persons, or yes and no, over nothing but such values, and that
  do not count their columns (Q1, Q2).

A column that holds nothing but its own name, or that and one other value, is a box that was ticked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from auditor import truths
from auditor.audit._persons import CELLS, LONGEST, ROWS
from auditor.audit._run import AuditRun
from auditor.engines import ColumnUse
from auditor.errors import DataError
from auditor.looks import AGE, HEADERS, KEYS, NAMES, PERHAPS_NAMES, POSTCODES, RECORDS, SENSITIVE, TEXT, look_of, words
from auditor.policy.binding import is_glob
from auditor.values import number_of, spelling

OTHERS = 3
"""Texts are compared in columns of so many values."""
VOCABULARY = (HEADERS | NAMES | PERHAPS_NAMES | KEYS | POSTCODES | SENSITIVE | AGE) - {"hiv", "no"}
"""Words that headers are made of, and that are no values."""
FEW = 3
"""Of so few different numbers the next may lie twice as far away as they reach."""
BLANKS = frozenset(map(spelling, ("", "?", "-", ".", "*", "na", "n/a", "nan", "null", "none", "missing", "unknown")))
"""What is written where a value is missing: over numbers it is no name."""
SUPPRESSED = "*"
"""What is written where a value is suppressed, and nobody calls a column."""
NUMBER, PERSON, TRUTH = "number", "person", "truth"
_PERSON = re.compile(r"[^\W\d_a-z][\w'’-]*\.?(?:[ ,]+[^\W\d_a-z][\w'’-]*\.?){1,3}")
_ALIKE = ((re.compile(r"[0-9]+"), "9"), (re.compile(r"[A-Z]+"), "A"), (re.compile(r"[a-z]+"), "a"))


@dataclass(frozen=True)
class _Named:
    """A column of a file: its place, from 1, what the first line calls it, and the values below with their counts."""

    place: int
    name: str
    values: Counter[str]

    @property
    def number(self) -> Fraction | None:
        """The number that the name is."""
        return number_of(self.name)

    @cached_property
    def kinds(self) -> frozenset[str | None]:
        """What the values are."""
        return frozenset(map(_kind, self.values))

    @property
    def is_word(self) -> bool:
        """Whether the name can only be one: a word over values that are all of some kind, and not of words."""
        plain = _kind(self.name) is None and spelling(self.name) not in BLANKS
        return plain and bool(self.kinds) and None not in self.kinds

    @property
    def is_value(self) -> bool:
        """Whether the name is of the kind of all values, and not a number."""
        kind = _kind(self.name)
        return kind not in (None, NUMBER) and kind in self.kinds and None not in self.kinds and not self.is_box

    @property
    def says_what(self) -> bool:
        """Whether a word of the name is one that headers are made of."""
        return bool(words(self.name) & VOCABULARY)

    @property
    def reach(self) -> tuple[Fraction, Fraction] | None:
        """From where to where another number might stand in the column; None where it holds other things."""
        numbers = [number for value in self.values if (number := number_of(value)) is not None]
        if len(numbers) < max(len(self.values), 1) or self.is_box:
            return None
        low, high = min(numbers), max(numbers)
        spread = (high - low) * (2 if len(set(numbers)) <= FEW else 1) or max(abs(high) / 2, Fraction(1))
        return low - spread, high + spread

    @property
    def is_box(self) -> bool:
        """Whether the column holds nothing but its own name, as a box that was ticked does."""
        return list(self.values) == [self.name]


def refuse_records(run: AuditRun) -> None:
    """Refuse a CSV file whose header looks like a record of its own.

    Raises:
        DataError: it does; the message says where, and not what stands there.
    """
    # the facts wait for the digest of the files, so they are asked for last
    # a suppressed value is written as the glob of all columns is: to be called * is not to be named
    named = any(name in run.policy.attributes and not is_glob(name) for name in run.columns)
    if named or run.source.facts.format != "csv":
        return
    why = _why(list(_columns(run)))
    if why is not None:
        raise DataError(
            f"{run.source.facts.name}: its header looks like a record: {why}; add a first line with the column "
            "names or, if this is the header, name one of its columns exactly under attributes"
        )


def _why(columns: Sequence[_Named]) -> str | None:
    """Why a first line is taken for a record; None where it may be a header."""
    for column in columns:
        look = look_of([column.name], [1])
        if (
            look is not None
            and look.name in RECORDS
            and look_of(list(column.values), [*column.values.values()]) == look
        ):
            return f"column {column.place} is named by one of the {look.name} that it holds"
    numbers = [column for column in columns if column.number is not None]
    texts = [column for column in columns if column.number is None and column.name in column.values]
    telling = [column for column in texts if len(column.values) >= OTHERS]
    suppressed = [column for column in texts if column.name == SUPPRESSED]
    if suppressed or len(telling) >= min(2, len(columns)):
        return f"{_named(telling or suppressed)} named by one of the values that they hold"
    if len(texts) == len(columns) > 1 and _are_apart(columns):
        return f"{_named(texts)} named by one of the values that they hold"
    values = [column for column in columns if column.is_value]
    values = [] if _count_columns([column.name for column in values]) else values
    numbers = numbers if _are_values(numbers) else []
    names = [column for column in columns if column.is_word]
    if any(column.says_what for column in names) or 0 < len(names) >= len(numbers) + len(values):
        return None
    if len(numbers) == 1 and not (texts or values) and _is_told(numbers[0], columns):
        return None
    return f"{_named([*numbers, *texts, *values])} named by values that they might hold" if numbers or values else None


def _are_apart(columns: Sequence[_Named]) -> bool:
    """Whether all columns hold several values, and no two the same: no box that is ticked or not is such."""
    held = Counter(value for column in columns for value in column.values)
    return max(held.values()) == 1 and all(len(column.values) > 1 for column in columns)


def _named(columns: Sequence[_Named]) -> str:
    places = sorted({column.place for column in columns})
    return f"columns {', '.join(map(str, places))} are" if len(places) > 1 else f"column {places[0]} is"


def _columns(run: AuditRun) -> Iterator[_Named]:
    """The names of the columns and the values below them, without lines that repeat what can only be a header.

    A record appears twice in many a table, and in each that is k-anonymous.
    """
    names = [column.name for column in run.source.columns]
    step = CELLS // ROWS
    found: list[tuple[str | None, ...]] = []
    for start in range(0, len(names), step):
        uses = [ColumnUse(name, ("",)) for name in names[start : start + step]]
        found += run.source.some(uses, ROWS, LONGEST)
    rows = list(zip(*found, strict=True))
    others = [row for row in rows if list(row) != names]
    if len(names) > 1 and any(column.is_word or column.says_what for column in _counted(names, others)):
        rows = others
    yield from _counted(names, rows)


def _counted(names: Sequence[str], rows: Sequence[tuple[str | None, ...]]) -> Iterator[_Named]:
    for place, name in enumerate(names):
        yield _Named(place + 1, name, Counter(value for row in rows if (value := row[place]) is not None))


def _kind(text: str) -> str | None:
    """What a text can be besides a word: a number, a date or an identifier, a truth, a person, a code by its form."""
    if number_of(text) is not None:
        return NUMBER
    if text.lower() in truths.WORDS:
        return TRUTH
    look = look_of([text], [1])
    if look is not None and look.name != TEXT:
        return look.name
    if _PERSON.fullmatch(text) and not words(text) & VOCABULARY:
        return PERSON
    if not any(c in "0123456789" for c in text) or len(text.split()) > 2:
        return None
    for pattern, letter in _ALIKE:
        text = pattern.sub(letter, text)
    return text


def _count_columns(names: Sequence[str]) -> bool:
    """Whether names are the numbers of their columns behind one word: Q1, Q2, Q3."""
    parts = [re.fullmatch(r"(.*?)([0-9]+)", name, re.DOTALL) for name in names]
    stems, numbers = {part and part[1] for part in parts}, [int(part[2]) for part in parts if part]
    return len(names) > 1 and stems != {None} and len(stems) == 1 and {b - a for a, b in pairwise(numbers)} == {1}


def _are_values(numbers: Sequence[_Named]) -> bool:
    """Whether names that are numbers are values of their columns, and not the numbers of a wide table."""
    names = [Fraction(column.number or 0) for column in numbers]
    reaches = [column.reach for column in numbers]
    telling = [(name, reach) for name, reach, column in zip(names, reaches, numbers, strict=True) if not column.is_box]
    if not telling or any(reach is None or not reach[0] <= name <= reach[1] for name, reach in telling):
        return False
    if len(names) == 1:
        return True
    if names == list(range(len(names))):
        return False
    steps = {after - before for before, after in pairwise(names)}
    alike = all(reach is None or reach[0] <= name <= reach[1] for name in names for reach in reaches)
    return not alike and (len(names) == 2 or len(steps) > 1)


def _is_told(number: _Named, columns: Sequence[_Named]) -> bool:
    """Whether a number that is a name is that of a wide table by the words beside it; pandas calls a lone column 0."""
    others = [column for column in columns if column is not number]
    return any(column.says_what for column in others) if others else number.name == "0"
