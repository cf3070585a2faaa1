"""What the estimators of population uniques share: the sample's classes by size, and an estimate or why none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auditor.risk._keys import Counts


@dataclass(frozen=True)
class UniquesEstimate:
    """An estimate of how many persons are alone in the population; None and the reason where the model has none."""

    uniques: float | None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class SampleClasses:
    """The classes of a sample by their size.

    Attributes:
        sizes: int64[m], the sizes that occur, ascending.
        counts: int64[m], how many classes have each.
        population: N, how many persons the population has; at least the records of the sample.
    """

    sizes: Counts
    counts: Counts
    population: int

    @property
    def records(self) -> int:
        """The records of the sample: n."""
        return int(self.sizes @ self.counts)

    @property
    def classes(self) -> int:
        """The classes of the sample: u."""
        return int(self.counts.sum())

    @property
    def fraction(self) -> float:
        """The sampling fraction: π = n/N."""
        return self.records / self.population

    def of_size(self, size: int) -> int:
        """How many classes have this size."""
        return int(self.counts[self.sizes == size].sum())

    def checked(self, uniques: float) -> UniquesEstimate:
        """An estimate where it is one of the persons of the population, else none."""
        if np.isfinite(uniques) and 0 <= uniques <= self.population:
            return UniquesEstimate(uniques)
        return UniquesEstimate(None, "the estimate exceeds the population")
