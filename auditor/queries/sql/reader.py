"""From the statements of a log to the queries that they ask."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from sqlglot import exp

from auditor.classes import BoolArray, IntArray
from auditor.queries._query import Aggregate, Extreme, Linear, Public, Quantity, Query, Refused, Statement, Weights
from auditor.queries.records.records import RecordProfiles
from auditor.queries.records.schema import Schema
from auditor.queries.sql._affine import unknown
from auditor.queries.sql._aggregates import (
    Answer,
    Assigned,
    Contribution,
    Extremum,
    Function,
    Weighing,
    aggregate,
    how_many,
    says_whether,
)
from auditor.queries.sql._dialects import dialect_of
from auditor.queries.sql._expressions import Expressions, Worth
from auditor.queries.sql._forms import Form
from auditor.queries.sql._groups import RowGroup, in_order, keyed, split
from auditor.queries.sql._joins import Joined, join_tables
from auditor.queries.sql._nodes import WORKS
from auditor.queries.sql._outer import Outer
from auditor.queries.sql._parse import parse, place, placeholders, words
from auditor.queries.sql._passes import Pass
from auditor.queries.sql._rows import Frames
from auditor.queries.sql._scope import Drawn, Relations, SelectionScope
from auditor.queries.values.values import ColumnValue, Null, PublicColumn, Reading, Refusal, Word, constant, number

MAX_ASSIGNMENTS = 1024
"""So many combinations of protected values a statement may be worked out for."""
FUNCTIONS: Mapping[type[Any], Function] = {
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Count: "count",
    exp.Max: "max",
    exp.Min: "min",
}


class _Unassigned(Exception):  # noqa: N818
    """A protected category was met whose value has to be tried."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


@dataclass(frozen=True)
class _UnboundQuery:
    """A query without its statement."""

    suffix: str
    asked: Aggregate
    members: Weights | None = None
    query_set: int | None = None
    averages: bool = False


class SqlReader:
    """Reads statements about one table, in one dialect; the same text is worked out once."""

    def __init__(self, profiles: RecordProfiles, dialect: str = "postgres") -> None:
        self._profiles = profiles
        self._dialect = dialect_of(dialect)
        self._read: dict[tuple[str, tuple[Any, ...]], tuple[_UnboundQuery, ...]] = {}
        self._weights: dict[bytes, Weights] = {}

    def read(self, statement: Statement) -> list[Query]:
        """The queries that a statement asks; one `Refused` where it is outside the exact subset."""
        key = (statement.sql, statement.parameters)
        if statement.failed:
            found: tuple[_UnboundQuery, ...] = (_UnboundQuery("", Public()),)
        else:
            if key not in self._read:
                self._read[key] = tuple(self._kept_once(each) for each in self._worked_out(statement))
            found = self._read[key]
        return [
            Query(
                f"{statement.number}{each.suffix}", statement, each.asked, each.members, each.query_set, each.averages
            )
            for each in found
        ]

    def _kept_once(self, found: _UnboundQuery) -> _UnboundQuery:
        """The same with weights that other queries have, too: what asks the same shares them."""
        members = None if found.members is None else self._shared(found.members)
        asked = found.asked
        if isinstance(asked, Linear):
            asked = self._sharing(asked)
        elif isinstance(asked, Extreme):
            asked = replace(asked, members=self._shared(asked.members))
        return replace(found, asked=asked, members=members)

    def _sharing(self, asked: Linear) -> Linear:
        weights = {q: self._shared(held) for q, held in asked.weights.items()}
        return replace(asked, weights=weights, counts=tuple(self._sharing(each) for each in asked.counts))

    def _shared(self, weights: Weights) -> Weights:
        words = hashlib.sha256(weights.stored.data)
        words.update(weights.stored.dtype.char.encode())
        return self._weights.setdefault(words.digest(), weights)

    def _worked_out(self, statement: Statement) -> tuple[_UnboundQuery, ...]:
        try:
            select = parse(statement.sql, self._dialect)
            if select is None or Relations(self._profiles.schema, self._dialect).is_public(select):
                return (_UnboundQuery("", Public()),)
            found = _Selection(self._profiles, self._dialect, select, statement.parameters).queries()
            return tuple(found) or (_UnboundQuery("", Public()),)  # no group at all, as everybody knows
        except Refusal as refusal:
            return (_UnboundQuery("", Refused(refusal.construct, place(statement.sql, refusal.node))),)
        except RecursionError:
            return (_UnboundQuery("", Refused("too-deep")),)


def used_columns(statements: Iterable[Statement], schema: Schema, dialect: str = "postgres") -> frozenset[str]:
    """The public columns that any statement may speak of; more than needed only makes finer profiles."""
    known: dict[str, list[str]] = {}
    for name in schema.public:
        known.setdefault(name.lower(), []).append(name)
    reading = dialect_of(dialect)
    used: set[str] = set()
    for sql in {statement.sql for statement in statements if not statement.failed}:
        for word in words(sql, reading):
            used.update(known.get(word.lower(), ()))
    return frozenset(used)


class _Selection:
    """One SELECT over the audited table."""

    def __init__(self, profiles: RecordProfiles, dialect: Any, select: exp.Select, parameters: Sequence[Any]) -> None:
        self.profiles = profiles
        self.dialect = dialect
        self.select = select
        self.parameters = parameters
        self.bits: frozenset[str] = frozenset()
        self.marks = {id(node): i for i, node in enumerate(placeholders(select), 1)}
        self.drawn: Drawn = Relations(profiles.schema, dialect).drawn(select)
        self.items = [item.this if isinstance(item, exp.Alias) else item for item in select.expressions]
        self.keys = self._keys()
        self.aggregates = self._aggregates()
        self._check_items()
        width = profiles.codes.shape[1]
        self.frames = {column.name: i for i, column in enumerate(profiles.columns)}
        self.frames |= {name: width + i for i, name in enumerate(profiles.protected)}
        self.joined = self._joined()

    # What the text says

    def _keys(self) -> list[Any]:
        group = self.select.args.get("group")
        return [self._key(each) for each in group.expressions] if group is not None else []

    def _key(self, node: Any) -> Any:
        """An expression of GROUP BY: itself, the number of a column of the result, or its name."""
        if isinstance(node, exp.Literal) and not node.is_string:
            if not node.name.isdigit() or not 1 <= int(node.name) <= len(self.items):
                raise Refusal("unsupported-clause", node)
            return self.items[int(node.name) - 1]
        if isinstance(node, exp.Column) and node.args.get("table") is None:
            named = {each.alias: each.this for each in self.select.expressions if isinstance(each, exp.Alias)}
            try:
                self.drawn.scope.column(node)
            except Refusal:
                if node.name in named:
                    return named[node.name]
                raise
        return node

    def _aggregates(self) -> list[Any]:
        clauses = [*self.items, self.select.args.get("having"), self.select.args.get("order")]
        found: dict[Any, None] = {}
        for clause in clauses:
            for node in clause.find_all(*FUNCTIONS) if clause is not None else ():
                whole = node.parent if isinstance(node.parent, exp.Filter) else node
                if node.find_ancestor(*FUNCTIONS) is not None:
                    raise Refusal("unsupported-expression", node)
                found[whole] = None
        if any(each.find(*FUNCTIONS) is not None for each in self.keys):
            raise Refusal("unsupported-clause", self.select.args["group"])
        return list(found)

    def _check_items(self) -> None:
        if not self.aggregates and not self.keys:
            raise Refusal("row-level", self.select)
        limit = self.select.args.get("limit")
        if limit is not None and (self.keys or limit.expression.name == "0"):
            raise Refusal("limit-without-order", limit)

    def _order(self) -> list[Any]:
        """What the groups are ordered by, but for the names of columns of the result; one row has no order."""
        order = self.select.args.get("order")
        names = {each.alias for each in self.select.expressions if isinstance(each, exp.Alias)}
        given = [each.this for each in order.expressions] if order is not None and self.keys else []
        return [each for each in given if not (isinstance(each, exp.Column) and each.name in names)]

    # The profiles as rows

    def _start(self) -> Joined:
        """The profiles, before any join."""
        profiles, width = self.profiles, self.profiles.codes.shape[1]
        names = list(profiles.protected)

        def codes(frame: int) -> Any:
            if frame < width:
                return profiles.codes[:, frame]
            return (~profiles.missing[names[frame - width]]).astype(np.int32)

        return Joined(Frames(len(profiles), codes), np.arange(len(profiles), dtype=np.int64), {})

    def _joined(self) -> Joined:
        def work(before: Joined, node: Any, scope: SelectionScope) -> Any:
            def column(table: str, name: str) -> Worth:
                if not table and name in self.profiles.protected:
                    raise Refusal("protected-in-predicate", node)
                return self._column(before, table, name, {})

            return Expressions(before.rows, self.dialect, column, self._parameter, WORKS).public(node, scope)

        return join_tables(self._start(), self.drawn.joins, len(self.frames), work)

    def _column(self, joined: Joined, table: str, name: str, values: Mapping[str, str | None]) -> Worth:
        if table:
            return ColumnValue(*joined.columns[table, name])
        if name in self.profiles.protected:
            return self._protected(name, values)
        if name not in self.frames:
            raise Refusal("column-not-public")
        frame = self.frames[name]
        return ColumnValue(self.profiles.columns[frame], frame)

    def _protected(self, name: str, values: Mapping[str, str | None]) -> Worth:
        column = self.profiles.protected[name]
        public = self.profiles.schema.null_is_public
        if column.kind == "number" and name not in self.bits:
            missing = self.profiles.missing[name]
            null = missing[self.joined.owner] if missing.any() else None
            return unknown(Quantity(name), null, unsure=not public, whole=column.is_integer)
        if name not in values:
            raise _Unassigned(name)
        kinds: dict[str, tuple[Reading, ...]] = {"boolean": ("boolean", "number"), "number": ("number",)}
        readable = kinds.get(column.kind)
        return ColumnValue(
            PublicColumn(name, (None, values[name]), readable, csv=self.profiles.schema.csv), self.frames[name]
        )

    def _parameter(self, node: Any) -> Worth:
        """A bind value; one that the log gives as text is whatever it can be read as."""
        which = int(node.name) if node.name.isdigit() else self.marks.get(id(node), 0)
        if not 1 <= which <= len(self.parameters):
            raise Refusal("unknown-parameter", node)
        value = self.parameters[which - 1]
        if value is None or isinstance(value, str):
            return Null() if value is None else Word(value)
        if isinstance(value, bool):
            return constant(truth=value)
        return number(Fraction(str(value)), integer=isinstance(value, int))

    # The answers

    def queries(self) -> list[_UnboundQuery]:
        """Work the statement out, for every value of the protected categories that it has conditions on."""
        names: list[str] = []
        while True:
            assigned = tuple(self._tried(name) for name in names)
            if math.prod(len(each.values) for each in assigned) > MAX_ASSIGNMENTS:
                raise Refusal("too-many-values", self.select)
            try:
                return self._answers(assigned)
            except _Unassigned as met:
                names.append(met.name)
            except Refusal as refusal:
                bits = self._bits()
                if refusal.construct not in ("protected-in-predicate", "group-by-protected") or bits == self.bits:
                    raise
                names, self.bits = [], bits

    def _bits(self) -> frozenset[str]:
        """The numbers that are 0 or 1, as the policy declares: they can stand in conditions, as booleans can."""
        declared = self.profiles.schema.attributes
        return frozenset(name for name, each in declared.items() if each.is_indicator)

    def _tried(self, name: str) -> Assigned:
        column = self.profiles.protected[name]
        boolean = column.kind == "boolean" or name in self.bits
        values: tuple[str | None, ...] = ("1", "0") if boolean else column.values
        if not self.profiles.schema.null_is_public:
            values = (*values, None)
        return Assigned(name, boolean, values or (None,))

    def _answers(self, assigned: tuple[Assigned, ...]) -> list[_UnboundQuery]:
        rows = self.joined.rows
        passes = [self._pass(rows, values) for values in _assignments(assigned)]
        selected = [each.selected(self.drawn) for each in passes]
        contributions = {
            node: [each.contribution(node, self.drawn.scope, mask) for each, mask in zip(passes, selected, strict=True)]
            for node in self.aggregates
        }
        weighing = Weighing(self.joined.owner, self.profiles.sizes, assigned, self.joined.once)
        found: list[_UnboundQuery] = []
        number = 1
        for group in self._groups(rows, passes, selected):
            suffix = f".{number}" if self.keys else ""
            asked = self._group(passes, group, suffix, contributions, weighing)
            number += bool(asked)
            found += asked
        return found

    def _pass(self, rows: Frames, values: Mapping[str, str | None]) -> Pass:
        def column(table: str, name: str) -> Worth:
            return self._column(self.joined, table, name, values)

        return Pass(Expressions(rows, self.dialect, column, self._parameter, WORKS))

    def _groups(self, rows: Frames, passes: Sequence[Pass], selected: Sequence[BoolArray]) -> list[RowGroup]:
        """The groups in key order; without keys, one of all rows."""
        if not self.keys:
            return [RowGroup([np.flatnonzero(mask) for mask in selected])]
        found = []
        for each, mask in zip(passes, selected, strict=True):
            values = [each.key(key, self.drawn.scope) for key in self.keys]
            found.append(keyed(values, mask, rows, self.dialect))
        keys, groups = in_order(found)
        return split(groups, len(keys))

    def _group(
        self,
        passes: Sequence[Pass],
        group: RowGroup,
        suffix: str,
        contributions: Mapping[Any, list[Contribution]],
        weighing: Weighing,
    ) -> list[_UnboundQuery]:
        inside = {node: group.inside(found) for node, found in contributions.items()}
        answers = {node: _aggregated(node, found, rows, weighing) for node, (rows, found) in inside.items()}
        which, row = group.any_row() if self.keys else (0, None)
        outer = Outer(answers, self.dialect, self.keys, passes[which].expressions, self.drawn.scope, row)
        having = self.select.args.get("having")
        if having is not None and outer.condition(having.this) is not True:
            return []
        for each in self._order():
            outer.check_order(each, self.items)
        inhabited = self._inhabited(group, inside, weighing)
        columns = [item for item in self.items if item.find(*FUNCTIONS) is not None]
        for item in self.items:
            if item not in columns:
                outer.check_public(item)
        if not columns:
            return [_UnboundQuery(suffix, Form().unless_nobody(inhabited).asked())]
        found = []
        for i, item in enumerate(columns, 1):
            nodes = _within(item, self.aggregates)
            held = [weighing.members(inside[node][0]) for node in nodes]
            averages = any(_function(node) == "avg" for node in nodes)
            members = np.asarray(np.logical_or.reduce(held))
            asked = _as_asked(outer.answer(item), inhabited if i == 1 else None)
            end = f"{suffix}:{i}" if len(columns) > 1 else suffix
            found.append(_UnboundQuery(end, asked, Weights.of(members), int(weighing.sizes[members].sum()), averages))
        return found

    def _inhabited(
        self, group: RowGroup, inside: Mapping[Any, tuple[IntArray, list[Contribution]]], weighing: Weighing
    ) -> Form | None:
        """How many rows are in a group: it is no row of the result where none is.

        None where everybody knows that some are, or where a column of the group's row says so.
        """
        if not self.keys or len(group.rows) == 1:
            return None
        for node in self.items:
            if node in inside:
                _, found = inside[node]
                every = all(each.mask.sum() == len(rows) for each, rows in zip(found, group.rows, strict=True))
                function = _function(node)
                if every and (function == "count" or (function == "sum" and says_whether(found))):
                    return None
        return how_many(*group.everybody(), weighing)


def _assignments(assigned: Sequence[Assigned]) -> list[dict[str, str | None]]:
    """Every combination of values, the last column's fastest."""
    found: list[dict[str, str | None]] = [{}]
    for column in assigned:
        found = [{**each, column.name: value} for each in found for value in column.values]
    return found


def _function(node: Any) -> Function:
    return FUNCTIONS[type(node.this if isinstance(node, exp.Filter) else node)]


def _aggregated(node: Any, found: Sequence[Contribution], rows: IntArray, weighing: Weighing) -> Answer:
    try:
        return aggregate(_function(node), found, rows, weighing)
    except Refusal as refusal:
        raise Refusal(refusal.construct, refusal.node or node) from None


def _within(item: Any, aggregates: Sequence[Any]) -> list[Any]:
    nodes = set(item.find_all(exp.Filter, *FUNCTIONS))
    return [node for node in aggregates if node in nodes]


def _as_asked(answer: Answer, inhabited: Form | None) -> Aggregate:
    if inhabited is not None:
        if isinstance(answer, Extremum):
            raise Refusal("extreme-of-category")
        answer = (answer or Form()).unless_nobody(inhabited)
    if isinstance(answer, Form):
        return answer.asked()
    if isinstance(answer, Extremum):
        return Extreme(answer.which, answer.quantity, Weights.of(answer.members))
    return Public()
