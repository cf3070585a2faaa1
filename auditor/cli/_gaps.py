"""Naming the values that a hierarchy does not cover: for the internal audience, and for nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from auditor.errors import UncoveredValues
from auditor.report.words import shortened, visible
from auditor.result import Audience

MOST_NAMED = 10
WIDTH = 60


@contextmanager
def gaps_named(audience: Audience | None) -> Iterator[None]:
    """Add to an `UncoveredValues` what standard error says below its message."""
    try:
        yield
    except UncoveredValues as gap:
        for line in _named(gap) if audience is Audience.INTERNAL else ["--audience internal names them"]:
            gap.add_note(line)
        raise


def _named(gap: UncoveredValues) -> Iterator[str]:
    yield f"{gap.extent}:"
    for value, records in gap.details[:MOST_NAMED]:
        counted = "" if records is None else f": {records} {'record' if records == 1 else 'records'}"
        yield f"  '{shortened(str(visible(value)), WIDTH)}'{counted}"
    more = len(gap.details) - MOST_NAMED
    if more > 0:
        yield f"  and {more} more"
