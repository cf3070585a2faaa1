"""What runs on Spark's executors: reading the classes of one partition, and judging values.

Spark sends these functions by name, so the executors need auditor and its dependencies. They send no value of the data
back, and errors of ours as rows, because what they raise would come back as a stack trace.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from auditor.classes import ClassTable, Domain, IntArray, KeyArray, KeyLayout, combined, count_classes, distinct
from auditor.distribution import version
from auditor.engines._protocol import ClassReading
from auditor.engines.spark._trace import trace
from auditor.errors import AuditorError

READ = "kind string, found binary"
"""The rows that come back: what a reading found with the trace of what it read, or an error's class and its text."""
FOUND = "found"
COMBINED_AT_ONCE = 1 << 22
"""So many rows wait before they are combined with what was found before."""
SENT_AT_ONCE = 1 << 18
"""So many of the distinct ones go back in a batch."""


@dataclass(frozen=True)
class Packed:
    """What a partition holds: keys packed by a layout whose first `grouping` columns make the classes.

    Where units are counted they stand behind the keys, in a word of their own: any number that no other unit has.
    """

    layout: KeyLayout
    grouping: int
    domain: Domain | None = None
    unit: str | None = None

    def table(self, keys: KeyArray, units: IntArray | None, records: IntArray) -> ClassTable:
        """The class table of whole classes."""
        layout = self.layout
        if units is not None and self.unit is not None:
            seen, codes = distinct(units)
            keys = np.column_stack((keys, codes))
            width = max(len(seen) - 1, 0).bit_length()
            place = (self.layout.words, 0, width)
            layout = KeyLayout((*layout.columns, self.unit), (*layout.places, place))
        return count_classes(keys, layout, self.grouping, records, domain=self.domain, unit=units is not None)


@dataclass(frozen=True)
class PartitionTask:
    """What is to be read of each partition, by which version of this program."""

    packed: Packed
    reading: ClassReading
    version: str


@cache
def settle() -> None:
    """Keep what this process has imported from being looked at again.

    PySpark's workers collect garbage after every task. Going through the modules took them 20 to 40 ms, more than most
    of our tasks take.
    """
    gc.collect()
    gc.freeze()


def told(packed: Packed, reading: ClassReading) -> bytes:
    """A task as it travels."""
    return pickle.dumps(PartitionTask(packed, reading, version()))


def read_partition(batches: Iterator[Any], task: bytes) -> Iterator[Any]:
    """Read the whole classes of a partition, which come as Arrow batches of w0, w1, …, perhaps u, and n."""
    import pyarrow as pa

    held = [batch for batch in batches if batch.num_rows]
    if not held:
        return
    try:
        asked: PartitionTask = pickle.loads(task)  # noqa: S301  (what `told` has pickled, sent by our own driver)
        settle()
        row = _read(pa.Table.from_batches(held), asked)
    except MemoryError:
        row = ("OutOfMemory", b"a partition of whole classes does not fit the memory of an executor")
    except AuditorError as error:
        row = (type(error).__name__, str(error).encode())
    kind, found = row
    schema = pa.schema([("kind", pa.string()), ("found", pa.binary())])
    yield pa.RecordBatch.from_pydict({"kind": [kind], "found": [found]}, schema)


def _read(table: Any, asked: PartitionTask) -> tuple[str, bytes]:
    if asked.version != version():
        other = f"the executors have auditor {version()}, and this is {asked.version}; install the same"
        return "Unsupported", other.encode()
    found = arrays(table)
    if found is None:
        return "DataError", CHANGED.encode()
    keys, units, records = found
    asked.reading.read(asked.packed.table(keys, units, records))
    return FOUND, pickle.dumps((asked.reading.found(), trace(keys, records, asked.packed.layout)))


def combine_partition(batches: Iterator[Any]) -> Iterator[Any]:
    """The distinct rows (w0, w1, …, perhaps u0, u1, …) of a partition, and how many records n have each.

    Rows in which a word is missing, because a value has no code, become one such row, so that they are noticed.
    """
    import pyarrow as pa

    settle()
    combining, names = _Combining(), []
    for batch in batches:
        names = [*batch.schema.names, "n"]
        combining.add(batch)
    if combining.gaps:
        nothing = pa.array([None], pa.int64())
        yield pa.RecordBatch.from_arrays([nothing] * (len(names) - 1) + [pa.array([combining.gaps])], names)
    keys, records = combining.found()
    for start in range(0, len(records), SENT_AT_ONCE):
        part = slice(start, start + SENT_AT_ONCE)
        yield pa.RecordBatch.from_arrays([*map(pa.array, keys[part].T), pa.array(records[part])], names)


class _Combining:
    """Combines rows as they come, so that not much more is held than the distinct ones."""

    def __init__(self) -> None:
        self.gaps = 0
        self._waiting: list[KeyArray] = []
        self._rows = 0
        self._found: tuple[KeyArray, IntArray] | None = None

    def add(self, batch: Any) -> None:
        whole = batch.drop_null() if any(column.null_count for column in batch.columns) else batch
        self.gaps += batch.num_rows - whole.num_rows
        self._waiting.append(np.column_stack([column.to_numpy() for column in whole.columns]))
        self._rows += whole.num_rows
        if self._rows > max(COMBINED_AT_ONCE, len(self._found[1]) if self._found else 0):
            self._combine()

    def found(self) -> tuple[KeyArray, IntArray]:
        """The distinct rows, and how many there were of each."""
        if self._waiting:
            self._combine()
        return self._found or (np.empty((0, 1), dtype=np.int64), np.empty(0, dtype=np.int64))

    def _combine(self) -> None:
        keys, records = combined(np.concatenate(self._waiting))
        if self._found is not None:
            before, counts = self._found
            keys, records = combined(np.concatenate((before, keys)), np.concatenate((counts, records)))
        self._found, self._waiting, self._rows = (keys, records), [], 0


CHANGED = "the data changed while it was read; audit it again once it is at rest"


def arrays(table: Any) -> tuple[KeyArray, IntArray | None, IntArray] | None:
    """Keys, units and records of an Arrow table; None where a value has no code, because it is new."""
    words = [name for name in table.column_names if name.startswith("w")]
    if any(table[name].null_count for name in words):
        return None
    keys = np.empty((table.num_rows, len(words)), dtype=np.int64)
    for place, name in enumerate(words):
        keys[:, place] = table[name].to_numpy()
    units = table["u"].to_numpy() if "u" in table.column_names else None
    return keys, units, table["n"].to_numpy()


def outside_partition(batches: Iterator[Any], statement: str, parameters: tuple[str, ...]) -> Iterator[Any]:
    """How many records of a partition's values (v, n) a statement of DuckDB's about the table `found` counts."""
    import duckdb
    import pyarrow as pa

    with duckdb.connect(config={"threads": "1", "python_enable_replacements": "false"}) as database:
        database.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
        for batch in batches:
            database.register("found", pa.Table.from_batches([batch]))
            ((outside,),) = database.execute(statement, list(parameters) or None).fetchall()
            database.unregister("found")
            yield pa.RecordBatch.from_pydict({"n": pa.array([int(outside)], pa.int64())})
