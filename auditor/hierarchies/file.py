"""File: every level as a CSV file lists it, a row per value: ``value;level 1;level 2;…``."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PrivateAttr

from auditor.block import FileReference
from auditor.direction import Stricter
from auditor.errors import HierarchyError, InternalError
from auditor.hierarchies._base import Hierarchy
from auditor.hierarchies._entry import HierarchyEntry
from auditor.hierarchies._listed import ListedHierarchy

MAX_BYTES = 16 << 20
"""A policy may come from a stranger: its files must not ask for unbounded memory."""


def file(path: Path, separator: str = ";") -> ListedHierarchy:
    """A hierarchy from a text file: UTF-8, with or without a byte order mark, any line ends, no header.

    Raises:
        HierarchyError: a file that cannot be read, is not such text, or whose rows differ in length; names the line.
    """
    if len(separator) != 1:
        raise HierarchyError(f"the separator {separator!r} is not one character", 'as in separator: ";"')
    rows = _rows(_text(path), path.name, separator)
    if rows and len(rows[0]) == 1:
        raise HierarchyError(f"{path.name} has no level above the values", f"is {separator!r} its separator?")
    return ListedHierarchy(rows, path.name, told=False)


def _text(path: Path) -> str:
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise HierarchyError(f"{path.name} is larger than {MAX_BYTES >> 20} MiB", "list each value once")
        content = path.read_bytes()
    except OSError as error:
        raise HierarchyError(f"{path.name} cannot be read ({error.strerror})", "a readable file") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise HierarchyError(f"{path.name}, line {line}: not UTF-8 text", "save the file as UTF-8") from error


def _rows(text: str, name: str, separator: str) -> list[tuple[str, ...]]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[str, ...]] = []
    try:
        for fields in reader:
            if fields and rows and len(fields) != len(rows[0]):
                raise HierarchyError(
                    f"{name}, line {reader.line_num}: {len(fields)} fields where the first row has {len(rows[0])}",
                    "repeat a label where a branch is shorter",
                )
            if fields:
                rows.append(tuple(fields))
    except csv.Error as error:
        raise HierarchyError(f"{name}, line {reader.line_num}: {error}", "CSV with the policy's separator") from error
    return rows


class FileHierarchy(HierarchyEntry):
    """Levels as a file gives them: no header, a row per value, ``value;level 1;level 2;…``."""

    file: Annotated[str, FileReference(), Stricter.REVIEW] = Field(description="CSV file, relative to this file.")
    separator: Annotated[str, Stricter.REVIEW] = Field(
        ";", min_length=1, max_length=1, description="What separates the levels in a row."
    )
    _path: Path | None = PrivateAttr(None)

    @property
    def is_found(self) -> bool:
        """Whether the file was found; where it was not, loading has said so."""
        return self._path is not None

    @property
    def path(self) -> Path:
        """The resolved file, confined and found when the policy was loaded; never part of a dump."""
        if self._path is None:
            raise InternalError("a hierarchy file that was not loaded with its policy")
        return self._path

    @property
    def plain(self) -> Mapping[str, Any]:
        """See `Entry`. The file is given by its resolved path."""
        return {**super().plain, "file": str(self.path)}

    @classmethod
    def built(cls, given: Any, options: Mapping[str, Any], /) -> Hierarchy:
        """See `Entry`."""
        return file(Path(given), **options)
