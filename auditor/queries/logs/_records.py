"""The records of a CSV file: fields of any number of lines, quotes doubled inside quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from auditor.queries.logs._text import LONGEST, Line, wrong

Record = tuple[int, list[str]]
"""The line it starts on, and its fields without their quotes."""


def records(lines: Iterable[Line], path: Path, delimiter: str = ",") -> Iterator[Record]:
    """Each record of the lines; empty lines are none."""
    waiting: list[str] = []
    start = size = quotes = 0
    for number, line in lines:
        if not waiting:
            if not line.strip():
                continue
            start = number
        waiting.append(line)
        size += len(line)
        quotes += line.count('"')
        if size > LONGEST:
            wrong(path, start, "a record that does not end", "quotes that are closed (doubled inside a field)")
        if quotes % 2 == 0:
            yield start, _fields("".join(waiting).rstrip("\r\n"), delimiter, path, start)
            waiting, size, quotes = [], 0, 0
    if waiting:
        wrong(path, start, "a record whose quotes are not closed", "a file that ends with a whole record")


def _fields(text: str, delimiter: str, path: Path, line: int) -> list[str]:
    if '"' not in text:
        return text.split(delimiter)
    found = _field(delimiter).findall(delimiter + text)
    if sum(map(len, found)) != len(text) + 1:
        wrong(path, line, "a quote in the middle of a field", "a field that is quoted whole, quotes in it doubled")
    return [field[2:-1].replace('""', '"') if field[1:2] == '"' else field[1:] for field in found]


@cache
def _field(delimiter: str) -> re.Pattern[str]:
    """A field with the delimiter before it."""
    mark = re.escape(delimiter)
    return re.compile(rf'{mark}(?:"[^"]*(?:""[^"]*)*"(?={mark}|\Z)|[^"{mark}]*(?={mark}|\Z))')
