"""The statements of the engine, as text. Every identifier and every literal is quoted here and nowhere else.

They are written once, in the dialect that DuckDB reads; `sqlglot` carries them to other engines (a test proves that
each parses and transpiles). Columns are written out, because GROUP BY ALL does not travel.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.classes import KeyLayout

FLOATS = ("FLOAT", "DOUBLE", "REAL")
INTEGERS = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
)
DOUBLE_DIGITS = 15
"""Numbers of so many digits are told apart by doubles."""
DECIMAL_DIGITS = 38
"""Numbers of so many digits are told apart by decimals."""
MOST_RECORDS = 2**53
"""So many records can be counted exactly by whatever reads a result."""
NUMBERS = (*FLOATS, *INTEGERS, "DECIMAL")
NESTED = ("STRUCT", "MAP", "UNION", "BLOB", "BIT", "VARIANT", "GEOMETRY")


def identifier(name: str) -> str:
    """A quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A quoted text."""
    return "'" + text.replace("'", "''") + "'"


COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}


def files(paths: Sequence[Path], *, text: bool = True) -> str:
    """The first arguments of a reader: a list of files, none of them taken for a glob; how texts are compressed."""
    listed = f"[{', '.join(literal(glob.escape(os.fspath(path))) for path in paths)}]"
    kinds = {COMPRESSIONS.get(path.suffix.lower(), "none") for path in paths}
    kind = kinds.pop() if len(kinds) == 1 else "auto_detect"
    return f"{listed}, compression='{kind}'" if text else listed


def is_number(type_name: str) -> bool:
    """Whether a column type is numeric."""
    return type_name.upper().startswith(NUMBERS)


def is_usable(type_name: str) -> bool:
    """Whether values of a column type can be compared and written as one text."""
    return not (type_name.upper().startswith(NESTED) or type_name.endswith("]"))


def exactly(expression: str, type_name: str) -> str:
    """A column of a database's own table, so that a collation of its own takes no two texts for one."""
    return f'{expression} COLLATE "C"' if type_name == "VARCHAR" else expression


def text(expression: str, type_name: str) -> str:
    """A value as text: integers decimal, floats shortest round-trip, times ISO 8601, booleans true and false."""
    cast = f"CAST({expression} AS VARCHAR)"
    return f"replace({cast}, ' ', 'T')" if type_name.upper().startswith("TIMESTAMP") else cast


def double_of(text: str) -> str:
    """The double that a text is; NULL for one that is not a number. `1_9` is none, whatever DuckDB casts it to."""
    return f"CASE WHEN NOT contains({text}, '_') THEN TRY_CAST({text} AS DOUBLE) END"


def longest_text(table: str, column: str) -> str:
    """How many characters the longest text of a column has."""
    return f"SELECT coalesce(max(length(CAST({column} AS VARCHAR))), 0) FROM {table}"


def digits(table: str, column: str) -> str:
    """Whether every text is a plain decimal number, and the most digits before and after the point."""
    return (
        "SELECT bool_and(regexp_full_match(v, '\\s*[+-]?[0-9]+(\\.[0-9]+)?\\s*')), "
        "max(length(regexp_extract(v, '[0-9]+'))), max(length(regexp_extract(v, '\\.([0-9]+)', 1))) "
        f"FROM (SELECT DISTINCT CAST({column} AS VARCHAR) AS v FROM {table}) WHERE v IS NOT NULL"
    )


def total(weight: str | None = None) -> str:
    """How many records there are: the rows, or where each stands for several, the sum of what they stand for."""
    return "count(*)" if weight is None else f"CAST(coalesce(sum({weight}), 0) AS BIGINT)"


def bad_weights(source: str, weight: str) -> str:
    """Whether a weight is missing, no number, below 1, no whole number; whether the weights are too large to add up."""
    # Doubles tell neither 1.00000000000000000001 from 1 nor the sum 2^53 + 1 from 2^53: the digits are read.
    plain = "regexp_full_match(w, '\\s*[+-]?[0-9]+([.]0*)?\\s*')"
    whole = f"{plain} OR regexp_matches(w, '^[^e]{{1,16}}e', 'i') AND x = floor(x)"
    added = f"least(TRY_CAST(w AS HUGEINT), {MOST_RECORDS} + 1)"
    text = f"CAST({weight} AS VARCHAR)"
    return (
        "SELECT coalesce(bool_or(w IS NULL), false), "
        "coalesce(bool_or(w IS NOT NULL AND (x IS NULL OR contains(w, '_'))), false), "
        f"coalesce(bool_or(x < 1), false), coalesce(bool_or(isnan(x) OR (isfinite(x) AND NOT ({whole}))), false), "
        f"coalesce(max(x) > {MOST_RECORDS} OR sum({added}) > {MOST_RECORDS}, false) "
        f"FROM (SELECT {text} AS w, TRY_CAST({text} AS DOUBLE) AS x FROM {source})"
    )


def combinations(source: str, expressions: Mapping[str, str], weight: str | None = None) -> str:
    """The distinct combinations of some expressions, and in a column `n` how many records have each.

    `weight` is the column that says how many records a row of the source stands for; None where each is one.
    """
    names = ", ".join(expressions)
    values = ", ".join(f"{expression} AS {name}" for name, expression in expressions.items())
    weighted = "" if weight is None else f", {weight} AS weight"
    group = f" GROUP BY {names}" if expressions else ""
    counted = total(None if weight is None else "weight")
    return f"SELECT {names}, {counted} AS n FROM (SELECT {values}{weighted} FROM {source}){group}"


def class_sizes(table: str, columns: Sequence[str], weight: str | None) -> str:
    """How many classes have each size, of a table with one row per combination."""
    group = f" GROUP BY {', '.join(columns)}" if columns else ""
    sizes = f"SELECT {total(weight)} AS size FROM {table}{group}"
    return f"SELECT size, count(*) FROM ({sizes}) GROUP BY size"


def store(table: str, query: str) -> str:
    """Keep what a query finds in a temporary table."""
    return f"CREATE OR REPLACE TEMP TABLE {table} AS {query}"


def keep_rows(table: str, source: str, expressions: Mapping[str, str]) -> str:
    """The same shape without grouping: one row per record."""
    values = ", ".join(f"{expression} AS {name}" for name, expression in expressions.items())
    return f"CREATE OR REPLACE TEMP VIEW {table} AS SELECT {values}, 1 AS n FROM {source}"


def dictionary(table: str, combinations: str, column: str, order: str) -> str:
    """Give each distinct value of a column a code, ascending by `order` (an expression over `v`), NULL first."""
    return (
        f"CREATE OR REPLACE TEMP TABLE {table} AS "
        f"SELECT v, dense_rank() OVER (ORDER BY {order} NULLS FIRST) - 1 AS code, n "
        f"FROM (SELECT {column} AS v, sum(n) AS n FROM {combinations} GROUP BY {column})"
    )


def encode(table: str, source: str, dictionaries: Mapping[str, tuple[str, str]], kept: Sequence[str]) -> str:
    """Replace values by codes: `dictionaries` maps each column to its dictionary table and the code's type.

    The columns `kept` are taken over as they are.
    """
    codes = [f"CAST({name}.code AS {kind}) AS {column}" for column, (name, kind) in dictionaries.items()]
    codes += [f"{source}.{column} AS {column}" for column in kept]
    joins = " ".join(
        f"JOIN {name} ON {source}.{column} IS NOT DISTINCT FROM {name}.v" for column, (name, _) in dictionaries.items()
    )
    return f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {', '.join(codes)} FROM {source} {joins}"


def packed_keys(table: str, layout: KeyLayout, grouping: int, batches: int, batch: int, *, counted: bool) -> str:
    """Fetch packed keys, of one batch of whole classes where there are several.

    Classes go to batches by a hash of their grouping columns, so none is split.
    """
    fields: list[list[str]] = [[] for _ in range(layout.words)]
    for column, (word, shift, width) in zip(layout.columns, layout.places, strict=True):
        if width:
            fields[word].append(f"(CAST({column} AS BIGINT) << {shift})")
    words = ", ".join(f"{' | '.join(parts) or 'CAST(0 AS BIGINT)'} AS w{i}" for i, parts in enumerate(fields))
    weight = ", n" if counted else ""
    statement = f"SELECT {words}{weight} FROM {table}"
    if batches > 1 and grouping:
        key = ", ".join(layout.columns[:grouping])
        statement += f" WHERE hash({key}) % {batches} = {batch}"
    return statement


def rolled_up(table: str, columns: Sequence[str], nodes: Mapping[str, str], *, counted: bool) -> str:
    """The distinct combinations of some columns of codes, and in a column ``n`` how many records each stands for.

    For each column in `nodes` a table has ``code`` and the ``node`` that is grouped by in its place.
    """
    codes = {column: f"{nodes[column]}.node" if column in nodes else f"{table}.{column}" for column in columns}
    joins = "".join(f" JOIN {each} ON {table}.{column} = {each}.code" for column, each in nodes.items())
    number = f"CAST(sum({table}.n) AS BIGINT)" if counted else "count(*)"
    listed = "".join(f"{code} AS {column}, " for column, code in codes.items())
    group = f" GROUP BY {', '.join(codes.values())}" if codes else ""
    return f"SELECT {listed}{number} AS n FROM {table}{joins}{group}"


def number_rows(table: str, source: str, expressions: Mapping[str, str]) -> str:
    """Keep some expressions of every row, and its 0-based place."""
    values = "".join(f", {expression} AS {name}" for name, expression in expressions.items())
    return f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT row_number() OVER () - 1 AS place{values} FROM {source}"


def rows_as_texts(view: str, table: str, expressions: Mapping[str, str]) -> str:
    """The numbered rows of a table, as other expressions."""
    values = "".join(f", {expression} AS {name}" for name, expression in expressions.items())
    return f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT place{values} FROM {table}"


def without_loss(labels: str, kind: str) -> str:
    """Whether every label is the text of a value of a type, or the same number."""
    back = f"TRY_CAST(label AS {kind})"
    number = f"CAST({back} AS DOUBLE) = TRY_CAST(label AS DOUBLE)" if is_number(kind) else "false"
    same = f"({text(back, kind)} = label OR {number})"
    return f"SELECT coalesce(bool_and(coalesce({same}, false)), true) FROM {labels} WHERE label IS NOT NULL"


def rewritten(table: str, shown: Sequence[tuple[str, str]], columns: int, *, places: bool = False) -> str:
    """The SELECT of numbered rows, some columns by labels: ``rewritten`` has their codes, m0, m1, … the labels.

    With `places` it finds the places of the rows alone, in the order of the others.
    """
    wanted = "source.place AS place" if places else ", ".join(f"{expression} AS {name}" for expression, name in shown)
    joins = " ".join(f"LEFT JOIN m{i} ON rewritten.c{i} = m{i}.code" for i in range(columns))
    order = ", ".join(expression for expression, _ in shown)
    rows = f"{table} AS source JOIN rewritten ON source.place = rewritten.place"
    return f"SELECT {wanted} FROM {rows} {joins} ORDER BY {order}"


def code_column(dictionary: str, table: str, column: str) -> str:
    """Give each distinct text of a column a code, NULL first."""
    return (
        f"CREATE OR REPLACE TEMP TABLE {dictionary} AS SELECT v, "
        "row_number() OVER (ORDER BY v NULLS FIRST) - 1 AS code "
        f"FROM (SELECT {column} AS v FROM {table} GROUP BY {column})"
    )


def coded_column(dictionary: str, table: str, column: str) -> str:
    """The place of each row, and the code of its text."""
    return (
        f"SELECT {table}.place AS place, {dictionary}.code AS code FROM {table} "
        f"JOIN {dictionary} ON {table}.{column} IS NOT DISTINCT FROM {dictionary}.v"
    )


def hashed(source: str, text: str) -> str:
    """The place of each row, and numbers that tell a text of each from others; `spelling` tells how it is spelled."""
    plain = "lower(regexp_replace(nfc_normalize(v), '\\s+', '', 'g'))"
    number = "CASE WHEN left(trim(v), 1) < ':' THEN CAST(TRY_CAST(trim(v) AS DECIMAL(38, 6)) AS VARCHAR) END"
    return (
        f"SELECT place, v IS NULL AS missing, hash(v) AS forwards, hash(reverse(v)) AS backwards, "
        f"hash(coalesce({number}, {plain})) AS spelling "
        f"FROM (SELECT row_number() OVER () - 1 AS place, {text} AS v FROM {source})"
    )


def starred(expression: str) -> str:
    """A text of a release, or `*` for a suppressed record that is kept."""
    return f"CASE WHEN suppressed.hit IS NULL THEN {expression} ELSE '*' END"


def released(
    relation: str,
    columns: Mapping[str, str],
    shown: Sequence[tuple[str, str]],
    recoded: Sequence[tuple[str, str]],
    told_by: Sequence[str],
    *,
    starred: bool = False,
    keep_order: bool,
) -> str:
    """The SELECT of a release.

    Rows come sorted by their released values: the order in the original would tell who is who.

    Args:
        relation: what is released.
        columns: the expression of each column, by the name that `shown` and `recoded` know it by.
        shown: the expression and the name of each column to release; over ``source`` with the names of `columns`, and
            the tables of `recoded`.
        recoded: for each recoded column a table with each value ``v``, its ``node`` and its ``label``, and the
            expression of the value over ``source``.
        told_by: the expressions that tell what is suppressed; ``suppressed`` holds their values, k0, k1, …, and a
            column ``hit`` that is true.
        starred: keep what is suppressed; the caller shows it as `starred` says.
        keep_order: sort the rows by their place in the original instead.
    """
    joins = " ".join(f"JOIN {table} ON {original} IS NOT DISTINCT FROM {table}.v" for table, original in recoded)
    source = f"{_source(relation, columns, numbered=keep_order)} {joins}"
    return _kept(source, shown, told_by, starred=starred, keep_order=keep_order)


def told(columns: Sequence[str], dictionaries: Mapping[str, str]) -> str:
    """What is suppressed: the rows of ``told``, the codes of some columns replaced by the values in a dictionary."""
    values = "".join(f"{f'{name}_known.v' if name in dictionaries else f'told.{name}'} AS {name}, " for name in columns)
    joins = "".join(
        f" JOIN {dictionary} AS {name}_known ON told.{name} = {name}_known.code"
        for name, dictionary in dictionaries.items()
    )
    return f"SELECT {values}told.hit AS hit FROM told{joins}"


def is_enumeration(type_name: str) -> bool:
    """Whether a type lists its values: one of the data's own, or of a release in the making (``e_…``)."""
    return type_name.startswith(("ENUM(", "e_"))


def without_enumerations(shown: Mapping[str, tuple[str, str]]) -> tuple[list[tuple[str, str]], list[str]]:
    """What sorted rows hold, with its names; and, where that has enumerations, the released columns over the names.

    A column leaves as text. A dataframe of an enumeration lists all its values, and so does a Parquet file, at least by
    their number: those of suppressed records, too. `shown` has the expression and the type of each column.
    """
    if not any(is_enumeration(kind) for _, kind in shown.values()):
        return [(expression, identifier(name)) for name, (expression, _) in shown.items()], []
    listed = [(expression, f"c{place}") for place, (expression, _) in enumerate(shown.values())]
    outer = [
        f"{f'CAST(c{place} AS VARCHAR)' if is_enumeration(kind) else f'c{place}'} AS {identifier(name)}"
        for place, (name, (_, kind)) in enumerate(shown.items())
    ]
    return listed, outer


def shown(sorted_rows: str, columns: Sequence[str]) -> str:
    """Sorted rows with columns as other expressions over their names; as they are where none are given."""
    return f"SELECT {', '.join(columns)} FROM ({sorted_rows})" if columns else sorted_rows


@dataclass(frozen=True)
class RegroupedTable:
    """What the table ``regrouped`` holds: codes k0, k1, … that tell a group, and nodes n0, n1, … of it.

    Args:
        keys: how many codes tell the group: the first ones of those that are coded.
        labelled: the places of the nodes for which a table m0, m1, … holds node and label.
        ranked: whether records with the same codes go to several groups: it then has, half open, the ranks ``first`` to
            ``last`` of those that it means, counted in the order of the original.
    """

    keys: int
    labelled: Sequence[int]
    ranked: bool


def regrouped(
    relation: str,
    columns: Mapping[str, str],
    shown: Sequence[tuple[str, str]],
    coded: Sequence[tuple[str, str]],
    told_by: Sequence[str],
    *,
    groups: RegroupedTable,
    starred: bool = False,
    keep_order: bool,
) -> str:
    """The SELECT of a release by groups; as `released`, except for these.

    Args:
        relation: see `released`.
        columns: see `released`.
        shown: see `released`.
        coded: for each column whose codes are needed its dictionary, and the expression that the dictionary codes; its
            code is ``source.c0``, ``source.c1``, …
        told_by: see `released`.
        groups: what is in the table ``regrouped``.
        starred: see `released`.
        keep_order: see `released`.
    """
    joins = " ".join(
        f"JOIN {dictionary} AS v{i} ON {original} IS NOT DISTINCT FROM v{i}.v"
        for i, (dictionary, original) in enumerate(coded)
    )
    codes = "".join(f", v{i}.code AS c{i}" for i in range(len(coded)))
    keys, ranked = groups.keys, groups.ranked
    told = ", ".join(f"v{i}.code" for i in range(keys))
    rank = f", row_number() OVER (PARTITION BY {told} ORDER BY source.place) - 1 AS rank" if ranked else ""
    numbered = _source(relation, columns, numbered=keep_order or ranked)
    match = " AND ".join(f"source.c{i} = regrouped.k{i}" for i in range(keys))
    within = " AND source.rank >= regrouped.first AND source.rank < regrouped.last" if ranked else ""
    labels = " ".join(f"JOIN m{i} ON regrouped.n{i} = m{i}.node" for i in groups.labelled)
    source = (
        f"(SELECT source.*{codes}{rank} FROM {numbered} {joins}) AS source JOIN regrouped ON {match}{within} {labels}"
    )
    return _kept(source, shown, told_by, starred=starred, keep_order=keep_order)


def _source(relation: str, columns: Mapping[str, str], *, numbered: bool) -> str:
    """The columns of what is released, and where asked for each row's place."""
    listed = ", ".join(f"{expression} AS {name}" for name, expression in columns.items())
    place = ", row_number() OVER () AS place" if numbered else ""
    return f"(SELECT {listed}{place} FROM {relation}) AS source"


def _kept(
    source: str, shown: Sequence[tuple[str, str]], told_by: Sequence[str], *, starred: bool, keep_order: bool
) -> str:
    """What is released of joined rows: without what is suppressed, or with it as it is shown; in order."""
    wanted = ", ".join(f"{expression} AS {name}" for expression, name in shown)
    match = " AND ".join(f"suppressed.k{i} IS NOT DISTINCT FROM {told}" for i, told in enumerate(told_by))
    anti = f"{'LEFT' if starred else 'ANTI'} JOIN suppressed ON {match}" if match else ""
    order = "source.place" if keep_order else ", ".join(str(number) for number in range(1, len(shown) + 1))
    return f"SELECT {wanted} FROM {source} {anti} ORDER BY {order}"
