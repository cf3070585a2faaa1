"""Bounds of a policy against values of a type, in SQL, compared exactly.

What is no number is within no bound, and what is not finite is none: not in a text, and not in a float. A float counts
as the number that its shortest text is, so 0.1 reaches 0.1.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, inf, nextafter

import numpy as np

from auditor.engines.duckdb import sql
from auditor.engines.duckdb.listing import DECIMAL, WHOLE, nearest, written


def at_least(expression: str, type_name: str, bound: float | Decimal) -> str:
    """The condition that a value is a number of at least a bound; never NULL."""
    return _compared(expression, type_name.upper(), exact(bound), ">=")


def at_most(expression: str, type_name: str, bound: float | Decimal) -> str:
    """The condition that a value is a number of at most a bound; never NULL."""
    return _compared(expression, type_name.upper(), exact(bound), "<=")


def exact(bound: float | Decimal) -> Fraction:
    """The number that a bound is written as."""
    return Fraction(repr(bound)) if isinstance(bound, float) else Fraction(bound)


def _compared(expression: str, kind: str, bound: Fraction, sign: str) -> str:
    if kind in WHOLE:
        return _whole(expression, bound, sign, sql.DECIMAL_DIGITS, 0)
    decimal = DECIMAL.fullmatch(kind)
    if decimal:
        return _whole(expression, bound, sign, int(decimal[1]), int(decimal[2]))
    if kind.startswith(sql.FLOATS):
        return f"coalesce(isfinite({expression}) AND {expression} {sign} {_float(bound, kind, sign)}, false)"
    return _text(f"CAST({expression} AS VARCHAR)", bound, sign)


def _whole(expression: str, bound: Fraction, sign: str, digits: int, places: int) -> str:
    """Against the nearest decimal of so many digits and places on the right side of the bound."""
    scaled = bound * 10**places
    least = ceil(scaled) if sign == ">=" else floor(scaled)
    if len(str(abs(least))) > digits:  # beyond every value of the type
        return f"({expression} IS NOT NULL)" if (least < 0) is (sign == ">=") else "false"
    kind = f"DECIMAL({digits},{places})" if places else "HUGEINT"
    return f"coalesce({expression} {sign} CAST('{written(least, places)}' AS {kind}), false)"


def _float(bound: Fraction, kind: str, sign: str) -> str:
    """The last float on the right side of the bound."""
    kind = "DOUBLE" if kind == "DOUBLE" else "FLOAT"
    number, shown = nearest(bound, kind)
    outwards = inf if sign == ">=" else -inf
    if (shown < bound) if sign == ">=" else (shown > bound):
        number = nextafter(number, outwards) if kind == "DOUBLE" else float(np.nextafter(np.float32(number), outwards))
    return f"CAST('{number!r}' AS {kind})"


def _text(text: str, bound: Fraction, sign: str) -> str:
    """Of a text: by its double, and where that is the bound's own, by its digits."""
    number, _ = nearest(bound, "DOUBLE")
    x = sql.double_of(text)
    whole = len(str(abs(floor(bound))))
    places = sql.DECIMAL_DIGITS - whole - 1
    shown = written(round(bound * 10**places), places) if places > 0 else None
    equal = "true"
    if shown is not None:
        kind = f"DECIMAL({sql.DECIMAL_DIGITS},{places})"
        equal = f"coalesce(TRY_CAST({text} AS {kind}) {sign} CAST('{shown}' AS {kind}), true)"
    return (
        f"coalesce(isfinite({x}) AND ({x} {sign[0]} CAST('{number!r}' AS DOUBLE) "
        f"OR ({x} = CAST('{number!r}' AS DOUBLE) AND {equal})), false)"
    )
