"""What a long work is at: its stages by stable names, the time of each, and whoever watches.

Work says where it is, ``with stage(Stage.COUNTING) as here: ...``, and how far, ``here.tell(done, of, "rows")``. Two
things may listen, both unknown to the work: a `Record` adds up the seconds of each stage (`recorded`), and a watcher is
told every step (`watching`), as a bar on a terminal is. Where nobody listens, both cost a few lookups.

Stages of one record do not overlap: while one runs inside another, the outer one's clock stands still. So their seconds
sum to at most the time of the whole. Work inside a stage that is recorded by itself (an audit in a remediation) has its
own stages in its own record, and counts in full for the stage around it.

Both listeners live in context variables: a new thread or process has none, unless it is run in a copy of the context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")


class Stage(StrEnum):
    """The names of stages, as documents and progress bars show them; docs/progress.md says what each one is."""

    OPENING = "opening"
    HASHING = "hashing"
    READING = "reading"
    COUNTING = "counting"
    JUDGING = "judging"
    AUDITING_DATA = "auditing the data"
    SEARCHING = "searching"
    MASKING = "masking"
    MEASURING = "measuring"
    WEIGHING = "weighing"
    SOLVING = "solving"
    MINING = "mining"
    HIDING = "hiding"
    WRITING = "writing"
    AUDITING_RELEASE = "auditing the release"
    WAITING = "waiting for other runs"
    JUDGING_RELEASES = "judging the releases"
    PROFILING = "profiling"
    TESTING = "testing"
    LOOSENING = "loosening"
    ALTERNATIVES = "looking at alternatives"


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a work is: the stages around the present one, outermost first, and it; and how much of it is done.

    `done` is of `of`, in `unit`, each None or empty where it is not known; `rows` is how many rows the stage is about.
    Nothing in it is a value of the data: names of stages, a word, and counts.
    """

    path: tuple[Stage, ...]
    done: float | None = None
    of: float | None = None
    unit: str = ""
    rows: int | None = None


Watcher = Callable[[Moment], None]
"""Is told each moment, from the work's own thread or one that polls an engine; it must be quick and not raise."""


@dataclass
class Spent:
    """The time of one stage, in all its parts, and the most rows that any part was about."""

    seconds: float = 0.0
    rows: int | None = None


@dataclass
class Record:
    """The stages of one work in the order in which they began, and the engine that did it, where one did."""

    spent: dict[Stage, Spent] = field(default_factory=dict)
    engine: str | None = None
    version: str | None = None


_record: ContextVar[Record | None] = ContextVar("record", default=None)
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
_present: ContextVar[Present | None] = ContextVar("present", default=None)


class Present:
    """The stage that is running."""

    __slots__ = ("inside", "latest", "path", "record", "rows", "watcher")

    def __init__(self, path: tuple[Stage, ...], rows: int | None, record: Record | None, watcher: Watcher | None):
        self.path = path
        self.rows = rows
        self.record = record
        self.watcher = watcher
        self.inside = 0.0
        """Seconds of other stages of the same record that ran meanwhile."""
        self.latest: Moment | None = None

    def tell(self, done: float | None = None, of: float | None = None, unit: str = "") -> None:
        """Say how much is done; from any thread."""
        if self.watcher is not None:
            self.latest = Moment(self.path, done, of, unit, self.rows)
            self.watcher(self.latest)

    def counting(self, items: Sequence[T], unit: str) -> Iterator[T]:
        """The items one by one, telling before each how many are done."""
        for place, item in enumerate(items):
            self.tell(place, len(items), unit)
            yield item

    def tell_again(self) -> None:
        """Say once more what was said last, after a stage inside this one said something else."""
        if self.watcher is not None and self.latest is not None:
            self.watcher(self.latest)


@contextmanager
def stage(name: Stage, rows: int | None = None) -> Iterator[Present]:
    """Run the body as a stage. Not for the body of a generator: what runs between its values would count, too."""
    outer, record = _present.get(), _record.get()
    here = Present((*(outer.path if outer else ()), name), rows, record, _watcher.get())
    if record is not None:
        record.spent.setdefault(name, Spent())
    token = _present.set(here)
    began = perf_counter()
    here.tell()
    try:
        yield here
    finally:
        seconds = perf_counter() - began
        _present.reset(token)
        if record is not None:
            spent = record.spent[name]
            spent.seconds += seconds - here.inside
            spent.rows = max((n for n in (spent.rows, here.rows) if n is not None), default=None)
        if outer is not None:
            if outer.record is record:
                outer.inside += seconds
            outer.tell_again()


def present() -> Present | None:
    """The stage that is running, where somebody watches it: what polls an engine tells it how much is done."""
    here = _present.get()
    return None if here is None or here.watcher is None else here


def tell(done: float | None = None, of: float | None = None, unit: str = "") -> None:
    """Say how much of the running stage is done; nothing where nobody watches."""
    here = _present.get()
    if here is not None:
        here.tell(done, of, unit)


def watched() -> bool:
    """Whether somebody watches."""
    return _watcher.get() is not None


@contextmanager
def watching(watcher: Watcher | None) -> Iterator[None]:
    """Let a watcher be told of every stage in the body; None lets nobody watch."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def recorded() -> Iterator[Record]:
    """Record the stages of the body, apart from a record that is kept around it."""
    record = Record()
    token = _record.set(record)
    try:
        yield record
    finally:
        _record.reset(token)


def done_by(engine: str, version: str) -> None:
    """Record which engine does the work; of several, the first that opened data."""
    record = _record.get()
    if record is not None and record.engine is None:
        record.engine, record.version = engine, version
