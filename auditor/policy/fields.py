"""Two blocks of policies, field by field: the order of every field comes from the field's own declaration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from auditor.files import text_digest
from auditor.models import Stricter
from auditor.policy._canonical import masked, said
from auditor.policy._groupings import groupings
from auditor.policy.file.annotations import fields, form
from auditor.policy.schema import Policy
from auditor.result import Strictness

if TYPE_CHECKING:
    from auditor.result.comparison import Difference

STRICTER, EQUAL, WEAKER = Strictness.STRICTER, Strictness.EQUAL, Strictness.WEAKER
INCOMPARABLE, UTILITY = Strictness.INCOMPARABLE, Strictness.UTILITY


@dataclass(frozen=True)
class FieldPlace:
    """Where a value stands in each policy (None: nowhere), and the path that people see."""

    old: str | None
    new: str | None
    shown: str

    def at(self, name: str) -> FieldPlace:
        """A field of the block that stands here."""
        old, new = (None if path is None else f"{path}/{name}".lstrip("/") for path in (self.old, self.new))
        return FieldPlace(old, new, f"{self.shown}/{name}".lstrip("/"))


TOP = FieldPlace("", "", "")


@dataclass(frozen=True)
class Sides:
    """The two policies that are compared."""

    old: Policy
    new: Policy

    @cached_property
    def groupings(self) -> tuple[dict[int, frozenset[str]], dict[int, frozenset[str]]]:
        """By which columns the requirements of each policy group, by the requirement's identity."""
        return groupings(self.old), groupings(self.new)

    @cached_property
    def grouped_by_name(self) -> frozenset[str]:
        """The columns that requirements name to group by."""
        both = (*self.old.requirements, *self.new.requirements)
        return frozenset(name for r in both for name in getattr(r, "quasi_identifiers", None) or ())

    @cached_property
    def _secret_blocks(self) -> tuple[frozenset[str], frozenset[str]]:
        """The places that are secret or hold a secret, in each policy."""
        old, new = (frozenset(block for path in each for block in _upwards(path)) for each in self._secrets)
        return old, new

    @cached_property
    def _files(self) -> tuple[dict[str, dict[str, Path]], dict[str, dict[str, Path]]]:
        return _files(self.old), _files(self.new)

    @cached_property
    def _secrets(self) -> tuple[dict[str, str], dict[str, str]]:
        return self.old.secret_names, self.new.secret_names

    def difference(
        self, place: FieldPlace, values: tuple[Any, Any], direction: str, verdict: Strictness, note: str | None = None
    ) -> Difference:
        """One entry of the answer."""
        from auditor.result.comparison import Difference

        return Difference(
            path=place.shown,
            old=self._plain(values[0], self._secrets[0], place.old),
            new=self._plain(values[1], self._secrets[1], place.new),
            old_origin=None if place.old is None else self.old.location(place.old),
            new_origin=None if place.new is None else self.new.location(place.new),
            direction=direction,
            verdict=verdict,
            note=note,
        )

    @staticmethod
    def _plain(value: Any, secrets: Mapping[str, str], path: str | None) -> Any:
        if isinstance(value, (set, frozenset)):
            return sorted(value)
        return said(value, secrets, path or "")

    def block(self, place: FieldPlace, old: BaseModel, new: BaseModel, skip: Iterable[str] = ()) -> list[Difference]:
        """What differs between two blocks of one kind, in the order of the block's fields."""
        return [
            found
            for name, direction in directions(type(new)).items()
            if name not in skip
            for found in self.field(place.at(name), direction, getattr(old, name), getattr(new, name), type(new))
        ]

    def field(
        self, place: FieldPlace, direction: Stricter, old: Any, new: Any, block: type[BaseModel]
    ) -> list[Difference]:
        """What differs in one field."""
        if direction is Stricter.NEUTRAL:
            return []
        if type(old) is type(new) and isinstance(new, BaseModel) and direction in {Stricter.NESTED, Stricter.REVIEW}:
            return self.block(place, old, new)
        if self._has_secrets(place):
            return self._confidential(place, direction, old, new)
        if old != new:
            return [self.difference(place, (old, new), direction, self._order(place, direction, old, new, block))]
        if self._same_files(place):
            return []
        note = "the file has other contents"
        return [self.difference(place, (old, new), direction, INCOMPARABLE, note)]

    def _order(self, place: FieldPlace, direction: Stricter, old: Any, new: Any, block: type[BaseModel]) -> Strictness:
        if direction is Stricter.NESTED and isinstance(old, tuple) and isinstance(new, tuple):
            return self._rules(place, old, new)
        return order(direction, old, new, choices_of(block, place.shown.rpartition("/")[2]))

    def _rules(self, place: FieldPlace, old: tuple[BaseModel, ...], new: tuple[BaseModel, ...]) -> Strictness:
        """Two lists of rules that must all hold: stricter where each old one follows from a new one."""

        def follow(those: tuple[BaseModel, ...], these: tuple[BaseModel, ...]) -> bool:
            return all(any(follows(one, from_) for from_ in these) for one in those)

        def follows(one: BaseModel, from_: BaseModel) -> bool:
            return all(found.verdict in {STRICTER, EQUAL} for found in self.block(place, one, from_))

        forth, back = follow(old, new), follow(new, old)
        if forth:
            return EQUAL if back else STRICTER
        return WEAKER if back else INCOMPARABLE

    def _has_secrets(self, place: FieldPlace) -> bool:
        return place.old in self._secret_blocks[0] or place.new in self._secret_blocks[1]

    def _confidential(self, place: FieldPlace, direction: Stricter, old: Any, new: Any) -> list[Difference]:
        """A secret is equal to itself, and to nothing else: telling which is stricter would tell what it is."""
        named = [
            masked(_dumped(value), secrets, lambda name: {"secret": name}, path or "")
            for value, secrets, path in zip((old, new), self._secrets, (place.old, place.new), strict=True)
        ]
        if named[0] == named[1]:
            return []
        return [self.difference(place, (old, new), direction, INCOMPARABLE, "a confidential value is not compared")]

    def _same_files(self, place: FieldPlace) -> bool:
        """Whether the files that a value names, or that are named in it, have the same contents."""
        old = {} if place.old is None else self._files[0].get(place.old, {})
        new = {} if place.new is None else self._files[1].get(place.new, {})
        return old.keys() == new.keys() and all(_alike(file, new[name]) for name, file in old.items())


@cache
def directions(block: type[BaseModel]) -> dict[str, Stricter]:
    """Which way each field of a block points; what names the kind of an entry has no direction."""
    return {
        name: mark
        for name, field in block.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, Stricter) and not _names_the_kind(field)
    }


def _names_the_kind(field: FieldInfo) -> bool:
    """Whether a field has one value alone, that of its kind of entry: ``model: k-anonymity``."""
    return get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1


@cache
def choices_of(block: type[BaseModel], name: str) -> tuple[Any, ...]:
    """The words that a field chooses between, from the strictest to the weakest; empty for other fields."""
    allowed = fields(block).get(name, ())
    return tuple(word for kind, _ in allowed if form(kind) is Literal for word in get_args(kind))


def order(direction: Stricter, old: Any, new: Any, choices: tuple[Any, ...] = ()) -> Strictness:
    """How a value stands to an earlier one, under the order that its field declares.

    None is no limit where numbers are ordered and where fewer is stricter, and everything where more is stricter.
    """
    if old == new:
        return EQUAL
    if choices and direction is Stricter.HIGHER:
        old, new = (None if word is None else -choices.index(word) for word in (old, new))
    compared = {
        Stricter.HIGHER: lambda: _magnitude(old, new, sign=1),
        Stricter.LOWER: lambda: _magnitude(old, new, sign=-1),
        Stricter.SUPERSET: lambda: _inclusion(old, new),
        Stricter.SUBSET: lambda: _inclusion(new, old),
        Stricter.TRUE: lambda: STRICTER if new else WEAKER,
        Stricter.FALSE: lambda: WEAKER if new else STRICTER,
        Stricter.NESTED: lambda: WEAKER if new is None else STRICTER if old is None else INCOMPARABLE,
        Stricter.UTILITY: lambda: UTILITY,
    }
    return compared.get(direction, lambda: INCOMPARABLE)()


def _magnitude(old: Any, new: Any, sign: int) -> Strictness:
    if old is None or new is None:
        return STRICTER if old is None else WEAKER
    return STRICTER if sign * new > sign * old else WEAKER


def _inclusion(less: Any, more: Any) -> Strictness:
    """Whether `more` holds all of `less` (stricter), the other way round (weaker), or neither; None is everything."""
    if less is None or more is None:
        return STRICTER if more is None else WEAKER
    smaller, larger = _elements(less), _elements(more)
    if smaller is None or larger is None:
        return INCOMPARABLE
    if smaller == larger:
        return EQUAL
    return STRICTER if smaller < larger else WEAKER if smaller > larger else INCOMPARABLE


def _elements(values: Any) -> frozenset[Any] | None:
    """The elements of a list, or the pairs of a mapping to lists; None where a key lists nothing."""
    if isinstance(values, dict):
        return (
            frozenset((key, item) for key, items in values.items() for item in items) if all(values.values()) else None
        )
    return frozenset((values,) if isinstance(values, str) else values)


def _dumped(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return [_dumped(item) for item in value] if isinstance(value, tuple) else value


def _upwards(path: str) -> Iterator[str]:
    yield path
    while path:
        path = path.rpartition("/")[0]
        yield path


def _files(policy: Policy) -> dict[str, dict[str, Path]]:
    """The files that a policy names: for every place, those named in it by their place inside."""
    found: dict[str, dict[str, Path]] = {}
    for path in policy.origin_paths:
        file = policy.file_at(path)
        for block in _upwards(path) if file is not None else ():
            found.setdefault(block, {})[path.removeprefix(block)] = file  # type: ignore[assignment]
    return found


def _alike(old: Path, new: Path) -> bool:
    """Whether two files have the same contents."""
    return old == new or text_digest(old) == text_digest(new)
