"""The next number on the way to a weaker or a stricter policy."""

from __future__ import annotations

from decimal import Decimal


def one_step(number: float, sign: int) -> float:
    """The number one step further: 1, or 1 in its last decimal.

    >>> one_step(11, -1), one_step(0.05, 1), one_step(3.0, -1)
    (10, 0.06, 2.0)
    """
    if isinstance(number, int):
        return number + sign
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return float(Decimal(repr(number)) + sign * Decimal(1).scaleb(min(int(exponent), 0)))
