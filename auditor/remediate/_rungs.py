"""The ladders that a search climbs: over the values of one quasi-identifier each, in tree order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auditor.classes import IntArray
from auditor.hierarchies import Ladder
from auditor.remediate._rollup import tree_order


@dataclass(frozen=True)
class Rungs:
    """One quasi-identifier's ladder over its values, in tree order.

    Args:
        ladder: the ladder over the values as the engine codes them; None for a column that has none.
        code: int64[m], the tree-order code of each engine code.
        levels: int64[height + 1, m], the node of each tree-order code at each level.
        example: the labels of levels 1, 2, … above a value of the policy's own.
    """

    column: str
    ladder: Ladder | None
    code: IntArray
    levels: IntArray
    example: tuple[str | None, ...] = ()

    @classmethod
    def of(cls, column: str, ladder: Ladder | None, size: int, example: tuple[str | None, ...] = ()) -> Rungs:
        """Order a ladder's codes along its tree; a column without a ladder has level 0 alone."""
        given = np.arange(size)[None, :] if ladder is None else ladder.codes()
        code, levels = tree_order(given)
        return cls(column, ladder, code, levels, example)

    def nodes(self, level: int) -> IntArray:
        """int64[m]: for each engine code the node above it at a level, 0 … g−1."""
        nodes: IntArray = self.levels[level][self.code]
        return nodes

    def of_level(self, codes: IntArray, level: int) -> IntArray:
        """The tree-order codes of an engine's codes at a level, in the smallest type: nodes are such codes already."""
        return small(codes if level else self.code[codes])

    def labelled(self, label: str | None, values: Sequence[str | None]) -> list[int]:
        """For each level the node with a label (None: the missing value), −1 for none; `values` are the column's."""
        found = []
        for level, nodes in enumerate(self.levels):
            labels = values if self.ladder is None or not level else self.ladder.levels[level]
            found.append(int(nodes[self.code[labels.index(label)]]) if label in labels else -1)
        return found


def small(codes: IntArray) -> IntArray:
    """The same codes in the smallest type that holds them: many columns of them wait to be packed."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))
