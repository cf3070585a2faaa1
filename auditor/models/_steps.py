"""The next number on the way to a weaker or a stricter policy."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import TypeVar

Number = TypeVar("Number", int, float, Decimal)
MOST_DIGITS = 1000
"""More than a number of a policy has, before and behind its point."""


def one_step(number: Number, sign: int) -> Number:
    """The number one step further: 1, or 1 in its last decimal.

    >>> one_step(11, -1), one_step(0.05, 1), one_step(3.0, -1)
    (10, 0.06, 2.0)
    """
    if isinstance(number, int):
        return number + sign
    with localcontext(prec=MOST_DIGITS):
        exact = Decimal(str(number))
        exponent = exact.normalize().as_tuple().exponent
        return type(number)(exact + sign * Decimal(1).scaleb(min(int(exponent), 0)))
