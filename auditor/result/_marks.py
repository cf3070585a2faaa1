"""Who may see a field of a result, and the words that every result is written in."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, TypeAlias


class Visibility(StrEnum):
    """Who may see a field."""

    FACT = "fact"
    TOTAL = "total"
    CELL = "cell"
    NAME = "name"
    RUN = "run"


class Kind(StrEnum):
    """What a total is, so that a number which merely reveals a small count is hidden like the count itself."""

    COUNT = "count"
    SHARE = "share"
    """Times the number of rows (or units), it is a count."""
    PERCENT = "percent"
    """Times the number of rows (or units), over 100, it is a count."""
    RISK = "risk"
    """One divided by the size of a class."""
    AVERAGE = "average"
    """The number of rows divided by the number of classes."""
    LOSS = "loss"
    """What a generalization loses: no count in itself, but one that may tell how many records were suppressed."""
    DERIVED = "derived"
    """Follows from counts of people without being one: hidden where they are."""
    OF_CLASS = "of-class"
    """A share, ratio or distance of one class, leaf, rule or cell: the counts that it is made of follow from it."""
    AMOUNT = "amount"
    """A width or a value in the data's own unit: never for the public."""
    QUERY_SET = "query-set"
    """The size of a query set: such numbers add and subtract, so one is hidden where another tells a small one."""
    JOINT = "joint"
    """What several query sets have in common, or are together: likewise."""
    QUERIES = "queries"
    """How many queries were asked: a group of a statement is one, so it may tell how many groups there are."""
    TRUTH = "truth"
    """Whether something is so: there is no number."""


class Audience(StrEnum):
    """The audience that a document is rendered for."""

    PUBLIC = "public"
    REVIEWER = "reviewer"
    INTERNAL = "internal"


class HiddenTotal:
    """What stands for a total that the audience may not see.

    It is no number: not NaN, with which a sum or a comparison would go on in silence. A field that is typed as a number
    holds it all the same below the internal audience (so do mappings and lists of numbers): ask `is_hidden` first.
    """

    def __str__(self) -> str:
        return "hidden"

    __repr__ = __str__


HIDDEN: Final = HiddenTotal()


def is_hidden(value: object) -> bool:
    """Whether a field holds `HIDDEN`."""
    return value is HIDDEN


class Status(StrEnum):
    """The outcome for one requirement."""

    PASS = "pass"  # noqa: S105  (a verdict, no password)
    FAIL = "fail"
    WARNING = "warning"
    WAIVED = "waived"
    NOT_EVALUATED = "not-evaluated"


class Strictness(StrEnum):
    """What a policy is, beside an earlier one; also what one of its fields is."""

    STRICTER = "stricter"
    EQUAL = "equal"
    WEAKER = "weaker"
    MIXED = "mixed"
    """Stricter in some fields, weaker in others."""
    INCOMPARABLE = "incomparable"
    """A field changed that has no order: a person has to look."""
    UTILITY = "utility"
    """Of a field alone: what a release loses, not what it may tell."""


class Verdict(StrEnum):
    """The outcome for the policy: the first of fail, not-evaluated, waived, pass that applies."""

    FAIL = "fail"
    NOT_EVALUATED = "not-evaluated"
    WAIVED = "waived"
    PASS = "pass"  # noqa: S105  (a verdict, no password)


def _marked(visibility: Visibility, default: Any, kind: Kind | None = Kind.COUNT, holds: str = "") -> Any:
    metadata = {"visibility": visibility, "kind": kind, "holds": holds}
    # what is for the internal audience alone is not in the repr, which goes to logs and notebooks
    shown = visibility not in (Visibility.CELL, Visibility.NAME)
    compare = visibility is not Visibility.RUN
    if default is ...:
        return dataclasses.field(metadata=metadata, compare=compare, repr=shown)
    return dataclasses.field(default=default, metadata=metadata, compare=compare, repr=shown)


def fact(default: Any = ...) -> Any:
    """A field that everybody may see."""
    return _marked(Visibility.FACT, default)


def path(default: Any = ...) -> Any:
    """The path of a file or folder of data: the values in folders of partitions are for the internal audience alone."""
    return _marked(Visibility.FACT, default, holds="path")


def column(default: Any = ...) -> Any:
    """The name of a column of the data, several, or what is said of each by its name.

    Below the internal audience a place stands for a column that the policy does not name. A text may name a column in
    quotation marks, as ``repr`` writes it, or as a word of its own behind "of".
    """
    return _marked(Visibility.FACT, default, holds="column")


def total(default: Any = ..., kind: Kind | None = Kind.COUNT) -> Any:
    """A number counted over people: hidden from the public where it is small, or reveals one that is.

    Where `kind` is None, the field `kind` of its owner says what it is.
    """
    return _marked(Visibility.TOTAL, default, kind)


def cell(default: Any = ...) -> Any:
    """A value, key or record of the data: for the internal audience alone."""
    return _marked(Visibility.CELL, default)


def name(default: Any = ...) -> Any:
    """The name of a user, or several: below the internal audience a number stands for it, the same in all places."""
    return _marked(Visibility.NAME, default)


def run(default: Any = ...) -> Any:
    """A field about this run on its machine, as its times: not for the public, to whom it says nothing of the data.

    Results that differ in nothing else are equal.
    """
    return _marked(Visibility.RUN, default)


Fields: TypeAlias = tuple[dataclasses.Field[object], ...]
_FIELDS: dict[type, Fields | None] = {}
"""By class: the same for all of its records, and looked up for every part of a document, many times."""


def fields_of(value: object) -> Fields | None:
    """The fields of a record; None of what is none."""
    of = type(value)
    if of not in _FIELDS:
        _FIELDS[of] = dataclasses.fields(of) if dataclasses.is_dataclass(of) else None
    return _FIELDS[of]


def plain(value: Any) -> Any:
    """A result as JSON-ready values: mappings, lists, numbers, text; +∞ as the string ``inf``, `HIDDEN` as None."""
    fields = fields_of(value)
    if fields is not None:
        return {field.name: plain(getattr(value, field.name)) for field in fields}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return None if value is HIDDEN else value


def as_id(name: str) -> str:
    """A column's name as part of an id.

    >>> as_id("blood type (ABO)")
    'blood-type--ABO-'
    """
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in name)
