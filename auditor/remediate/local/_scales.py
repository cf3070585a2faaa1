"""How the values of one quasi-identifier are made coarser for a group: along a ladder, or into a range of numbers.

A group is described in each column by its least and its largest code, `low` and `high`; codes are ordered so that the
values that a label stands for are a run of codes. So what a group loses, and what it is labelled, follows from two
numbers, for all groups at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

import numpy as np

from auditor.classes import BoolArray, FloatArray, IntArray, distinct
from auditor.hierarchies import STAR
from auditor.remediate._losses import ColumnLosses
from auditor.remediate._rungs import Rungs


@dataclass(frozen=True)
class Labelled:
    """The labels of groups: int64[g], the node of each group, and the label of each node."""

    nodes: IntArray
    labels: tuple[str | None, ...]


class ColumnScale(ABC):
    """One quasi-identifier.

    `floor` is int64, the least level of each group's label, where a search gives one; ranges have no levels.

    Attributes:
        column: its name.
        code: int64[m], the ordered code of each code of the engine.
        frequencies: int64[m], how many records have each ordered code.
    """

    column: str
    code: IntArray
    frequencies: IntArray

    @abstractmethod
    def loss(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> FloatArray:
        """float64: (leaves under the label − 1)/(leaves of the hierarchy − 1), as the metric ``loss`` has it."""

    @abstractmethod
    def covered(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> IntArray:
        """int64: how many records of the input have a value that the label stands for."""

    @abstractmethod
    def labelled(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> Labelled:
        """The labels."""

    @abstractmethod
    def changes(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> bool:
        """Whether any label is another text than the value that it stands for."""

    def _records_up_to(self) -> IntArray:
        return np.concatenate([[0], np.cumsum(self.frequencies)])


class LadderScale(ColumnScale):
    """Along a ladder: the label is that of the closest common generalization, the lowest node above all values.

    Args:
        rungs: the ladder.
        values: the values behind the engine's codes.
        frequencies: int64[m], how many records have each code of the engine.
        finest: the lowest level that may be released.
    """

    def __init__(
        self, rungs: Rungs, values: Sequence[str | None], frequencies: IntArray, finest: int, coarsest: int
    ) -> None:
        self.column, self.code = rungs.column, rungs.code
        self.levels, self.finest, self.coarsest = rungs.levels, finest, coarsest
        self.frequencies = np.zeros(len(values), dtype=np.int64)
        self.frequencies[rungs.code] = frequencies
        self._shares = ColumnLosses.of_rungs(rungs, frequencies).leaf_share
        engine = np.argsort(rungs.code)
        ladder = rungs.ladder
        texts = [values] if ladder is None else [values, *ladder.levels[1:]]
        self._texts = [[level[i] for i in engine.tolist()] for level in texts]

    def meeting(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> IntArray:
        """int64: the level of the closest common generalization, at least the finest that may be released."""
        # nodes are nested, so that two values differ up to the level below the one where they meet
        levels = np.zeros(len(low), dtype=np.int64)
        for level in self.levels:
            levels += level[low] != level[high]
        return np.maximum(levels, self.finest if floor is None else np.maximum(floor, self.finest))

    def real_steps(self) -> BoolArray:
        """bool[H, m]: at which steps up its path the label of each code becomes another."""
        changed = [[a != b for a, b in pairwise(path)] for path in zip(*self._texts, strict=True)]
        return np.array(changed, dtype=np.bool_).reshape(len(changed), len(self.levels) - 1).T

    def child(self, code: IntArray, level: IntArray) -> IntArray:
        """int64: the node above each code at the level of it."""
        nodes: IntArray = self.levels[level, code]
        return nodes

    def loss(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> FloatArray:
        """See `ColumnScale`."""
        found = np.zeros(len(low))
        levels = self.meeting(low, high, floor)
        for level, share in enumerate(self._shares):
            here = levels == level
            found[here] = share[self.levels[level, low[here]]]
        return found

    def covered(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> IntArray:
        """See `ColumnScale`."""
        found = np.zeros(len(low), dtype=np.int64)
        levels = self.meeting(low, high, floor)
        for level, nodes in enumerate(self.levels):
            here = levels == level
            records = np.bincount(nodes, weights=self.frequencies).astype(np.int64)
            found[here] = records[nodes[low[here]]]
        return found

    def labelled(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> Labelled:
        """See `ColumnScale`. Nodes of several levels with the same text are one label."""
        levels = self.meeting(low, high, floor)
        width = self.levels.shape[1]
        nodes, place = distinct(levels * width + self.levels[levels, low])
        example = np.zeros(len(nodes), dtype=np.int64)
        example[place] = np.arange(len(low))
        numbers: dict[str | None, int] = {}
        texts = [self._texts[level][code] for level, code in zip(levels[example], low[example], strict=True)]
        number = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
        return Labelled(number[place], tuple(numbers))

    def changes(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> bool:
        """See `ColumnScale`."""
        return bool((self.meeting(low, high, floor) > 0).any())


class RangeScale(ColumnScale):
    """Numbers without a ladder: the label is the closed range of the numbers of the group, ``[31, 38]``.

    A single number stays as it is, and a group that has numbers and missing values is ``*``. Its leaves are the
    distinct values of the input, as for a generated ladder, so that its loss is on the scale of those.

    Args:
        column: the quasi-identifier.
        values: the values behind the engine's codes, None first where there is one.
        frequencies: int64[m], how many records have each code of the engine.
    """

    def __init__(self, column: str, values: Sequence[str | None], frequencies: IntArray) -> None:
        self.column = column
        order = sorted(range(len(values)), key=lambda i: _by_number(values[i]))
        self.code = np.empty(len(values), dtype=np.int64)
        self.code[order] = np.arange(len(values))
        self.frequencies = np.asarray(frequencies)[order]
        self._texts = [values[i] for i in order]
        self.has_missing = None in values

    def parts_missing(self, low: IntArray, high: IntArray) -> IntArray:
        """bool: whether a group has both missing values and numbers."""
        mixed: IntArray = self.has_missing & (low == 0) & (high > 0)
        return mixed

    def loss(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> FloatArray:  # noqa: ARG002  (a range has no levels)
        """See `ColumnScale`."""
        share = (high - low) / max(len(self._texts) - 1, 1)
        return np.where(self.parts_missing(low, high), 1.0, share)

    def covered(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> IntArray:  # noqa: ARG002
        """See `ColumnScale`."""
        upto = self._records_up_to()
        covered: IntArray = np.where(self.parts_missing(low, high), upto[-1], upto[high + 1] - upto[low])
        return covered

    def labelled(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> Labelled:  # noqa: ARG002
        """See `ColumnScale`."""
        width = len(self._texts)
        ranges, place = distinct(np.where(self.parts_missing(low, high), width * width, low * width + high))
        numbers: dict[str | None, int] = {}
        texts = [STAR if each == width * width else self._label(*divmod(each, width)) for each in ranges.tolist()]
        number = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
        return Labelled(number[place], tuple(numbers))

    def changes(self, low: IntArray, high: IntArray, floor: IntArray | None = None) -> bool:  # noqa: ARG002
        """See `ColumnScale`."""
        return bool((low != high).any())

    def _label(self, low: int, high: int) -> str | None:
        return self._texts[low] if low == high else f"[{self._texts[low]}, {self._texts[high]}]"


class MeanScale(RangeScale):
    """Numbers that are released as the mean of their group.

    A mean stands for all numbers from the least to the largest of its group, so it loses what their range does.

    Attributes:
        numbers: float64[m], the number behind each ordered code.
    """

    def __init__(self, column: str, values: Sequence[str | None], frequencies: IntArray) -> None:
        super().__init__(column, values, frequencies)
        self.numbers = np.array([float(text) for text in self._texts if text is not None])

    def averaged(self, means: FloatArray, low: IntArray, high: IntArray) -> Labelled:
        """The means as labels, in as many digits as tell them apart; a group of one value keeps its text."""
        numbers: dict[str | None, int] = {}
        texts = [
            self._texts[least] if least == most else repr(mean).removesuffix(".0")
            for mean, least, most in zip(means.tolist(), low.tolist(), high.tolist(), strict=True)
        ]
        nodes = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
        return Labelled(nodes, tuple(numbers))


def _by_number(value: str | None) -> tuple[int, Decimal, str]:
    return (0, Decimal(0), "") if value is None else (1, Decimal(value), value)
