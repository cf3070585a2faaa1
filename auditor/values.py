"""When two texts are the same value: what a policy lists meets what the data holds by value, whatever holds it.

A number is the same however it is written (1, 1.0, 1.00, 1e0), as is a truth value (true, True, and 1 where a program
writes it so) and a moment (2026-03-29, 2026-03-29 00:00:00; 2026-03-29T01:00+01, 2026-03-29T00:00:00.000Z). A code
such as 01 is a text of its own, and so is everything else.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Container, Iterable, Sequence
from fractions import Fraction

ALIKE = "only in case, white space, Unicode form or number format"
"""How texts differ that have one spelling."""
MINUS = "\u2212"
"""The sign that typesetters write for -, as they write dashes."""
LONGEST_NUMBER = 400
"""Characters of a number that is read; with an exponent of at most three digits, no number is large."""
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,3}))?", re.ASCII)
"""A decimal number; its groups are the places after the point, with digits before it and without, and the exponent."""
_PADDED = re.compile(r"[+-]?0\d")
_TRUTH = {
    word: Fraction(truth) for truth, name in enumerate(("false", "true")) for word in (name, name.title(), name.upper())
}
_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?", re.ASCII
)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8: bytes that were no text when they were read cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class Digits(str):
    """A number of a JSON document as it was written."""

    __slots__ = ()


def number_of(text: str | None) -> Fraction | None:
    """The exact number that a text is; None for what is none, or could only be written to exhaust memory."""
    if text is None or len(text) > LONGEST_NUMBER or not NUMBER.fullmatch(text):
        return None
    return Fraction(text)


def same_value(text: str) -> str | Fraction:
    """What a value is compared by: equal for texts that are the same value. 26 and 26.0 are one, 0126 is itself."""
    if text in _TRUTH:
        return _TRUTH[text]
    number = None if _PADDED.match(text) else number_of(text)
    if number is not None:
        return number
    return moment_of(text) or text


def spelling(text: str) -> str | Fraction:
    """What texts share that differ in case, white space, Unicode form or the writing of a number or a time alone.

    >>> spelling("HIV ") == spelling("hiv"), spelling("01") == spelling("1.0"), spelling("n / a") == spelling("N/A")
    (True, True, True)
    """
    moment = moment_of(" ".join(text.split()).upper())
    if moment is not None:
        return moment
    plain = "".join(as_seen(text).split())
    number = number_of(plain)
    return plain if number is None else number


def as_seen(text: str) -> str:
    """A text in lower case, in Unicode form NFKC, without signs that nobody sees, and with one sign for every dash."""
    shown = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(
        "-" if c == MINUS or unicodedata.category(c) == "Pd" else c for c in shown if unicodedata.category(c) != "Cf"
    )


def near(listed: Iterable[str], labels: Iterable[str | None]) -> list[tuple[str, str]]:
    """Each listed text with a label that differs from it in its spelling alone, or not at all."""
    wanted = {spelling(text): text for text in listed}
    numbers = any(isinstance(each, Fraction) or moment_of(each) for each in wanted)
    return [
        (wanted[same], label)
        for label in (labels if wanted else ())
        if label is not None and not _is_unlike(label, wanted, numbers=numbers) and (same := spelling(label)) in wanted
    ]


def _is_unlike(label: str, wanted: Container[object], *, numbers: bool) -> bool:
    """Whether a label is quickly seen to have another spelling, as most of a long column are."""
    if not label.isascii() or (numbers and label.lstrip()[:1] in "+-.0123456789"):
        return False
    return "".join(label.split()).lower() not in wanted


def misspelled(
    listed: Sequence[str], labels: Iterable[str | None], meant: Iterable[str] = ()
) -> tuple[list[str], list[tuple[str, str]]]:
    """The listed values that no label is; and those of them, with a label, that differ from one in spelling alone.

    A label that is `meant` is what it is, and makes no other text a wrong spelling of it.
    """
    known = [label for label in labels if label is not None]
    held, kept = Values(known), Values(meant)
    absent = [text for text in listed if text not in held]
    return absent, near(absent, (label for label in known if label not in kept)) if absent else []


def moment_of(text: str) -> str | None:
    """The time that a text names, to the nanosecond, one with a zone in UTC; a day is its midnight.

    None for a text that is no date or time in the form of ISO 8601.
    """
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    day, clock, seconds, fraction, zone = found.groups()
    try:
        moment = dt.datetime.fromisoformat(f"{day}T{clock or '00:00'}:{seconds or '00'}{_colon(zone)}")
        if zone is not None:
            moment = moment.astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return None
    plain = moment.replace(tzinfo=None).isoformat()
    return f"{plain}.{(fraction or '').ljust(9, '0')}{'Z' if zone is not None else ''}"


def _colon(zone: str | None) -> str:
    """A zone as Python reads it."""
    if zone is None or zone == "Z":
        return "+00:00" if zone else ""
    return f"{zone[:3]}:{zone[-2:] if len(zone) > 3 else '00'}"


class Values:
    """Values that a policy lists; a label is among them where it is the same value as one."""

    def __init__(self, listed: Iterable[str]) -> None:
        """Of texts; of two that are the same value the first counts."""
        self.listed = tuple(listed)
        self._texts = {text: place for place, text in reversed(list(enumerate(self.listed)))}
        self._same = {same_value(text): place for place, text in reversed(list(enumerate(self.listed)))}

    def place(self, label: str | None) -> int | None:
        """Where a label stands in the list: by its text, else by its value; None where it does not."""
        if label is None:
            return None
        return self._texts[label] if label in self._texts else self._same.get(same_value(label))

    def __contains__(self, label: object) -> bool:
        return isinstance(label, str) and self.place(label) is not None
