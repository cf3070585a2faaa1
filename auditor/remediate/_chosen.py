"""The node that was chosen, and the release that it stands for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from auditor.audit import AuditRun
from auditor.engines import Counted, Recoding, ReleaseRequest
from auditor.remediate._evaluate import NodeOutcome
from auditor.remediate._keys import Rolled
from auditor.remediate._lattice import Node
from auditor.remediate._problem import SearchProblem


class Chosen:
    """The node that was chosen, decided once more to see what it suppresses."""

    def __init__(self, searched: SearchProblem, node: Node) -> None:
        self.searched = searched
        self.node = node
        tables = searched.evaluator.tables(node)
        self.outcome: NodeOutcome = searched.evaluator.decide(node, tables)
        self.table: Rolled = tables[searched.evaluator.first]

    @property
    def left_out(self) -> int:
        """The records of the table that the release does not have."""
        return 0 if self.searched.starred else self.outcome.suppressed

    def release(self, run: AuditRun, *, keep_order: bool = False) -> ReleaseRequest:
        """What to write: every column but identifiers, free text and the unit; recoded; without what is suppressed."""
        hidden = {*run.binding.identifiers, run.unit}
        names = self.searched.quasi_identifiers
        left_out = self.searched.evaluator.suppressed(self.outcome, self.table)
        return ReleaseRequest(
            columns=tuple(name for name in run.columns if name not in hidden),
            recodings=tuple(self._recoding(place) for place in range(len(self.node))),
            told_by=tuple(names[column] if isinstance(column, int) else column for column in left_out),
            suppressed=np.stack(list(left_out.values()), axis=1),
            starred=self.searched.starred,
            keep_order=keep_order,
        )

    def mapping(self, counted: Counted) -> Iterator[tuple[str | int | None, ...]]:
        """A header, and for each value of each quasi-identifier: the column, the value, the level, and its label."""
        yield "column", "value", "level", "label"
        for rungs, level in zip(self.searched.rungs, self.node, strict=True):
            values = counted.labels(rungs.column)
            labels = rungs.ladder.levels[level] if rungs.ladder is not None and level else values
            yield from ((rungs.column, value, level, label) for value, label in zip(values, labels, strict=True))

    def _recoding(self, place: int) -> Recoding:
        rungs, level = self.searched.rungs[place], self.node[place]
        nodes = rungs.levels[level][rungs.code]
        labels = rungs.ladder.levels[level] if rungs.ladder is not None and level else None
        return Recoding(rungs.column, nodes, labels)
