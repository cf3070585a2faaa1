"""Remediation record by record, for what classes alone do not decide: units, wildcards, joined attributes, stars.

Independent of `auditor.remediate`, and of classes: the group of a record is found by comparing it with every other one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.remediate.lattice_oracle import Ladders, Node, Rule

STAR = "*"


@dataclass(frozen=True)
class Record:
    """One row: its quasi-identifiers (None: missing, which agrees with anything), its sensitive values, its unit."""

    values: tuple[int | None, ...]
    sensitive: tuple[int, ...]
    unit: int


@dataclass(frozen=True)
class Asked:
    """A rule and the columns that it reads.

    Args:
        rule: what the number of a group must be.
        reads: the sensitive attribute by place; None for a rule on sizes.
        joined: the sensitive attributes that join the grouping.
        over_members: whether its shares are shares of the members, not of the counts.
        each: for a rule of the whole table, what a record in a group of so many members adds to the mean.
    """

    rule: Rule
    reads: int | None = None
    joined: tuple[int, ...] = ()
    over_members: bool = False
    each: Callable[[int], Fraction] | None = None


@dataclass(frozen=True)
class Modes:
    """What is counted, where q comes from, and what becomes of suppressed records.

    Args:
        units: whether distinct units are counted.
        released: whether q is that of the records that are kept.
        references: q of each sensitive attribute where it is given from outside; else that of the input.
        stars: for each quasi-identifier and level the node that is labelled `*` (None: none is), where suppressed
            records stay; None where they are left out.
    """

    units: bool = False
    released: bool = True
    references: Sequence[Counter] | None = None
    stars: Sequence[Sequence[int | None]] | None = None


@dataclass(frozen=True)
class Made:
    """A node's release: the key of every record, and which records are kept."""

    node: Node
    keys: Sequence[tuple[Any, ...]]
    kept: frozenset[int]
    solves: bool


@dataclass(frozen=True)
class Table:
    """Records, ladders and what is asked."""

    records: Sequence[Record]
    ladders: Ladders
    asked: Sequence[Asked]
    modes: Modes

    def made(self, node: Node, limit: int) -> Made:
        """The release of a node, in rounds until nothing violates."""
        keys = [
            tuple(
                None if value is None else ladder[level][value]
                for ladder, level, value in zip(self.ladders, node, record.values, strict=True)
            )
            for record in self.records
        ]
        kept = set(range(len(self.records)))
        while kept:
            wrong = {i for i in kept for a in self.asked if a.each is None and self._violates(a, i, kept, keys)}
            if self.modes.units:
                gone = {self.records[i].unit for i in wrong}
                wrong = {i for i in kept if self.records[i].unit in gone}
            if not wrong:
                break
            kept -= wrong
        solves = len(self.records) - len(kept) <= limit and self._meets(node, kept, keys)
        return Made(node, keys, frozenset(kept), solves)

    def _meets(self, node: Node, kept: set[int], keys: Sequence[tuple[Any, ...]]) -> bool:
        there, shown = kept, keys
        if self.modes.stars is not None:
            there = set(range(len(self.records)))
            shown = [self._starred(node, key) if i in kept else (STAR,) * len(key) for i, key in enumerate(keys)]
        if not there:
            return False
        for asked in self.asked:
            if asked.each is not None:
                sizes = [self._members(self._group(asked, i, there, shown)) for i in there]
                if not asked.rule.holds(sum(map(asked.each, sizes), Fraction()) / len(sizes)):
                    return False
            elif any(self._violates(asked, i, there, shown) for i in there):
                return False
        return True

    def _starred(self, node: Node, key: tuple[Any, ...]) -> tuple[Any, ...]:
        """A key with `*` for what is labelled so."""
        stars = [levels[level] for levels, level in zip(self.modes.stars or (), node, strict=True)]
        return tuple(STAR if part == star and star is not None else part for part, star in zip(key, stars, strict=True))

    def _group(self, asked: Asked, i: int, there: set[int], keys: Sequence[tuple[Any, ...]]) -> list[int]:
        """The records that agree with one wherever neither has a missing value."""
        places = asked.rule.attributes if asked.rule.attributes is not None else range(len(keys[i]))

        def agree(j: int) -> bool:
            parts = all(keys[i][p] == keys[j][p] or keys[i][p] is None or keys[j][p] is None for p in places)
            return parts and all(self.records[i].sensitive[s] == self.records[j].sensitive[s] for s in asked.joined)

        return [j for j in there if agree(j)]

    def _members(self, group: Sequence[int]) -> int:
        return len({self.records[j].unit for j in group}) if self.modes.units else len(group)

    def _histogram(self, attribute: int, group: Sequence[int]) -> Counter:
        """How many rows (or distinct units) have each value."""
        pairs = [(self.records[j].sensitive[attribute], self.records[j].unit) for j in group]
        return Counter(value for value, _ in (set(pairs) if self.modes.units else pairs))

    def _q(self, attribute: int, there: set[int]) -> Counter:
        """The reference; a value that occurs and that it lacks is in it with 0."""
        if self.modes.released and self.modes.stars is None:
            return self._histogram(attribute, list(there))
        given = self.modes.references
        q = Counter(given[attribute] if given else self._histogram(attribute, range(len(self.records))))
        q.update({self.records[j].sensitive[attribute]: 0 for j in there})
        return q

    def _violates(self, asked: Asked, i: int, there: set[int], keys: Sequence[tuple[Any, ...]]) -> bool:
        group = self._group(asked, i, there, keys)
        members = self._members(group)
        assert asked.rule.number is not None
        if asked.reads is None:
            number = asked.rule.number(Counter({0: members}), Counter())
        else:
            p = self._histogram(asked.reads, group)
            number = asked.rule.number(p, self._q(asked.reads, there))
            if asked.over_members:
                number = number * Fraction(sum(p.values()), members)
        return members < asked.rule.size or not asked.rule.holds(number)


def losses(
    made: Made, records: Sequence[Record], ladders: Ladders, leaves: Sequence[int], under: Sequence[Sequence[Mapping]]
) -> dict[str, float]:
    """All seven metrics, record by record; a missing value is a leaf of its own at every level."""
    n, classes = len(records), Counter(made.keys)
    gone = [i for i in range(n) if i not in made.kept]
    left = Counter(made.keys[i] for i in made.kept)
    precision, loss, bits = [], [], 0.0
    for place, ladder in enumerate(ladders):
        height, level = len(ladder) - 1, made.node[place]
        precision.append((len(made.kept) * level / height + len(gone)) / n if height else 0.0)
        shares = [
            1.0 if i not in made.kept else 0.0 if key[place] is None
            else (under[place][level][key[place]] - 1) / (leaves[place] - 1)
            for i, key in enumerate(made.keys)
        ] if height and leaves[place] > 1 else [0.0]  # fmt: skip
        loss.append(sum(shares) / n)
        fine, coarse = Counter(r.values[place] for r in records), Counter(key[place] for key in made.keys)
        bits -= math.fsum(math.log2(fine[r.values[place]] / coarse[made.keys[i][place]]) for i, r in enumerate(records))
        among = Counter(made.keys[i][place] for i in gone)
        bits -= math.fsum(count * math.log2(count / len(gone)) for count in among.values())
    return {
        "height": sum(made.node),
        "precision": sum(precision) / len(precision),
        "loss": sum(loss) / len(loss),
        "discernibility": sum(size**2 for size in left.values()) + n * len(gone),
        "discernibility-star": sum(size**2 for size in classes.values()),
        "average-class-size": n / (len(left) + bool(gone)),
        "non-uniform-entropy": bits,
    }
