"""What a policy lists against values of a type, in SQL: by value, not by text, and exactly.

A column of numbers, truth values or times is compared with the values that the listed texts name in its type; '1' is 1,
1.0 and true, '2026-03-29' a day and its midnight. A text that names no value of the type is nothing in such a column.
Texts are compared as texts, except that 1.0 and 1.00 are the listed 1, as programs write the same number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf, isfinite

import numpy as np

from auditor.engines.duckdb.sql import INTEGERS, literal
from auditor.values import moment_of, number_of, same_value

WHOLE = dict(zip(INTEGERS, (8, 16, 32, 64, 128) * 2, strict=True))
"""How many bits an integer of each type has."""
DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
_INFINITE = {sign + word: sign + "inf" for sign in ("", "-", "+") for word in ("inf", "infinity")}
_PRECISION = {"TIMESTAMP_S": 0, "TIMESTAMP_MS": 3, "TIMESTAMP_NS": 9, "TIMESTAMPTZ_NS": 9}


def among(expression: str, type_name: str, texts: Sequence[str]) -> str | None:
    """The condition that a value of a type is one of those listed; None where no listed text is a value of it."""
    kind = type_name.upper()
    values = named(kind, texts)
    if values is not None:
        return f"{expression} IN ({', '.join(values)})" if values else None
    is_text = kind == "VARCHAR"
    listed = list(texts) if is_text or kind.startswith("ENUM") else [text for text in texts if text]
    if not listed:
        return None
    shown = expression if is_text else f"CAST({expression} AS VARCHAR)"
    numbers = plain(listed)
    condition = f"{shown} IN ({', '.join(map(literal, dict.fromkeys((*listed, *numbers))))})"
    if not numbers:
        return condition
    short = f"rtrim(rtrim({shown}, '0'), '.') IN ({', '.join(map(literal, numbers))})"
    return f"({condition} OR (contains({shown}, '.') AND {short}))"


def named(kind: str, texts: Sequence[str]) -> list[str] | None:
    """The values that texts name in a type, as SQL; None for types whose values are compared as texts."""
    value = _value_of(kind)
    return None if value is None else list(dict.fromkeys(v for text in texts if (v := value(text)) is not None))


def plain(texts: Sequence[str]) -> list[str]:
    """Those of some texts that are decimal numbers, without zeros at their end; a code like 01 is none."""
    return list(dict.fromkeys(number for text in texts if (number := _plain(text)) is not None))


def _plain(text: str) -> str | None:
    if number_of(text) is None or "e" in text.lower() or text.startswith("+") or same_value(text) == text:
        return None
    return (text.rstrip("0").rstrip(".") if "." in text else text) if number_of(text) else "0"


def _value_of(kind: str) -> Callable[[str], str | None] | None:
    """What tells the value that a text names in a type, as SQL; None for types whose values are compared as texts."""
    if kind in WHOLE:
        return lambda text: _decimal(text, WHOLE[kind], 0, signed=not kind.startswith("U"))
    found = DECIMAL.fullmatch(kind)
    if found:
        return lambda text: _decimal(text, None, int(found[2]), digits=int(found[1]))
    if kind in ("FLOAT", "REAL", "DOUBLE"):
        return lambda text: _floating(text, kind)
    if kind == "BOOLEAN":
        return _truth
    if kind == "DATE" or kind.startswith("TIMESTAMP"):
        return lambda text: _moment(text, kind)
    return None


def _number(text: str) -> Fraction | None:
    """The number that a text names among numbers: blanks around it and zeros before it say nothing."""
    return number_of(text.strip())


def _decimal(text: str, bits: int | None, places: int, *, signed: bool = True, digits: int = 39) -> str | None:
    """A whole number of so many bits, or a decimal of so many digits and places."""
    number = _number(text)
    if number is None:
        return None
    scaled = number * 10**places
    if scaled.denominator != 1 or len(str(abs(scaled.numerator))) > digits:
        return None
    if bits is not None:
        least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if signed else (0, 2**bits)
        if not least <= number < most:
            return None
        return f"CAST('{scaled.numerator}' AS {'HUGEINT' if signed else 'UHUGEINT'})" if bits == 128 else str(scaled)
    return f"CAST({literal(written(scaled.numerator, places))} AS DECIMAL({digits},{places}))"


def written(scaled: int, places: int) -> str:
    """A whole number of so many decimal places as a decimal."""
    sign, plain = "-" if scaled < 0 else "", str(abs(scaled)).rjust(places + 1, "0")
    return f"{sign}{plain[:-places]}.{plain[-places:]}" if places else sign + plain


def _floating(text: str, kind: str) -> str | None:
    """The float that is written so, or that is exactly this number."""
    word = _INFINITE.get(text.strip().lower())
    if word:
        return f"CAST('{word}' AS {kind})"
    number = _number(text)
    if number is None:
        return None
    close, shown = nearest(number, kind)
    if not isfinite(close) or number not in (Fraction(close), shown):
        return None
    return f"CAST('{close!r}' AS {kind})"


def nearest(number: Fraction, kind: str) -> tuple[float, Fraction]:
    """The float that is nearest to a number, and the number that its shortest text is."""
    try:
        double = float(number)
    except OverflowError:
        return inf, Fraction(0)
    if kind == "DOUBLE":
        return double, Fraction(repr(double))
    with np.errstate(over="ignore"):
        single = np.float32(double)
    return float(single), Fraction(str(single)) if np.isfinite(single) else Fraction(0)


def _truth(text: str) -> str | None:
    return {Fraction(1): "true", Fraction(0): "false"}.get(_fraction(same_value(text.strip())))


def _fraction(value: str | Fraction) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(-1)


def _moment(text: str, kind: str) -> str | None:
    """The day or moment that a text names; with a zone only in a column with zones."""
    if text.strip().lower().lstrip("+-") == "infinity":
        return f"CAST({literal(text.strip().lower())} AS {kind})"
    found = moment_of(text.strip())
    zoned = kind in ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ", "TIMESTAMPTZ_NS")
    if found is None or (found.endswith("Z") and not zoned):
        return None
    day, clock = found.removesuffix("Z").split("T")
    if kind == "DATE":
        return f"CAST('{day}' AS DATE)" if not clock.strip("0:.") else None
    seconds, fraction = clock.split(".")
    places = _PRECISION.get(kind, 6)
    if fraction[places:].strip("0"):
        return None
    return f"CAST('{day} {seconds}{'.' * bool(places)}{fraction[:places]}{'+00' * zoned}' AS {kind})"
