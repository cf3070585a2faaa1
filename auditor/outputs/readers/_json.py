"""JSON that a stranger wrote: numbers as they stand there, no key twice, every member with its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from auditor.errors import DataError, nearest
from auditor.outputs.published.outputs import Stated
from auditor.outputs.readers._file import LONGEST_TEXT, MOST_VALUES, File
from auditor.outputs.readers._numbers import stated, whole
from auditor.values import Digits

DEEPEST = 50
"""Levels of nesting; a neutral file has about eight."""


class _TwiceError(ValueError):
    """A key that appears twice in one object."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a document, with its place in it (``rules[3].support``) and the name of the file."""

    content: Any
    place: str
    file: str

    def wrong(self, what: str, right: str) -> NoReturn:
        """This value is not what it should be; the message has its place, never its text."""
        where = f"{self.file}: {self.place}" if self.place else self.file
        raise DataError(f"{where}: {what}; {right}")

    def members(self, told: Container[str] = ()) -> Iterator[tuple[str, Value]]:
        """The members of an object, by name; only names in `told`, those of the format itself, may stand in errors."""
        if not isinstance(self.content, dict):
            self.wrong("not an object", 'a JSON object, {"name": value}')
        for name, content in self.content.items():
            place = f"{self.place}.{name if name in told else '…'}".lstrip(".")
            yield _name(name, self), Value(content, place, self.file)

    def known(self, required: Iterable[str] = (), optional: Iterable[str] = ()) -> dict[str, Value]:
        """The members of an object that has no others; those that are null are left out."""
        required = tuple(required)
        names = (*required, *optional)
        found = dict(self.members(told=names))
        for name in found:
            if name not in names:
                self.wrong(f"a member that is not known{nearest(name[:40], names)}", f"one of {', '.join(names)}")
        for name in required:
            if name not in found:
                self.wrong(f"no member {name!r}", f"an object with {', '.join(map(repr, required))}")
        return {name: value for name, value in found.items() if value.content is not None}

    def elements(self) -> list[Value]:
        """The elements of an array."""
        if not isinstance(self.content, (list, tuple)):
            self.wrong("not an array", "a JSON array, [value, …]")
        return [Value(content, f"{self.place}[{i}]", self.file) for i, content in enumerate(self.content)]

    def text(self) -> str:
        """A text, or a number or truth value as JSON writes it."""
        if isinstance(self.content, bool):
            return "true" if self.content else "false"
        if isinstance(self.content, (int, float)):
            return json.dumps(self.content)
        if not isinstance(self.content, str):
            self.wrong("not text", "text, a number, true or false")
        return _name(str(self.content), self)

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.content, bool):
            self.wrong("not a truth value", "true or false")
        return self.content

    def count(self) -> int:
        """A whole number of records, from 0."""
        found = whole(self._number()) if self._is_number() else None
        if found is None:
            self.wrong(
                "a count that is not a whole number of records", "a whole number from 0, or null where suppressed"
            )
        return found

    def stated(self) -> Stated:
        """A number with the places it was written with; as a text too, and as ``{"value": "5/6", "places": 3}``."""
        if isinstance(self.content, dict):
            found = self.known(("value",), ("places",))
            return Stated(found["value"].stated().value, found["places"].count() if "places" in found else None)
        number = self._number() if self._is_number() or isinstance(self.content, str) else None
        if number is None:
            self.wrong("not a number", 'a number of ordinary size, such as 0.83, or an exact fraction, "5/6"')
        return number

    def each(self, read: Callable[[Value], Any]) -> tuple[Any, ...]:
        """What `read` makes of each element of an array."""
        return tuple(read(element) for element in self.elements())

    def _is_number(self) -> bool:
        return isinstance(self.content, (Digits, int, float)) and not isinstance(self.content, bool)

    def _number(self) -> Stated | None:
        return stated(self.content if isinstance(self.content, str) else repr(self.content))


def document(file: File) -> Value:
    """The JSON document in a file."""
    file.limit(MOST_VALUES, b",", b"[", b"{")
    try:
        content = json.loads(
            file.text, parse_int=Digits, parse_float=Digits, parse_constant=_constant, object_pairs_hook=_object
        )
    except RecursionError:
        file.wrong("", "JSON nested too deeply", f"at most {DEEPEST} levels")
    except _TwiceError:
        file.wrong("", "an object with one key twice", "each key once")
    except json.JSONDecodeError as error:
        file.wrong(error.lineno, f"not JSON ({error.msg})", "a JSON document")
    _shallow(file, content)
    return Value(content, "", file.name)


def _shallow(file: File, content: Any) -> None:
    level = [content]
    for _ in range(DEEPEST):
        level = [
            below
            for each in level
            if isinstance(each, (dict, list))
            for below in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    file.wrong("", "JSON nested too deeply", f"at most {DEEPEST} levels")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _TwiceError
    return found


def _constant(name: str) -> Digits:
    """NaN and the infinities are no JSON; where a number is wanted, they are refused with their place."""
    return Digits(name)


def _name(text: str, value: Value) -> str:
    if len(text) > LONGEST_TEXT:
        value.wrong(f"a text of more than {LONGEST_TEXT:,} characters", "the names and values of a table")
    if not text.isprintable() and ("\0" in text or any(0xD800 <= ord(character) < 0xE000 for character in text)):
        value.wrong("a text with a NUL character or half of a character", "text that UTF-8 can hold")
    return text
