"""Hierarchies whose labels follow from the values by a rule."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from auditor.hierarchies._base import STAR, TOP, Hierarchy, with_missing
from auditor.hierarchies._ladder import Ladder, node_ids


class Generated(Hierarchy):
    """A hierarchy whose labels follow from the values by a rule; its leaves are the given values."""

    @abstractmethod
    def rungs(self, values: Sequence[str], column: str) -> list[list[str]]:
        """The labels of the values at level 1, level 2, …, without the ``*`` on top."""

    def ladder(self, values: Sequence[str | None], column: str) -> Ladder:
        """See `Hierarchy`."""
        present = [value for value in values if value is not None]
        rungs = self.rungs(present, column)
        if not rungs or not self._is_one_value(rungs[-1], missing=len(present) < len(values)):
            rungs.append([STAR] * len(present))
        levels = with_missing(values, rungs, {len(rungs): rungs[-1][0] if present else STAR})
        leaves = tuple(np.bincount(node_ids(labels)).astype(np.int64) for labels in levels)
        return Ladder(levels, leaves, len(values), self.level_of)

    def _is_one_value(self, labels: Sequence[str], *, missing: bool) -> bool:
        """Whether a level needs no ``*`` above it.

        A missing value counts as a value here, unless the level's label says nothing at all, as ``*****`` does: a
        release must not claim that a missing age lies in ``[20, 40)``.
        """
        return len(set(labels)) == 1 and not (missing and self.level_of(labels[0]) != TOP)
