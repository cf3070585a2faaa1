"""From text to one SELECT every node of which is known here; anything else is refused by name and place."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any

import sqlglot
from sqlglot import TokenType, exp

from auditor.queries.sql._dialects import SqlDialect
from auditor.queries.values.values import Refusal

MAX_CHARACTERS = 1 << 20
"""No person writes a longer statement; a longer one is refused before it is parsed."""

_PLAIN = frozenset(("this", "expression", "expressions"))
_NODES: dict[type[Any], frozenset[str]] = {
    exp.Select: frozenset(
        ("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "with_", "operation_modifiers")
    ),
    exp.With: frozenset(("expressions",)),
    exp.CTE: frozenset(("this", "alias")),
    exp.From: _PLAIN,
    exp.Table: frozenset(("this", "alias", "db", "catalog")),
    exp.TableAlias: frozenset(("this", "columns")),
    exp.Subquery: frozenset(("this", "alias")),
    exp.Join: frozenset(("this", "on", "side", "kind", "using")),
    exp.Where: _PLAIN,
    exp.Group: frozenset(("expressions",)),
    exp.Having: _PLAIN,
    exp.Order: frozenset(("expressions",)),
    exp.Ordered: frozenset(("this", "desc", "nulls_first")),
    exp.Limit: frozenset(("expression",)),
    exp.Alias: frozenset(("this", "alias")),
    exp.Identifier: frozenset(("this", "quoted")),
    exp.Column: frozenset(("this", "table", "db", "catalog")),
    exp.Star: frozenset(),
    exp.Literal: frozenset(("this", "is_string")),
    exp.Boolean: _PLAIN,
    exp.Null: frozenset(),
    exp.Parameter: _PLAIN,
    exp.Placeholder: frozenset(("this", "jdbc", "kind")),
    exp.Var: _PLAIN,
    exp.Paren: _PLAIN,
    exp.Tuple: _PLAIN,
    exp.And: _PLAIN,
    exp.Or: _PLAIN,
    exp.Not: _PLAIN,
    exp.EQ: _PLAIN,
    exp.NEQ: _PLAIN,
    exp.LT: _PLAIN,
    exp.LTE: _PLAIN,
    exp.GT: _PLAIN,
    exp.GTE: _PLAIN,
    exp.NullSafeEQ: _PLAIN,
    exp.NullSafeNEQ: _PLAIN,
    exp.Between: frozenset(("this", "low", "high")),
    exp.In: frozenset(("this", "expressions", "query")),
    exp.Is: frozenset(("this", "expression", "negate")),
    exp.Like: frozenset(("this", "expression", "negate")),
    exp.ILike: frozenset(("this", "expression", "negate")),
    exp.Escape: _PLAIN,
    exp.Neg: _PLAIN,
    exp.Add: _PLAIN,
    exp.Sub: _PLAIN,
    exp.Mul: _PLAIN,
    exp.Div: frozenset(("this", "expression", "typed", "safe")),
    exp.Cast: frozenset(("this", "to")),
    exp.DataType: frozenset(("this", "expressions", "nested")),
    exp.DataTypeParam: _PLAIN,
    exp.Case: frozenset(("this", "ifs", "default")),
    exp.If: frozenset(("this", "true", "false")),
    exp.Coalesce: frozenset(("this", "expressions")),
    exp.Nullif: _PLAIN,
    exp.Round: frozenset(("this", "decimals")),
    exp.Filter: _PLAIN,
    exp.Sum: frozenset(("this",)),
    exp.Avg: frozenset(("this",)),
    exp.Count: frozenset(("this", "big_int")),
    exp.Max: frozenset(("this",)),
    exp.Min: frozenset(("this",)),
}
"""The nodes that a statement may have, and the parts that each may have."""

_NAMED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("set-operation", ("SetOperation",)),
    ("window-function", ("Window", "WindowSpec", "RowNumber", "Lag", "Lead")),
    ("distinct", ("Distinct",)),
    (
        "order-statistic",
        (
            "Median",
            "PercentileCont",
            "PercentileDisc",
            "Percentile",
            "Quantile",
            "ApproxQuantile",
            "Mode",
            "WithinGroup",
        ),
    ),
    ("variance", ("Variance", "VariancePop", "Stddev", "StddevPop", "StddevSamp", "Corr", "CovarPop", "CovarSamp")),
    ("random", ("Rand", "Randn", "Uuid", "TableSample")),
    ("now", ("CurrentDate", "CurrentTimestamp", "CurrentTime", "CurrentDatetime", "Localtime", "Localtimestamp")),
    ("unknown-function", ("Anonymous", "AnonymousAggFunc", "UserDefinedFunction")),
    ("subquery", ("Exists", "Any", "All")),
    ("join", ("Lateral", "Unnest")),
    ("group-by-extension", ("Rollup", "Cube", "GroupingSets")),
    ("regular-expression", ("RegexpLike", "RegexpILike", "SimilarTo")),
)
_CLAUSES = {
    "distinct": "distinct",
    "windows": "window-function",
    "qualify": "window-function",
    "offset": "limit-without-order",
    "into": "not-a-select",
    "laterals": "join",
    "sample": "random",
    "recursive": "subquery",
    "ignore_nulls": "unsupported-clause",
}


def parse(sql: str, dialect: SqlDialect) -> exp.Select | None:
    """The one SELECT that a text is; None for what neither reads nor writes (the bounds of a transaction).

    Raises:
        Refusal: it is anything else.
    """
    if len(sql) > MAX_CHARACTERS:
        raise Refusal("too-long")
    if "\0" in sql:
        raise Refusal("unparsable")
    try:
        found = [each for each in _parsed(sql, dialect) if each is not None and not isinstance(each, exp.Semicolon)]
    except sqlglot.errors.SqlglotError:
        raise Refusal("unparsable") from None
    if len(found) != 1:
        raise Refusal("several-statements" if found else "unparsable", found[1] if found else None)
    root = found[0]
    if isinstance(root, exp.Transaction | exp.Commit | exp.Rollback):
        return None
    if isinstance(root, exp.SetOperation):
        raise Refusal("set-operation", root)
    if type(root) is not exp.Select:
        raise Refusal("not-a-select", root)
    for node in root.walk():
        _check(node)
    return root


def words(sql: str, dialect: SqlDialect) -> frozenset[str]:
    """The words of a text that may be names, keywords too; none where it cannot be cut into words."""
    if len(sql) > MAX_CHARACTERS:
        return frozenset()
    try:
        tokens = sqlglot.tokenize(sql, read=dialect.name)
    except sqlglot.errors.SqlglotError:
        return frozenset()
    return frozenset(token.text for token in tokens if token.token_type is not TokenType.STRING)


def _parsed(sql: str, dialect: SqlDialect) -> Iterable[Any]:
    """Parse without sqlglot's warnings: it logs statements that it passes over, literals and all."""
    log = logging.getLogger("sqlglot")
    silent = log.disabled
    log.disabled = True
    try:
        return sqlglot.parse(sql, read=dialect.name)
    finally:
        log.disabled = silent


def _check(node: Any) -> None:
    allowed = _NODES.get(type(node))
    if allowed is None:
        raise Refusal(_name(node), node)
    for part, value in node.args.items():
        if value and part not in allowed:
            raise Refusal(_CLAUSES.get(part, "unsupported-clause"), node)


def _name(node: Any) -> str:
    ancestry = {kind.__name__ for kind in type(node).__mro__}
    for construct, names in _NAMED:
        if ancestry.intersection(names):
            return construct
    return "unknown-function" if isinstance(node, exp.Func) else "unsupported-expression"


_IN_TEXT = ("with_", "expressions", "from_", "joins", "where", "group", "having", "order", "limit")


def placeholders(root: Any) -> Iterator[exp.Placeholder]:
    """The ``?`` of a statement, as they follow each other in its text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.Placeholder) and not node.args.get("this"):
            yield node
        names = _IN_TEXT if isinstance(node, exp.Select) else tuple(node.args)
        held = [node.args.get(name) for name in names]
        parts = [part for each in held for part in (each if isinstance(each, list) else [each])]
        waiting += [part for part in reversed(parts) if isinstance(part, exp.Expr)]


def place(sql: str, node: Any) -> str | None:
    """``line:column`` of the first word of a node, where it is known."""
    if node is None:
        return None
    starts = [found.meta["start"] for found in node.walk() if "start" in found.meta]
    if not starts:
        return None
    before = sql[: min(starts)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
