"""What the footers of Parquet files say of their columns, and whether one table can hold the columns of all.

A column stands in the table if it stands in any of the files; where a file lacks it, its records have it missing. A
column has one type, which holds the values of every file exactly: 29.6 never becomes 30. Where there is no such type,
the files are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.engines._locate import Files
from auditor.engines.duckdb import sql
from auditor.engines.duckdb.connection import Connection
from auditor.errors import DataError

LACKING = "Some files lack columns that others have: their records count as missing in these columns."
"""What is told where a column does not stand in every file."""
WHOLE = {"FLOAT": 2**24, "DOUBLE": 2**53}
"""Up to so large, every whole number is one of the type."""
DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 19, "HUGEINT": 39}
"""The most digits of a whole number by its type, that of an unsigned type at most as many and one."""
FINER = {("FLOAT", "DOUBLE"), ("TIMESTAMP", "TIMESTAMP_NS"), ("TIME", "TIME_NS")}
"""Types whose values the second one holds; a time out of its reach is an error when it is read."""

Kinds = dict[str, str]
"""The type of each column by its name."""


@dataclass(frozen=True)
class Footers:
    """The columns of Parquet files; `alike` says whether every file has the same ones, in the same order."""

    names: list[str]
    alike: bool = True
    lacking: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be told of the columns."""
        return (LACKING,) if self.lacking else ()

    def reader(self, paths: Sequence[Path], option: str) -> str:
        """The table function that reads the files."""
        together = "" if self.alike else ", union_by_name=true"
        return f"read_parquet({sql.files(paths, text=False)}, {option}{together})"


@dataclass(frozen=True)
class _Shape:
    """The columns that some of the files have, with their types."""

    kinds: Kinds
    paths: list[Path]


def footers(connection: Connection, files: Files) -> Footers:
    """The columns of files.

    Raises:
        DataError: no table holds the values of all of them as they are.
    """
    found = _top_levels(connection, files.paths)
    names = list(dict.fromkeys(name for each, _ in found for name in each))
    if len(found) == 1:
        return Footers(found[0][0])
    if any(len({name.casefold() for name in each}) < len(each) for each in (names, *(each for each, _ in found))):
        raise DataError(
            f"{files.name}: its files have columns whose names are equal or differ only in case; name columns "
            "alike in all files"
        )
    shapes = [_Shape(_kinds(connection, paths[:1]), paths) for _, paths in found]
    together = _kinds(connection, files.paths)
    for shape in shapes:
        _refuse_others(connection, shape, together, list(files.paths))
    return Footers(list(together), alike=False, lacking=any(len(each.kinds) < len(names) for each in shapes))


def unread_exactly(connection: Connection, paths: Sequence[Path]) -> tuple[bool, list[str]]:
    """What DuckDB reads of some files with a loss.

    Whether there are decimals of more digits than it has, which become doubles; and the columns of the old times of 96
    bits, of which it cuts off nanoseconds.
    """
    found = connection.raw.execute(
        f"SELECT DISTINCT name, type FROM parquet_schema({sql.files(paths, text=False)}) "
        f"WHERE type = 'INT96' OR precision > {sql.DECIMAL_DIGITS}"
    ).fetchall()
    times = sorted(str(name) for name, kind in found if kind == "INT96")
    return len(times) < len(found), times


def _top_levels(connection: Connection, paths: Sequence[Path]) -> list[tuple[list[str], list[Path]]]:
    """The names of columns as some files have them, and these files, for each way in which files are written."""
    told = "name, num_children, type, type_length, converted_type, scale, precision, logical_type"
    found = connection.raw.execute(
        f"WITH a AS (SELECT file_name, ({told}) AS each, row_number() OVER () AS place "
        f"FROM parquet_schema({sql.files(paths, text=False)})), "
        "b AS (SELECT file_name, list(each ORDER BY place) AS every FROM a GROUP BY file_name) "
        "SELECT every, list(file_name) FROM b GROUP BY every"
    ).fetchall()
    by_name = {os.fspath(path): path for path in paths}
    shapes = [(_outermost(every), [by_name[name] for name in names]) for every, names in found]
    return sorted(shapes, key=lambda shape: paths.index(shape[1][0]))


def _outermost(every: Sequence[Sequence[object]]) -> list[str]:
    """The names of a file's columns; those inside nested columns are left out, and so is the root."""
    names, inside = [], 0
    for name, children, *_ in every[1:]:
        if inside:
            inside -= 1
        else:
            names.append(str(name))
        inside += int(str(children or 0))
    return names


def _kinds(connection: Connection, paths: Sequence[Path]) -> Kinds:
    """The columns and types of files, as DuckDB puts them together."""
    reader = Footers([], alike=len(paths) == 1).reader(paths, "hive_partitioning=false")
    return {str(row[0]): str(row[1]) for row in connection.raw.execute(f"DESCRIBE SELECT * FROM {reader}").fetchall()}


def _refuse_others(connection: Connection, shape: _Shape, together: Kinds, order: list[Path]) -> None:
    """Refuse files with a value that the type of the whole table does not hold."""
    for name, kind in shape.kinds.items():
        for condition in _doubtful(sql.identifier(name), kind, together[name]):
            reader = Footers([]).reader(shape.paths, "hive_partitioning=false")
            (wrong,) = connection.raw.execute(f"SELECT count(*) FROM {reader} WHERE {condition}").fetchone() or (0,)
            if wrong:
                first = min(shape.paths, key=order.index)
                raise DataError(
                    f"{first.name}: column {name!r} is {kind} here and of another type in other files, and no type "
                    "holds the values of both exactly; write all files with the same type"
                )


def _doubtful(column: str, kind: str, wanted: str) -> Iterator[str]:
    """The condition, if there is one, under which a value of one type is none of another."""
    if kind in (wanted, '"NULL"') or (kind, wanted) in FINER:
        return
    if kind in sql.INTEGERS and wanted in sql.INTEGERS:  # DuckDB takes a type that holds both
        return
    if kind in sql.INTEGERS and wanted in WHOLE:
        yield f"abs(CAST({column} AS HUGEINT)) > {WHOLE[wanted]}"
    elif not _fits_decimal(kind, wanted):
        yield f"{column} IS NOT NULL"


def _fits_decimal(kind: str, wanted: str) -> bool:
    """Whether a decimal type has as many digits before and after the point as values of another can have."""
    target = re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", wanted)
    own = re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", kind)
    if target is None or (own is None and kind not in sql.INTEGERS):
        return False
    width, scale = (int(own[1]), int(own[2])) if own else (_digits(kind), 0)
    return scale <= int(target[2]) and width - scale <= int(target[1]) - int(target[2])


def _digits(kind: str) -> int:
    """The most digits of a whole number of a type."""
    return DIGITS[kind.removeprefix("U")] + kind.startswith("U")
