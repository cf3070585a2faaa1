"""The lines of a table: cells that differ in one place of their keys, and the labels there that may be no values."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from auditor.outputs.published.addition import CellNumbers, numbers_of
from auditor.outputs.published.conditions import NO_LABEL
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import MagnitudeTable, Table
from auditor.outputs.published.scales import Scale
from auditor.outputs.published.totals import is_null, is_of_all, is_total, may_be_total, union_of

Key = tuple[str | None, ...]
CHANCE = 1000
"""Numbers of values may add up like totals by chance: their product must be at least this for them to prove one."""


@dataclass
class Lines:
    """A table's cells by line; `scales` are what the policy says of labels of its columns."""

    output: Table
    counts: Counts | None
    scales: Mapping[str, Scale]
    notes: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    @cached_property
    def keys(self) -> list[Key]:
        """The keys of the cells, in order."""
        return [cell.key for cell in self.output.cells]

    @cached_property
    def numbers(self) -> list[CellNumbers]:
        """What each cell counts, within bounds; sums where they are magnitudes."""
        sums = isinstance(self.output, MagnitudeTable)
        return [numbers_of(cell, sums=sums) for cell in self.output.cells]

    @cached_property
    def labels(self) -> list[list[str]]:
        """The labels at each place of the keys."""
        return [list(dict.fromkeys(key[at] for key in self.keys if key[at] is not None)) for at in self.places]  # type: ignore[misc]

    @property
    def places(self) -> range:
        """The dimensions, by their place in a key."""
        return range(len(self.output.by))

    @cached_property
    def possible(self) -> list[set[str]]:
        """The labels at each place that may be no values."""
        found = [
            {label for label in labels if is_null(label) or self.is_word(at, label) or may_be_total(label, labels)}
            for at, labels in enumerate(self.labels)
        ]
        known = [column in self.output.missing for column in self.output.by]
        return [labels - {NO_LABEL} if told else labels for labels, told in zip(found, known, strict=True)]

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
        return max(math.gcd(*self.known), 1)

    @cached_property
    def rounded(self) -> int:
        """The same where so many counts are multiples of it that they hardly are by chance; else 1."""
        return self.step if self.step ** sum(1 for count in self.known if count) >= CHANCE**2 else 1

    @property
    def known(self) -> list[int]:
        """The counts that are told exactly."""
        return [int(count) for known, *_ in self.numbers if (count := known.point) is not None]

    def is_word(self, at: int, label: str) -> bool:
        """Whether a label of a dimension is a word for all."""
        return is_total(label) or is_of_all(label, self.output.by[at])
