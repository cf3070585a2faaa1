"""What the annotation of a field allows, as plain alternatives that the reader can try."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from decimal import Decimal
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from auditor.hierarchies.tree import Tree
from auditor.policy._section import Section, Tagged

Alternative = tuple[Any, tuple[Any, ...]]
"""A plain type, and the marks that ``Annotated`` puts on it."""

NAMES = {bool: "true or false", int: "a whole number", float: "a number", Decimal: "a number", str: "text"}


@cache
def alternatives(wanted: Hashable) -> tuple[Alternative, ...]:
    """The plain types that an annotation allows; a section stands for its type, which is not imported yet."""
    if get_origin(wanted) is Annotated:
        inner, *marks = get_args(wanted)
        if isinstance(marks[0], Section):
            return ((marks[0], tuple(marks[1:])),)
        return tuple((kind, (*own, *marks)) for kind, own in alternatives(inner))
    if get_origin(wanted) in {Union, UnionType}:
        return tuple(part for each in get_args(wanted) for part in alternatives(each))
    return ((wanted, ()),)


def imported(allowed: tuple[Alternative, ...]) -> tuple[Alternative, ...]:
    """The same, with each section replaced by its type. A `Tagged` one stays: its types are imported by name."""
    found: list[Alternative] = []
    for kind, marks in allowed:
        if isinstance(kind, Section) and not isinstance(kind, Tagged):
            found += [(inner, (*own, *marks)) for inner, own in alternatives(kind.type)]
        else:
            found.append((kind, marks))
    return tuple(found)


@cache
def fields(model: type[BaseModel]) -> dict[str, tuple[Alternative, ...]]:
    """What each field of a model allows."""
    allowed: dict[str, tuple[Alternative, ...]] = {}
    for name, field in model.model_fields.items():
        annotation: Any = field.annotation
        allowed[name] = tuple((kind, (*own, *field.metadata)) for kind, own in alternatives(annotation))
    return allowed


def form(kind: Any) -> Any:
    """What an alternative is built from: Literal, tuple, dict; None for a plain class."""
    return get_origin(kind)


def is_model(kind: Any) -> bool:
    """Whether an alternative is a block with keys of its own."""
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def in_words(kinds: Iterable[Any]) -> list[str]:
    """What alternatives are called in messages."""
    return [_in_words(kind) for kind in kinds if kind is not NoneType]


def _in_words(kind: Any) -> str:
    if form(kind) is Literal:
        return f"one of {', '.join(str(value) for value in get_args(kind))}"
    if is_container(kind):
        return "a list" if form(kind) is tuple else "a mapping"
    return NAMES.get(kind, "a date")


def is_container(kind: Any) -> bool:
    """Whether an alternative is a list or a mapping."""
    return form(kind) in {tuple, dict} or is_model(kind) or isinstance(kind, Tagged) or kind is Tree
