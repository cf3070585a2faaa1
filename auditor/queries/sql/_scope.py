"""Which column a name means: tables under their aliases, and selections that only filter, looked through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from auditor.queries.records.schema import Schema
from auditor.queries.records.tables import JoinedTable
from auditor.queries.sql._dialects import SqlDialect
from auditor.queries.values.values import Refusal


@dataclass(frozen=True)
class Meaning:
    """What a column name means: a column of a table ("" is the audited one), or an expression of an inner selection."""

    table: str
    name: str
    node: Any = None
    inner: SelectionScope | None = None


@dataclass(frozen=True)
class SelectionScope:
    """The columns that a selection can name, by the alias of what they stand in; in the order of FROM."""

    relations: Mapping[str, Mapping[str, Meaning]]

    def column(self, node: exp.Column) -> Meaning:
        """What a column means; names without quotes take no notice of case."""
        wanted = node.args.get("table")
        within = list(self.relations.values())
        if wanted is not None:
            within = [columns for alias, columns in self.relations.items() if _is(alias, wanted)]
        for fits in (_is_exactly, _is):
            found = [each for columns in within for name, each in columns.items() if fits(name, node.this)]
            if len(found) == 1:
                return found[0]
        raise Refusal("unknown-column", node)


def _is_exactly(name: str, written: exp.Identifier) -> bool:
    return name == written.name


def _is(name: str, written: exp.Identifier) -> bool:
    quoted = written.args.get("quoted")
    return name == written.name if quoted else name.lower() == written.name.lower()


Conditions = tuple[tuple[Any, SelectionScope], ...]
"""Conditions, each in the scope that it is written in."""


@dataclass(frozen=True)
class Join:
    """A public table joined on its key: `pairs` are expressions in `scope`, and the key columns that they equal.

    `name` tells the join from others, in `Meaning.table`. `outer` keeps the rows that match nothing.
    """

    name: str
    table: JoinedTable
    pairs: tuple[tuple[Any, str], ...]
    scope: SelectionScope
    outer: bool


@dataclass(frozen=True)
class Filtered:
    """The rows that a selection draws from: what their columns are called, the conditions that they meet, the joins."""

    columns: Mapping[str, Meaning]
    conditions: Conditions = ()
    joins: tuple[Join, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """What FROM and WHERE of a selection come to."""

    scope: SelectionScope
    conditions: Conditions
    joins: tuple[Join, ...] = ()


class Relations:
    """Reads FROM: the audited table, or selections and CTEs over it that only filter and rename."""

    def __init__(self, schema: Schema, dialect: SqlDialect) -> None:
        self._schema = schema
        self._dialect = dialect
        self._joins = 0

    def drawn(self, select: exp.Select, known: Mapping[str, Filtered] | None = None) -> Drawn:
        """The scope and the conditions of a selection; `known` are the CTEs around it."""
        known = {**(known or {}), **self._ctes(select, known or {})}
        source = select.args.get("from_")
        if source is None:
            raise Refusal("unknown-table", select)
        nodes = list(select.args.get("joins") or ())
        tables = [source.this, *(node.this for node in nodes)]
        if nodes and not _side(nodes[0]) and self._public_table(tables[0], known) is not None:
            tables[0], tables[1] = tables[1], tables[0]  # an inner join has no order
        alias, filtered = self._relation(tables[0], known)
        scope, conditions, joins = SelectionScope({alias: filtered.columns}), filtered.conditions, filtered.joins
        for node, table in zip(nodes, tables[1:], strict=True):
            scope, join, more = self._join(node, table, scope, known)
            conditions, joins = conditions + more, (*joins, join)
        where = select.args.get("where")
        conditions += ((where.this, scope),) if where is not None else ()
        return Drawn(scope, conditions, joins)

    def is_public(self, select: exp.Select) -> bool:
        """Whether a selection reads public tables alone."""
        named = {each.alias for each in select.find_all(exp.CTE)}
        tables = [node for node in select.find_all(exp.Table) if node.args.get("db") or node.name not in named]
        return bool(tables) and all(self._public_table(node, {}) is not None for node in tables)

    def _join(
        self, node: exp.Join, right: Any, scope: SelectionScope, known: Mapping[str, Filtered]
    ) -> tuple[SelectionScope, Join, Conditions]:
        """One join: to a public table, inner or left, on the whole of its key."""
        table = self._public_table(right, known)
        alias = right.alias_or_name
        if table is None or _side(node) not in ("", "LEFT") or alias in scope.relations:
            raise Refusal("join", node)
        self._joins += 1
        name, outer = f"join {self._joins}", _side(node) == "LEFT"
        merged = {each.name for each in node.args.get("using") or ()}
        columns = {each.name: Meaning(name, each.name) for each in table.columns if each.name not in merged}
        wider = SelectionScope({**scope.relations, alias: columns})
        pairs, rest = _equated(node, wider, name)
        if {column for _, column in pairs} != set(table.key) or (rest and outer):
            raise Refusal("join", node)
        return wider, Join(name, table, tuple(pairs), scope, outer), tuple((each, wider) for each in rest)

    def _public_table(self, node: Any, known: Mapping[str, Filtered]) -> JoinedTable | None:
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier) or node.args.get("catalog"):
            return None
        if not node.args.get("db") and _folded(node.this) in known:
            return None
        found = [table for name, table in self._schema.tables.items() if self._names(name, node)]
        return found[0] if len(found) == 1 else None

    def _ctes(self, select: exp.Select, known: Mapping[str, Filtered]) -> dict[str, Filtered]:
        found: dict[str, Filtered] = {}
        listed = select.args.get("with_")
        for each in listed.expressions if listed is not None else ():
            alias = each.args["alias"]
            if not isinstance(each.this, exp.Select):
                raise Refusal("set-operation" if isinstance(each.this, exp.SetOperation) else "subquery", each)
            inner = self._filtered(each.this, {**known, **found}, alias)
            found[_folded(alias.this)] = inner
        return found

    def _relation(self, node: Any, known: Mapping[str, Filtered]) -> tuple[str, Filtered]:
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select):
            alias = node.args.get("alias")
            return (alias.name if alias else ""), self._filtered(node.this, known, alias)
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            raise Refusal("unknown-table", node)
        alias = node.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            raise Refusal("unsupported-clause", alias)
        name = alias.name if alias else node.name
        if not node.args.get("db") and _folded(node.this) in known:
            return name, known[_folded(node.this)]
        if not self._is_audited(node):
            raise Refusal("unknown-table", node)
        return name, Filtered({column: Meaning("", column) for column in self._schema.columns})

    def _is_audited(self, node: exp.Table) -> bool:
        """Whether a table is the one that `queries.table` names; its schema may be left out, or be the default one."""
        return self._names(self._schema.table, node) and not node.args.get("catalog")

    def _names(self, declared: str, node: exp.Table) -> bool:
        schema, _, table = declared.rpartition(".")
        written = node.args.get("db")
        return _is(table, node.this) and (written is None or _is(schema or self._dialect.schema, written))

    def _filtered(self, select: exp.Select, known: Mapping[str, Filtered], alias: Any) -> Filtered:
        """A selection that only filters and renames."""
        changing = ("group", "having", "distinct", "limit", "offset", "order")
        for clause in changing:
            if select.args.get(clause):
                raise Refusal("subquery", select)
        drawn = self.drawn(select, known)
        columns: dict[str, Meaning] = {}
        for item in select.expressions:
            for name, found in self._items(item, drawn.scope):
                if name in columns:
                    raise Refusal("unsupported-clause", item)
                columns[name] = found
        renamed = alias.args.get("columns") if alias is not None else None
        if renamed:
            if len(renamed) > len(columns):
                raise Refusal("unsupported-clause", alias)
            names = [each.name for each in renamed] + list(columns)[len(renamed) :]
            columns = dict(zip(names, columns.values(), strict=True))
        return Filtered(columns, drawn.conditions, drawn.joins)

    def _items(self, item: Any, scope: SelectionScope) -> Sequence[tuple[str, Meaning]]:
        if isinstance(item, exp.Star):
            return [pair for columns in scope.relations.values() for pair in columns.items()]
        if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
            within = [c for alias, c in scope.relations.items() if _is(alias, item.args["table"])]
            if len(within) != 1:
                raise Refusal("unknown-table", item)
            return list(within[0].items())
        if item.find(exp.AggFunc, exp.Window) is not None:
            raise Refusal("subquery", item)
        if isinstance(item, exp.Column):
            return [(item.name, scope.column(item))]
        if isinstance(item, exp.Alias):
            return [(item.alias, Meaning("", item.alias, item.this, scope))]
        return []


def _side(node: exp.Join) -> str:
    """``""`` for an inner join, else its side; a kind of join that is not known here is a side of its own."""
    kind = str(node.args.get("kind") or "").upper()
    return str(node.args.get("side") or "").upper() if kind in ("", "INNER", "OUTER") else kind


def _equated(node: exp.Join, scope: SelectionScope, name: str) -> tuple[list[tuple[Any, str]], list[Any]]:
    """The expressions that a join equates with columns of its table, and its other conditions."""
    pairs: list[tuple[Any, str]] = [(exp.Column(this=each), each.name) for each in node.args.get("using") or ()]
    rest: list[Any] = []
    for term in _conjuncts(node.args.get("on")):
        sides = [term.this, term.expression] if isinstance(term, exp.EQ) else []
        own = [_own(side, scope, name) for side in sides]
        other = next((side for side, column in zip(sides, own, strict=True) if column is None), None)
        column = next((column for column in own if column is not None), None)
        if (
            other is not None
            and column is not None
            and not any(_own(c, scope, name) for c in other.find_all(exp.Column))
        ):
            pairs.append((other, column))
        else:
            rest.append(term)
    return pairs, rest


def _conjuncts(node: Any) -> list[Any]:
    if isinstance(node, exp.Paren):
        return _conjuncts(node.this)
    if isinstance(node, exp.And):
        return [*_conjuncts(node.this), *_conjuncts(node.expression)]
    return [] if node is None else [node]


def _own(node: Any, scope: SelectionScope, name: str) -> str | None:
    """The column of a joined table that a node is; None where it is anything else."""
    if not isinstance(node, exp.Column):
        return None
    found = scope.column(node)
    return found.name if found.table == name else None


def _folded(identifier: exp.Identifier) -> str:
    return identifier.name if identifier.args.get("quoted") else identifier.name.lower()
