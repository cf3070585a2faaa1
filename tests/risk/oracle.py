"""Second computations of the measures of risk: record by record, with exact fractions or 60 decimal digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, floor

DIGITS = 60
SAME = Decimal(10) ** -40


def interval_share(original, masked, width):
    """The percentage of one variable at one width, as a fraction, by ranks counted one by one; None is missing."""
    shown = sorted(y for y in masked if y is not None)
    found = []
    for x, y in zip(original, masked, strict=True):
        if x is None:
            continue
        if y is None:
            found.append(False)
            continue
        ranks = [rank for rank, value in enumerate(shown, start=1) if value == y]
        rank, reach = Fraction(sum(ranks), len(ranks)), Fraction(width) * len(shown) / 100
        low, high = max(1, ceil(rank - reach)), min(len(shown), floor(rank + reach))
        found.append(shown[low - 1] <= x <= shown[high - 1])
    return Fraction(100 * sum(found), len(found)) if found else Fraction(0)


def standardised(rows):
    """Columns of Decimals with mean 0 and sd 1 (divisor n); constant columns are 0, and so is a missing value."""
    columns = []
    for column in zip(*rows, strict=True):
        there = [Fraction(value) for value in column if value is not None]
        mean = sum(there) / len(there) if there else Fraction(0)
        variance = sum((value - mean) ** 2 for value in there) / len(there) if there else Fraction(0)
        scale = decimal(variance).sqrt() if variance else Decimal(1)
        columns.append([Decimal(0) if value is None else decimal(Fraction(value) - mean) / scale for value in column])
    return list(zip(*columns, strict=True))


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def squared_euclidean(a, b):
    return sum(((x - y) ** 2 for x, y in zip(a, b, strict=True)), Decimal(0))


def distance_credits(original, masked, squared=squared_euclidean):
    """The credit of each record, by all distances with 60 digits; those within 1e-40 are the same number."""
    with localcontext() as context:
        context.prec = DIGITS
        a, b = standardised(original), standardised(masked)
        credits_ = []
        for record, row in enumerate(a):
            distances = [squared(row, other) for other in b]
            least = min(distances)
            tied = [place for place, distance in enumerate(distances) if distance - least < SAME]
            credits_.append(Fraction(1, len(tied)) if record in tied else Fraction(0))
        return credits_
