"""Labels that say an interval of numbers: ``(65, 120]``, ``[20, 30)``, ``>=65``, ``65+``, ``20-29``, ``under-18s``.

Labels that could mean several intervals are none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

from auditor.interval import Interval
from auditor.outputs.published.values import LONGEST_NUMBER, NUMBER, number_of


def compared(operator: str, bound: Fraction) -> Interval[Fraction]:
    """The numbers below a bound, or above it; `operator` is one of < <= > >=."""
    open_ = operator in ("<", ">")
    return Interval(high=bound, high_open=open_) if operator[0] == "<" else Interval(bound, low_open=open_)


def others(span: Interval[Fraction]) -> Interval[Fraction] | None:
    """The numbers that are not in it, where these are one interval."""
    if (span.low is None) == (span.high is None):
        return None
    if span.low is None:
        return Interval(span.high, low_open=not span.high_open)
    return Interval(high=span.low, high_open=not span.low_open)


def span_of(label: str) -> Interval[Fraction] | None:
    """The interval that a label says; None for a number, another text, and an interval of nothing."""
    if len(label) > LONGEST_NUMBER:
        return None
    text = label.strip().casefold()
    for form, read in _FORMS:
        if (match := form.fullmatch(text)) is not None:
            found = read(*match.groups())
            return None if found is None or found.empty else found
    return None


def _bracketed(opened: str, low: str, high: str, closed: str) -> Interval[Fraction] | None:
    first, last = _end(low), _end(high)
    if first in (None, math.inf) or last in (None, -math.inf):
        return None
    return Interval.between((first, opened == "("), (last, closed == "]"))


def _end(text: str) -> Fraction | float | None:
    if text.lstrip("+-") in ("inf", "infinity", "∞"):
        return -math.inf if text.startswith("-") else math.inf
    return number_of(text)


def _sided(operator: str) -> Callable[[str], Interval[Fraction] | None]:
    def read(text: str) -> Interval[Fraction] | None:
        number = number_of(text)
        return None if number is None else compared(operator, number)

    return read


def _signed(operator: str, text: str) -> Interval[Fraction] | None:
    return _sided({"≤": "<=", "=<": "<=", "≥": ">="}.get(operator, operator))(text)


def _ranged(low: str, high: str) -> Interval[Fraction] | None:
    first, last = number_of(low), number_of(high)
    return None if first is None or last is None else Interval(first, last)


_NUMBER = re.sub(r"\((?!\?)", "(?:", NUMBER.pattern)
_END = rf"({_NUMBER}|[+-]?(?:inf|infinity|∞))"
_PEOPLE = rf"({_NUMBER})(?:'?s)?(?:[\s-]*(?:years?|yrs?|year[\s-]olds?|jahren?))?(?:\s+old)?"
"""A number as it stands beside words: ``65``, ``65s``, ``65 years``."""


def _spoken(before: str, behind: str) -> str:
    """A form of words before a number, or behind it."""
    return rf"(?:aged?\s+)?(?:(?:{before})[\s-]+{_PEOPLE}|{_PEOPLE}[\s-]+(?:and|or|und|oder)[\s-]+(?:{behind}))"


_FORMS: tuple[tuple[re.Pattern[str], Callable[..., Interval[Fraction] | None]], ...] = tuple(
    (re.compile(form, re.ASCII), read)
    for form, read in (
        (rf"([\[(])\s*{_END}\s*[,;]\s*{_END}\s*([\])])", _bracketed),
        (rf"(?:aged?\s*)?(<=|=<|>=|<|>|≤|≥)\s*({_NUMBER})", _signed),
        (rf"(?:aged?\s+)?{_PEOPLE}\s*(?:\+|-?\s*plus)", _sided(">=")),
        (r"(\d+(?:\.\d+)?)\s*(?:-|–|—|to)\s*(\d+(?:\.\d+)?)", _ranged),
        (
            rf"(?:aged?\s+)?(?:(?:more|older) than\s+|mehr als\s+|(?:over|above|über|ueber)[\s_-]*){_PEOPLE}",
            _sided(">"),
        ),
        (
            rf"(?:aged?\s+)?(?:(?:less|fewer|younger) than\s+|weniger als\s+|(?:under|below|unter)[\s_-]*){_PEOPLE}",
            _sided("<"),
        ),
        (
            _spoken("at least|no less than|mindestens|ab", "over|older|above|more|up|upwards|plus|älter|mehr|darüber"),
            lambda a, b: _sided(">=")(a or b),
        ),
        (
            _spoken(
                "at most|up to|within|no more than|not more than|höchstens|bis",
                "under|younger|below|less|fewer|jünger|weniger|darunter",
            ),
            lambda a, b: _sided("<=")(a or b),
        ),
    )
)
