"""The statement that releases a table: recoded, without what is suppressed, sorted by what is released.

Sorting texts costs more than all the rest, so columns of few values are enumerations, which are numbers to DuckDB
and stand in the order of their texts. One column that is text makes every row of the sort a text, so the columns that
were never counted are looked at, too, where reading them once more costs little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.classes import IntArray
from auditor.engines._protocol import Recoding, Regrouping, ReleaseRequest
from auditor.engines.duckdb import column_sql, copies, sql
from auditor.engines.duckdb._codes import Codes
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.order import Ordered

MOST_ENUMERATED = 1 << 16
"""A column of more values stays text: what an enumeration lists stays in memory."""
Shown = tuple[str, str]
"""An expression and its type."""


@dataclass(frozen=True)
class Releasing:
    """Makes the statement, and puts the small tables in place that it joins.

    Args:
        connection: where the table is open.
        what: what the table is called in messages.
        relation: the table.
        expressions: the expression and the type of every column.
        columns: the columns that were counted.
        missing_values: the texts that stand for a missing value in each of them.
        codes: their codes.
        cheap_rescan: whether reading single columns once more costs little beside reading the table.
        json: the table with its JSON values, for JSON lines: values that stay as they are stay JSON values.
        as_json: whether JSON lines are written.
    """

    connection: Connection
    what: str
    relation: str
    expressions: Mapping[str, Shown]
    columns: Mapping[str, Ordered]
    missing_values: Mapping[str, tuple[str, ...]]
    codes: Codes
    cheap_rescan: bool = False
    json: copies.Json | None = None
    as_json: bool = False

    def statement(self, release: ReleaseRequest, *, as_text: bool = False, enums: bool = False) -> str:
        """The SELECT of a release.

        With `as_text` every column is text, named by its place: a header is then the writer's to write. With `enums`
        columns of few texts may be enumerations on the way, which is for files: a dataframe is not worth the work.
        """
        used = dict.fromkeys((*release.columns, *self._read_by(release)))
        inner = {name: f"x{place}" for place, name in enumerate(used)}
        shown = {name: (f"source.{inner[name]}", self.expressions[name][1]) for name in release.columns}
        enums = enums and not release.with_stars and not (as_text and len(release.columns) == 1)
        if enums:
            recoded = {recoding.column for recoding in release.recoded}
            kinds = self._enumerated([name for name in release.columns if name not in recoded])
            shown |= {name: (f"CAST({shown[name][0]} AS {kind})", kind) for name, kind in kinds.items()}
        expressions = {inner[name]: self.expressions[name][0] for name in used}
        if release.regrouping is not None:
            return self._regrouped(release, release.regrouping, inner, shown, expressions, as_text=as_text)
        return self._recoded(release, inner, shown, expressions, as_text=as_text, enums=enums)

    def _read_by(self, release: ReleaseRequest) -> Sequence[str]:
        """The columns that are recoded, or tell what is suppressed."""
        grouped = release.regrouping
        if grouped is None:
            return list(dict.fromkeys((*(recoding.column for recoding in release.recodings), *release.told_by)))
        return list(dict.fromkeys((*grouped.told_by, *_besides(release.told_by, grouped))))

    def _original(self, name: str, inner: Mapping[str, str]) -> str:
        """The value of a column as it was counted, over ``source``."""
        return column_sql.value(f"source.{inner[name]}", self.columns[name].type, self.missing_values[name])

    def _recoded(
        self,
        release: ReleaseRequest,
        inner: Mapping[str, str],
        shown: dict[str, Shown],
        expressions: dict[str, str],
        *,
        as_text: bool,
        enums: bool,
    ) -> str:
        """Recoded value by value."""
        tells = {name: self._original(name, inner) for name in release.told_by}
        values = {name: self._dictionary(name) for name in release.told_by}
        joins = []
        for place, recoding in enumerate(release.recodings):
            name, table = recoding.column, f"m{place}"
            kind = self._put_recoding(table, recoding, self._dictionary(name), enums=enums)
            joins.append((table, self._original(name, inner)))
            tells[name] = f"{table}.node"
            values.pop(name, None)
            if name in shown:
                shown[name] = _recoded(shown[name], recoding, (f"{table}.label", kind), starred=release.with_stars)
        self._put_suppressed(release, values)
        listed, outer = self._listed(shown, inner, expressions, as_text=as_text)
        told = [tells[name] for name in release.told_by]
        order = {"starred": release.starred, "keep_order": release.keep_order}
        return sql.shown(sql.released(self._table, expressions, listed, joins, told, **order), outer)

    def _regrouped(
        self,
        release: ReleaseRequest,
        grouped: Regrouping,
        inner: Mapping[str, str],
        shown: dict[str, Shown],
        expressions: dict[str, str],
        *,
        as_text: bool,
    ) -> str:
        """Recoded by groups."""
        coded = self._read_by(release)
        joined = [(self._dictionary(name), self._original(name, inner)) for name in coded]
        tells = {name: f"source.c{place}" for place, name in enumerate(coded)}
        self._put_regrouping(grouped)
        for place, recoding in enumerate(grouped.recodings):
            tells[recoding.column] = f"regrouped.n{place}"
            if recoding.column in shown:
                label = f"m{place}.label"
                found = _recoded(shown[recoding.column], recoding, (label, "VARCHAR"), starred=release.with_stars)
                if recoding.numbers and recoding.labels is not None and not (as_text or release.with_stars):
                    found = f"CAST({label} AS DOUBLE)", "DOUBLE"
                shown[recoding.column] = found
        self._put_suppressed(release, {})
        listed, outer = self._listed(shown, inner, expressions, as_text=as_text)
        told = [tells[name] for name in release.told_by]
        labelled = [place for place, each in enumerate(grouped.recodings) if each.labels is not None]
        groups = sql.RegroupedTable(len(grouped.told_by), labelled, ranked=grouped.records is not None)
        order = {"starred": release.starred, "keep_order": release.keep_order}
        return sql.shown(sql.regrouped(self._table, expressions, listed, joined, told, groups=groups, **order), outer)

    @property
    def _table(self) -> str:
        return self.relation if self.json is None else self.json.relation

    def _listed(
        self, shown: dict[str, Shown], inner: Mapping[str, str], expressions: dict[str, str], *, as_text: bool
    ) -> tuple[list[tuple[str, str]], list[str]]:
        """What the sorted rows hold, with its names; and, where that is not yet what is released, that, over the names.

        JSON values are added to the `expressions` that are read.
        """
        if self.json is not None:
            as_is = [name for name, (expression, _) in shown.items() if expression == f"source.{inner[name]}"]
            expressions |= {f"j{inner[name]}": self.json.values[name] for name in as_is}
            shown |= {name: (f"source.j{inner[name]}", "JSON") for name in as_is}
        if not as_text:
            return sql.without_enumerations(copies.as_json(shown) if self.as_json else shown)
        texts = copies.as_text(list(shown.values()))
        kept = [sql.is_enumeration(kind) for _, kind in shown.values()]
        if not any(kept):
            return texts, []
        listed = [
            (expression if enum else text, name)
            for (text, name), (expression, _), enum in zip(texts, shown.values(), kept, strict=True)
        ]
        outer = [
            f"CAST({name} AS VARCHAR) AS {name}" if enum else name for (_, name), enum in zip(listed, kept, strict=True)
        ]
        return listed, outer

    def _dictionary(self, name: str) -> str:
        return self.codes.dictionary(self.columns[name].column)

    def _enumerated(self, names: Sequence[str]) -> dict[str, str]:
        """An enumeration for each of these columns that has few texts, counted as they are or not counted."""
        texts = [name for name in names if self.expressions[name][1] == "VARCHAR"]
        counted = [name for name in texts if name in self.columns]
        found = {}
        for name in counted:
            column = self.columns[name].column
            if self.codes.cardinality[column] <= MOST_ENUMERATED:
                found[name] = self._enumeration(
                    f"e_{column}", self._dictionary(name), "v", besides=self.missing_values[name]
                )
        for place, name in enumerate(self._of_few_texts([name for name in texts if name not in counted])):
            found[name] = self._enumeration(f"e_{place}", self.relation, self.expressions[name][0])
        return found

    def _of_few_texts(self, names: Sequence[str]) -> list[str]:
        """Those of some columns that have few texts, about."""
        if not names or not self.cheap_rescan:
            return []
        numbers = ", ".join(f"approx_count_distinct({self.expressions[name][0]})" for name in names)
        found = self.connection.rows(self.what, f"SELECT {numbers} FROM {self.relation}")[0]
        return [name for name, number in zip(names, found, strict=True) if number <= MOST_ENUMERATED]

    def _enumeration(self, kind: str, table: str, text: str, besides: Sequence[str] = ()) -> str:
        """Of the texts of a table, and those besides that stand for a missing value."""
        values = f"SELECT {text} AS text FROM {table} WHERE {text} IS NOT NULL"
        for missing in besides:
            values += f" UNION ALL SELECT {sql.literal(missing)}"
        values = f"SELECT DISTINCT text FROM ({values}) ORDER BY 1"
        self.connection.run(self.what, f"CREATE OR REPLACE TEMP TYPE {kind} AS ENUM ({values})")
        return kind

    def _put_recoding(self, table: str, recoding: Recoding, dictionary: str, *, enums: bool) -> str:
        """For each value of a column its node and its label; the type of the labels."""
        codes = list(range(len(recoding.nodes)))
        labels = recoding.labels or (None,) * len(codes)
        told = f"{table}_told"
        self._put(told, ["code", "node", "label"], [codes, recoding.nodes.tolist(), list(labels)])
        label, kind = f"{told}.label", "VARCHAR"
        if enums and recoding.labels is not None and len(set(labels)) <= MOST_ENUMERATED:
            kind = self._enumeration(f"e_{table}", told, "label")
            label = f"CAST({label} AS {kind})"
        values = f"SELECT v, node, {label} AS label FROM {dictionary} AS known JOIN {told} ON known.code = {told}.code"
        self.connection.run(self.what, sql.store(table, values))
        return kind

    def _put_suppressed(self, release: ReleaseRequest, values: Mapping[str, str]) -> None:
        """What tells the suppressed classes: nodes, codes, or for the columns of these dictionaries their values.

        There can be as many of them as there are classes, so they are handed over as arrays.
        """
        columns = {f"k{i}": np.ascontiguousarray(column) for i, column in enumerate(release.suppressed.T)}
        self.connection.store(self.what, "told", {**columns, "hit": np.ones(len(release.suppressed), dtype=np.bool_)})
        places = {f"k{place}": values[name] for place, name in enumerate(release.told_by) if name in values}
        self.connection.run(self.what, sql.store("suppressed", sql.told(list(columns), places)))

    def _put_regrouping(self, grouped: Regrouping) -> None:
        """Which codes go to which group, as the nodes that it is released by; and their labels."""
        columns = {f"k{i}": np.ascontiguousarray(grouped.codes[:, i]) for i in range(grouped.codes.shape[1])}
        for place, recoding in enumerate(grouped.recodings):
            columns[f"n{place}"] = recoding.nodes[grouped.groups]
            if recoding.labels is not None:
                nodes = list(range(len(recoding.labels)))
                self._put(f"m{place}", ["node", "label"], [nodes, list(recoding.labels)])
        if grouped.records is not None:
            columns["first"], columns["last"] = _ranks(grouped.codes, grouped.records)
        self.connection.store(self.what, "regrouped", columns)

    def _put(self, table: str, columns: Sequence[str], values: Sequence[list[Any]]) -> None:
        """A small table of Python values."""
        kinds = {name: "VARCHAR" if name == "label" else "BIGINT" for name in columns}
        described = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
        self.connection.run(self.what, f"CREATE OR REPLACE TEMP TABLE {table} ({described})")
        if columns and values and values[0]:
            unnested = ", ".join(f"unnest(CAST(? AS {kind}[]))" for kind in kinds.values())
            self.connection.run(self.what, f"INSERT INTO {table} SELECT {unnested}", values)


def _besides(told_by: Sequence[str], grouped: Regrouping) -> list[str]:
    """The columns that tell what is suppressed, without those that are released by groups."""
    regrouped = {recoding.column for recoding in grouped.recodings}
    return [name for name in told_by if name not in regrouped]


def _ranks(codes: IntArray, records: IntArray) -> tuple[IntArray, IntArray]:
    """int64[n] twice: of the records with the same codes, the first that an entry means, and the first it no more does.

    The entries share them out in the order in which they stand.
    """
    order = np.lexsort(codes.T[::-1])
    ordered, taken = codes[order], np.cumsum(records[order])
    fresh = np.ones(len(order), dtype=np.bool_)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    before = (taken - records[order])[fresh][np.cumsum(fresh) - 1]
    last = np.empty_like(records)
    last[order] = taken - before
    return last - records, last


def _recoded(original: Shown, recoding: Recoding, label: Shown, *, starred: bool) -> Shown:
    """The expression and the type of a recoded column: its labels, or as it is; text where it may hold `*`."""
    shown = original if recoding.labels is None else label
    return (sql.starred(sql.text(*shown)), "VARCHAR") if starred else shown
