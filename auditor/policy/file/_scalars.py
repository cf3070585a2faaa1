"""What a scalar means, given what the schema wants there. Nothing is guessed from how the text looks.

=============  ==============================================================================
wanted         read
=============  ==============================================================================
text           the text as it stands: no, on, 1:30, 0123 and 2027-03-31 are text
whole number   decimal digits, unquoted
number         decimal, with or without exponent, unquoted; where a share is wanted also 2%
bound          as a number, with all of its digits; also in quotes, as JSON holds more digits than a float has
true or false  true and false, unquoted, nothing else
one of a list  that very text
date           2027-03-31
=============  ==============================================================================
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from math import isfinite
from typing import Any, get_args

from auditor.policy.base import Percent, Placeholder
from auditor.policy.file.nodes import Scalar
from auditor.policy.file.problems import one_of

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,3})?")
PERCENTAGE = re.compile(r"([0-9]{1,40}(?:\.[0-9]{1,40})?)\s*%")


class NotThat(Exception):  # noqa: N818  (a signal inside this package, not an error)
    """The scalar is not what was wanted; the text says what would be right."""


def whole(node: Scalar) -> int:
    """A whole number."""
    if not node.plain or not WHOLE.fullmatch(node.text):
        raise NotThat("a whole number" + _unquote(node, WHOLE))
    return int(node.text)


def number(node: Scalar) -> float:
    """A number."""
    if not node.plain or not NUMBER.fullmatch(node.text):
        raise NotThat("a number" + _unquote(node, NUMBER))
    return float(node.text)


def bound(node: Scalar) -> Decimal:
    """A number that values are compared with, exactly as it is written; in quotes, too."""
    if not NUMBER.fullmatch(node.text) or not isfinite(float(node.text)):
        raise NotThat("a number")
    return Decimal(node.text)


def share(node: Scalar) -> float:
    """A number, or a percentage as the decimal fraction it stands for."""
    percentage = PERCENTAGE.fullmatch(node.text)
    if percentage:
        return float(Decimal(percentage.group(1)) / 100)
    try:
        return number(node)
    except NotThat as wrong:
        raise NotThat(f"{wrong} or a percentage such as 2%") from None


def truth(node: Scalar) -> bool:
    """``true`` or ``false``."""
    if not node.plain or node.text not in {"true", "false"}:
        raise NotThat("true or false")
    return node.text == "true"


def day(node: Scalar) -> date:
    """A date as ISO 8601 has it."""
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", node.text):
            return date.fromisoformat(node.text)
    except ValueError:
        pass
    raise NotThat("a date such as 2027-03-31")


def text(node: Scalar) -> str:
    """Text as it stands."""
    if node.plain and not node.text:
        raise NotThat("text")
    return node.text


def choice(node: Scalar, wanted: Any, metadata: tuple[Any, ...] = ()) -> Any:
    """One of the values of a Literal."""
    known = {str(value): value for value in get_args(wanted)}
    if node.text not in known:
        for mark in metadata:
            if isinstance(mark, Placeholder) and mark.word == node.text:
                raise NotThat(mark.decision)
        raise NotThat(one_of(node.text, list(known)))
    return known[node.text]


READERS: dict[Any, Any] = {bool: truth, int: whole, float: number, Decimal: bound, str: text, date: day}


def scalar(node: Scalar, wanted: Any, metadata: tuple[Any, ...]) -> Any:
    """The value of a scalar where a plain type is wanted.

    Raises:
        NotThat: with what would be right.

    """
    if wanted is float and any(isinstance(mark, Percent) for mark in metadata):
        return share(node)
    return READERS[wanted](node)


def _unquote(node: Scalar, pattern: re.Pattern[str]) -> str:
    return ", without quotes" if not node.plain and pattern.fullmatch(node.text) else ""
