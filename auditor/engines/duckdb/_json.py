"""JSON as texts: strings as they are, numbers by their value, however a file writes them.

A reader of JSON takes 1, 1.0 and 1e0 for one number, and -0.0 for 0, so they are one value; true among numbers is 1, as
in objects of pandas and in SQLite. NaN, which is no JSON but
which many programs write, is missing, as everywhere. A number with a fraction or an exponent is the nearest double.
Objects and lists are one value where a reader of JSON takes them for equal, whatever the order of their keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.engines._object_texts import ALIKE, json_text
from auditor.engines.duckdb import copies, csv_files, sql
from auditor.engines.duckdb._names import refuse_renamed_keys
from auditor.engines.duckdb.connection import Connection
from auditor.errors import DataError

NUMBER = "DOUBLE"
"""What DuckDB takes keys for whose numbers may have a point or an exponent."""
MIXED = "JSON"
"""What it takes those for that have values of several kinds."""
NUMBERS = {"UBIGINT", "BIGINT", "HUGEINT", "UHUGEINT", "DOUBLE"}
"""What it calls numbers."""
TRUTH = "CASE {} WHEN 'true' THEN '1' WHEN 'false' THEN '0' END"
"""A truth value as the number that it is."""
CANONICAL = "canonical_json"
"""The function that writes equal objects and lists alike."""
WHOLE = "1e38"
"""Below it, doubles that are whole numbers are written as such."""
EVERY_KEY = "map_inference_threshold=-1, field_appearance_threshold=0"
"""An object with many keys, or with other keys than most, has columns as any other has."""


@dataclass(frozen=True)
class Keys:
    """The keys of all objects in some files, and those whose values may be written in several ways."""

    names: tuple[str, ...]
    varied: frozenset[str]
    counted: frozenset[str] = frozenset()
    """Those with numbers and truth values."""
    notes: tuple[str, ...] = ()
    """What is to be said of the values."""

    def reader(self, paths: Sequence[Path], option: str) -> str:
        """What reads files as texts, by the names of the keys; the option is that of partitions and lines."""
        kinds = {name: "JSON" if name in self.varied else "VARCHAR" for name in self.names}
        listed = ", ".join(f"{sql.identifier(name)}: '{kind}'" for name, kind in kinds.items())
        rows = f"read_json({sql.files(paths)}, columns={{{listed}}}, {option})"
        if not self.varied:
            return rows
        texts = ", ".join(f"{self.text(name)} AS {sql.identifier(name)}" for name in self.names if name in self.varied)
        return f"(SELECT * REPLACE ({texts}) FROM {rows})"

    def values(self, paths: Sequence[Path]) -> copies.Json | None:
        """The same files with their JSON values beside the texts; None where a key could be taken for such a column."""
        if any(name.startswith(copies.RAW) for name in self.names):
            return None
        raw = {name: sql.identifier(copies.RAW + name) for name in self.names}
        columns = ", ".join(
            f"{self.text(name) if name in self.varied else plain(name)} AS {sql.identifier(name)}, "
            f"{_value(name) if name in self.varied else sql.identifier(name)} AS {raw[name]}"
            for name in self.names
        )
        types = ", ".join(f"{sql.identifier(name)}: 'JSON'" for name in self.names)
        rows = f"read_json({sql.files(paths)}, columns={{{types}}}, hive_partitioning=false)"
        return copies.Json(f"(SELECT {columns} FROM {rows})", raw)

    def text(self, name: str) -> str:
        """The text of a key's value."""
        own = text(name)
        if name not in self.counted:
            return own
        return (
            f"CASE WHEN json_type({sql.identifier(name)}) = 'BOOLEAN' THEN {TRUTH.format(plain(name))} ELSE {own} END"
        )


def keys(connection: Connection, what: str, paths: Sequence[Path]) -> Keys:
    """The keys of all objects in some files; they are collected over the whole, so none is overlooked.

    Raises:
        DataError: there are none, or not every one can be meant by its name.
    """
    listed = sql.files(paths)
    found = connection.raw.execute(
        f"DESCRIBE SELECT * FROM read_json({listed}, sample_size=-1, maximum_sample_files={len(paths)}, "
        f"maximum_depth=2, {EVERY_KEY}, auto_detect=true, hive_partitioning=false)"
    ).fetchall()
    names = [str(row[0]) for row in found]
    if names == ["json"]:
        raise DataError(f"{what}: holds no JSON objects with keys; write one object per line")
    csv_files.check_names(what, names)
    refuse_renamed_keys(connection, what, listed, names)
    kinds = dict(zip(names, (str(row[1]) for row in found), strict=True))
    varied = frozenset(name for name, kind in kinds.items() if kind == NUMBER or _may_be_nested(kind))
    if varied:
        connection.raw.create_function(CANONICAL, json_text, ["VARCHAR"], "VARCHAR")
    mixed = [name for name, kind in kinds.items() if kind == MIXED]
    counted = frozenset(name for name in mixed if _has_numbers_and_truths(connection, listed, name))
    these = Keys(tuple(names), varied, counted)
    alike = any(_are_alike(connection, listed, name, these.text(name)) for name in mixed)
    return replace(these, notes=(ALIKE,) if alike else ())


def _may_be_nested(kind: str) -> bool:
    """Whether DuckDB has seen objects or lists under a key, or takes it for one with values of several kinds."""
    return kind == MIXED or not sql.is_usable(kind)


def _has_numbers_and_truths(connection: Connection, listed: str, name: str) -> bool:
    """Whether a key has numbers and truth values."""
    key = sql.identifier(name)
    read = f"read_json({listed}, columns={{{key}: 'JSON'}}, hive_partitioning=false)"
    kinds = {kind for (kind,) in connection.raw.execute(f"SELECT DISTINCT json_type({key}) FROM {read}").fetchall()}
    return "BOOLEAN" in kinds and bool(kinds & NUMBERS)


def _are_alike(connection: Connection, listed: str, name: str, shown: str) -> bool:
    """Whether a key has a text or a truth value, and something else that is compared by the same text."""
    key = sql.identifier(name)
    read = f"read_json({listed}, columns={{{key}: 'JSON'}}, hive_partitioning=false)"
    kind = f"CASE WHEN json_type({key}) IN ('VARCHAR', 'BOOLEAN') THEN json_type({key}) ELSE 'other' END"
    values = f"SELECT {shown} AS v, {kind} AS kind FROM {read}"
    both = "min(kind) <> max(kind)"
    return bool(
        connection.raw.execute(
            f"SELECT 1 FROM ({values}) WHERE v IS NOT NULL GROUP BY v HAVING {both} LIMIT 1"
        ).fetchone()
    )


def plain(name: str) -> str:
    """The text of a key's JSON value."""
    return f"{sql.identifier(name)} ->> '$'"


def text(name: str) -> str:
    """The same, one for values that are equal; NULL for NaN."""
    own, number = plain(name), f"TRY_CAST({plain(name)} AS DOUBLE)"
    nested = f"json_type({sql.identifier(name)}) IN ('OBJECT', 'ARRAY')"
    exact = f"json_type({sql.identifier(name)}) <> 'DOUBLE' OR regexp_full_match({own}, '-?[0-9]+')"
    whole = f"isfinite({number}) AND {number} = trunc({number}) AND abs({number}) < {WHOLE}"
    return (
        f"CASE WHEN {nested} THEN {CANONICAL}({own}) WHEN {exact} THEN {own} WHEN isnan({number}) THEN NULL "
        f"WHEN {whole} THEN CAST(CAST({number} AS HUGEINT) AS VARCHAR) ELSE {own} END"
    )


def _value(name: str) -> str:
    """The JSON value of a key; NULL for NaN, which is none."""
    key = sql.identifier(name)
    return f"CASE WHEN json_type({key}) = 'DOUBLE' AND {plain(name)} = 'NaN' THEN NULL ELSE {key} END"
