"""When the version of a record was in the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from auditor.classes import BoolArray, IntArray
from auditor.errors import DataError

ALWAYS = np.iinfo(np.int64).min
FOREVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Validity:
    """When each profile's records are valid, `since` ≤ t < `until`: int64[p] microseconds since 1970 in UTC."""

    since: IntArray
    until: IntArray

    def at(self, moment: int) -> BoolArray:
        """bool[p]: which profiles are valid."""
        return (self.since <= moment) & (moment < self.until)


def moment_of(text: str) -> int | None:
    """Microseconds since 1970 of a date or time in ISO 8601 (UTC where it names no zone); None where it is none.

    >>> moment_of("1970-01-02"), moment_of("1970-01-01 00:00:01+01:00"), moment_of("soon")
    (86400000000, -3599000000, None)
    """
    try:
        read = datetime.fromisoformat(text.strip().replace(" UTC", "+00:00").replace(" GMT", "+00:00"))
    except ValueError:
        return None
    moment = read if read.tzinfo is not None else read.replace(tzinfo=UTC)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def moments(column: str, labels: Sequence[str | None], missing: int) -> IntArray:
    """int64[m]: the moment of each label; `missing` where there is none."""
    found = [missing if label is None else moment_of(label) for label in labels]
    if None in found:
        raise DataError(f"column {column!r} says when versions are valid and holds values that are not ISO 8601 times")
    return np.array(found, dtype=np.int64)
