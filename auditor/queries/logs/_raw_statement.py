"""What a format's reader hands on: a statement as it stands in the file, not yet numbered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RawStatement:
    """One statement and the line of the file it starts on. `failed` is whether it certainly returned nothing."""

    line: int
    sql: str
    user: str | None = None
    time: str | None = None
    parameters: tuple[str | None, ...] = ()
    answer: str | None = None
    failed: bool = False
