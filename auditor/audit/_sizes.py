"""Class sizes of a table, summed over batches: how many classes have each size, and how many records they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from auditor.classes import IntArray, distinct
from auditor.models import Profiles

_FEW = 1 << 22
"""Up to such a size, sizes are counted by place; beyond, they are sorted."""


@dataclass
class Histogram:
    """How many classes have each size, and how many records stand in them: size → (classes, records)."""

    found: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, sizes: IntArray, classes: IntArray, records: IntArray) -> None:
        """Take in sizes, the number of classes that each stands for, and their records."""
        ascending, where = distinct(sizes)
        # bincount's weights are floats: exact up to 2^53 records
        counts, rows = np.bincount(where, weights=classes), np.bincount(where, weights=records)
        for size, count, row in zip(ascending.tolist(), counts.tolist(), rows.tolist(), strict=True):
            self._put(size, int(count), int(row))

    @classmethod
    def of(cls, sizes: IntArray) -> Histogram:
        """Of classes whose sizes are their records."""
        histogram = cls()
        if len(sizes) and int(sizes.max()) <= _FEW:
            counts = np.bincount(sizes)
            for size in np.flatnonzero(counts).tolist():
                histogram._put(size, int(counts[size]), size * int(counts[size]))
        else:
            histogram.add(sizes, np.ones(len(sizes), dtype=np.int64), sizes)
        return histogram

    @classmethod
    def counted(cls, sizes: Mapping[int, int]) -> Histogram:
        """Of how many classes have each size, in records."""
        return cls({size: (classes, size * classes) for size, classes in sizes.items()})

    def merge(self, other: Histogram) -> None:
        """Take in the classes of other batches."""
        for size, (classes, records) in other.found.items():
            self._put(size, classes, records)

    def _put(self, size: int, classes: int, records: int) -> None:
        old = self.found.get(size, (0, 0))
        self.found[size] = (old[0] + classes, old[1] + records)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return sum(classes for classes, _ in self.found.values())

    @property
    def records(self) -> int:
        """How many records stand in them."""
        return sum(records for _, records in self.found.values())

    def below(self, k: int) -> int:
        """How many records stand in classes of fewer than k."""
        return sum(records for size, (_, records) in self.found.items() if size < k)


@dataclass
class Sizes(Histogram):
    """Class sizes of all quasi-identifiers together, and of the first ones of them (None: not counted)."""

    prefixes: list[tuple[str, Histogram]] | None = None

    def read(self, profiles: Profiles) -> None:
        """Take in one batch."""
        self.add(profiles.classes.sizes, profiles.count, profiles.records)
