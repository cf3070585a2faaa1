"""Names that may be values of the data: users of a log, columns that the policy does not name, folders, files.

A file without a header has its first record for a header, a table spread wide has a column for each value, and
``diagnosis=HIV/`` is a folder; all would stand on a page without being a value of any cell. Below the internal audience
a place stands for such a name: ``user 2`` is the second of the log, ``column 3`` the third of the table,
``diagnosis=…`` a folder, ``file 2`` a file whose name nobody wrote, because it lies in a folder or a pattern matches
it. A column that a glob matches, or the rule for columns that the policy does not name, is one of them.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Container, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar, cast

from auditor.errors import without_partitions
from auditor.report._parts import Field, Part, Record, inside, is_part, marked
from auditor.result import Document, PolicyFacts, Result, Visibility, as_id, fields_of

if TYPE_CHECKING:
    from auditor.result.gate import ReleaseResult

_QUOTED = re.compile(r"""(?<!\w)(['"])((?:\\.|(?!\1).)*?)\1(?!\w)""", re.DOTALL)
_IN_QUOTES = re.compile(r"""(?:(?<!\w)([Cc])olumn )?(?<!\w)((['"`])(?:\\.|(?!\3).)*?\3)(?!\w)""", re.DOTALL)
"""A text in quotation marks, as messages write names; an apostrophe within or behind a word is none."""
_ELSEWHERE = "a column"
"""What stands for a column of another table of the document."""
INTERNAL = "the internal audience is told why"
_END = 3
"""Characters of a name's end: a text without any of them names no file, which is soon seen of thousands of names."""
LONGEST = 60
"""So many characters of a name stand in a message about a policy."""


Shown = TypeVar("Shown", "Document", "ReleaseResult")


def placed(result: Shown, files: Mapping[str, str] | None = None) -> Shown:
    """The document with a place for every such name; a document that has only places is given back as it is.

    `files` are the places of files of the release that the document is of, as `places_of_files` gives them.
    """
    result = _without_files(result)
    users = {name: f"user {place}" for place, name in enumerate(dict.fromkeys(_users(result)), 1)}
    known = FileNames({**places_of_files(result), **(files or {})})
    return _NamePlaces(users, dict.fromkeys(_columns(result), _ELSEWHERE), known).of(result)


def places_of_files(owner: Part) -> dict[str, str]:
    """The places of the files that were found, by every name that a text may have for them."""
    places: dict[str, str] = {}
    for number, name in enumerate(dict.fromkeys(_found(owner)), 1):
        for form in (name, without_partitions(name), name.rpartition("/")[2]):
            places.setdefault(form, f"file {number}")
    return places


class FileNames:
    """What stands for names of files in a text, longer names first."""

    def __init__(self, places: Mapping[str, str]) -> None:
        """`places` are by name."""
        self.places = places
        self.ends = {name[-_END:] for name in places}
        names = "|".join(map(re.escape, sorted(places, key=len, reverse=True)))
        self.pattern = re.compile(rf"(?<![\w.-])(?:{names})(?![\w-])")

    def instead(self, text: str) -> str:
        """The text with places."""
        if not any(end in text for end in self.ends):
            return text
        return self.places.get(text) or self.pattern.sub(lambda found: self.places[found[0]], text)


def _without_files(result: Shown) -> Shown:
    """Why counts of several files could not be added to names a file, and is not told."""
    since = result.since if isinstance(result, Result) else None
    if since is None or since.reason is None or (result.data is not None and result.data.files == 1):
        return result
    told = dataclasses.replace(since, reason=INTERNAL)
    return cast("Shown", dataclasses.replace(cast("Result", result), since=told))


def without_quoted(text: str, known: Container[str] = ()) -> str:
    """A message with … for what it quotes, which may be a value of the data, unless that is `known`."""
    return _QUOTED.sub(lambda quoted: quoted[0] if quoted[2] in known else f"{quoted[1]}…{quoted[1]}", text)


class _NamePlaces:
    """The places of names, where `columns` are those of the table around that the policy does not name."""

    def __init__(self, users: Mapping[str, str], columns: Mapping[str, str], files: FileNames) -> None:
        self.users = users
        self.columns = columns
        self.files = files
        self.quoted = {form: place for name, place in columns.items() for form in _forms(name)}
        self.ids: dict[str, str] = {}

    def of(self, owner: Record) -> Record:
        """A part of the document; `data` in it says which columns its table has. The policy has its own words alone."""
        if isinstance(owner, PolicyFacts):
            return owner
        inside = self._inside(owner)
        fields = fields_of(owner) or ()
        changes = {field.name: inside.field_of(field, getattr(owner, field.name)) for field in fields}
        command, source = getattr(owner, "reproduce", None), getattr(getattr(owner, "data", None), "source", None)
        if command and source:
            changes["reproduce"] = self.files.instead(command.replace(source, without_partitions(source)))
        changes = {name: value for name, value in changes.items() if value != getattr(owner, name)}
        return dataclasses.replace(owner, **changes) if changes else owner

    def _inside(self, owner: Part) -> _NamePlaces:
        own = _own_columns(owner)
        if own is None:
            return self
        inside = _NamePlaces(self.users, {**self.columns, **own}, self.files)
        for each in getattr(owner, "requirements", ()):
            place = inside.columns.get(each.sensitive)
            if place is not None and f"-{as_id(each.sensitive)}" in each.id:
                inside.ids[each.id] = each.id.replace(f"-{as_id(each.sensitive)}", f"-{as_id(place)}")
        return inside

    def field_of(self, field: Field, value: object) -> object:
        holds = field.metadata["holds"]
        if field.metadata["visibility"] is Visibility.NAME:
            return tuple(map(self.users.get, value)) if isinstance(value, tuple) else self.users.get(str(value))
        if holds == "path" and isinstance(value, str):
            return self.files.places.get(value) or without_partitions(value)
        return self._part(value, names=holds == "column")

    def _part(self, value: object, *, names: bool) -> object:
        """What a field holds, or a part of that; `names` says whether its texts are names of columns."""
        if isinstance(value, str) and not isinstance(value, StrEnum):
            return self._name(value) if names else self._text(value)
        if isinstance(value, Mapping):
            # a parameter that is the name of a column stands alone, without a mark and without quotation marks
            return {self._part(key, names=names): self._part(item, names=True) for key, item in value.items()}
        if isinstance(value, tuple | list):
            return type(value)(self._part(part, names=names) for part in value)
        return self.of(value) if is_part(value) else value

    def _name(self, name: str) -> str:
        """A name of a column, or what is asked for of several: ``sum of salary, bonus``."""
        if name in self.columns:
            return self.columns[name]
        what, of, names = name.partition(" of ")
        if not of or not self.columns:
            return self._text(name)
        for each in self.columns:
            names = names.replace(each, self.columns[each]) if ", " in each else names
        return what + of + ", ".join(self.columns.get(each, each) for each in names.split(", "))

    def _text(self, text: str) -> str:
        if text in self.ids:
            return self.ids[text]
        return self.files.instead(_IN_QUOTES.sub(self._instead, text) if self.columns else text)

    def _instead(self, found: re.Match[str]) -> str:
        place = self.quoted.get(found[2])
        if place is None:
            return found[0]
        return place if found[1] is None else found[1] + place.removeprefix("c") if place != _ELSEWHERE else place


def _forms(name: str) -> set[str]:
    """A name as a message may write it."""
    cut = name if len(name) <= LONGEST else f"{name[: LONGEST - 3]}..."
    return {repr(name), repr(cut), json.dumps(name), json.dumps(name, ensure_ascii=False), f"`{name}`"}


def _own_columns(owner: Part) -> dict[str, str] | None:
    """The places of the columns that the policy does not name, of the table of a document; None where it has none."""
    roles = getattr(getattr(owner, "data", None), "column_roles", None)
    if roles is None:
        return None
    return {
        each.name: f"column {place}"
        for place, each in enumerate(roles, 1)
        if each.named is False or (each.named is None and each.role == "undeclared")
    }


def _columns(owner: Part) -> Iterator[str]:
    """The columns, of all tables in the document, that the policy does not name."""
    yield from _own_columns(owner) or ()
    for part in inside(owner):
        yield from _columns(part)


def _found(owner: Part) -> Iterator[str]:
    """The files, of all parts of the document, whose name nobody wrote."""
    found: object = getattr(owner, "found", None)
    if found is True:
        yield getattr(owner, "name", None) or getattr(owner, "file")  # noqa: B009  (an output has a file, and no name)
    elif isinstance(found, tuple):
        yield from found
    for part in inside(owner):
        yield from _found(part)


def _users(owner: Part) -> Iterator[str]:
    for _, field, value, _ in marked(owner):
        if field.metadata["visibility"] is Visibility.NAME:
            yield from [value] if isinstance(value, str) else cast("tuple[str, ...]", value or ())
