"""Which column a name means: tables under their aliases, and selections that only filter, looked through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from auditor.queries._dialects import Dialect
from auditor.queries._schema import Schema
from auditor.queries._values import Refusal


@dataclass(frozen=True)
class Found:
    """What a column name means: a column of a table ("" is the audited one), or an expression of an inner selection."""

    table: str
    name: str
    node: Any = None
    inner: Scope | None = None


@dataclass(frozen=True)
class Scope:
    """The columns that a selection can name, by the alias of what they stand in; in the order of FROM."""

    relations: Mapping[str, Mapping[str, Found]]

    def column(self, node: exp.Column) -> Found:
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


@dataclass(frozen=True)
class Filtered:
    """The rows that a selection draws from: what their columns are called, and the conditions that they meet."""

    columns: Mapping[str, Found]
    conditions: tuple[tuple[Any, Scope], ...]


@dataclass(frozen=True)
class Drawn:
    """What FROM and WHERE of a selection come to."""

    scope: Scope
    conditions: tuple[tuple[Any, Scope], ...]


class Relations:
    """Reads FROM: the audited table, or selections and CTEs over it that only filter and rename."""

    def __init__(self, schema: Schema, dialect: Dialect) -> None:
        self._schema = schema
        self._dialect = dialect

    def drawn(self, select: exp.Select, known: Mapping[str, Filtered] | None = None) -> Drawn:
        """The scope and the conditions of a selection; `known` are the CTEs around it."""
        known = {**(known or {}), **self._ctes(select, known or {})}
        source = select.args.get("from_")
        if source is None:
            raise Refusal("unknown-table", select)
        alias, filtered = self._relation(source.this, known)
        if select.args.get("joins"):
            raise Refusal("join", select.args["joins"][0])
        scope = Scope({alias: filtered.columns})
        where = select.args.get("where")
        conditions = filtered.conditions + (((where.this, scope),) if where is not None else ())
        return Drawn(scope, conditions)

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
        return name, Filtered({column: Found("", column) for column in self._schema.columns}, ())

    def _is_audited(self, node: exp.Table) -> bool:
        """Whether a table is the one that `queries.table` names; its schema may be left out, or be the default one."""
        schema, _, table = self._schema.table.rpartition(".")
        written = node.args.get("db")
        in_schema = written is None or _is(schema or self._dialect.schema, written)
        return _is(table, node.this) and in_schema and not node.args.get("catalog")

    def _filtered(self, select: exp.Select, known: Mapping[str, Filtered], alias: Any) -> Filtered:
        """A selection that only filters and renames."""
        changing = ("group", "having", "distinct", "limit", "offset", "order")
        for clause in changing:
            if select.args.get(clause):
                raise Refusal("subquery", select)
        drawn = self.drawn(select, known)
        columns: dict[str, Found] = {}
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
        return Filtered(columns, drawn.conditions)

    def _items(self, item: Any, scope: Scope) -> Sequence[tuple[str, Found]]:
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
            return [(item.alias, Found("", item.alias, item.this, scope))]
        return []


def _folded(identifier: exp.Identifier) -> str:
    return identifier.name if identifier.args.get("quoted") else identifier.name.lower()
