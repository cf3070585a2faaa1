"""What each kind of node of a statement is worth: columns and literals, logic, comparisons, arithmetic, casts, CASE."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sqlglot import exp

from auditor.classes import BoolArray
from auditor.queries.sql._affine import Affine
from auditor.queries.sql._expressions import Expressions, Node, Work, Worth
from auditor.queries.sql._rows import is_null, negated, truths
from auditor.queries.sql._scope import SelectionScope
from auditor.queries.values.exact import Exact, parse_number
from auditor.queries.values.like import like
from auditor.queries.values.values import (
    ROWS,
    TRUE,
    UNKNOWN,
    Null,
    Numbers,
    Refusal,
    Truth,
    Word,
    constant,
    number,
    read,
)

# Leaves


def _column(self: Expressions, node: exp.Column, scope: SelectionScope) -> Worth:
    if node.args.get("db") or node.args.get("catalog"):
        raise Refusal("unknown-column", node)
    found = scope.column(node)
    if found.inner is not None:
        return self.worth(found.node, found.inner)
    return self.columns(found.table, found.name)


def _literal(_: Expressions, node: exp.Literal, __: SelectionScope) -> Worth:
    if node.is_string:
        return Word(node.name)
    value = parse_number(node.name)
    if value is None:
        raise Refusal("unsupported-literal", node)
    return number(value, integer=node.name.isdigit())


def _parameter(self: Expressions, node: Node, _: SelectionScope) -> Worth:
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


def _and(self: Expressions, node: Node, scope: SelectionScope) -> Worth:
    found = constant(truth=True)
    for term in _chain(node, exp.And):
        found = self.rows.both(found, self.truth(term, scope))
    return found


def _or(self: Expressions, node: Node, scope: SelectionScope) -> Worth:
    found = constant(truth=False)
    for term in _chain(node, exp.Or):
        found = self.rows.either(found, self.truth(term, scope))
    return found


def _not(self: Expressions, node: Node, scope: SelectionScope) -> Worth:
    return negated(self.truth(node.this, scope))


def _compare(operator: str, *, swap: bool = False, inverse: bool = False) -> Work:
    def work(self: Expressions, node: Node, scope: SelectionScope) -> Worth:
        left, right = self.public(node.this, scope), self.public(node.expression, scope)
        found = self.compared(operator, right, left) if swap else self.compared(operator, left, right)
        return negated(found) if inverse else found

    return work


def _between(self: Expressions, node: exp.Between, scope: SelectionScope) -> Worth:
    value = self.public(node.this, scope)
    low = self.compared("<=", self.public(node.args["low"], scope), value)
    high = self.compared("<=", value, self.public(node.args["high"], scope))
    return self.rows.both(low, high)


def _in(self: Expressions, node: exp.In, scope: SelectionScope) -> Worth:
    value = self.public(node.this, scope)
    if node.args.get("query") or not node.expressions:
        raise Refusal("subquery", node)
    found = constant(truth=False)
    for item in node.expressions:
        found = self.rows.either(found, self.compared("=", value, self.public(item, scope)))
    return found


def _is(self: Expressions, node: exp.Is, scope: SelectionScope) -> Worth:
    right = node.expression
    if isinstance(right, exp.Null):
        value = self.worth(node.this, scope)
        if isinstance(value, Affine):
            if value.may_be_missing:
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
    def work(self: Expressions, node: Node, scope: SelectionScope) -> Worth:
        left, right = self.public(node.this, scope), self.public(node.expression, scope)
        nulls = [is_null(left), is_null(right)]
        both, neither = self.rows.both(*nulls), self.rows.both(negated(nulls[0]), negated(nulls[1]))
        equal = self.rows.both(neither, self.compared("=", left, right))
        # unknown only where one side is missing, and there `neither` is false
        found = self.rows.either(both, equal)
        return negated(found) if inverse else found

    return work


def _like(self: Expressions, node: Node, scope: SelectionScope) -> Worth:
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


def _liked(self: Expressions, node: Node, escape: str, scope: SelectionScope) -> Truth:
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


# Numbers


def _negative(self: Expressions, node: Node, scope: SelectionScope) -> Worth:
    return self.scaled(self.numbers(node.this, scope), Fraction(-1))


def _sum_of(sign: int) -> Work:
    def work(self: Expressions, node: Node, scope: SelectionScope) -> Worth:
        left, right = self.numbers(node.this, scope), self.numbers(node.expression, scope)
        right = self.scaled(right, Fraction(sign))
        if isinstance(left, Affine) or isinstance(right, Affine):
            return self.expanded(left) + self.expanded(right)
        if "date" in (left.kind, right.kind):
            raise Refusal("date-arithmetic", node)
        left, right, frame = self.rows.meet(left, right)
        return _computed(left.exact + right.exact, left, right, frame)

    return work


def _product(self: Expressions, node: Node, scope: SelectionScope) -> Worth:
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
    return _computed(left.exact * right.exact, left, right, frame)


def _computed(exact: Exact, left: Numbers, right: Numbers, frame: int) -> Numbers:
    """The numbers of a sum or product, and what they are to the database."""
    floating = left.floating or right.floating
    return Numbers(
        exact,
        frame,
        _either_null(left, right),
        integer=left.integer and right.integer,
        floating=floating,
        rounded=floating or left.rounded or right.rounded,
    )


def _quotient(self: Expressions, node: Node, scope: SelectionScope) -> Worth:
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


def _cast(self: Expressions, node: exp.Cast, scope: SelectionScope) -> Worth:
    """A cast that changes no value; any other is refused."""
    to = node.args["to"]
    value = self.worth(node.this, scope)
    if to.expressions:
        raise Refusal("cast", node)
    return self.converted(value, to.this, node)


def _case(self: Expressions, node: exp.Case, scope: SelectionScope) -> Worth:
    branches: list[tuple[Truth, Worth]] = []
    for when in node.args["ifs"]:
        if node.this is not None:
            condition = self.compared("=", self.public(node.this, scope), self.public(when.this, scope))
        else:
            condition = self.truth(when.this, scope)
        branches.append((condition, self.worth(when.args["true"], scope)))
    default = node.args.get("default")
    return self.selected(branches, Null() if default is None else self.worth(default, scope))


def _coalesce(self: Expressions, node: exp.Coalesce, scope: SelectionScope) -> Worth:
    worths = [self.worth(each, scope) for each in (node.this, *node.expressions)]
    found = worths[-1]
    for worth in reversed(worths[:-1]):
        found = self.filled(worth, found)
    return found


def _nullif(self: Expressions, node: exp.Nullif, scope: SelectionScope) -> Worth:
    value = self.public(node.this, scope)
    equal = self.compared("=", value, self.public(node.expression, scope))
    return self.selected([(equal, Null())], value)


def _paren(self: Expressions, node: exp.Paren, scope: SelectionScope) -> Worth:
    return self.worth(node.this, scope)


WORKS: Mapping[type[Any], Work] = {
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
