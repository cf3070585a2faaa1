"""The parts of a document: records with marked fields, in documents or in tuples of records, and their paths."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, TypeVar

from auditor.result import fields_of, is_hidden

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Part: TypeAlias = "DataclassInstance"
Field: TypeAlias = dataclasses.Field[object]
Record = TypeVar("Record", bound="DataclassInstance")


def is_part(value: object) -> TypeGuard[Part]:
    """Whether a value has fields."""
    return fields_of(value) is not None


def marked(owner: Part, path: str = "") -> Iterator[tuple[str, Field, object, Part]]:
    """Every field of the document with its path, what it holds and whose it is, in document order."""
    for field in fields_of(owner) or ():
        value, here = getattr(owner, field.name), f"{path}{field.name}"
        yield here, field, value, owner
        for step, part in _parts(value):
            yield from marked(part, f"{here}{step}/")


def inside(owner: Part) -> Iterator[Part]:
    """The parts in the fields of a part."""
    for field in fields_of(owner) or ():
        yield from (part for _, part in _parts(getattr(owner, field.name)))


def _parts(value: object) -> Iterator[tuple[str, Part]]:
    if is_part(value):
        yield "", value
    elif isinstance(value, tuple):
        yield from ((f"/{i}", part) for i, part in enumerate(value) if is_part(part))


def hidden_paths(owner: Part) -> tuple[str, ...]:
    """The paths, in document order, of what is hidden."""
    return tuple(path for path, _, value, _ in marked(owner) if is_hidden(value))


def changed(owner: Record, of: Callable[[Field, object], object]) -> Record:
    """A record with what `of` gives for each of its fields; the same record where that is what it holds."""
    found = ((field.name, getattr(owner, field.name), field) for field in fields_of(owner) or ())
    changes = {name: new for name, value, field in found if (new := of(field, value)) is not value}
    return dataclasses.replace(owner, **changes) if changes else owner
