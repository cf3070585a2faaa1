"""What a reader of outputs offers: how a file of its format is known, and what it publishes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from auditor.errors import Unsupported
from auditor.outputs.published.outputs import Published
from auditor.outputs.readers._csv import CsvTable
from auditor.outputs.readers._file import File
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._json import Value


class Unclear(Unsupported):
    """A table whose headings do not say what its numbers are; the data may."""


@dataclass(frozen=True)
class Texts:
    """Files of some text: whether a file is one, and what it publishes."""

    is_one: Callable[[File], bool]
    read: Callable[[File, Hints], tuple[Published, ...]]


@dataclass(frozen=True)
class Tables:
    """Files of delimited text: whether a table is one, and what it publishes."""

    is_one: Callable[[CsvTable], bool]
    read: Callable[[CsvTable, Hints], tuple[Published, ...]]


@dataclass(frozen=True)
class Documents:
    """Files of JSON: whether a document is one, and what it publishes."""

    is_one: Callable[[Value, Hints], bool]
    read: Callable[[Value, File, Hints], tuple[Published, ...]]


Reader = Texts | Tables | Documents
