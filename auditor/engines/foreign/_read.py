"""Reading files of one of the formats as one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

from auditor import registry
from auditor.dialect import CsvDialect
from auditor.engines._frames import readable
from auditor.engines._locate import NO_PARTITION, Files
from auditor.engines.foreign._base import ForeignTable
from auditor.errors import DataError, Unsupported

ROOM = "auditor.engines.foreign"


def read(files: Files, dialect: CsvDialect, most: int) -> ForeignTable:
    """The records of all files as an engine reads them, with the folders named column=value as columns.

    Args:
        files: files of one of the formats.
        dialect: which sheet is the table, and the encoding of texts, where the file does not say so.
        most: how many bytes the table may take in memory.

    Raises:
        DataError: a file cannot be read, or has other columns than the first.
        Unsupported: a file is too large, or its reader is not installed.
    """
    import pandas as pd

    home = registry.module(ROOM, files.format)
    tables: list[ForeignTable] = []
    for path in files.paths:
        try:
            table = home.read(path, dialect, most)
        except ModuleNotFoundError as error:
            package = str(error.name).replace("_", "-")
            raise Unsupported(
                f"{path.name}: .{files.format} files need the package {package}: pip install {package}"
            ) from None
        frame = table.frame
        if tables and list(frame.columns) != list(tables[0].frame.columns):
            raise DataError(f"{path.name}: has other columns than {files.paths[0].name}; name files of one kind")
        tables.append(table)
    frames = [_with_partitions(table.frame, files, place) for place, table in enumerate(tables)]
    whole = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    unread = dict.fromkeys(name for table in tables for name in table.unread)
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    return ForeignTable(readable(whole), tuple(unread), tuple(notes))


def column_names(path: Path) -> list[str]:
    """What a file's columns are called, in every sheet, whatever else it holds; nothing if that cannot be read."""
    try:
        found: list[str] = registry.module(ROOM, path.suffix[1:].lower()).NAMES(path)
    except (DataError, Unsupported, ModuleNotFoundError):
        return []
    return found


def _with_partitions(frame: Any, files: Files, place: int) -> Any:
    """A file's records with what the folders above it say, as texts."""
    for name, value in zip(files.partitions, files.values(files.paths[place]), strict=True):
        frame[name] = None if value == NO_PARTITION else unquote(value)
    return frame
