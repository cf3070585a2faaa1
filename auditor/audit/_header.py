"""A header that is the first record: no column would be what its name says, and a person's values would be the names.

Only strong evidence counts, because a header that is refused without need stops an audit that was right. The policy
names no column of the table exactly, and one of these holds:

- a name and the values below it are dates alike, or have one of the shapes that identify, such as e-mail addresses;
- all names that are numbers stand over numbers and lie among them, or no farther away than these reach, and they are
  not the numbers of a wide table (years, days, 0, 1, 2, …): those are equally far apart, or each would fit the others'
  columns as well. One such name needs a text beside it that its column holds;
- no name is a number, and two or more are texts that their columns hold beside at least two others. A column that holds
  nothing but its own name, or that and one other value, is a box that was ticked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from auditor.audit._doubtful import CELLS, LONGEST, ROWS
from auditor.audit._run import Run
from auditor.engines import ColumnUse
from auditor.errors import DataError
from auditor.looks import RECORDS, look_of
from auditor.values import number_of

Counts = Counter[str]
FEWEST = 10
"""Texts alone are compared in a table of so many rows."""
OTHERS = 3
"""And in columns of so many values."""


def refuse_records(run: Run) -> None:
    """Refuse a CSV file whose header looks like a record of its own.

    Raises:
        DataError: it does; the message says where, and not what stands there.
    """
    # the facts wait for the digest of the files, so they are asked for last
    if any(name in run.policy.attributes for name in run.columns) or run.source.facts.format != "csv":
        return
    columns = list(_columns(run))
    for place, (name, values) in enumerate(columns, 1):
        look = look_of([name], [1])
        if look is not None and look.name in RECORDS and look_of(list(values), list(values.values())) == look:
            raise _refusal(run, f"column {place} is named by one of the {look.name} that it holds")
    numbers = [place for place, (name, _) in enumerate(columns, 1) if number_of(name) is not None]
    texts = [place for place, (name, values) in enumerate(columns, 1) if place not in numbers and name in values]
    if numbers and _are_values([columns[place - 1] for place in numbers]) and (len(numbers) > 1 or texts):
        raise _refusal(run, f"{_named(numbers + texts)} named by what might stand in them")
    telling = [place for place in texts if len(columns[place - 1][1]) >= OTHERS]
    if not numbers and len(telling) > 1 and max(values.total() for _, values in columns) >= FEWEST:
        raise _refusal(run, f"{_named(telling)} named by one of the values that they hold")


def _refusal(run: Run, why: str) -> DataError:
    return DataError(
        f"{run.source.facts.name}: its header looks like a record: {why}; write a line with the names of the columns "
        "first, or name a column of the file exactly under attributes if this is its header"
    )


def _named(places: Sequence[int]) -> str:
    return f"columns {', '.join(map(str, sorted(places)))} are" if len(places) > 1 else f"column {places[0]} is"


def _columns(run: Run) -> Iterator[tuple[str, Counts]]:
    """The names of the columns and the values below them, without lines that repeat the header."""
    names = [column.name for column in run.source.columns]
    step = CELLS // ROWS
    found: list[tuple[str | None, ...]] = []
    for start in range(0, len(names), step):
        uses = [ColumnUse(name, ("",)) for name in names[start : start + step]]
        found += run.source.some(uses, ROWS, LONGEST)
    rows = [row for row in zip(*found, strict=True) if list(row) != names]
    for place, name in enumerate(names):
        yield name, Counter(value for row in rows if (value := row[place]) is not None)


def _are_values(columns: Sequence[tuple[str, Counts]]) -> bool:
    """Whether names that are numbers are values of their columns, and not the numbers of a wide table."""
    names = [Fraction(number_of(name) or 0) for name, _ in columns]
    reaches = [_reach(values) for _, values in columns]
    if any(reach is None or not reach[0] <= name <= reach[1] for name, reach in zip(names, reaches, strict=True)):
        return False
    if len(names) == 1:
        return True
    steps = {after - before for before, after in pairwise(names)}
    alike = all(reach is None or reach[0] <= name <= reach[1] for name in names for reach in reaches)
    return not alike and (len(names) == 2 or len(steps) > 1)


def _reach(values: Counts) -> tuple[Fraction, Fraction] | None:
    """From where to where another number might stand in a column of several; None where it holds other things."""
    numbers = [number for value in values if (number := number_of(value)) is not None]
    if len(numbers) < max(len(values), 2):
        return None
    low, high = min(numbers), max(numbers)
    return low - (high - low), high + (high - low)
