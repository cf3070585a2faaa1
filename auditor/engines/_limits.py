"""What a run may use: memory, time, and where it may spill."""

from __future__ import annotations

import math
import os
import re
import time
from dataclasses import dataclass, field, replace

from auditor.engines._spill import ANYWHERE, Form, Spill
from auditor.errors import OutOfTime, UsageError

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
LEAST_MEMORY = 64 * 2**20
PROGRAM_BYTES = 110 * 10**6
"""What the interpreter and the libraries take by themselves."""
BATCH_BYTES = 512 * 2**20
"""A larger batch gains nothing: its arrays only leave the processor's caches sooner."""
ENGINE_SHARE_BESIDE_ROWS = 0.3


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The limits of one run.

    `memory` in bytes, `seconds` of wall time from the moment the limits were made, and where temporary data may go.
    `engine_share` is the engine's part of the memory. `record_bytes` is what whoever asks for rows makes of each of
    them, where that is more than their codes.
    """

    memory: int
    seconds: float | None = None
    started: float = field(default_factory=time.monotonic)
    spill: Spill = ANYWHERE
    engine_share: float = 0.6
    record_bytes: int = 0

    @classmethod
    def of(
        cls,
        memory: str | int | None = None,
        time_limit: float | None = None,
        spill: str | os.PathLike[str] | Spill | None = None,
        form: Form | None = None,
    ) -> RunLimits:
        """Limits from what a user says, and from how a policy limits spilling.

        Memory defaults to half of the machine's, the folder for temporary data to the machine's.
        """
        where = Spill.of(spill, form)
        if memory is None:
            return cls(half_of_the_machine(), time_limit, spill=where)
        size = memory if isinstance(memory, int) else parse_size(memory)
        if size < LEAST_MEMORY:
            raise UsageError(f"--memory {memory} is too little to work with; the least is 64MiB")
        return cls(size, time_limit, spill=where)

    def spilling(self, form: Form | None) -> RunLimits:
        """The same limits under a policy that limits spilling so; what limits it already stays."""
        return replace(self, spill=self.spill.under(form))

    def for_rows(self, record_bytes: int = 0) -> RunLimits:
        """The same limits where all rows stand in arrays: the engine, which can spill, makes room for them."""
        return replace(self, engine_share=ENGINE_SHARE_BESIDE_ROWS, record_bytes=record_bytes)

    def beside(self, held: int) -> RunLimits:
        """What is left of them beside so many bytes that somebody holds."""
        return replace(self, memory=max(self.memory - held, LEAST_MEMORY))

    @property
    def rows_memory(self) -> int:
        """What rows in arrays, and whatever is worked out of them, may take."""
        return max(self.own_memory - PROGRAM_BYTES, self.own_memory // 10)

    def wanted(self, rows: int) -> str:
        """The least size to give where rows take so many bytes in arrays, as `--memory` reads it."""
        return f"{math.ceil((rows + PROGRAM_BYTES) / (1 - self.engine_share) / 10**6)}MB"

    def solves(self, size: int) -> bool:
        """Whether so many bytes fit once the engine has nothing left to do."""
        return size <= max(self.memory - PROGRAM_BYTES, self.memory // 10)

    @property
    def advice(self) -> str:
        """What to do where the memory does not suffice."""
        if self.spill.form == "never":
            return "the policy says spill: never, so nothing goes to a disk; give a larger --memory"
        return "give a larger --memory"

    @property
    def engine_memory(self) -> int:
        """The engine's share: what remains is for the class tables of one batch and the interpreter itself."""
        return int(self.memory * self.engine_share)

    @property
    def own_memory(self) -> int:
        """What is not the engine's: of it live arrays and texts that cannot be read in batches."""
        return self.memory - self.engine_memory

    @property
    def batch_memory(self) -> int:
        """What the arrays of one batch may take."""
        return min(int(self.memory * 0.24), BATCH_BYTES)

    @property
    def key_memory(self) -> int:
        """What keys may take that wait to be measured, batch by batch; to be fetched they take three times it."""
        return int(self.memory * 0.06)

    @property
    def search_memory(self) -> int:
        """What the arrays of a search may take that holds its class tables as a whole."""
        return int(self.memory * 0.3)

    def remaining(self) -> float | None:
        """Seconds left (None: no limit)."""
        return None if self.seconds is None else self.seconds - (time.monotonic() - self.started)

    def check(self) -> None:
        """Raise `OutOfTime` once the time is up."""
        left = self.remaining()
        if left is not None and left <= 0:
            raise OutOfTime(f"the time limit of {self.seconds:g} s was reached; nothing was written")


def half_of_the_machine() -> int:
    """Half of the physical memory, in bytes."""
    if hasattr(os, "sysconf"):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    import duckdb  # on Windows it knows, and takes four fifths of it where nobody says how much

    (told,) = duckdb.execute("SELECT current_setting('memory_limit')").fetchone() or ("1GB",)
    return parse_size(str(told)) * 5 // 8


def parse_size(text: str) -> int:
    """Bytes of a size such as ``1GB``, ``512MiB`` or ``2e9``.

    >>> parse_size("1GB"), parse_size("1.5 GiB")
    (1000000000, 1610612736)
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?(?:[eE][0-9]+)?)\s*([A-Za-z]*)\s*", text)
    if not match or match[2].upper() not in _UNITS:
        raise UsageError(f"--memory {text!r} is not a size; write for example 1GB, 512MiB or 2000000000")
    return int(float(match[1]) * _UNITS[match[2].upper()])
