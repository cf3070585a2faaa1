"""From the counted population to one that is rolled up beside the data: its values along the ladders of the data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auditor.audit import Register
from auditor.classes import IntArray
from auditor.errors import NotEvaluated
from auditor.hierarchies import node_ids
from auditor.remediate._population import Residents
from auditor.remediate._rollup import Tower, tree_order
from auditor.remediate._rungs import Rungs

Labels = Sequence[str | None]


def residents_of(
    register: Register, rungs: Sequence[Rungs], labels: Sequence[Labels], order: Sequence[int]
) -> Residents:
    """The population along the ladders of the data; `labels` are those of the data's codes, by column.

    Raises:
        NotEvaluated: a hierarchy makes other labels of the population's values than of the data's.
    """
    codes, ladders, nodes = [], [], []
    for each, values in zip(rungs, labels, strict=True):
        theirs = register.levels[each.column][: len(each.levels)]
        code, levels = tree_order(np.stack([node_ids(labels) for labels in theirs]))
        codes.append(code[register.codes[each.column]])
        ladders.append(levels)
        nodes.append(_nodes(each, values, theirs, levels[:, code]))
    return Residents(Tower(codes, ladders, register.persons, order=order), nodes)


def _nodes(rungs: Rungs, values: Labels, theirs: Sequence[Labels], levels: IntArray) -> list[IntArray]:
    found = []
    for level in range(len(rungs.levels)):
        labels = values if rungs.ladder is None or not level else rungs.ladder.levels[level]
        known = dict(zip(theirs[level], levels[level].tolist(), strict=True)) if level < len(theirs) else {}
        nodes = np.full(int(rungs.levels[level].max()) + 1, -1, dtype=np.int64)
        nodes[rungs.nodes(level)] = [known.get(label, -1) for label in labels]
        if (nodes < 0).any():
            raise NotEvaluated(
                f"the hierarchy of {rungs.column!r} makes other labels of the population's values than of the data's; "
                "give it as a file or a tree"
            )
        found.append(nodes)
    return found
