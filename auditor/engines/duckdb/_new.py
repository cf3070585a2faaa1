"""Reading the new part of files alone: those that joined, or what was written to the end of one.

What follows the earlier end of a text file is copied beside a header of its own, because no reader begins in the middle
of a file. That is exact only where the earlier bytes were whole records, and where the copy is read as the file is; it
is refused (`CannotAdd`) where either cannot be told.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from auditor.engines._append import CannotAdd, SourcePart
from auditor.engines._locate import Files
from auditor.engines.duckdb import csv_files

BYTE_WISE = ("utf-8", "utf-8-sig", "iso8859-1")
"""Encodings in which the bytes of a quote or of a line's end mean nothing else."""


@dataclass(frozen=True, slots=True)
class ReadScope:
    """What of some files a source reads: all of them (`part` None), or a part; and what it may read besides."""

    part: SourcePart | None = None
    beside: tuple[Path, ...] = ()

    def of(self, files: Files, readable: Sequence[Path], rest: Path | None = None) -> tuple[Path, ...]:
        """The paths to read, of those under which the files are found; `rest` is what follows in a grown one."""
        if self.part is None:
            return tuple(readable)
        new = set(self.part.paths)
        chosen = [found for path, found in zip(files.paths, readable, strict=True) if path in new]
        return (*chosen, *([rest] if rest else []))

    def relation(self, paths: Sequence[Path], relation: str) -> str:
        """A relation over these paths, or what it is where there are none: then it reads all of them, and no row."""
        return relation if paths else f"(SELECT * FROM {relation} LIMIT 0)"


def rest_of_csv(part: SourcePart, head: csv_files.CsvHead, folder: Path) -> Path | None:
    """What was written to the end of a CSV file, below its header; None where no file grew."""
    if part.grown is None:
        return None
    if head.encoding not in BYTE_WISE:
        raise CannotAdd(f"{part.grown.name} grew, and is not in UTF-8 or Latin-1: where its records end is not known")
    with part.grown.open("rb") as file:
        header, end = _header(file.read(csv_files.HEAD_BYTES), head)
        _to_the_next_record(file, part, end)
        return _copied(file, folder / "grown.csv", header)


def rest_of_json(part: SourcePart, folder: Path) -> Path | None:
    """What was written to the end of a file of JSON lines; None where no file grew."""
    if part.grown is None:
        return None
    with part.grown.open("rb") as file:
        if not file.read(csv_files.HEAD_BYTES).lstrip().startswith(b"{"):
            raise CannotAdd(f"{part.grown.name} grew, and is not a file of JSON lines")
        _to_the_next_record(file, part, b"\n")
        start = file.tell()
        if any(line.lstrip()[:1] not in (b"", b"{") for line in file):
            raise CannotAdd(f"{part.grown.name} grew by text that is not JSON lines")
        file.seek(start)
        return _copied(file, folder / "grown.jsonl", b"")


def _header(raw: bytes, head: csv_files.CsvHead) -> tuple[bytes, bytes]:
    """The bytes of the first record, its end included, and what ends it."""
    quoted, mark = False, head.quote.encode(head.encoding.removesuffix("-sig"))
    for found in re.finditer(rb"\r\n|\n|\r|" + re.escape(mark), raw):
        if found[0] == mark:
            quoted = not quoted
        elif not quoted:
            header = raw[: found.end()]
            text = io.StringIO(header.decode(head.encoding).lstrip("\ufeff"), newline="")
            names = next(csv.reader(text, delimiter=head.delimiter, quotechar=head.quote))
            if tuple(names) == head.names:
                return header, found[0]
            break
    raise CannotAdd("the file grew, and where its header ends is not known")


def _to_the_next_record(file: BinaryIO, part: SourcePart, end: bytes) -> None:
    """Put the file to where the first new record begins."""
    file.seek(max(0, part.after - len(end)))
    before, after = file.read(min(len(end), part.after)), file.read(2)
    if before != end and not after.startswith(end):
        raise CannotAdd("the last record that was counted had no line break, and the appended data continues it")
    if end == b"\r" and b"\n" in after:
        raise CannotAdd("lines end in more than one way where the file grew")
    file.seek(part.after + (0 if before == end else len(end)))


def _copied(file: BinaryIO, target: Path, header: bytes) -> Path:
    with target.open("wb") as copy:
        copy.write(header)
        shutil.copyfileobj(file, copy, 1 << 20)
    return target
