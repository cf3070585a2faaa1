"""Python objects, and values of JSON, as texts: equal ones share a text, whatever type holds them.

So 1, 1.0 and Decimal("1.00") are one value, and True among numbers is 1; a moment is one in whichever time zone it is
written, a duration in whichever type; an object of JSON is one whatever the order of its keys. A number and the text
that it is written as are one value, too, as they are in CSV; where a column has both, that is told.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

ALIKE = (
    "A column has values of several kinds that count as one value here: a text and another value written alike, true "
    "and 1, or a day and its midnight."
)
WHOLE = 1e38
"""Below it floats that are whole numbers are written as such, whatever holds them."""
MOST_PLACES = 400
"""Decimals with so many digits before or behind the point are written out."""


def object_texts(values: Sequence[Any]) -> list[str | None]:
    """The text of each value, the same one for equal values; None for a missing one."""
    plain = [_plain(value) for value in values]
    kinds = {type(value) for value in plain}
    if kinds & {int, float, Decimal, Fraction}:
        plain = [int(value) if isinstance(value, bool) else value for value in plain]
    if dt.datetime in kinds and dt.date in kinds:
        plain = [dt.datetime.combine(value, dt.time()) if type(value) is dt.date else value for value in plain]
    return [None if value is None else _text(value) for value in plain]


def are_alike(values: Iterable[Any], texts: Iterable[str | None]) -> bool:
    """Whether one of some values is a text, a truth value or a day, and another one something else of the same text."""
    kinds: dict[str, str] = {}
    return any(
        kinds.setdefault(text, _kind(value)) != _kind(value)
        for value, text in zip(values, texts, strict=True)
        if text is not None
    )


def _kind(value: Any) -> str:
    """What a value is besides its text, where values of another kind may share that."""
    name = type(value).__name__
    if isinstance(value, str):
        return "text"
    return {"bool": "truth", "bool_": "truth", "date": "day"}.get(name, "other")


def json_text(text: str) -> str:
    """A value of JSON, written so that equal ones share a text; as it is where Python cannot read it.

    >>> json_text('{"b": [1.0, 2], "a": null}')
    '{"a":null,"b":[1,2]}'
    """
    try:
        value = json.loads(text, parse_float=_number, parse_constant=lambda _: None)
        return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return text


def number_text(value: Any) -> Any:
    """A number as the text that it shares with every equal one; everything else as it is."""
    if isinstance(value, Decimal) and not value.is_finite():
        value = float(value)
    if isinstance(value, Decimal):
        if abs(value.adjusted()) > MOST_PLACES:
            return str(value)
        text = format(value, "f")
        return (text.rstrip("0").rstrip(".") if "." in text else text) if value else "0"
    if isinstance(value, float):
        if value != value:  # noqa: PLR0124  (NaN)
            return None
        return str(int(value)) if abs(value) < WHOLE and value == int(value) else repr(float(value))
    return value


def _number(text: str) -> int | float:
    number = float(text)
    return int(number) if abs(number) < WHOLE and number == int(number) else number


def _plain(value: Any) -> Any:
    """A value in a type of Python's own; None for a missing one."""
    import numpy as np
    import pandas as pd

    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.datetime64):
        value = pd.Timestamp(value)
    elif isinstance(value, np.timedelta64):
        value = pd.Timedelta(value)
    elif isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, complex) and not value.imag:
        value = value.real
    if isinstance(value, Fraction) and float(value) == value:
        value = float(value)
    if isinstance(value, np.longdouble) and float(value) == value:  # which no type of Python holds
        value = float(value)
    return None if isinstance(value, float | Decimal) and value != value else value  # noqa: PLR0124  (NaN)


def _text(value: Any) -> str:
    import pandas as pd

    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return _in_utc(value)
    if isinstance(value, dt.time) and value.utcoffset() is not None:
        return _clock(value)
    try:
        if isinstance(value, dt.timedelta):
            return str(pd.Timedelta(value))
        if isinstance(value, dict | list | tuple | set | frozenset):
            return json.dumps(_nested(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except (OverflowError, ValueError, RecursionError):  # longer than nanoseconds reach; without an end
        return str(value)
    return str(number_text(value))


def _in_utc(value: dt.datetime) -> str:
    """A moment with a zone as it is in UTC; one at the end of the calendar, that UTC does not reach, as it is."""
    try:
        return str(value.astimezone(dt.UTC))
    except OverflowError:
        return str(value)


def _clock(value: dt.time) -> str:
    """A time of day with a zone as it is in UTC, where that is the same day."""
    zero = dt.datetime.combine(dt.date(2000, 1, 2), value.replace(tzinfo=None))
    moved = zero - (value.utcoffset() or dt.timedelta())
    return f"{moved.time()}+00:00" if moved.date() == zero.date() else str(value)


def _nested(value: Any) -> Any:
    """Lists and mappings of values as JSON has them; sets in the order of their texts."""
    value = _plain(value)
    if isinstance(value, dict):
        return {str(key): _nested(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_nested(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted(_text(each) for each in value)
    if isinstance(value, float | Decimal):
        text, near = str(number_text(value)), float(value)
        return _number(text) if abs(near) < float("inf") and number_text(near) == text else text
    return value if value is None or isinstance(value, bool | int | str) else _text(value)
