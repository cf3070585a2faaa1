"""Tables of shares, as `pandas.crosstab(normalize=…)` and `value_counts(normalize=True)` write them: of what they are.

Shares of all records, of each row or of each column add up to 1 there, and percentages to 100; that is how they are
told apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import ceil, floor

from auditor.outputs.published.outputs import Stated
from auditor.outputs.readers._frame import Key

NOTE = "shares that add up to 1 were taken for shares of the records of the table, of its rows or of its columns"
_FLOAT = Fraction(1, 10**9)


@dataclass(frozen=True)
class CellShares:
    """The share in each cell, and the places of the key that totals may be by: none, those of rows, or of columns."""

    cells: tuple[tuple[Key, Stated | None], ...]
    of: tuple[tuple[int, ...], ...]


def of_percent(number: Stated) -> Stated:
    """A percentage as a share."""
    return Stated(number.value / 100, None if number.places is None else number.places + 2)


def may_be_percentages(counts: Sequence[int | None]) -> bool:
    """Whether whole numbers come to 100, as far as percentages of one total are rounded, to half a percent each."""
    known = [count for count in counts if count is not None]
    return len(known) == len(counts) > 1 and abs(sum(known) - 100) * 2 <= len(known)


def shares_of(cells: Sequence[tuple[Key, Stated | None]], rows: int) -> CellShares | None:
    """The cells as shares, the first `rows` parts of whose keys are those of the rows; None where they are none.

    Where all parts are, as where shares stand in one column, they may be of a total by any of them.

    They have the places of the longest: programs leave out zeros at the end.
    """
    places = max((share.places or 0 for _, share in cells if share is not None), default=0)
    cells = [(key, None if share is None else replace(share, places=places)) for key, share in cells]
    inner = [(key, share) for key, share in cells if None not in key]
    if not inner or any(share is not None and not 0 <= share.value <= 1 for _, share in cells):
        return None
    width = len(inner[0][0])
    possible = [(), tuple(range(rows)), tuple(range(rows, width))]
    if rows == width:
        possible += [of for many in range(1, width) for of in combinations(range(width), many)]
    found = tuple(of for of in dict.fromkeys(possible) if len(of) < width and _add_up(inner, of))
    return CellShares(tuple(cells), found) if found else None


def totals_of(cells: Sequence[tuple[Key, int | None, Stated | None]], rows: int) -> dict[Key, int]:
    """The totals that counts and the shares beside them have, by the keys of margins: 45 that are 90 percent, of 50.

    None where the shares could be of several totals: of all, of each row, or of each column; nor what all counts of a
    group come to.
    """
    inner = [(key, count, share) for key, count, share in cells if None not in key]
    width = len(inner[0][0]) if inner else 0
    places = dict.fromkeys(of for of in ((), tuple(range(rows)), tuple(range(rows, width))) if len(of) < width)
    possible = [found for of in places if (found := _totals(inner, of)) is not None]
    if len(possible) != 1:
        return {}
    totals = {key: next(iter(n)) for key, n in possible[0].items() if len(n) == 1}
    return {key: n for key, n in totals.items() if n != _come_to(inner, key)}


def are_of_their_counts(cells: Sequence[tuple[Key, int | None, Stated | None]]) -> bool:
    """Whether shares are of the counts beside them: so many of each are a whole number, and no total goes with all."""
    inner = [(key, count, share) for key, count, share in cells if None not in key]
    known = [(count, share.ends) for _, count, share in inner if count is not None and share is not None]
    whole = all(ceil(count * low) <= floor(count * high) for count, (low, high) in known)
    width = len(inner[0][0]) if inner else 0
    places = (of for many in range(width) for of in combinations(range(width), many))
    return bool(known) and whole and all(_totals(inner, of) is None for of in places)


def _come_to(inner: Sequence[tuple[Key, int | None, Stated | None]], margin: Key) -> int | None:
    """What the counts of a group come to; None where one is suppressed."""
    counts = [n for key, n, _ in inner if all(of in (None, part) for of, part in zip(margin, key, strict=True))]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _totals(inner: Sequence[tuple[Key, int | None, Stated | None]], of: tuple[int, ...]) -> dict[Key, range] | None:
    """The totals of each group that fit all its pairs of a count and a share; None where a group has none."""
    found: dict[Key, range] = {}
    for key, count, share in inner:
        if not count or share is None or share.ends[0] <= 0:
            continue
        margin = tuple(part if place in of else None for place, part in enumerate(key))
        low, high = ceil(count / share.ends[1]), floor(count / share.ends[0])
        known = found.get(margin, range(low, high + 1))
        found[margin] = range(max(known.start, low), min(known.stop, high + 1))
    return None if any(not each for each in found.values()) else found


def _add_up(inner: Sequence[tuple[Key, Stated | None]], of: tuple[int, ...]) -> bool:
    """Whether the shares of each total come to 1, as far as they are rounded; a group of zeros has no total."""
    groups: dict[Key, list[Stated | None]] = defaultdict(list)
    for key, share in inner:
        groups[tuple(key[place] for place in of)].append(share)
    known = [[share for share in shares if share is not None] for shares in groups.values()]
    if any(len(each) < len(shares) for each, shares in zip(known, groups.values(), strict=True)):
        return False
    ends = [[share.ends for share in each] for each in known]
    lowest = (sum((low for low, _ in each), Fraction(0)) for each in ends)
    highest = (sum((high for _, high in each), Fraction(0)) for each in ends)
    return all(low <= 1 + _FLOAT and high >= 1 - _FLOAT for low, high in zip(lowest, highest, strict=True))
