"""What a statement makes of its aggregates: sums, multiples and quotients of them, conditions on public ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from sqlglot import exp

from auditor.queries.sql._affine import Affine
from auditor.queries.sql._aggregates import Answer, Extremum
from auditor.queries.sql._dialects import SqlDialect
from auditor.queries.sql._expressions import INTEGERS, REALS, Expressions
from auditor.queries.sql._forms import Form
from auditor.queries.sql._scope import SelectionScope
from auditor.queries.values.values import TRUE, UNKNOWN, Refusal, Truth, read, readings


@dataclass(frozen=True)
class Outer:
    """Works out what stands around the aggregates of one group; `row` is any of its rows."""

    answers: Mapping[Any, Answer]
    dialect: SqlDialect
    keys: Sequence[Any]
    expressions: Expressions
    scope: SelectionScope
    row: int | None

    def answer(self, node: Any) -> Answer:
        """A column of the result."""
        if node in self.answers:
            return self.answers[node]
        work = _WORKS.get(type(node), Outer.plain)
        return work(self, node)

    def inner(self, node: Any) -> Answer:
        """What stands in parentheses."""
        return self.answer(node.this)

    def negative(self, node: Any) -> Answer:
        """The negative of an answer."""
        found = self._form(node.this)
        return None if found is None else found.times(Fraction(-1), whole=True)

    def total(self, node: Any) -> Answer:
        """A sum or difference of answers."""
        left, right = self._form(node.this), self._form(node.expression)
        sign = Fraction(-1 if isinstance(node, exp.Sub) else 1)
        return None if left is None or right is None else left + right.times(sign, whole=True)

    def coalesced(self, node: Any) -> Answer:
        """The first answer that is not NULL."""
        found = self.answer(node.this)
        for instead in node.expressions:
            if found is None:
                found = self.answer(instead)
        return found

    def _form(self, node: Any) -> Form | None:
        found = self.answer(node)
        if isinstance(found, Extremum):
            raise Refusal("extreme-arithmetic", node)
        return found

    def product(self, node: Any) -> Answer:
        """An answer times a public number."""
        left, right = self._form(node.this), self._form(node.expression)
        if left is None or right is None:
            return None
        if not right.is_public:
            left, right = right, left
        if not right.is_public:
            raise Refusal("product-of-protected", node)
        return left.times(right.constant, whole=right.whole)

    def quotient(self, node: Any) -> Answer:
        """An answer over a public number."""
        left, right = self._form(node.this), self._form(node.expression)
        if left is None or right is None:
            return None
        if not right.is_public:
            raise Refusal("protected-denominator", node)
        if not right.constant:
            return None  # NULL or an error, and everybody can tell
        if self.dialect.whole_division and left.whole and right.whole and left.is_public:
            return Form(constant=Fraction(int(left.constant / right.constant)), whole=True)
        # an integer quotient is cut by the database: taken as exact, which only ever discloses more
        return left.times(1 / right.constant)

    def rounded(self, node: Any) -> Answer:
        """A rounded answer is taken as exact, which only ever discloses more."""
        if isinstance(node, exp.Cast) and node.args["to"].this not in INTEGERS | REALS:
            raise Refusal("cast", node)
        return self.answer(node.this)

    def selected(self, node: Any) -> Answer:
        """The answer of the first condition that is true."""
        if node.this is not None:
            raise Refusal("unsupported-expression", node)
        for when in node.args["ifs"]:
            if self.condition(when.this) is True:
                return self.answer(when.args["true"])
        default = node.args.get("default")
        return None if default is None else self.answer(default)

    def plain(self, node: Any) -> Answer:
        """An expression without aggregates: the same on every row of the group."""
        if isinstance(node, exp.Null):
            return None
        found = self._public(node)
        if "number" not in readings(found):
            raise Refusal("unsupported-expression", node)
        numbers = read(found, "number")
        place = self._place(numbers)
        if numbers.null is not None and bool(np.broadcast_to(numbers.null, len(numbers.exact.numerators))[place]):
            return None
        return Form(constant=numbers.exact.fraction(place), whole=numbers.integer)

    def _public(self, node: Any) -> Any:
        self.check_public(node)
        found = self.expressions.worth(node, self.scope)
        if isinstance(found, Affine):
            raise Refusal("row-level", node)
        return found

    def check_public(self, node: Any) -> None:
        """Refuse a column beside the aggregates that is not a key of the groups."""
        if self._is_key(node):
            return
        if isinstance(node, exp.Column | exp.Star):
            raise Refusal("row-level", node)
        for child in node.iter_expressions():
            if not isinstance(child, exp.DataType):
                self.check_public(child)

    def _is_key(self, node: Any) -> bool:
        if node in self.keys:
            return True
        columns = [key for key in self.keys if isinstance(key, exp.Column)]
        if not columns or not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
            return False
        return any(self.scope.column(node) is self.scope.column(key) for key in columns)

    def check_order(self, node: Any, items: Sequence[Any]) -> None:
        """Refuse an order of the groups that tells more than the result: it has to follow from that, or be public."""
        if node in items or (isinstance(node, exp.Literal) and not node.is_string):
            return
        if not any(each in self.answers for each in node.walk()):
            self.check_public(node)
            return
        found = self.answer(node)
        if isinstance(found, Extremum) or (found is not None and not found.is_public):
            raise Refusal("order-on-protected", node)

    def _place(self, value: Any) -> int:
        """Where the group's row stands on a value's frame."""
        lifted = self.expressions.rows.lifted(value)
        if len(lifted.levels if isinstance(lifted, Truth) else lifted.exact.numerators) == 1:
            return 0
        if self.row is None:
            raise Refusal("row-level")
        row = self.row
        return int(self.expressions.rows.codes(value.frame)[row]) if value.frame >= 0 else row

    def condition(self, node: Any) -> bool | None:
        """A condition on public aggregates and keys: true, false or (None) unknown."""
        if isinstance(node, exp.Paren):
            return self.condition(node.this)
        if isinstance(node, exp.Not):
            found = self.condition(node.this)
            return None if found is None else not found
        if isinstance(node, exp.And | exp.Or):
            return self._chain(node)
        if not any(each in self.answers for each in node.walk()):
            return self._plain_condition(node)
        return self._comparison(node)

    def _chain(self, node: Any) -> bool | None:
        decisive = isinstance(node, exp.Or)
        sides = (self.condition(node.this), self.condition(node.expression))
        return decisive if decisive in sides else None if None in sides else not decisive

    def _comparison(self, node: Any) -> bool | None:
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return (self._known(node.this) is None) != bool(node.args.get("negate"))
        if isinstance(node, exp.Between):
            value, low, high = (self._known(node.args[each]) for each in ("this", "low", "high"))
            return _both(_at_most(low, value), _at_most(value, high))
        kinds = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
        if not isinstance(node, kinds):
            raise Refusal("unsupported-expression", node)
        left, right = self._known(node.this), self._known(node.expression)
        if left is None or right is None:
            return None
        holds = (left == right, left != right, left < right, left <= right, left > right, left >= right)
        return holds[kinds.index(type(node))]

    def _known(self, node: Any) -> Fraction | None:
        found = self.answer(node)
        if isinstance(found, Extremum) or (found is not None and not found.is_public):
            raise Refusal("having-on-protected", node)
        return None if found is None else found.constant

    def _plain_condition(self, node: Any) -> bool | None:
        found = self._public(node)
        if "boolean" not in readings(found):
            raise Refusal("type-mismatch", node)
        truth = read(found, "boolean")
        level = int(truth.levels[self._place(truth)])
        return None if level == UNKNOWN else level == TRUE


def _at_most(left: Fraction | None, right: Fraction | None) -> bool | None:
    return None if left is None or right is None else left <= right


def _both(left: bool | None, right: bool | None) -> bool | None:
    return False if False in (left, right) else None if None in (left, right) else True


_WORKS: Mapping[type[Any], Callable[[Outer, Any], Answer]] = {
    exp.Paren: Outer.inner,
    exp.Neg: Outer.negative,
    exp.Add: Outer.total,
    exp.Sub: Outer.total,
    exp.Mul: Outer.product,
    exp.Div: Outer.quotient,
    exp.Cast: Outer.rounded,
    exp.Round: Outer.rounded,
    exp.Coalesce: Outer.coalesced,
    exp.Case: Outer.selected,
}
