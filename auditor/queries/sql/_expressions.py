"""Working out the expressions of a statement, row by row of the frame, with SQL's three truth values.

Nothing here runs SQL: every kind of node has a function of its own (`_nodes`), and a node without one is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from sqlglot import exp

from auditor.classes import BoolArray
from auditor.queries.sql._affine import NOWHERE, Affine, affine, chosen
from auditor.queries.sql._dialects import SqlDialect
from auditor.queries.sql._rows import Frames, is_null, truths
from auditor.queries.sql._scope import SelectionScope
from auditor.queries.values.exact import Exact
from auditor.queries.values.values import (
    CONSTANT,
    ROWS,
    TRUE,
    Null,
    Numbers,
    Reading,
    Refusal,
    TextValues,
    Truth,
    Value,
    Word,
    read,
    readings,
)

Node = exp.Expression
Worth = Value | Affine
"""What an expression is worth: a public value, or one that is affine in protected numbers."""

_T = exp.DType
INTEGERS = frozenset((_T.TINYINT, _T.SMALLINT, _T.INT, _T.BIGINT, _T.INT128))
REALS = frozenset((_T.DECIMAL, _T.FLOAT, _T.DOUBLE))
_KINDS: dict[Reading, frozenset[exp.DType]] = {
    "text": frozenset((_T.TEXT, _T.VARCHAR)),
    "date": frozenset((_T.DATE,)),
    "boolean": frozenset((_T.BOOLEAN,)),
}


@dataclass(frozen=True)
class Expressions:
    """Works out expressions on some rows. `columns` gives the worth of a column of the data by its name."""

    rows: Frames
    dialect: SqlDialect
    columns: Callable[[str, str], Worth]
    parameters: Callable[[Node], Worth]
    works: Mapping[type[Any], Work]
    prefer: Reading | None = None
    """What a value is wanted as, where its branches can be read in several ways."""

    def worth(self, node: Node, scope: SelectionScope) -> Worth:
        """What an expression is worth."""
        work = self.works.get(type(node))
        if work is None:
            raise Refusal("unsupported-expression", node)
        try:
            return work(self, node, scope)
        except Refusal as refusal:
            if refusal.node is None:
                refusal.node = node
            raise

    def public(self, node: Node, scope: SelectionScope) -> Value:
        """What an expression over public columns is worth."""
        found = (self if self.prefer is None else replace(self, prefer=None)).worth(node, scope)
        if isinstance(found, Affine):
            raise Refusal("protected-in-predicate", node)
        return found

    def truth(self, node: Node, scope: SelectionScope) -> Truth:
        """What a condition is worth."""
        found = self.public(node, scope)
        if "boolean" not in readings(found):
            raise Refusal("type-mismatch", node)
        return read(found, "boolean")

    def numbers(self, node: Node, scope: SelectionScope) -> Numbers | Affine:
        """What an expression of numbers is worth."""
        found = (self if self.prefer == "number" else replace(self, prefer="number")).worth(node, scope)
        if isinstance(found, Affine):
            return found
        return read(found, "number" if "number" in readings(found) else "date")

    def expanded(self, numbers: Numbers | Affine) -> Affine:
        """Numbers on the rows, as an expression."""
        if isinstance(numbers, Affine):
            return numbers
        if numbers.kind == "date":
            raise Refusal("date-arithmetic")
        return affine(self.rows.lifted(numbers))

    def present(self, value: Value) -> Affine:
        """1 on every row where a value is not missing."""
        missing = is_null(value)
        null = self.rows.full(missing.levels, missing.frame) == TRUE
        return Affine({}, Exact.constant(1), null if null.any() else None, whole=True)

    def compared(self, operator: str, left: Value, right: Value) -> Truth:
        """A comparison of public values."""
        return self.rows.compare(operator, left, right)

    def scaled(self, numbers: Numbers | Affine, factor: Fraction) -> Numbers | Affine:
        """Numbers times a constant."""
        if isinstance(numbers, Affine):
            return numbers.times(Exact.constant(factor), whole=factor.denominator == 1)
        if numbers.kind == "date":
            raise Refusal("date-arithmetic")
        whole = numbers.integer and factor.denominator == 1
        rounded = numbers.rounded or (numbers.floating and abs(factor) != 1)
        return replace(numbers, exact=numbers.exact.scaled(factor), integer=whole, rounded=rounded)

    def converted(self, value: Worth, to: exp.DType, node: Node) -> Worth:
        """A value as another type, where that changes nothing."""
        if to in INTEGERS or to in REALS:
            numbers = value if isinstance(value, Affine) else read(value, "number")
            if to in INTEGERS and not _all_whole(numbers):
                raise Refusal("cast", node)
            if isinstance(numbers, Affine):
                return replace(numbers, whole=to in INTEGERS)
            return replace(numbers, integer=to in INTEGERS)
        kinds = [kind for kind, types in _KINDS.items() if to in types]
        if isinstance(value, Affine) or not kinds:
            raise Refusal("cast", node)
        if kinds == ["text"] and readings(value) != ("text",) and not isinstance(value, Word | Null):
            raise Refusal("cast", node)  # the text of a number is the database's own
        return read(value, kinds[0])

    def selected(self, branches: Sequence[tuple[Truth, Worth]], default: Worth) -> Worth:
        """The first branch whose condition is true, else the default."""
        worths = [*(worth for _, worth in branches), default]
        kind = common_kind(worths, self.prefer)
        if kind is None:
            return Null()
        found = self.as_kind(default, kind)
        for condition, worth in reversed(branches):
            found = self.chosen(condition, self.as_kind(worth, kind), found)
        return found

    def as_kind(self, value: Worth, kind: Reading | Literal["affine"]) -> Worth:
        """A value as one kind."""
        if isinstance(value, Affine):
            return value
        return self.expanded(read(value, "number")) if kind == "affine" else read(value, kind)

    def chosen(self, condition: Truth, one: Any, other: Any) -> Worth:
        """`one` where the condition is true, `other` elsewhere; both of one kind."""
        if isinstance(one, Affine):
            holds = self.rows.lifted(condition).levels == TRUE
            return chosen(holds, one, other)
        if not condition.frame == one.frame == other.frame:
            frames = {value.frame for value in (condition, one, other)} - {CONSTANT}
            frame = frames.pop() if len(frames) == 1 else ROWS
            if frame == ROWS:
                condition, one, other = (self.rows.lifted(value) for value in (condition, one, other))
        else:
            frame = condition.frame
        holds = condition.levels == TRUE
        if isinstance(one, Truth):
            return Truth(np.where(holds, one.levels, other.levels), frame)
        if isinstance(one, TextValues):
            return TextValues(np.where(holds, one.labels, other.labels), frame)
        null = np.where(holds, _null_mask(one), _null_mask(other))
        exact = one.exact.where(holds, other.exact)
        return Numbers(exact, frame, null if null.any() else None, one.kind, integer=one.integer and other.integer)

    def filled(self, value: Worth, instead: Worth) -> Worth:
        """COALESCE of two."""
        if isinstance(value, Affine) and value.may_be_missing:
            zero = isinstance(instead, Numbers) and instead.exact.is_constant(0)
            if not zero or value.offset.numerators.any() or value.null is not None:
                raise Refusal("null-not-public")
            nowhere = dict.fromkeys(value.unsure, NOWHERE)
            return replace(value, unsure=nowhere)  # an unknown is 0 where its value is missing
        if isinstance(value, Affine):
            null = np.array([False]) if value.null is None else value.null
            return self.selected([(Truth(truths(null), ROWS), instead)], replace(value, null=None))
        return self.selected([(is_null(value), instead)], value)


Work = Callable[[Expressions, Any, SelectionScope], Worth]
"""Works out one kind of node."""


# Kinds


def _null_mask(numbers: Numbers) -> BoolArray:
    return np.array([False]) if numbers.null is None else numbers.null


def _all_whole(value: Numbers | Affine) -> bool:
    if isinstance(value, Affine):
        return value.whole
    return bool((value.exact.numerators % value.exact.denominator == 0).all())


def common_kind(worths: Sequence[Worth], prefer: Reading | None = None) -> Reading | Literal["affine"] | None:
    """The one kind that all values have, or the one preferred; None where all are NULL."""
    typed = [worth for worth in worths if not isinstance(worth, Null)]
    if not typed:
        return None
    if any(isinstance(worth, Affine) for worth in typed):
        return "affine"
    kinds = [kind for kind in readings(typed[0]) if all(kind in readings(worth) for worth in typed)]  # type: ignore[arg-type]
    if prefer in kinds:
        return prefer
    if all(isinstance(worth, Word) for worth in typed):
        return "text"
    if all(isinstance(worth, Truth) for worth in typed):
        return "boolean"
    if not kinds:
        raise Refusal("type-mismatch")
    if len(kinds) > 1:
        raise Refusal("ambiguous-type")
    return kinds[0]
