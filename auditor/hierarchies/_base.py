"""What every hierarchy can do, and the names that all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from auditor.errors import UncoveredValues
from auditor.hierarchies._ladder import Labels, Ladder

TOP = 2**31 - 1
"""The level of a label that stands for every value (``*``), when no values are at hand to say how high that is."""

STAR = "*"
"""The label of the level that a builder adds on top."""

MAX_HEIGHT = 255
"""More levels than any published hierarchy; a bound on what one long value or a deep file can ask for."""

T = TypeVar("T")


class Hierarchy(ABC):
    """How one column is made coarser, before any value of it is known."""

    @abstractmethod
    def level_of(self, label: str) -> int | None:
        """The coarsest level that `label` can stand on: 0 for a plain value, `TOP` for ``*``, None for neither."""

    @abstractmethod
    def ladder(self, values: Sequence[str | None], column: str) -> Ladder:
        """The ladder of a column's distinct values.

        Raises:
            UncoveredValues: values that the hierarchy does not cover; its text says neither which nor how many.
        """

    @abstractmethod
    def specimen(self, height: int) -> str:
        """A value to show a ladder of this height with: one that the policy names or implies, never one of the data."""

    def example(self, height: int) -> tuple[str | None, ...]:
        """The labels above the specimen, from level 1 to `height`; None where a label is the specimen itself."""
        value = self.specimen(height)
        labels = [label for (label,) in self.ladder([value], "").levels[1 : height + 1]]
        labels += [STAR] * (height - len(labels))
        return tuple(None if label == value else label for label in labels)


def with_missing(
    values: Sequence[str | None], rungs: Sequence[Sequence[str]], wildcards: Mapping[int, str]
) -> tuple[Labels, ...]:
    """All levels of a ladder, the missing value included: its own branch, except where a level has one value.

    Args:
        values: level 0.
        rungs: the labels of the values that are not missing, at level 1, level 2, …
        wildcards: the levels that have one value, and that value.
    """
    levels = [tuple(values)]
    for level, labels in enumerate(rungs, start=1):
        label = iter(labels)
        levels.append(tuple(wildcards.get(level) if value is None else next(label) for value in values))
    return tuple(levels)


def read_all(values: Sequence[str], read: Callable[[str], T | None], column: str, right: str) -> list[T]:
    """Every value as `read` understands it.

    Raises:
        UncoveredValues: where `read` gives None; its text says what would be `right`.
    """
    understood = [read(value) for value in values]
    known = [item for item in understood if item is not None]
    if len(known) < len(understood):
        wrong = [value for value, item in zip(values, understood, strict=True) if item is None]
        raise UncoveredValues(column, dict.fromkeys(wrong), len(values), right)
    return known
