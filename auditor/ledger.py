"""What was released before: a file of JSON lines that only grows, each line bound to the one before.

A line is an entry: ``{"index", "time", "kind", "body", "previous", "sha256"}``. `sha256` is of the other members as
canonical JSON (sorted keys, no spaces), and `previous` is the `sha256` of the line before (64 zeros for the first). So
an entry that is changed, removed from the middle or put elsewhere breaks the chain at a line that can be named. Lines
removed from the end leave a sound chain that is shorter: whoever keeps an older copy, as a git history does, notices
with `Ledger.extends`.

Whoever judges beside a ledger and adds to it takes its `turn`, so that several runs at once wait for each other.

An entry is written whole or not at all: under a lock on the file, flushed to the disk before `add` returns. A last
line without its end is what a crash left behind; it was never told to be released, and is refused rather than guessed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

from auditor.errors import DataError, DeliveryError
from auditor.stages import Stage, stage

GENESIS = "0" * 64
MOST_BYTES = 1 << 30
LONGEST_WAIT = 900.0
"""So many seconds a run waits for its turn."""
BETWEEN = 0.05
_MEMBERS = {"index", "time", "kind", "body", "previous", "sha256"}


@dataclass(frozen=True)
class Entry:
    """One thing that was released: when (ISO 8601), of what kind, and what it is."""

    index: int
    time: str
    kind: str
    body: Mapping[str, Any]
    previous: str

    @property
    def sha256(self) -> str:
        """Of the entry as canonical JSON; what the next entry is bound to."""
        return hashlib.sha256(_canonical(vars(self)).encode()).hexdigest()

    def line(self) -> str:
        """The entry as a line of the file."""
        return _canonical({**vars(self), "sha256": self.sha256}) + "\n"


@dataclass(frozen=True)
class Ledger:
    """The entries of a ledger, oldest first."""

    name: str
    entries: tuple[Entry, ...] = ()

    @property
    def head(self) -> str:
        """The `sha256` of the last entry: it stands for the whole history."""
        return self.entries[-1].sha256 if self.entries else GENESIS

    def extends(self, older: Ledger) -> bool:
        """Whether this ledger is an older one with nothing but entries added."""
        return self.entries[: len(older.entries)] == older.entries

    def of_kind(self, kind: str) -> tuple[Entry, ...]:
        """The entries of one kind."""
        return tuple(entry for entry in self.entries if entry.kind == kind)


def read_ledger(path: str | Path) -> Ledger:
    """Read a ledger and verify its chain; one that does not exist yet is empty.

    Raises:
        DataError: the file cannot be read, or an entry was changed, removed or put elsewhere.
    """
    path = Path(path)
    try:
        if not path.exists():
            return Ledger(path.name)
        if not path.is_file():
            raise DataError(f"{path.name}: is not a regular file; a ledger is a file of JSON lines")
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path.name}: a ledger of more than {MOST_BYTES:,} bytes is not read")
        return parse_ledger(path.read_bytes(), path.name)
    except OSError as wrong:
        raise DataError(f"{path.name}: cannot be read: {wrong.strerror or type(wrong).__name__}") from wrong


def parse_ledger(content: bytes, name: str) -> Ledger:
    """The ledger that stands in a file's bytes; `DataError` where its chain is broken."""
    lines = content.split(b"\n")
    if lines.pop():
        raise DataError(f"{name}:{len(lines) + 1}: the last line has no line end, so the ledger was cut off")
    entries: list[Entry] = []
    previous = GENESIS
    for number, line in enumerate(lines, start=1):
        entry, sealed = _parsed(line, f"{name}:{number}")
        if entry.index != number - 1 or entry.previous != previous or entry.sha256 != sealed:
            raise DataError(
                f"{name}:{number}: does not follow from the line before, or was changed; restore the ledger from its "
                "history"
            )
        previous = sealed
        entries.append(entry)
    return Ledger(name, tuple(entries))


@dataclass(frozen=True)
class Addition:
    """What is to become an entry: of what kind, what it is, and when (ISO 8601)."""

    kind: str
    body: Mapping[str, Any]
    time: str


@contextmanager
def turn(path: str | Path, seconds: float = LONGEST_WAIT) -> Iterator[None]:
    """Keep other runs of this ledger waiting, from before it is read until what was judged beside it is added.

    The folder is locked and not the file, which adding locks for itself, and which need not be there yet. Where the
    system or its file system has no such locks nobody waits, and `add` notices who came in between.

    Args:
        path: the ledger's file.
        seconds: how long to wait for the runs before.

    Raises:
        DataError: they took longer.
    """
    with ExitStack() as held:
        if sys.platform != "win32":
            import fcntl

            with suppress(OSError):
                folder = os.open(Path(path).resolve().parent, os.O_RDONLY | os.O_DIRECTORY)
                held.callback(os.close, folder)
                _wait(lambda: fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB), Path(path).name, seconds)
        yield


def _wait(take: Callable[[], None], name: str, seconds: float) -> None:
    """Take a lock as soon as it is free."""
    ends = monotonic() + seconds
    with stage(Stage.WAITING):
        while True:
            try:
                return take()
            except BlockingIOError:
                if monotonic() >= ends:
                    raise DataError(
                        f"{name}: other runs have held it for more than {seconds:g} seconds; run the command again "
                        "when they have ended"
                    ) from None
                sleep(BETWEEN)


def add(path: str | Path, additions: Sequence[Addition], *, after: str | None = None) -> tuple[Entry, ...]:
    """Add entries to a ledger, all or none; it is made where there is none.

    Args:
        path: the ledger's file.
        additions: the entries, in their order; kinds are ``output`` and ``release``.
        after: the `head` that the ledger must have; None takes any.

    Raises:
        DataError: the ledger is not sound, or has another head; nothing is added to it.
        DeliveryError: the entries could not be written; the file is as it was.
    """
    path = Path(path)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o666)
    except OSError as wrong:
        raise _unwritten(path, wrong) from wrong
    with os.fdopen(descriptor, "r+b") as file:
        _lock(file)
        known = parse_ledger(file.read(), path.name)
        if after is not None and known.head != after:
            raise DataError(
                f"{path.name}: other runs have added entries in the meantime, which were not checked; run the command "
                "again"
            )
        entries: list[Entry] = []
        for each in additions:
            previous = entries[-1].sha256 if entries else known.head
            entries.append(Entry(len(known.entries) + len(entries), each.time, each.kind, dict(each.body), previous))
        end = file.seek(0, os.SEEK_END)
        try:
            file.write("".join(entry.line() for entry in entries).encode())
            file.flush()
            os.fsync(file.fileno())
        except OSError as wrong:
            os.ftruncate(descriptor, end)
            raise _unwritten(path, wrong) from wrong
    return tuple(entries)


def _lock(file: IO[bytes]) -> None:
    """Keep other processes from writing until the file is closed."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)


def _parsed(line: bytes, where: str) -> tuple[Entry, str]:
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        raise DataError(f"{where}: is not JSON; a ledger has one entry per line") from None
    if not isinstance(read, dict) or read.keys() != _MEMBERS or not isinstance(read["body"], dict):
        raise DataError(f"{where}: is not an entry; an entry has {', '.join(sorted(_MEMBERS))}")
    sealed = read.pop("sha256")
    if not isinstance(read["index"], int) or not all(isinstance(read[name], str) for name in ("time", "kind")):
        raise DataError(f"{where}: is not an entry: its index must be a number, and its time and kind texts")
    return Entry(**read), sealed


def _canonical(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _unwritten(path: Path, wrong: OSError) -> DeliveryError:
    return DeliveryError(f"{path.name}: the entry could not be written: {wrong.strerror or type(wrong).__name__}")
