"""Values of every type that data comes in, with what each means: equal values are one, and some are missing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

NAN = float("nan")
MICROSECOND = dt.timedelta(microseconds=1)
MIDNIGHT = dt.datetime.fromisoformat("2026-03-29")
EARLY = dt.datetime.fromisoformat("1969-12-31T23:59:59")


@dataclass(frozen=True)
class Kind:
    """A type: some of its values, as Python has them, and the types of Arrow and PostgreSQL that hold them."""

    name: str
    pool: tuple[Any, ...]
    arrow: pa.DataType | None
    postgres: str | None = None
    meaning: Callable[[Any], Hashable] = lambda value: value

    def means(self, value: Any) -> Hashable:
        """What a value is compared by; None for a missing one."""
        missing = value is None or value == "" or (isinstance(value, float | Decimal) and value != value)
        return None if missing else self.meaning(value)


def _single(value: float) -> float:
    return float(pa.scalar(value, pa.float32()).as_py())


LONG = [Decimal("1234567890123456789012345678.0000000001"), Decimal("1234567890123456789012345678.0000000002")]
WIDE = [Decimal("1" * 45), Decimal("1" * 44 + "2"), Decimal(7)]
TEXTS = (
    "",
    " ",
    "a",
    "A",
    "a ",
    "é",
    "e\u0301",
    "NaN",
    "nan",
    "null",
    "NULL",
    "1",
    "1.0",
    "01",
    "x\ny",
    ",",
    '"',
    "🎲",
    "#",
    "'",
)
SPANS = tuple(dt.timedelta(microseconds=each) for each in (0, 1, 2, -1, 86_400_000_000, 86_400_000_001))
TIMES = (MIDNIGHT, MIDNIGHT + MICROSECOND, MIDNIGHT + dt.timedelta(days=1), EARLY)
UTC = tuple(each.replace(tzinfo=dt.UTC) for each in TIMES)
CLOCKS = (dt.time(0), dt.time(0, 0, 0, 1), dt.time(23, 59, 59, 999999))
NANO = (0, 1, 2, 999, 1000, 86_400_000_000_000)

FLOATS = (0.0, -0.0, 1.0, 0.3, 0.1 + 0.2, NAN, float("inf"), -float("inf"), 1e300, 5e-324, None)
DECIMALS = tuple(map(Decimal, ("0", "-0.00", "1", "1.0", "1.00", "0.1", "0.10", "-1.5")))
MIXED = (0, -0.0, 1, 1.0, Decimal("1.00"), 2.5, Decimal("2.50"), 2**53, float(2**53), NAN, None)

KINDS = (
    Kind("whole", (0, 1, -1, 2**53, 2**53 + 1, 2**63 - 1, None), pa.int64(), "int8"),
    Kind("unsigned", (0, 2**64 - 1, 2**64 - 2, None), pa.uint64(), "numeric"),
    Kind("float", FLOATS, pa.float64(), "float8"),
    Kind("single", (0.0, -0.0, 1.0, 0.1, 0.3, NAN, float("inf"), None), pa.float32(), "float4", _single),
    Kind("half", (0.0, -0.0, 1.0, 0.5, NAN, None), pa.float16()),
    Kind("decimal", (*DECIMALS, None), pa.decimal128(6, 2), "numeric"),
    Kind("long decimal", (*LONG, Decimal(1), Decimal("1.0"), None), pa.decimal128(38, 10), "numeric"),
    Kind("wide decimal", (*WIDE, None), pa.decimal256(45, 0), "numeric"),
    Kind("truth", (True, False, None), pa.bool_(), "boolean"),
    Kind("text", (*TEXTS, None), pa.string(), "text"),
    Kind("day", (dt.date(2026, 3, 29), dt.date(1969, 12, 31), dt.date(1, 1, 1), None), pa.date32(), "date"),
    Kind("moment", (*TIMES, None), pa.timestamp("us"), "timestamp"),
    Kind("instant", (*UTC, None), pa.timestamp("us", "UTC"), "timestamptz"),
    Kind("moment of nanoseconds", (*NANO, None), pa.timestamp("ns")),
    Kind("instant of nanoseconds", (*NANO, None), pa.timestamp("ns", "UTC")),
    Kind("clock", (*CLOCKS, None), pa.time64("us"), "time"),
    Kind("duration", (*SPANS, None), pa.duration("us"), "interval"),
    Kind("duration of nanoseconds", (*NANO, None), pa.duration("ns")),
    Kind("category", (*TEXTS[:10], None), pa.dictionary(pa.int8(), pa.string())),
    Kind("category of numbers", (0, 2**53, 2**53 + 1, None), pa.dictionary(pa.int8(), pa.int64())),
    Kind("number of any type", MIXED, None),
)  # fmt: skip
BY_NAME = {each.name: each for each in KINDS}
