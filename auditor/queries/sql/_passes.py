"""One pass over the rows: which meet the conditions, their keys, and what they put into each aggregate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sqlglot import exp

from auditor.classes import BoolArray
from auditor.queries.sql._affine import Affine
from auditor.queries.sql._aggregates import Contribution
from auditor.queries.sql._expressions import Expressions
from auditor.queries.sql._scope import Drawn, SelectionScope
from auditor.queries.values.exact import Exact
from auditor.queries.values.values import TRUE, Refusal, constant, read, readings


@dataclass(frozen=True)
class Pass:
    """A statement worked out under one assignment of the protected categories."""

    expressions: Expressions

    def selected(self, drawn: Drawn) -> BoolArray:
        """bool[rows]: which rows meet every condition."""
        rows = self.expressions.rows
        found = constant(truth=True)
        for node, scope in drawn.conditions:
            found = rows.both(found, self.expressions.truth(node, scope))
        return np.asarray(rows.full(found.levels, found.frame) == TRUE)

    def key(self, node: Any, scope: SelectionScope) -> Any:
        """A key of GROUP BY."""
        found = self.expressions.worth(node, scope)
        if isinstance(found, Affine):
            raise Refusal("group-by-protected", node)
        return found

    def contribution(self, node: Any, scope: SelectionScope, selected: BoolArray) -> Contribution:
        """What the selected rows put into an aggregate."""
        rows = self.expressions.rows
        mask = selected
        if isinstance(node, exp.Filter):
            condition = self.expressions.truth(node.expression.this, scope)
            mask = mask & (rows.full(condition.levels, condition.frame) == TRUE)
            node = node.this
        if isinstance(node.this, exp.Star):
            return Contribution(mask, Affine({}, Exact.constant(1), whole=True))
        worth = self._argument(node, scope)
        if worth.null is not None:
            mask = mask & ~np.broadcast_to(worth.null, rows.length)
        return Contribution(mask, replace(worth, null=None))

    def _argument(self, node: Any, scope: SelectionScope) -> Affine:
        found = replace(self.expressions, prefer="number").worth(node.this, scope)
        if isinstance(found, Affine):
            return found
        if isinstance(node, exp.Count) or "number" not in readings(found):
            if isinstance(node, exp.Count):
                return self.expressions.present(found)
            raise Refusal("text-order" if isinstance(node, exp.Max | exp.Min) else "type-mismatch", node)
        return self.expressions.expanded(read(found, "number"))
