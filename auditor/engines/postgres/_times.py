"""Dates and times of the server as our own DuckDB has them.

The server counts from 2000, Arrow from 1970, and the driver adds the difference without looking whether the sum still
fits its integer. So infinities, which are the least and the greatest integer in the server, and times from the year
294247 on come round to far before the earliest date that the server knows (4714 BC, day 0 of the Julian count). No date
is that late.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auditor.errors import DataError

DAYS = 10_957
"""From 1970-01-01 to 2000-01-01."""
JULIAN_DAYS = 2_440_588
"""From day 0 of the Julian count to 1970-01-01."""
MICROSECONDS = 86_400 * 10**6
"""In a day."""


@dataclass(frozen=True)
class _TimeScale:
    """How a type counts: bits of its integer, and how many units a day has."""

    bits: int
    units: int

    @property
    def earliest(self) -> int:
        """The least that the server knows beside its infinity."""
        return -JULIAN_DAYS * self.units

    @property
    def infinities(self) -> dict[int, int]:
        """What came, and what DuckDB takes for the same infinity."""
        most, shift = 2 ** (self.bits - 1), DAYS * self.units
        return {shift - 1 - most: most - 1, shift - most: 1 - most}


def with_infinities(what: str, batch: Any, names: Mapping[str, str]) -> Any:
    """An Arrow batch whose dates and times are what they are in the server; `names` are the columns' own.

    Raises:
        DataError: a time is later than the year 294246, beyond what Arrow and DuckDB hold.
    """
    import pyarrow as pa

    columns = []
    for alias, column in zip(batch.schema.names, batch.columns, strict=True):
        whole = _counted(column.type)
        columns.append(column if whole is None else _mended(f"{what}: column {names[alias]!r}", column, whole))
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _mended(what: str, column: Any, whole: _TimeScale) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    integers = column.view(pa.int32() if whole.bits == 32 else pa.int64())
    if not pc.any(pc.less(integers, whole.earliest)).as_py():
        return column
    for came, infinity in whole.infinities.items():
        integers = pc.if_else(pc.equal(integers, came), pa.scalar(infinity, integers.type), integers)
    beyond = pc.and_(pc.less(integers, whole.earliest), pc.not_equal(integers, 1 - 2 ** (whole.bits - 1)))
    if pc.any(beyond).as_py():
        raise DataError(f"{what} holds a time after the year 294246, later than can be read")
    return integers.view(column.type)


def _counted(kind: Any) -> _TimeScale | None:
    import pyarrow as pa

    if pa.types.is_date32(kind):
        return _TimeScale(32, 1)
    if pa.types.is_timestamp(kind) and kind.unit == "us":
        return _TimeScale(64, MICROSECONDS)
    return None
