"""Working out the expressions of a statement, row by row of the frame, with SQL's three truth values.

Nothing here runs SQL: every kind of node has a function of its own, and a node without one is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from sqlglot import exp

from auditor.classes import BoolArray
from auditor.queries._affine import Affine, affine, chosen
from auditor.queries._dialects import Dialect
from auditor.queries._exact import Exact, parse_number
from auditor.queries._scope import Scope
from auditor.queries._values import (
    CONSTANT,
    ROWS,
    TRUE,
    UNKNOWN,
    Null,
    Numbers,
    Reading,
    Refusal,
    Rows,
    Texts,
    Truth,
    Value,
    Word,
    constant,
    is_null,
    negated,
    number,
    read,
    readings,
    truths,
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

    rows: Rows
    dialect: Dialect
    columns: Callable[[str, str], Worth]
    parameters: Callable[[Node], Worth]
    prefer: Reading | None = None
    """What a value is wanted as, where its branches can be read in several ways."""

    def worth(self, node: Node, scope: Scope) -> Worth:
        """What an expression is worth."""
        work = _WORKS.get(type(node))
        if work is None:
            raise Refusal("unsupported-expression", node)
        try:
            return work(self, node, scope)
        except Refusal as refusal:
            if refusal.node is None:
                refusal.node = node
            raise

    def public(self, node: Node, scope: Scope) -> Value:
        """What an expression over public columns is worth."""
        found = (self if self.prefer is None else replace(self, prefer=None)).worth(node, scope)
        if isinstance(found, Affine):
            raise Refusal("protected-in-predicate", node)
        return found

    def truth(self, node: Node, scope: Scope) -> Truth:
        """What a condition is worth."""
        found = self.public(node, scope)
        if "boolean" not in readings(found):
            raise Refusal("type-mismatch", node)
        return read(found, "boolean")

    def numbers(self, node: Node, scope: Scope) -> Numbers | Affine:
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
        return Numbers(numbers.exact.scaled(factor), numbers.frame, numbers.null, integer=whole)

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
        if isinstance(one, Texts):
            return Texts(np.where(holds, one.labels, other.labels), frame)
        null = np.where(holds, _null_mask(one), _null_mask(other))
        exact = one.exact.where(holds, other.exact)
        return Numbers(exact, frame, null if null.any() else None, one.kind, integer=one.integer and other.integer)

    def filled(self, value: Worth, instead: Worth) -> Worth:
        """COALESCE of two."""
        if isinstance(value, Affine) and value.unsure:
            zero = isinstance(instead, Numbers) and instead.exact.is_constant(0)
            if not zero or value.offset.numerators.any() or value.null is not None:
                raise Refusal("null-not-public")
            return replace(value, unsure=frozenset())  # an unknown is 0 where its value is missing
        if isinstance(value, Affine):
            null = np.array([False]) if value.null is None else value.null
            return self.selected([(Truth(truths(null), ROWS), instead)], replace(value, null=None))
        return self.selected([(is_null(value), instead)], value)


Work = Callable[[Expressions, Any, Scope], Worth]
"""Works out one kind of node."""


# Leaves


def _column(self: Expressions, node: exp.Column, scope: Scope) -> Worth:
    if node.args.get("db") or node.args.get("catalog"):
        raise Refusal("unknown-column", node)
    found = scope.column(node)
    if found.inner is not None:
        return self.worth(found.node, found.inner)
    return self.columns(found.table, found.name)


def _literal(_: Expressions, node: exp.Literal, __: Scope) -> Worth:
    if node.is_string:
        return Word(node.name)
    value = parse_number(node.name)
    if value is None:
        raise Refusal("unsupported-literal", node)
    return number(value, integer=node.name.isdigit())


def _parameter(self: Expressions, node: Node, _: Scope) -> Worth:
    return self.parameters(node)


# Logic


def _chain(node: Node, kind: type[Node]) -> list[Node]:
    """The terms of a chain of ANDs (or ORs), however long, left to right."""
    terms: list[Node] = []
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if type(each) is kind:
            waiting += [each.args["expression"], each.args["this"]]
        else:
            terms.append(each)
    return terms


def _and(self: Expressions, node: Node, scope: Scope) -> Worth:
    found = constant(truth=True)
    for term in _chain(node, exp.And):
        found = self.rows.both(found, self.truth(term, scope))
    return found


def _or(self: Expressions, node: Node, scope: Scope) -> Worth:
    found = constant(truth=False)
    for term in _chain(node, exp.Or):
        found = self.rows.either(found, self.truth(term, scope))
    return found


def _not(self: Expressions, node: Node, scope: Scope) -> Worth:
    return negated(self.truth(node.this, scope))


def _compare(operator: str, *, swap: bool = False, inverse: bool = False) -> Work:
    def work(self: Expressions, node: Node, scope: Scope) -> Worth:
        left, right = self.public(node.this, scope), self.public(node.expression, scope)
        found = self.compared(operator, right, left) if swap else self.compared(operator, left, right)
        return negated(found) if inverse else found

    return work


def _between(self: Expressions, node: exp.Between, scope: Scope) -> Worth:
    value = self.public(node.this, scope)
    low = self.compared("<=", self.public(node.args["low"], scope), value)
    high = self.compared("<=", value, self.public(node.args["high"], scope))
    return self.rows.both(low, high)


def _in(self: Expressions, node: exp.In, scope: Scope) -> Worth:
    value = self.public(node.this, scope)
    if node.args.get("query") or not node.expressions:
        raise Refusal("subquery", node)
    found = constant(truth=False)
    for item in node.expressions:
        found = self.rows.either(found, self.compared("=", value, self.public(item, scope)))
    return found


def _is(self: Expressions, node: exp.Is, scope: Scope) -> Worth:
    right = node.expression
    if isinstance(right, exp.Null):
        value = self.worth(node.this, scope)
        if isinstance(value, Affine):
            if value.unsure:
                raise Refusal("protected-in-predicate", node)
            null = np.array([False]) if value.null is None else value.null
            found = Truth(truths(np.broadcast_to(null, self.rows.length)), ROWS)
        else:
            found = is_null(value)
    elif isinstance(right, exp.Boolean):
        truth = self.truth(node.this, scope)
        found = Truth(truths(truth.levels == (TRUE if right.this else 0)), truth.frame)
    else:
        raise Refusal("unsupported-expression", node)
    return negated(found) if node.args.get("negate") else found


def _distinct_from(*, inverse: bool) -> Work:
    def work(self: Expressions, node: Node, scope: Scope) -> Worth:
        left, right = self.public(node.this, scope), self.public(node.expression, scope)
        nulls = [is_null(left), is_null(right)]
        both, neither = self.rows.both(*nulls), self.rows.both(negated(nulls[0]), negated(nulls[1]))
        equal = self.rows.both(neither, self.compared("=", left, right))
        # unknown only where one side is missing, and there `neither` is false
        found = self.rows.either(both, equal)
        return negated(found) if inverse else found

    return work


def _like(self: Expressions, node: Node, scope: Scope) -> Worth:
    escape = "\\"
    if isinstance(node, exp.Escape):
        given = self.public(node.expression, scope)
        if not isinstance(given, Word) or len(given.text) > 1:
            raise Refusal("unsupported-expression", node)
        escape, node = given.text, node.this
        if not isinstance(node, exp.Like | exp.ILike):
            raise Refusal("unsupported-expression", node)
    elif not self.dialect.backslash_escapes:
        escape = ""
    found = _liked(self, node, escape, scope)
    return negated(found) if node.args.get("negate") else found


def _liked(self: Expressions, node: Node, escape: str, scope: Scope) -> Truth:
    value, pattern = self.public(node.this, scope), self.public(node.expression, scope)
    if isinstance(value, Null) or isinstance(pattern, Null):
        return Truth(np.array([UNKNOWN], dtype=np.uint8))
    if not isinstance(pattern, Word):
        raise Refusal("unsupported-expression", node)
    texts = read(value, "text")
    folded = isinstance(node, exp.ILike) or self.dialect.like_folds
    if folded and not (pattern.text.isascii() and all(t is None or t.isascii() for t in texts.labels)):
        raise Refusal("collation", node)
    matches = like(pattern.text, escape, folded=folded)
    levels = [UNKNOWN if text is None else TRUE if matches(text) else 0 for text in texts.labels]
    return Truth(np.array(levels, dtype=np.uint8), texts.frame)


def like(pattern: str, escape: str, *, folded: bool) -> Callable[[str], bool]:
    """Whether a text matches a pattern of LIKE, in time linear in both for each ``%``."""
    parts: list[str] = [""]
    shown = iter(pattern)
    for character in shown:
        if escape and character == escape:
            following = next(shown, None)
            if following is None:
                raise Refusal("unsupported-expression")
            parts[-1] += re.escape(following)
        elif character == "%":
            parts.append("")
        else:
            parts[-1] += "." if character == "_" else re.escape(character)
    flags = re.DOTALL | (re.IGNORECASE if folded else 0)
    pieces = [re.compile(part, flags) for part in parts]
    return lambda text: _matches(pieces, text)


def _matches(pieces: list[re.Pattern[str]], text: str) -> bool:
    """The first piece at the start, the last at the end, those between in order, each as early as it can."""
    if len(pieces) == 1:
        return pieces[0].fullmatch(text) is not None
    head = pieces[0].match(text)
    place = head.end() if head else -1
    for piece in pieces[1:-1]:
        found = piece.search(text, place) if place >= 0 else None
        place = found.end() if found else -1
    last = pieces[-1]
    width = _width(last)
    return 0 <= place <= len(text) - width and last.fullmatch(text, len(text) - width) is not None


def _width(piece: re.Pattern[str]) -> int:
    """How many characters a piece matches: each is one, escaped or not."""
    return len(re.sub(r"\\(.)", r"\1", piece.pattern, flags=re.DOTALL))


# Numbers


def _negative(self: Expressions, node: Node, scope: Scope) -> Worth:
    return self.scaled(self.numbers(node.this, scope), Fraction(-1))


def _sum_of(sign: int) -> Work:
    def work(self: Expressions, node: Node, scope: Scope) -> Worth:
        left, right = self.numbers(node.this, scope), self.numbers(node.expression, scope)
        right = self.scaled(right, Fraction(sign))
        if isinstance(left, Affine) or isinstance(right, Affine):
            return self.expanded(left) + self.expanded(right)
        if "date" in (left.kind, right.kind):
            raise Refusal("date-arithmetic", node)
        left, right, frame = self.rows.meet(left, right)
        null = _either_null(left, right)
        return Numbers(left.exact + right.exact, frame, null, integer=left.integer and right.integer)

    return work


def _product(self: Expressions, node: Node, scope: Scope) -> Worth:
    left, right = self.numbers(node.this, scope), self.numbers(node.expression, scope)
    if isinstance(right, Affine):
        if isinstance(left, Affine):
            raise Refusal("product-of-protected", node)
        left, right = right, left
    if any(each.kind == "date" for each in (left, right) if isinstance(each, Numbers)):
        raise Refusal("date-arithmetic", node)
    if isinstance(left, Affine):
        factor = self.rows.lifted(right)
        return left.times(factor.exact, factor.null, whole=factor.integer)
    left, right, frame = self.rows.meet(left, right)
    whole = left.integer and right.integer
    return Numbers(left.exact * right.exact, frame, _either_null(left, right), integer=whole)


def _quotient(self: Expressions, node: Node, scope: Scope) -> Worth:
    left, right = self.numbers(node.this, scope), self.numbers(node.expression, scope)
    if isinstance(right, Affine):
        raise Refusal("protected-denominator", node)
    if len(right.exact.numerators) != 1 or right.null is not None or not right.exact.fraction():
        raise Refusal("division", node)  # by a column: zeros and rounding differ between systems
    divisor = right.exact.fraction()
    whole = left.whole if isinstance(left, Affine) else left.integer
    if self.dialect.whole_division and right.integer and whole:
        raise Refusal("whole-division", node)
    return self.scaled(left, 1 / divisor)


def _either_null(left: Numbers, right: Numbers) -> BoolArray | None:
    if left.null is None or right.null is None:
        return right.null if left.null is None else left.null
    return np.logical_or(left.null, right.null)


def _cast(self: Expressions, node: exp.Cast, scope: Scope) -> Worth:
    """A cast that changes no value; any other is refused."""
    to = node.args["to"]
    value = self.worth(node.this, scope)
    if to.expressions:
        raise Refusal("cast", node)
    return self.converted(value, to.this, node)


def _case(self: Expressions, node: exp.Case, scope: Scope) -> Worth:
    branches: list[tuple[Truth, Worth]] = []
    for when in node.args["ifs"]:
        if node.this is not None:
            condition = self.compared("=", self.public(node.this, scope), self.public(when.this, scope))
        else:
            condition = self.truth(when.this, scope)
        branches.append((condition, self.worth(when.args["true"], scope)))
    default = node.args.get("default")
    return self.selected(branches, Null() if default is None else self.worth(default, scope))


def _coalesce(self: Expressions, node: exp.Coalesce, scope: Scope) -> Worth:
    worths = [self.worth(each, scope) for each in (node.this, *node.expressions)]
    found = worths[-1]
    for worth in reversed(worths[:-1]):
        found = self.filled(worth, found)
    return found


def _nullif(self: Expressions, node: exp.Nullif, scope: Scope) -> Worth:
    value = self.public(node.this, scope)
    equal = self.compared("=", value, self.public(node.expression, scope))
    return self.selected([(equal, Null())], value)


def _paren(self: Expressions, node: exp.Paren, scope: Scope) -> Worth:
    return self.worth(node.this, scope)


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


_WORKS: dict[type[Any], Work] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: lambda _, node, __: constant(truth=bool(node.this)),
    exp.Null: lambda *_: Null(),
    exp.Parameter: _parameter,
    exp.Placeholder: _parameter,
    exp.Paren: _paren,
    exp.And: _and,
    exp.Or: _or,
    exp.Not: _not,
    exp.EQ: _compare("="),
    exp.NEQ: _compare("=", inverse=True),
    exp.LT: _compare("<"),
    exp.LTE: _compare("<="),
    exp.GT: _compare("<", swap=True),
    exp.GTE: _compare("<=", swap=True),
    exp.NullSafeEQ: _distinct_from(inverse=False),
    exp.NullSafeNEQ: _distinct_from(inverse=True),
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Escape: _like,
    exp.Neg: _negative,
    exp.Add: _sum_of(1),
    exp.Sub: _sum_of(-1),
    exp.Mul: _product,
    exp.Div: _quotient,
    exp.Cast: _cast,
    exp.Case: _case,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
}
