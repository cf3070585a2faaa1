"""What is known of data before it is read: from footers, headers, first bytes and what a server estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from auditor.engines._protocol import Column

Known = Literal["exact", "estimated", "unknown"]
"""How well a number of rows is known."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Data that was not read.

    `bytes` are those of its files (of a server: what its estimate of the rows takes, None where it has none); `rows`
    are as well known as `known` says. `of_column` has the bytes of single columns, where the format keeps them apart.
    `copied` says that all of it is copied into this process before it is counted.
    """

    name: str
    format: str
    files: int
    bytes: int | None
    rows: int | None
    known: Known
    columns: tuple[Column, ...]
    of_column: dict[str, int]
    copied: bool = False

    @property
    def in_files(self) -> bool:
        """Whether it is read from files of its own, whose digest a result tells; tables of databases have none."""
        return self.format not in ("sqlite", "postgresql", "duckdb")
