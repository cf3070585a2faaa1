"""Counts in disguise: the mean of a column of 0 and 1 times n is a count, and its sum is one.

So it is for any two numbers a < b, such as the codes 1 and 2: (mean − a) / (b − a) is the share that has b.

Whether a column holds nothing but two numbers says the data; else the policy (``boolean``, an integer of the range 0 to
1, or 1 to 2); else the numbers themselves, where the policy does not say what the column holds: a column all of whose
means times n are whole numbers is one of 0 and 1, unless that may well be chance (`CHANCE`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import (
    INDICATOR,
    DecisionTree,
    GroupStatistics,
    MagnitudeTable,
    Node,
    Published,
    Stated,
)
from auditor.outputs.published.values import number_of
from auditor.policy import Policy

CHANCE = Fraction(1, 100)
"""Numbers of any column fit whole numbers by chance; below this chance they are taken for those of 0 and 1."""
TAKEN = "a column that the policy does not describe was taken to hold 0 and 1: its means times n, or sums, are whole"
MEANS = frozenset({"mean", "average", "avg"})
SHARES = MEANS | frozenset({"share", "rate", "proportion", "prevalence", "fraction"})
PERCENT = frozenset({"percent", "percentage", "pct"})
PARTS = SHARES - MEANS | PERCENT
"""Names of shares of n, whatever the numbers are that a column holds."""
SUMS = frozenset({"sum", "total"})
_BOOLEAN = frozenset({"true", "false"})
_CODES = (Fraction(0), Fraction(1))


def marked(output: Published, policy: Policy, counts: Counts | None) -> Published:
    """The output, told of which values its column consists where these are two numbers."""
    if isinstance(output, DecisionTree):
        values = None if output.target is None else declared(output.target, policy, counts)
        return output if values is None else _with_classes(output, values)
    if not isinstance(output, GroupStatistics | MagnitudeTable) or output.values_of is not None:
        return output
    values = declared(output.of, policy, counts)
    if values is not None:
        return replace(output, values_of=values)
    if is_described(output.of, policy, counts) or not _fits_whole_numbers(output):
        return output
    return replace(output, values_of=INDICATOR, notes=(*output.notes, TAKEN))


def declared(column: str, policy: Policy, counts: Counts | None) -> tuple[str, str] | None:
    """What the data, or the policy, writes for no and yes: 0 and 1, or the two numbers of a column of no others.

    The smaller one stands first. None for a column of other values.
    """
    if counts is not None and column in counts.names:
        labels = [label for label in counts.column(column)[0] if label is not None]
        if labels and {label.casefold() for label in labels} <= _BOOLEAN:
            return (_spelled(labels, "false"), _spelled(labels, "true"))
        return _two_numbers(labels)
    known = policy.attributes.get(column)
    if known is None:
        return None
    if known.type == "boolean":
        return ("false", "true")
    least, most = known.range or (None, None)
    if known.type == "integer" and least is not None and most is not None and most - least == 1:
        return (str(least), str(most))
    return INDICATOR if (known.order is not None and set(known.order) <= set(INDICATOR)) else None


def _two_numbers(labels: list[str]) -> tuple[str, str] | None:
    """The labels of a column of two numbers, the smaller one first; ``0`` and ``1`` where it holds but one of these."""
    found = {label: number for label in labels if (number := number_of(label)) is not None}
    if not labels or len(found) < len(set(labels)):
        return None
    if set(found.values()) <= set(_CODES):
        return INDICATOR
    low, high = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    return (low, high) if len(set(found.values())) == 2 else None


def codes(values: tuple[str, str]) -> tuple[Fraction, Fraction]:
    """The numbers that the two values of a column are added up as."""
    low, high = map(number_of, values)
    return _CODES if low is None or high is None else (low, high)


def ones(values: Mapping[str, Stated], n: int | None, of: tuple[Fraction, Fraction] = _CODES) -> tuple[int, int] | None:
    """The least and the largest number of ones that goes with what is written of a group; None where nothing is.

    `of` are the numbers that stand for 0 and for 1. A pair of which the first is larger: no number goes with it.
    """
    low, high, said = 0, n, False
    for name, stated in values.items():
        ends = _ends(name, stated, n, of)
        if ends is not None:
            said = True
            low, high = max(low, ends[0]), ends[1] if high is None else min(high, ends[1])
    return _on_one_side((low, high), values, n, of) if said and high is not None else None


def rarer(
    values: Mapping[str, Stated], n: int | None, of: tuple[Fraction, Fraction] = _CODES
) -> tuple[int, int] | None:
    """The least and the largest number of the rarer of the two values that goes with a spread, or with a share.

    With c of n, the variance is c (n − c) / n², of a sample c (n − c) / (n (n − 1)); either may be meant. A share of
    values other than 0 and 1 does not say of which. None where neither is written of two records or more; a pair of
    which the first is larger where no number goes with one.
    """
    found: tuple[int, int] | None = None
    for name, stated in values.items():
        if n is None or n < 2:
            break
        if name in _SPREADS:
            fewest, most = _rarer_by_spread(name, stated, n, of)
        elif name in PARTS and of != _CODES:
            fewest, most = _rarer_by_share(name, stated, n)
        else:
            continue
        found = (fewest, most) if found is None else (max(found[0], fewest), min(found[1], most))
    return found


def _rarer_by_spread(name: str, stated: Stated, n: int, of: tuple[Fraction, Fraction]) -> tuple[int, int]:
    of_pairs = range(n // 2 + 1)
    readings = []
    power, times = _SPREADS[name]
    for pairs in (n * n, n * (n - 1)):
        low, high = ((max(end, Fraction(0)) ** power / (of[1] - of[0]) ** 2) * n**times * pairs for end in stated.ends)
        first = bisect_left(of_pairs, low, key=lambda c: c * (n - c))
        last = bisect_right(of_pairs, high, key=lambda c: c * (n - c)) - 1
        readings += [(first, last)] if first <= last else []
    return min((first for first, _ in readings), default=1), max((last for _, last in readings), default=0)


def _rarer_by_share(name: str, stated: Stated, n: int) -> tuple[int, int]:
    low, high = _ends(name, stated, n, _CODES) or (0, n)
    low, high = max(low, 0), min(high, n)
    if low > high:
        return 1, 0
    most = n // 2 if 2 * low <= n <= 2 * high else max(min(low, n - low), min(high, n - high))
    return min(low, n - high), most


_SPREADS = {
    **dict.fromkeys(("std", "sd", "stdev", "stddev"), (2, 0)),
    **dict.fromkeys(("var", "variance"), (1, 0)),
    **dict.fromkeys(("sem", "se"), (2, 1)),
}
"""The variance behind a number of each name: that to a power, times n to another."""


def _on_one_side(
    ends: tuple[int, int], values: Mapping[str, Stated], n: int | None, of: tuple[Fraction, Fraction]
) -> tuple[int, int]:
    """The ends of a number of ones, narrowed by the spread where these say which value is the rarer."""
    found = rarer(values, n, of)
    if found is None or n is None or found[0] > found[1]:
        return ends
    sides = [(max(ends[0], low), min(ends[1], high)) for low, high in (found, (n - found[1], n - found[0]))]
    met = [(low, high) for low, high in sides if low <= high]
    return (min(low for low, _ in met), max(high for _, high in met)) if met else ends


def _ends(name: str, stated: Stated, n: int | None, of: tuple[Fraction, Fraction]) -> tuple[int, int] | None:
    low, high = stated.ends
    if name in SUMS and of == _CODES:
        return ceil(low), floor(high)
    if n is None or name not in (SUMS | SHARES | PERCENT if of == _CODES else SUMS | MEANS):
        return None
    times = Fraction(1) if name in SUMS else Fraction(n) if name in SHARES else Fraction(n, 100)
    zero, step = of[0] * n, of[1] - of[0]
    return ceil((low * times - zero) / step), floor((high * times - zero) / step)


def _spelled(labels: list[str], word: str) -> str:
    return next((label for label in labels if label.casefold() == word), word)


def is_described(column: str, policy: Policy, counts: Counts | None) -> bool:
    """Whether the data or the policy says what a column holds, so that its numbers need not be looked at."""
    known = policy.attributes.get(column)
    described = known is not None and (known.type is not None or known.range is not None)
    return described or (counts is not None and column in counts.names)


def _fits_whole_numbers(output: GroupStatistics | MagnitudeTable) -> bool:
    """Whether each number fits a column of 0 and 1, and so well that it is hardly chance."""
    chance = Fraction(1)
    for values, n in _said(output):
        found = ones(values, n)
        if found is None or n is None:
            continue
        if found[0] > found[1] or any(values[name].value not in (0, 1) for name in ("min", "max") if name in values):
            return False
        width = min((_width(name, each, n) for name, each in values.items() if name in SHARES | SUMS), default=None)
        chance *= Fraction(1) if width is None else min(Fraction(1), width)
    return chance < CHANCE


def _width(name: str, stated: Stated, n: int) -> Fraction:
    """The chance that a number of any column is written like one of 0 and 1: of a sum, that it lies between 0 and n."""
    low, high = stated.ends
    return Fraction(1, 2) if name in SUMS else (high - low) * n


def _said(output: GroupStatistics | MagnitudeTable) -> Iterator[tuple[dict[str, Stated], int | None]]:
    if isinstance(output, GroupStatistics):
        yield from (({name.lower(): value for name, value in cell.values}, cell.n) for cell in output.cells)
    else:
        yield from (({"sum": cell.sum}, cell.count) for cell in output.cells if cell.sum is not None)


def _with_classes(tree: DecisionTree, values: tuple[str, str]) -> DecisionTree:
    """A regression tree of two numbers with the mean of each node as what it is: how many have the larger one.

    Where several counts go with a mean, it is a share, if the numbers are 0 and 1, else left as it is.
    """
    of = codes(values)

    def told(node: Node) -> Node:
        if node.mean is None or node.counts is not None or node.shares is not None:
            return node
        if of == _CODES:
            no = Stated(1 - node.mean.value, node.mean.places)
            return replace(node, shares=((values[0], no), (values[1], node.mean)))
        low, high = ones({"mean": node.mean}, node.count, of) or (0, -1)
        if node.count is None or low != high or not 0 <= low <= node.count:
            return node
        return replace(node, counts=((values[0], node.count - low), (values[1], low)))

    return replace(tree, leaves=tuple(map(told, tree.leaves)), inner=tuple(map(told, tree.inner)))
