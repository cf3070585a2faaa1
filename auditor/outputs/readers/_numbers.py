"""Numbers as they are written in a file, read exactly and without being led to exhaust memory."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

from auditor.outputs.published.outputs import Stated
from auditor.outputs.published.values import LONGEST_NUMBER, NUMBER

MOST_RECORDS = 2**63 - 1
FLOAT_DIGITS = 15
"""A number of so many significant digits was printed from a binary float, which holds no more."""
TRUSTED_DIGITS = 13
"""So many digits of such a number are believed: what was computed in floats is off by a few units of the last ones."""
_FRACTION = re.compile(r"[+-]?\d+/\d+", re.ASCII)


def stated(text: str) -> Stated | None:
    """A number as written: ``0.83`` to two places, ``5/6`` exactly, ``0.8333333333333334`` to 13 digits; else None.

    >>> stated("0.830").places, stated("5e-05").places, stated("5/6").places, stated("0.8333333333333334").places
    (3, 5, None, 13)
    >>> stated("nan") is None
    True
    """
    text = text.strip()
    if len(text) > LONGEST_NUMBER:
        return None
    if _FRACTION.fullmatch(text):
        numerator, denominator = map(int, text.split("/"))
        return Stated(Fraction(numerator, denominator)) if denominator else None
    found = NUMBER.fullmatch(text)
    if found is None:
        return None
    value = Fraction(text)
    places = len(found[1] or found[2] or "") - int(found[3] or 0)
    digits = Decimal(text).as_tuple().digits
    if len(digits) >= FLOAT_DIGITS and places > 0:
        places -= len(digits) - TRUSTED_DIGITS
    return Stated(value, max(places, 0))


def written(number: Stated) -> str | dict[str, str | int]:
    """The inverse of `stated`: as short as it can be, such that reading it gives the same number and places."""
    if number.places is None:
        return f"{number.value.numerator}/{number.value.denominator}"
    text = _decimal(number.value)
    if text is not None:
        fraction = text.partition(".")[2]
        text += ("" if fraction or not number.places else ".") + "0" * (number.places - len(fraction))
        if stated(text) == number:
            return text
    return {"value": f"{number.value.numerator}/{number.value.denominator}", "places": number.places}


def whole(number: Stated | None) -> int | None:
    """A count: a whole number of at least 0 that a table can have; else None. ``5.0`` is one, 4.99 is none."""
    if number is None or number.value.denominator != 1 or not 0 <= number.value <= MOST_RECORDS:
        return None
    return int(number.value)


def counted(share: Stated, records: int) -> range:
    """The counts of `records` that are written as this share: none, one, or (rounded too far) several."""
    low, high = share.ends
    first, last = max(ceil(low * records), 0), min(floor(high * records), records)
    return range(first, max(last + 1, first))


def _decimal(value: Fraction) -> str | None:
    """A fraction as a decimal with no more places than it needs; None where it has no end."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return None
    places = max(twos, fives)
    digits = f"{abs(value.numerator) * 10**places // value.denominator:0{places + 1}d}"
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[: len(digits) - places]}.{digits[len(digits) - places :]}" if places else f"{sign}{digits}"
