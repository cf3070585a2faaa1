"""Labels that say an interval of numbers: ``(65, 120]``, ``[20, 30)``, ``>=65``, ``65+``, ``20-29``, ``under-18s``.

An interval lies between two cuts of the number line. A cut stands before a number or after it, so that ``[65`` and
``(65`` differ, and one interval lies within another where its cuts do. Labels that could mean several intervals are
none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from auditor.outputs.published.values import LONGEST_NUMBER, NUMBER, number_of

Cut = tuple[Fraction | float, int]
"""A place on the number line: a number (or an infinite one) and 0 for before it, 1 for after it."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The numbers between two cuts."""

    low: Cut
    high: Cut

    def holds(self, other: Span) -> bool:
        """Whether another span lies within this one."""
        return self.low <= other.low and other.high <= self.high

    def meets(self, other: Span) -> bool:
        """Whether some number is in both."""
        return max(self.low, other.low) < min(self.high, other.high)

    @property
    def whole(self) -> Span:
        """The span of the whole numbers in it: (65, 120] and [66, 121) have the same."""
        return Span(_whole(self.low), _whole(self.high))

    @property
    def others(self) -> Span | None:
        """The numbers that it does not hold, where these are one span."""
        if NUMBERS.low < self.low and NUMBERS.high <= self.high:
            return Span(NUMBERS.low, self.low)
        return Span(self.high, NUMBERS.high) if self.low <= NUMBERS.low and self.high < NUMBERS.high else None

    def __str__(self) -> str:
        """``(65, 66]``; the way pandas writes it."""
        if self.high == (self.low[0], 1) and not self.low[1]:
            return _text(self.low[0])
        opened, closed = "(" if self.low[1] else "[", "]" if self.high[1] else ")"
        low, high = _text(self.low[0]), _text(self.high[0])
        return f"{'(' if low == '-inf' else opened}{low}, {high}{')' if high == 'inf' else closed}"


NUMBERS = Span((-math.inf, 0), (math.inf, 1))


def point(number: Fraction) -> Span:
    """One number."""
    return Span((number, 0), (number, 1))


def compared(operator: str, bound: Fraction) -> Span:
    """The numbers below a bound, or above it; `operator` is one of < <= > >=."""
    cut = (bound, int(operator in ("<=", ">")))
    return Span(NUMBERS.low, cut) if operator[0] == "<" else Span(cut, NUMBERS.high)


def span_of(label: str) -> Span | None:
    """The interval that a label says; None for a number, another text, and an interval of nothing."""
    if len(label) > LONGEST_NUMBER:
        return None
    text = label.strip().casefold()
    for form, read in _FORMS:
        if (match := form.fullmatch(text)) is not None:
            found = read(*match.groups())
            return found if found is not None and found.low < found.high else None
    return None


def _whole(cut: Cut) -> Cut:
    number, after = cut
    if isinstance(number, float):
        return cut
    return (Fraction(math.floor(number) + 1 if after else math.ceil(number)), 0)


def _text(number: Fraction | float) -> str:
    return str(number) if isinstance(number, float) or number.denominator == 1 else f"{float(number):g}"


def _bracketed(opened: str, low: str, high: str, closed: str) -> Span | None:
    ends = _end(low), _end(high)
    if ends[0] is None or ends[1] is None:
        return None
    return Span((ends[0], int(opened == "(")), (ends[1], int(closed == "]")))


def _end(text: str) -> Fraction | float | None:
    if text.lstrip("+-") in ("inf", "infinity", "∞"):
        return -math.inf if text.startswith("-") else math.inf
    return number_of(text)


def _sided(operator: str) -> Callable[[str], Span | None]:
    def read(text: str) -> Span | None:
        number = number_of(text)
        return None if number is None else compared(operator, number)

    return read


def _signed(operator: str, text: str) -> Span | None:
    return _sided({"≤": "<=", "=<": "<=", "≥": ">="}.get(operator, operator))(text)


def _ranged(low: str, high: str) -> Span | None:
    first, last = number_of(low), number_of(high)
    return None if first is None or last is None else Span((first, 0), (last, 1))


_NUMBER = re.sub(r"\((?!\?)", "(?:", NUMBER.pattern)
_END = rf"({_NUMBER}|[+-]?(?:inf|infinity|∞))"
_PEOPLE = rf"({_NUMBER})(?:'?s)?(?:[\s-]*(?:years?|yrs?|year[\s-]olds?|jahren?))?(?:\s+old)?"
"""A number as it stands beside words: ``65``, ``65s``, ``65 years``."""


def _spoken(before: str, behind: str) -> str:
    """A form of words before a number, or behind it."""
    return rf"(?:aged?\s+)?(?:(?:{before})[\s-]+{_PEOPLE}|{_PEOPLE}[\s-]+(?:and|or|und|oder)[\s-]+(?:{behind}))"


_FORMS: tuple[tuple[re.Pattern[str], Callable[..., Span | None]], ...] = tuple(
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
