"""Hive partitions: folders named column=value below what the user named are columns, and those above it are not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auditor.engines._locate import Files
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.sql import identifier
from auditor.errors import DataError


def readable(connection: Connection, files: Files) -> tuple[Path, ...]:
    """The paths under which DuckDB finds the files.

    It takes every folder named column=value for a partition, wherever in the path, and would read its value instead of
    a column's own. So where one stands above the named folder, a link in the private folder leads past it.
    """
    if not (files.partitions and any("=" in part for part in files.root.parts)):
        return files.paths
    link = connection.folder / "data"
    try:
        link.symlink_to(files.root.absolute(), target_is_directory=True)
    except OSError as error:
        raise DataError(f"{files.name}: lies below a folder with = in its name ({error.strerror}); move it") from None
    return tuple(link / path.relative_to(files.root) for path in files.paths)


def option(files: Files) -> str:
    """The option of DuckDB's readers: partitions are text, as the folders have them."""
    return "hive_partitioning=true, hive_types_autocast=false" if files.partitions else "hive_partitioning=false"


def columns(files: Files, own: Sequence[str]) -> list[tuple[str, str, str]]:
    """The partitions as columns (name, expression, type) beside the columns `own` of the files."""
    known = {name.casefold() for name in own}
    for name in files.partitions:
        if name.casefold() in known:
            raise DataError(
                f"{files.name}: {name!r} is a column of the files and of the folders named column=value; rename one"
            )
        known.add(name.casefold())
    return [(name, identifier(name), "VARCHAR") for name in files.partitions]


def own_name(files: Files) -> str:
    """What no partition's name begins with, so that numbered columns of ours are none of them."""
    name = "c"
    while any(partition.casefold().startswith(name) for partition in files.partitions):
        name += "_"
    return name
