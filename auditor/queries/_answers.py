"""The exact answer of a query, from the protected values, and whether a logged answer agrees with it."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np

from auditor.queries._query import Aggregate, Extreme, Linear, Weights
from auditor.queries.records.records import RecordProfiles
from auditor.queries.values.exact import Integers, largest, parse_number

FLOAT_TOLERANCE = Fraction(1, 10**9)
"""A database adds floating-point numbers in any order: so far, relatively, an answer may be from the exact one."""


def answer_of(asked: Aggregate, profiles: RecordProfiles) -> Fraction | None:
    """What the audited table answers; None for NULL, and for what is public or refused."""
    if isinstance(asked, Extreme):
        return profiles.extreme(asked.quantity, asked.which, asked.members.dense().astype(np.bool_))
    if not isinstance(asked, Linear) or any(value_of(count, profiles) == 0 for count in asked.counts):
        return None
    return value_of(asked, profiles)


def value_of(asked: Linear, profiles: RecordProfiles) -> Fraction:
    """What a sum comes to, 0 for whoever does not contribute; NULL, too, where nobody does."""
    total = Fraction(0)
    for quantity, weights in asked.weights.items():
        sums = profiles.totals(quantity)
        total += Fraction(_dot(weights, sums.numerators), sums.denominator)
    return asked.constant + asked.scale * total


def _dot(weights: Weights, totals: Integers) -> int:
    if weights.stored.dtype != np.int64:
        chosen = totals[weights.places()]
        short = largest(chosen) * max(len(chosen), 1) < 2**62
        return int(chosen.sum()) if short else int(chosen.astype(object).sum())
    dense = weights.dense()
    short = largest(dense) * largest(totals) * max(len(totals), 1) < 2**62
    return int(dense @ totals) if short else int((dense.astype(object) * totals).sum())


def agrees(logged: str, exact: Fraction | None) -> bool | None:
    """Whether a logged answer is the exact one, as far as its digits tell; None where it is no number.

    A database rounds or cuts, so the two may differ by less than one unit of the last digit logged.
    """
    text = logged.strip()
    if exact is None:
        return text == "" or text.upper() in ("NULL", "NONE", "\\N")
    found = parse_number(text)
    if found is None:
        return False if text == "" or text.upper() == "NULL" else None
    unit = _last_unit(text)
    return abs(found - exact) < max(unit, FLOAT_TOLERANCE * abs(exact)) or found == exact


def _last_unit(text: str) -> Fraction:
    """The worth of the last digit: 1/100 for ``12.30``, 1 for ``12``."""
    found = re.fullmatch(r"[+-]?\d*(?:\.(\d*))?(?:[eE]([+-]?\d+))?", text, re.ASCII)
    exponent = (int(found[2] or 0) if found else 0) - (len(found[1] or "") if found else 0)
    return Fraction(10) ** exponent
