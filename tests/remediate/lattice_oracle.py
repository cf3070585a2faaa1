"""Remediation once more, straight from the definitions: every node grouped row by row, in integers and fractions.

Independent of `auditor.remediate` on purpose: no roll-up, no bit fields, no pruning. A row is a tuple of the values of
the quasi-identifiers and a sensitive value; a ladder is a list of levels, each the node above every value; a node of
the lattice is a tuple of levels.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from tests import oracle

Row = tuple[tuple[int, ...], int]
Ladders = Sequence[Sequence[Sequence[int]]]
Node = tuple[int, ...]
Number = Callable[[Counter, Counter], Fraction | float]
Class = tuple[int, ...]
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Rule:
    """One requirement: the number of a class against q, how it stands to its bound, and the least size of a class.

    `attributes` are the quasi-identifiers that it groups by (None: all). A rule of the whole table has a `whole` number
    of the class sizes instead.
    """

    number: Number | None
    bound: Fraction | int | float
    direction: str
    size: int = 1
    exact: bool = True
    whole: Callable[[Sequence[int]], Fraction] | None = None
    attributes: tuple[int, ...] | None = None

    def holds(self, number: Fraction | float) -> bool:
        slack = 0 if self.exact else TOLERANCE * max(abs(float(self.bound)), 1.0)
        if self.direction == ">=":
            return number >= self.bound - slack
        if self.direction == "<=":
            return number <= self.bound + slack
        return number < self.bound - slack


@dataclass(frozen=True)
class Release:
    """A node's classes, and those of them that are suppressed in the end."""

    node: Node
    classes: Mapping[Class, Counter]
    suppressed: frozenset[Class]
    solves: bool

    @property
    def sizes(self) -> dict[Class, int]:
        return {key: sum(histogram.values()) for key, histogram in self.classes.items()}

    @property
    def lost(self) -> int:
        return sum(size for key, size in self.sizes.items() if key in self.suppressed)


def grouped(rows: Sequence[Row], ladders: Ladders, node: Node) -> dict[Class, Counter]:
    """The classes of the table generalized to a node."""
    classes: dict[Class, Counter] = defaultdict(Counter)
    for values, sensitive in rows:
        key = tuple(ladder[level][value] for ladder, level, value in zip(ladders, node, values, strict=True))
        classes[key][sensitive] += 1
    return dict(classes)


def release(
    rows: Sequence[Row], ladders: Ladders, rules: Sequence[Rule], node: Node, limit: int, *, released: bool
) -> Release:
    """Suppress in rounds until nothing violates; with the input's q where the reference is not the released table."""
    classes = grouped(rows, ladders, node)
    input_q = Counter(sensitive for _, sensitive in rows)
    kept = dict(classes)
    while kept:
        q = sum(kept.values(), Counter()) if released else input_q
        wrong = [key for key in kept if any(_violates(rule, key, kept, q) for rule in rules if rule.number)]
        if not wrong:
            break
        kept = {key: histogram for key, histogram in kept.items() if key not in wrong}
    lost = len(rows) - sum(sum(histogram.values()) for histogram in kept.values())
    solves = bool(kept) and lost <= limit
    solves = solves and all(rule.holds(rule.whole(_sizes_for(rule, kept))) for rule in rules if rule.whole)
    return Release(node, classes, frozenset(set(classes) - set(kept)), solves)


def _sizes_for(rule: Rule, kept: Mapping[Class, Counter]) -> list[int]:
    """The sizes of the classes that a rule groups the kept records into."""
    sizes: Counter = Counter()
    for key, histogram in kept.items():
        sizes[key if rule.attributes is None else tuple(key[i] for i in rule.attributes)] += sum(histogram.values())
    return list(sizes.values())


def _violates(rule: Rule, key: Class, kept: Mapping[Class, Counter], q: Counter) -> bool:
    histogram = kept[key]
    if rule.attributes is not None:
        like = [h for other, h in kept.items() if all(other[i] == key[i] for i in rule.attributes)]
        histogram = sum(like, Counter())
    assert rule.number is not None
    return sum(histogram.values()) < rule.size or not rule.holds(rule.number(histogram, q))


def nodes(low: Node, high: Node) -> list[Node]:
    """Every node of the ranges."""
    return list(product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))))


def minimal(solving: Sequence[Node], low: Node) -> set[Node]:
    """The solving nodes none of whose direct specializations inside the ranges solves."""
    return {
        node
        for node in solving
        if not any(
            (*node[:i], level - 1, *node[i + 1 :]) in solving for i, level in enumerate(node) if level - 1 >= low[i]
        )
    }


# Loss metrics; leaves[i] is how many leaves the hierarchy of attribute i has, under[i][level][node] how many of a node


def losses(
    found: Release, rows: Sequence[Row], ladders: Ladders, leaves: Sequence[int], under: Sequence[Sequence[Mapping]]
) -> dict[str, float]:
    """All seven metrics, the two that have an aggregate with both."""
    n, s, sizes = len(rows), found.lost, found.sizes
    kept = [size for key, size in sizes.items() if key not in found.suppressed]
    precision = [_precision(found, ladder, i, n, s) for i, ladder in enumerate(ladders)]
    loss = [_loss(found, ladder, i, leaves[i], under[i], n) for i, ladder in enumerate(ladders)]
    return {
        "height": sum(found.node),
        "precision": _mean(precision),
        "precision, geometric": _geometric(precision),
        "loss": _mean(loss),
        "loss, geometric": _geometric(loss),
        "discernibility": sum(size**2 for size in kept) + n * s,
        "discernibility-star": sum(size**2 for size in sizes.values()),
        "average-class-size": n / (len(kept) + (1 if s else 0)),
        "non-uniform-entropy": _entropy(found, rows, ladders),
    }


def _precision(found: Release, ladder: Sequence[Sequence[int]], i: int, n: int, s: int) -> Fraction:
    height = len(ladder) - 1
    return Fraction((n - s) * found.node[i] + s * height, n * height) if height else Fraction(0)


def _loss(
    found: Release, ladder: Sequence[Sequence[int]], i: int, leaves: int, under: Sequence[Mapping], n: int
) -> Fraction:
    if len(ladder) == 1 or leaves == 1:
        return Fraction(0)
    total = Fraction(0)
    for key, size in found.sizes.items():
        share = Fraction(under[found.node[i]][key[i]] - 1, leaves - 1)
        total += size * (1 if key in found.suppressed else share)
    return total / n


def _mean(values: Sequence[Fraction]) -> float:
    return float(sum(values) / len(values))


def _geometric(values: Sequence[Fraction]) -> float:
    return math.prod(1 + float(value) for value in values) ** (1 / len(values)) - 1


def _entropy(found: Release, rows: Sequence[Row], ladders: Ladders) -> float:
    bits = 0.0
    for i, (ladder, level) in enumerate(zip(ladders, found.node, strict=True)):
        fine = Counter(values[i] for values, _ in rows)
        coarse = Counter(ladder[level][values[i]] for values, _ in rows)
        bits -= math.fsum(math.log2(fine[v[i]] / coarse[ladder[level][v[i]]]) for v, _ in rows)
        gone: Counter = Counter()
        for key in found.suppressed:
            gone[key[i]] += found.sizes[key]
        bits -= math.fsum(count * math.log2(count / found.lost) for count in gone.values())
    return bits


# The number of each model, by what the policy calls it


def ordered(order: Sequence[int], *, listed: bool) -> Number:
    """The ordered distance: among the values that the reference has, or all that are listed."""
    return lambda p, q: oracle.emd_ordered(p, q, [value for value in order if listed or value in q])
