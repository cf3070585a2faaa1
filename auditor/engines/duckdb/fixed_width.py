"""Fixed-width files, line by line: a column is some characters of each line, without the blanks around them.

All of a line is the release: what stands in no column has to be blank.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auditor.engines._layout import FixedColumn, LineLayout
from auditor.engines.duckdb import csv_files
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.sql import files
from auditor.errors import DataError


def relation(paths: Sequence[Path], line: str, encoding: str, hive: str) -> str:
    """The table function that reads the lines of files as one column of text; empty lines are none."""
    # A delimiter that no text has: each line is read as it stands.
    return (
        f"read_csv({files(tuple(paths))}, delim='\x01', quote='', escape='', header=false, auto_detect=false, "
        f"columns={{'{line}': 'VARCHAR'}}, encoding='{encoding}', strict_mode=true, "
        f"null_padding=false, max_line_size={csv_files.MAX_LINE_BYTES}, {hive})"
    )


def text(line: str, column: FixedColumn) -> str:
    """The expression of a column's value; NULL where it is blank."""
    return f"nullif({_trimmed(_part(line, column))}, '')"


def refuse_what_is_lost(connection: Connection, what: str, lines: str, line: str, layout: LineLayout) -> None:
    """Refuse lines of which something would not be read, or two of which would be read as one.

    Raises:
        DataError: there is one.
    """
    beyond = FixedColumn("", layout.end + 1, csv_files.MAX_LINE_BYTES)
    stray = " OR ".join(f"{_trimmed(_part(line, gap))} <> ''" for gap in (*layout.gaps, beyond))
    uneven = (
        f"count(DISTINCT rtrim({_part(line, column)}, ' ')) > count(DISTINCT {text(line, column)}) + "
        f"CAST(bool_or(rtrim({_part(line, column)}, ' ') = '') AS INTEGER)"
        for column in layout.columns
    )
    tabs = f"coalesce(bool_or(contains({line}, chr(9))), false)"
    first, tabbed, *blanks = connection.rows(
        what, f"SELECT coalesce(bool_or({stray}), false), {tabs}, {', '.join(uneven)} FROM {lines}"
    )[0]
    if tabbed:
        raise DataError(f"{what}: lines hold tabs, so that it is not known at which character a column begins")
    if first:
        raise DataError(
            f"{what}: lines hold text outside the columns of the column file, which nobody would judge; add columns "
            "for it"
        )
    for column, wrong in zip(layout.columns, blanks, strict=True):
        if wrong:
            raise DataError(
                f"{what}: column {column.name!r} has texts that differ only in the blanks before them; align them alike"
            )


def _trimmed(text: str) -> str:
    """Without the blanks around it; unbroken and wide spaces are characters like others, which a reader tells apart."""
    return f"trim({text}, ' ')"


def _part(line: str, column: FixedColumn) -> str:
    return f"substring({line}, {column.start}, {column.width})"
