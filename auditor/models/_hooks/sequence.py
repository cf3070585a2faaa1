"""The hook for requirements on releases in sequence: what somebody learns who holds this release and earlier ones."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from auditor.classes import IntArray
from auditor.direction import Stricter
from auditor.models._base import Comparison, GroupedRequirement

WORD = 64
"""So many sensitive values are intersected at once, one bit each."""


@dataclass(frozen=True)
class ReleasedClasses:
    """The classes of one release.

    Args:
        records: int64[c], the records of each class, counterfeits among them.
        counterfeits: int64[c], how many of these are of nobody.
        cells: int64[m, 2], each class with each of its sensitive values, once. Values are numbered alike in all
            releases; a missing one is none. Empty where no sensitive attribute is read.
    """

    records: IntArray
    counterfeits: IntArray
    cells: IntArray

    @property
    def distinct(self) -> IntArray:
        """int64[c]: how many sensitive values each class has."""
        found: IntArray = np.bincount(self.cells[:, 0], minlength=len(self.records)).astype(np.int64)
        return found


@dataclass(frozen=True)
class ReleaseSequence:
    """Releases from the earliest to this one, and in which class of each one people are.

    Args:
        releases: their classes.
        paths: int64[n, r], the class in each release; −1 in one that does not hold who has the path. Each row once.
        people: int64[n], how many people have each path; 0 for one that somebody may have.
    """

    releases: tuple[ReleasedClasses, ...]
    paths: IntArray
    people: IntArray

    @property
    def held(self) -> NDArray[np.bool_]:
        """bool[n, r]: which releases hold who has the path."""
        return np.asarray(self.paths >= 0)

    def least(self, numbers: tuple[IntArray, ...]) -> IntArray:
        """int64[n]: the least number of the classes of each path, from one number for each class of each release."""
        largest = np.iinfo(np.int64).max
        told = [np.append(each, largest)[self.paths[:, place]] for place, each in enumerate(numbers)]
        found: IntArray = np.min(told, axis=0).astype(np.int64)
        return found

    def common_values(self) -> IntArray:
        """int64[n]: how many sensitive values all classes of each path have."""
        found = np.zeros(len(self.paths), dtype=np.int64)
        values = max((int(each.cells[:, 1].max(initial=-1)) for each in self.releases), default=-1) + 1
        for first in range(0, values, WORD):
            common = np.full(len(self.paths), ~np.uint64(0))
            for place, each in enumerate(self.releases):
                inside = each.cells[(each.cells[:, 1] >= first) & (each.cells[:, 1] < first + WORD)]
                bits = np.zeros(len(each.records) + 1, dtype=np.uint64)
                bits[-1] = ~np.uint64(0)  # where a path is in no class, -1, that says nothing
                np.bitwise_or.at(bits, inside[:, 0], np.uint64(1) << (inside[:, 1] - first).astype(np.uint64))
                common &= bits[self.paths[:, place]]
            found += np.bitwise_count(common)
        return found


class SequenceRequirement(GroupedRequirement):
    """A requirement with one number for each person of a release, from all releases that hold that person.

    People are followed by the policy's ``unit``, which the releases have, or the tables that they were made from.
    """

    FINDING: ClassVar[str] = "Releases in sequence tell more of some people than the policy allows."
    comparison: ClassVar[Comparison] = ">="
    bound_field: ClassVar[str]
    of_classes: ClassVar[bool] = False
    """Whether the number of a path follows from its classes, whoever has it."""

    counterfeits: Annotated[str | None, Stricter.REVIEW] = Field(
        None, min_length=1, description="The column that says in each record how many of its class are of nobody."
    )

    @property
    def bound(self) -> int:
        """The bound of the number."""
        return int(getattr(self, self.bound_field))

    @property
    def is_permanent(self) -> bool:
        """Whether the number takes sensitive values for ones that do not change."""
        return False

    @abstractmethod
    def measure(self, sequence: ReleaseSequence) -> IntArray:
        """int64[n]: the number of those who have each path."""
