"""What the file of a database keeps of rows that were deleted: whoever gets the file can read them, no query can.

Of SQLite pages and parts of pages that are free, if they are not zero; of DuckDB rows of the table that are marked as
deleted, and blocks that are used no more (https://www.sqlite.org/fileformat2.html).
"""

from __future__ import annotations

from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path

from auditor.engines._locate import DatabaseTable
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.sql import literal

FREED = (
    "The file has blocks that DuckDB no longer uses and that may still hold old rows; COPY FROM DATABASE into a new "
    "file leaves them out."
)
MOVED = "The file has unused parts of pages that may still hold old rows: VACUUM clears them."
HEADERS = 3 * 4096
"""So many bytes stand before the blocks of a file of DuckDB."""
ROWS = 13
"""The first byte of a page with rows. Others are written anew as they grow: their free parts tell of no deletion."""
BRANCHES = 5
"""The first byte of a page that says on which pages the rows are."""
RESERVED = slice(72, 92)
"""Bytes of the header that are zero until SQLite has a use for them."""
MAGIC, LARGEST = b"SQLite format 3\0", 65536


def of_duckdb(connection: Connection, table: DatabaseTable, relation: str) -> tuple[bool, bool]:
    """Whether a file of DuckDB keeps deleted rows of a table, or bytes behind its blocks; and blocks that are free.

    Args:
        connection: the file is attached to it as ``source``.
        table: what is read.
        relation: the table by its whole name; empty if it is a query.
    """
    ask = connection.raw.execute
    size, blocks, free = ask(
        "SELECT block_size, total_blocks, free_blocks FROM pragma_database_size() WHERE database_name = 'source'"
    ).fetchone() or (0, 0, 0)
    behind = Path(table.address).stat().st_size > HEADERS + size * blocks
    if not relation:
        return behind, free > 0
    stored = f"SELECT sum(count) FROM pragma_storage_info({literal(relation)}) WHERE column_path = '[0]'"
    (held,), (rows,) = ask(stored).fetchone() or (0,), ask(f"SELECT count(*) FROM {relation}").fetchone() or (0,)
    return behind or (held or 0) > rows, free > 0


def of_sqlite(path: Path) -> tuple[bool, bool]:
    """Whether a file of SQLite keeps deleted rows; and free parts of pages with rows that were deleted, or moved."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        if len(content) < 512 or content[:16] != MAGIC:
            return False, False
        pages = _Pages(content)
        gaps = pages.gaps()
        return pages.hold_more() or True in gaps, False in gaps


class _Pages:
    """The pages of a file of SQLite, by their numbers from 1."""

    def __init__(self, content: mmap) -> None:
        self._content = content
        self._size = LARGEST if content[16:18] == b"\0\1" else int.from_bytes(content[16:18], "big")
        self._kept = content[20]
        self._number = len(content) // self._size if self._size else 0

    def hold_more(self) -> bool:
        """Whether free pages, free blocks of pages, what stands behind them or what is reserved are not zero."""
        if self._content[RESERVED].strip(b"\0"):
            return True
        told = self._word(28)
        if told and self._content[24:28] == self._content[92:96] and len(self._content) > told * self._size:
            return True
        free = dict(self._free())
        parts = (part for number in range(1, self._number + 1) for part in self._unused(number, free))
        return any(part.strip(b"\0") for part in parts)

    def gaps(self) -> set[bool]:
        """Of each page whose free part between the pointers and the rows holds rows, whether a row was deleted there.

        A table of one page moves no row to another, unless the file shrinks by itself; a page of several may have been
        split. The first page holds definitions alone.
        """
        free, moving = dict(self._free()), self._word(52) > 0
        trees = [number for number in range(1, self._number + 1) if number not in free and not self._is_map(number)]
        below = {child for number in trees for child in _children(self._page(number), 100 if number == 1 else 0)}
        return {
            not moving and number not in below
            for number in trees
            if number > 1 and (page := self._page(number))[0] == ROWS and _holds_rows(page)
        }

    def _page(self, number: int) -> bytes:
        return self._content[(number - 1) * self._size : number * self._size]

    def _word(self, at: int) -> int:
        return int.from_bytes(self._content[at : at + 4], "big")

    def _free(self) -> Iterator[tuple[int, int]]:
        """The free pages, each with how many of its first bytes are in use."""
        trunk, seen = self._word(32), set[int]()
        while 0 < trunk <= self._number and trunk not in seen:
            seen.add(trunk)
            at = (trunk - 1) * self._size
            leaves = min(self._word(at + 4), self._size // 4 - 2)
            yield trunk, 8 + 4 * leaves
            yield from ((self._word(at + 8 + 4 * each), 0) for each in range(leaves))
            trunk = self._word(at)

    def _unused(self, number: int, free: dict[int, int]) -> Iterator[bytes]:
        """The parts of a page in which nothing is stored."""
        page = self._page(number)
        usable = self._size - self._kept
        yield page[usable:]
        if number in free:
            yield page[free[number] :]
        elif not self._is_map(number):
            yield from _blocks(page, 100 if number == 1 else 0)

    def _is_map(self, number: int) -> bool:
        """Whether a page says where others are, as files have it that shrink by themselves."""
        return bool(self._word(52)) and (number - 2) % ((self._size - self._kept) // 5 + 1) == 0


def _blocks(page: bytes, start: int) -> Iterator[bytes]:
    """The free blocks of a page with rows; each names the next one, which lies behind it."""
    at = int.from_bytes(page[start + 1 : start + 3], "big") if page[start] == ROWS else 0
    while 0 < at <= len(page) - 4:
        following, size = (int.from_bytes(page[at + n : at + n + 2], "big") for n in (0, 2))
        yield page[at + 4 : at + size]
        at = following if following > at else 0


def _holds_rows(page: bytes) -> bool:
    """Whether anything stands between the pointers of a page and its rows that is left of rows.

    Pointers to rows that are no more are not, nor the next block and the size that SQLite writes over the first four
    bytes of what it frees, where the rest is zero (``secure_delete``).
    """

    def word(at: int) -> int:
        return int.from_bytes(page[at : at + 2], "big")

    at, rows = 8 + 2 * word(3), word(5) or LARGEST
    while at < rows and 8 <= word(at) < len(page):
        at += 2
    while left := page[at:rows].lstrip(b"\0"):
        at = min(rows, len(page)) - len(left)
        cleared = [
            block + word(block + 2)
            for block in range(at - 3, at + 1)
            if (word(block) == 0 or block < word(block) < len(page))
            and 4 <= word(block + 2) <= len(page) - block
            and not page[block + 4 : min(block + word(block + 2), rows)].strip(b"\0")
        ]
        if not cleared:
            return True
        at = max(cleared)
    return False


def _children(page: bytes, start: int) -> Iterator[int]:
    """The pages that a page names as those below it."""
    if page[start] != BRANCHES:
        return
    yield int.from_bytes(page[start + 8 : start + 12], "big")
    for each in range(int.from_bytes(page[start + 3 : start + 5], "big")):
        at = int.from_bytes(page[start + 12 + 2 * each : start + 14 + 2 * each], "big")
        yield int.from_bytes(page[at : at + 4], "big")
