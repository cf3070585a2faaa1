"""Counting: distinct combinations once, dictionaries of their values, then packed codes in batches of whole classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from auditor.classes import ClassTable, Domain, IntArray, KeyLayout, count_classes
from auditor.engines._protocol import ColumnUse, Recoding, Release
from auditor.engines.duckdb import _sql, _write
from auditor.engines.duckdb._connection import Connection
from auditor.errors import DataError, DeliveryError

BYTES_PER_COMBINATION = 120
"""What counting and measuring one combination takes in arrays, measured at the peak: it sizes the batches."""
JOINS = 32
"""So many dictionaries are joined by one statement: planning takes more than linear time in them."""
ROWS_WORTH_A_PROBE = 1_000_000
PROBE_ROWS = 50_000
PROBE_DISTINCT_SHARE = 0.5
"""Above this share of distinct combinations in a sample, grouping costs more than sorting the packed rows."""


@dataclass(frozen=True, slots=True)
class _Coded:
    """One column after its values got codes."""

    column: str
    dictionary: str
    cardinality: int
    missing: bool
    number: bool
    type: str

    @property
    def code_type(self) -> str:
        """The smallest type that holds the codes."""
        for kind, limit in (("UTINYINT", 1 << 8), ("USMALLINT", 1 << 16), ("UINTEGER", 1 << 32)):
            if self.cardinality <= limit:
                return kind
        return "BIGINT"


class DuckDBCounted:
    """The distinct combinations of some columns, as codes in a temporary table."""

    def __init__(
        self,
        connection: Connection,
        what: str,
        relation: str,
        uses: Sequence[ColumnUse],
        columns: Mapping[str, tuple[str, str]],
        *,
        cheap_rescan: bool,
        delimiter: str = ",",
    ) -> None:
        """Count `uses` of `relation`; `columns` maps a name to its SQL expression and type.

        `delimiter` is what a release written as CSV gets.
        """
        self._connection = connection
        self._what = what
        self._relation = relation
        self._expressions = columns
        self._delimiter = delimiter
        self._missing_values = {use.name: use.missing_values for use in uses}
        self._number_types: dict[str, str | None] = {}
        self._frequencies: dict[tuple[str, str | None], IntArray] = {}
        values = {f"c{i}": _sql.value(*columns[use.name], use.missing_values) for i, use in enumerate(uses)}
        expressions = values or {"c0": "0"}
        self._grouped = not (cheap_rescan and self._nearly_unique(relation, expressions))
        make = _sql.count_combinations if self._grouped else _sql.keep_rows
        connection.run(what, make("combinations", relation, expressions))
        self._columns = self._give_codes(uses, {use.name: columns[use.name][1] for use in uses})
        self._encode()
        connection.run(what, f"DROP {'TABLE' if self._grouped else 'VIEW'} combinations")
        weight = "n" if self._grouped else "1"
        self.records, self.combinations = map(
            int, connection.rows(what, f"SELECT coalesce(sum({weight}), 0), count(*) FROM coded")[0]
        )

    def _nearly_unique(self, relation: str, expressions: dict[str, str]) -> bool:
        rows = self._connection.rows(self._what, f"SELECT count(*) FROM {relation}")[0][0]
        if rows < ROWS_WORTH_A_PROBE:
            return False
        share = 100 * PROBE_ROWS / rows
        values = ", ".join(expressions.values())
        sampled, distinct = self._connection.rows(
            self._what,
            f"SELECT count(*), count(DISTINCT h) FROM (SELECT hash({values}) AS h FROM {relation} "
            f"USING SAMPLE {share:.6f} PERCENT (system, 1))",
        )[0]
        return bool(distinct > PROBE_DISTINCT_SHARE * sampled)

    def _give_codes(self, uses: Sequence[ColumnUse], types: dict[str, str]) -> dict[str, _Coded]:
        """Give the values of each column their codes, ascending by number or by text."""
        numbers = {}
        for i, use in enumerate(uses):
            kind = types[use.name]
            numbers[use.name] = self._is_number(f"c{i}", use, kind)
            order = "v" if _sql.is_number(kind) else _sql.text("v", kind)
            if numbers[use.name] and not _sql.is_number(kind):
                order = f"CAST(v AS {self._number_type(f'c{i}') or 'DOUBLE'})"
            self._connection.run(self._what, _sql.dictionary(f"d{i}", "combinations", f"c{i}", order))
        if not uses:
            return {}
        sizes = self._connection.rows(
            self._what,
            " UNION ALL ".join(
                f"SELECT {i} AS i, max(code) + 1, bool_or(v IS NULL) FROM d{i}" for i in range(len(uses))
            ),
        )
        return {
            uses[i].name: _Coded(
                f"c{i}", f"d{i}", int(size or 0), bool(missing), numbers[uses[i].name], types[uses[i].name]
            )
            for i, size, missing in sizes
        }

    def _encode(self) -> None:
        """Replace values by codes, so many columns at a time."""
        columns = [(coded.column, (coded.dictionary, coded.code_type)) for coded in self._columns.values()]
        for start in range(0, max(len(columns), 1), JOINS):
            step = dict(columns[start : start + JOINS])
            kept = [column for column, _ in columns if column not in step] + ["n"] * self._grouped
            self._connection.run(self._what, _sql.encode("coded", "coded" if start else "combinations", step, kept))

    def _is_number(self, column: str, use: ColumnUse, type_name: str) -> bool:
        if use.kind == "text" or _sql.is_number(type_name):
            return use.kind != "text"
        wrong, distinct, numbers = self._connection.rows(
            self._what,
            "SELECT count(*) FILTER (x IS NULL OR NOT isfinite(x)), count(*), count(DISTINCT x) FROM "
            f"(SELECT TRY_CAST(v AS DOUBLE) AS x FROM (SELECT DISTINCT {column} AS v FROM combinations "
            f"WHERE {column} IS NOT NULL))",
        )[0]
        if use.kind == "auto":
            return bool(not wrong and distinct and self._all_differ(column, distinct, numbers))
        if wrong and self._not_numbers(column):
            raise DataError(
                f"{self._what}: column {use.name!r} is declared type: number and holds values that are none, or "
                "too large for one; declare the texts that mean missing under missing_values, or type: text"
            )
        if self._number_type(column) is None:
            raise DataError(
                f"{self._what}: column {use.name!r} is declared type: number and holds integers of more than "
                f"{_sql.DECIMAL_DIGITS} digits, which cannot be compared; declare type: text"
            )
        return True

    def _number_type(self, column: str) -> str | None:
        """What texts that are numbers are compared as; None for integers that no type holds."""
        if column not in self._number_types:
            self._number_types[column] = self._find_number_type(column)
        return self._number_types[column]

    def _find_number_type(self, column: str) -> str | None:
        if self._connection.rows(self._what, _sql.longest_text("combinations", column))[0][0] <= _sql.DOUBLE_DIGITS:
            return "DOUBLE"
        plain, whole, fraction = self._connection.rows(self._what, _sql.digits("combinations", column))[0]
        if plain and whole + fraction <= _sql.DECIMAL_DIGITS:
            return f"DECIMAL({_sql.DECIMAL_DIGITS}, {fraction})"
        return None if plain and not fraction else "DOUBLE"

    def _all_differ(self, column: str, distinct: int, doubles: int) -> bool:
        """Whether no two texts are the same number; what doubles take for one number need not be."""
        kind = self._number_type(column)
        if distinct == doubles or kind in (None, "DOUBLE"):
            return distinct == doubles and kind is not None
        statement = f"SELECT count(DISTINCT CAST({column} AS {kind})) FROM combinations"
        return bool(distinct == self._connection.rows(self._what, statement)[0][0])

    def _not_numbers(self, column: str) -> bool:
        """Whether a value is no number, or none that a double holds; infinities are numbers, and order themselves."""
        (bad,) = self._connection.rows(
            self._what,
            f"SELECT count(*) FROM combinations WHERE {column} IS NOT NULL AND "
            f"(TRY_CAST({column} AS DOUBLE) IS NULL OR isnan(TRY_CAST({column} AS DOUBLE)) OR "
            f"(isinf(TRY_CAST({column} AS DOUBLE)) AND regexp_matches(CAST({column} AS VARCHAR), '[0-9]')))",
        )[0]
        return bool(bad)

    def cardinality(self, column: str) -> int:
        """How many distinct values (the missing value included) a column has."""
        return self._columns[column].cardinality

    def has_missing(self, column: str) -> bool:
        """Whether a column has missing values; their code is 0."""
        return self._columns[column].missing

    def is_number(self, column: str) -> bool:
        """Whether a column's values are numbers."""
        return self._columns[column].number

    def frequencies(self, column: str, unit: str | None = None) -> IntArray:
        """int64[m]: for each code how many records (or distinct units) have it."""
        if (column, unit) not in self._frequencies:
            self._frequencies[column, unit] = self._fetch_frequencies(column, unit)
        return self._frequencies[column, unit]

    def _fetch_frequencies(self, column: str, unit: str | None) -> IntArray:
        coded = self._columns[column]
        if unit is None:
            statement = f"SELECT code, CAST(sum(n) AS BIGINT) AS n FROM {coded.dictionary} GROUP BY code"
        else:
            units = f"count(DISTINCT {self._columns[unit].column})"
            statement = f"SELECT {coded.column} AS code, {units} AS n FROM coded GROUP BY {coded.column}"
        found = self._connection.arrays(self._what, statement)
        counts = np.zeros(coded.cardinality, dtype=np.int64)
        counts[np.asarray(found["code"], dtype=np.int64)] = found["n"]
        return counts

    def labels(self, column: str) -> tuple[str | None, ...]:
        """The value behind each code, as text; of equal numbers the text that comes first."""
        coded = self._columns[column]
        shown = _sql.text("v", coded.type)
        rows = self._connection.rows(
            self._what, f"SELECT min({shown}) FROM {coded.dictionary} GROUP BY code ORDER BY code"
        )
        return tuple(label for (label,) in rows)

    def units(self, unit: str) -> int:
        """How many distinct units there are."""
        return self.cardinality(unit)

    def write(self, release: Release, target: Path) -> None:
        """Write a release into the source's workspace, in the format that the name tells.

        Raises:
            DeliveryError: the disk is full, or takes no writing.
        """
        as_text = _write.is_text(target)
        statement = self._released(release, as_text=as_text)
        names = release.columns if as_text else None
        try:
            self._connection.run(target.name, _write.copy(statement, target, names, self._delimiter))
        except DataError as error:
            raise DeliveryError(f"{error}; nothing was written") from None

    def frame(self, release: Release, kind: str) -> Any:
        """A release as a table in memory: ``pandas``, ``polars`` or ``arrow``."""
        return self._connection.frame(self._what, self._released(release), kind)

    def _released(self, release: Release, *, as_text: bool = False) -> str:
        """The SELECT that recodes and leaves out what a release says; what it joins is put in place first.

        With `as_text` every column is text, named by its place: a header is then the writer's to write.
        """
        recoded = {recoding.column: recoding for recoding in release.recodings}
        coded = list(dict.fromkeys((*recoded, *release.told_by)))
        used = dict.fromkeys((*release.columns, *coded))
        inner = {name: f"x{place}" for place, name in enumerate(used)}
        shown = {name: (f"source.{inner[name]}", self._expressions[name][1]) for name in release.columns}
        joined, tells = [], {}
        for place, name in enumerate(coded):
            original = _sql.value(f"source.{inner[name]}", self._columns[name].type, self._missing_values[name])
            recoding = recoded.get(name)
            joined.append((self._columns[name].dictionary, original, recoding is not None))
            tells[name] = f"v{place}.code"
            if recoding is not None:
                self._put_recoding(f"m{place}", recoding)
                tells[name] = f"m{place}.node"
                if name in shown:
                    shown[name] = _recoded(shown[name], recoding, f"m{place}.label", starred=release.with_stars)
        self._put("suppressed", [f"k{i}" for i in range(len(release.told_by))], list(release.suppressed.T.tolist()))
        columns = [(expression, _sql.identifier(name)) for name, (expression, _) in shown.items()]
        return _sql.released(
            self._relation,
            {inner[name]: self._expressions[name][0] for name in used},
            _write.as_text(list(shown.values())) if as_text else columns,
            joined,
            [tells[name] for name in release.told_by],
            starred=release.starred,
            keep_order=release.keep_order,
        )

    def _put_recoding(self, table: str, recoding: Recoding) -> None:
        codes = list(range(len(recoding.nodes)))
        labels = recoding.labels or (None,) * len(codes)
        self._put(table, ["code", "node", "label"], [codes, recoding.nodes.tolist(), list(labels)])

    def _put(self, table: str, columns: Sequence[str], values: Sequence[list[Any]]) -> None:
        """A small table of Python values."""
        kinds = {name: "VARCHAR" if name == "label" else "BIGINT" for name in columns}
        described = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
        self._connection.run(self._what, f"CREATE OR REPLACE TEMP TABLE {table} ({described})")
        if columns and values and values[0]:
            unnested = ", ".join(f"unnest(CAST(? AS {kind}[]))" for kind in kinds.values())
            self._connection.run(self._what, f"INSERT INTO {table} SELECT {unnested}", values)

    def batches(self) -> int:
        """How many batches the memory budget asks for."""
        return max(1, -(-self.combinations * BYTES_PER_COMBINATION // self._connection.limits.batch_memory))

    def tables(
        self, grouping: Sequence[str], sensitive: tuple[str, Domain] | None = None, unit: str | None = None
    ) -> Iterator[ClassTable]:
        """The class table of a grouping, in batches of whole classes that fit the memory budget."""
        ordered = sorted(grouping, key=lambda name: (self.cardinality(name), name))
        names = [*ordered, *([sensitive[0]] if sensitive else []), *([unit] if unit else [])]
        # by position: the unit, or a grouping column, can be the sensitive attribute itself
        places = KeyLayout.of({str(i): self.cardinality(name) for i, name in enumerate(names)}).places
        layout = KeyLayout(tuple(names), places)
        on_columns = KeyLayout(tuple(self._columns[name].column for name in names), places)
        batches = self.batches() if ordered else 1
        for batch in range(batches):
            statement = _sql.packed_keys("coded", on_columns, len(ordered), batches, batch, counted=self._grouped)
            found = self._connection.arrays(self._what, statement)
            weights = found["n"] if self._grouped else None
            keys = (
                np.stack([found[f"w{i}"] for i in range(layout.words)], axis=1)
                if layout.words > 1
                else found["w0"][:, None]
            )
            del found
            yield count_classes(
                keys, layout, len(ordered), weights, domain=sensitive[1] if sensitive else None, unit=unit is not None
            )


def _recoded(original: tuple[str, str], recoding: Recoding, label: str, *, starred: bool) -> tuple[str, str]:
    """The expression and the type of a recoded column: its labels, or as it is; text where it may hold `*`."""
    shown = original if recoding.labels is None else (label, "VARCHAR")
    return (_sql.starred(_sql.text(*shown)), "VARCHAR") if starred else shown
