"""Reading transactions: FIMI .dat (items between blanks, one transaction per line) or JSON lines ``{"items": [...]}``.

An item is a text (or, in JSON, a whole number); one that appears twice in a transaction counts once. An empty line, or
an empty list, is a transaction without items: it counts in shares. An item with a control character is refused, because
a file that has some is no text.
"""

from __future__ import annotations

import json
import math
import time
from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from auditor.errors import DataError, OutOfMemory, OutOfTime, UsageError
from auditor.outputs.hiding._files import FIMI, format_of, lines, wrong
from auditor.outputs.hiding._transactions import Rows, Transactions
from auditor.result import DataFacts

MOST_CELLS = 200_000_000
MOST_TRANSACTIONS = 100_000_000
LARGEST = 10**1000
"""No item is so large a number; Python would not write it."""
MOST_DIGITS = 4000
"""Python reads no longer numbers."""
_ONE_OF = "name it .dat or .jsonl (compressed too: .gz, .zst)"
_LOOK = 1 << 14
"""So many transactions are read between two looks at the clock."""


@dataclass(frozen=True)
class Loaded:
    """Transactions as read: where from, in which format, how many are empty, how many repeated items were left out."""

    transactions: Transactions
    source: str
    format: str
    empty: int
    repeated: int
    sha256: str | None = None
    guessable: bool | None = None

    @property
    def facts(self) -> DataFacts:
        """What a document says of the file: transactions as rows, the items that occur as columns."""
        transactions = self.transactions
        items = int((transactions.supports > 0).sum())
        return DataFacts(
            source=self.source,
            rows=len(transactions),
            columns=items,
            sha256=self.sha256,
            guessable=self.guessable,
            format=self.format,
        )


def read(path: Path, deadline: float = math.inf) -> Loaded:
    """Read a file.

    Raises:
        DataError: it is missing, empty, or not what its name says; with the line.
        OutOfMemory: it has more than `MOST_CELLS` items or `MOST_TRANSACTIONS` lines.
        OutOfTime: `deadline`, on the monotonic clock, has passed.
    """
    form = format_of(path)
    if form is None:
        raise DataError(f"{path}: the name tells no format of transactions; {_ONE_OF}")
    found = _gathered(_fimi(path) if form == FIMI else _json_lines(path), path.name, form, deadline)
    if not len(found.transactions):
        raise DataError(f"{path}: holds no transaction; write one per line")
    return found


def gathered(transactions: Iterable[Collection[str | int]]) -> Loaded:
    """The same from Python: each transaction a collection of items, texts or whole numbers."""
    if isinstance(transactions, str | bytes):
        raise UsageError("transactions are a path, or collections of items")
    found = _gathered(map(_checked, transactions), "memory", "Python", math.inf)
    if not len(found.transactions):
        raise DataError("there is no transaction; each is a collection of items")
    return found


def _checked(items: Collection[str | int]) -> Collection[str | int]:
    if isinstance(items, str | bytes) or any(not is_item(item) for item in items):
        raise UsageError("each transaction must be a collection of items: texts (not empty) or whole numbers")
    return items


def is_item(item: object) -> bool:
    """Whether something can be an item: a text without control characters, or a whole number."""
    if isinstance(item, int) and not isinstance(item, bool):
        return abs(item) < LARGEST
    return isinstance(item, str) and _proper(item)


def _proper(item: str) -> bool:
    """Whether a text can be an item: something, without control characters, byte order marks and lone surrogates."""
    return bool(item) and not any(
        letter < " " or letter in "\x7f\ufeff" or "\ud800" <= letter <= "\udfff" for letter in item
    )


def _fimi(path: Path) -> Iterator[list[str]]:
    known: dict[bytes, str] = {}
    for number, line in lines(path):
        held = []
        for word in line.split():
            if word not in known:
                known[word] = _decoded(path, number, word)
            held.append(known[word])
        yield held


def _decoded(path: Path, number: int, word: bytes) -> str:
    try:
        item = word.decode()
    except UnicodeDecodeError:
        wrong(path, number, "bytes that are not UTF-8", "convert the file first (iconv -t UTF-8)")
    if not _proper(item):
        wrong(path, number, "an item with a control character", "items are texts between blanks")
    return item


def _json_lines(path: Path) -> Iterator[list[str | int]]:
    for number, line in lines(path):
        yield items_of(path, number, _object(path, number, line), "items")


def _object(path: Path, number: int, line: bytes) -> dict[str, object]:
    found = parsed(path, number, line)
    if list(found) != ["items"]:
        right = 'write {"items": ["a", "b"]}; a release holds nothing else of a transaction'
        wrong(path, number, "an object with other keys than “items”", right)
    return found


def parsed(path: Path, number: int, line: bytes) -> dict[str, object]:
    """One JSON object on a line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        wrong(path, number, "no JSON", 'one object a line: {"items": ["a", "b"]}')
    if not isinstance(found, dict):
        wrong(path, number, "JSON that is not an object", 'one object a line: {"items": ["a", "b"]}')
    return found


def items_of(path: Path, number: int, found: dict[str, object], key: str) -> list[str | int]:
    """The list of items under a key of such an object."""
    items = found.get(key)
    if not isinstance(items, list) or not all(map(is_item, items)):
        right = "a list of texts (not empty, no control characters) or whole numbers"
        wrong(path, number, f"no list of items as “{key}”", right)
    return items


def _gathered(given: Iterable[Collection[str | int]], source: str, form: str, deadline: float) -> Loaded:
    known: dict[str | int, int] = {}
    codes, lengths, repeated = array("i"), array("q"), 0
    for held in given:
        distinct = {known.setdefault(item, len(known)) for item in held}
        repeated += len(held) - len(distinct)
        codes.extend(distinct)
        lengths.append(len(distinct))
        if len(lengths) % _LOOK == 0 and time.monotonic() > deadline:
            raise OutOfTime(f"{source}: the time limit was reached while reading")
        if len(codes) > MOST_CELLS or len(lengths) > MOST_TRANSACTIONS:
            raise OutOfMemory(f"{source}: more than {MOST_CELLS:,} items or {MOST_TRANSACTIONS:,} transactions")
    counts = np.array(lengths, dtype=np.int64)
    transactions = _coded(list(known), np.array(codes, dtype=np.int64), counts)
    return Loaded(transactions, source, form, int((counts == 0).sum()), repeated)


def _coded(items: list[str | int], codes: Rows, counts: Rows) -> Transactions:
    """Transactions with codes in the order of the names: by number where every item is one, else by text.

    1 and "1" are one item: in a .dat file both are written alike.
    """
    texts = {str(item) for item in items}
    names = sorted(texts, key=(lambda text: (int(text), text)) if all(map(_is_number, texts)) else None)
    code_of = {name: code for code, name in enumerate(names)}
    places = np.array([code_of[str(item)] for item in items], dtype=np.int64)
    width = max(1, len(names))
    rows = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    cells = np.unique(rows * width + places[codes])
    starts = np.concatenate(([0], np.cumsum(np.bincount(cells // width, minlength=len(counts)))))
    whole = bool(items) and all(isinstance(item, int) for item in items)
    return Transactions(tuple(names), starts.astype(np.int64), (cells % width).astype(np.int32), whole)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < MOST_DIGITS
