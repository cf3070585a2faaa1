"""What a model or a limit demands or a masking method does, in plain text, from what it says about itself."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypeAlias, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from auditor import masking
from auditor.errors import UsageError, nearest
from auditor.models import Requirement, Stricter, registry
from auditor.policy import demands
from auditor.policy.file.annotations import alternatives, fields, form, is_model
from auditor.spec import Limit

DIRECTIONS = {
    Stricter.HIGHER: "stricter when higher",
    Stricter.LOWER: "stricter when lower",
    Stricter.SUPERSET: "stricter with more",
    Stricter.SUBSET: "stricter with fewer",
    Stricter.TRUE: "stricter when true",
    Stricter.FALSE: "stricter when false",
    Stricter.REVIEW: "no order: a change needs a review",
}
TYPES = {int: "whole number", float: "number", Decimal: "number", str: "text", bool: "true or false"}


@dataclass(frozen=True)
class NamedLimits:
    """The limits of one name: a rule on rules, one on trees and one on clusters each have a ``max-confidence``."""

    name: str
    parameters: tuple[tuple[type[BaseModel], str, Limit], ...]
    """The block that each stands in, its parameter there, and what it says of itself."""


Explained: TypeAlias = type[Requirement] | type[masking.Method] | NamedLimits
"""What a policy names: a model or a limit that it demands, or a masking method that it applies."""


def explain(name: str | None = None) -> str:
    """What a model, a limit or a masking method demands or does, with its source and an example; without `name`, all.

    Raises:
        UsageError: nothing has this name.
    """
    if name is None:
        return explanations()
    meant = named(name)
    if meant is None:
        right = nearest(name, list(explained()))
        raise UsageError(
            f"no model, limit or masking method is called {name!r}{right}; `auditor explain` lists all of them"
        )
    return explanation(meant)


def explained() -> dict[str, Explained]:
    """Every model, every limit and every masking method, by the names that policies give them."""
    return {**registry(), **_limits(), **masking.registry()}


def named(name: str) -> Explained | None:
    """What a policy calls by a name, or what a result does: ``min-group``, ``group``, ``queries-group``.

    The id of a limit on outputs names its rule: ``clusters-max-confidence`` is the limit of clusters alone. A
    parameter may be named as it is written, ``min_group``.
    """
    every, name = explained(), name.replace("_", "-")
    if name in every:
        return every[name]
    declared = [limit for each in every.values() if isinstance(each, NamedLimits) for limit in each.parameters]
    meant = tuple(each for each in declared if name in _in_results(*each))
    return NamedLimits(name, meant) if meant else None


def _in_results(block: type[BaseModel], field: str, limit: Limit) -> tuple[str, str]:
    kind = block.model_fields.get("type")
    named = f"queries-{limit.name}" if kind is None else f"{kind.default}-{field.replace('_', '-')}"
    return limit.name, named


def _limits() -> dict[str, NamedLimits]:
    """The limits of query logs and outputs, by their parameter: ``max_confidence`` is ``max-confidence``."""
    found: dict[str, list[tuple[type[BaseModel], str, Limit]]] = {}
    for block, path, limit in demands.declared():
        field, *_ = path.split("/")
        found.setdefault(field.replace("_", "-"), []).append((block, field, limit))
    return {name: NamedLimits(name, tuple(each)) for name, each in found.items()}


def explanations() -> str:
    """Every model, limit and masking method, with its first sentence."""
    named = explained()
    width = max(map(len, named))
    return "".join(f"{name:<{width}}  {_first(each)}\n" for name, each in named.items())


def _first(named: Explained) -> str:
    if not isinstance(named, NamedLimits):
        return _doc(named)[0]
    block, field, _ = named.parameters[0]
    return f"{block.model_fields[field].description}"


def explanation(named: Explained) -> str:
    """Everything a policy's author needs to know about one model, limit or masking method."""
    if not isinstance(named, NamedLimits):
        return _of_model(named)
    return "\n".join([f"{named.name}\n", *(_of_limit(*each) for each in named.parameters)])


def _of_limit(block: type[BaseModel], field: str, limit: Limit) -> str:
    kind = block.model_fields.get("type")
    title = "Limit of query logs" if kind is None else f"Limit of rules of type {kind.default}"
    people = " of people: the public sees no smaller count" if limit.people else ""
    sections = [
        f"{title}, in results {limit.name}\n",
        "Parameters\n" + "".join(_parameter(*each) for each in _of_field(block, field)),
        f"Number\n  {limit.kind.value.replace('-', ' ')}{people}\n",
        f"Where it is broken\n  {limit.finding}\n",
        f"Source\n  {limit.source}\n",
        f"Example\n  {limit.example}\n",
        f"Page\n  {page_of(block, field)}\n",
    ]
    return "\n".join(sections)


def page_of(block: type[BaseModel], field: str) -> str:
    """Where the documentation has the limit of a block: ``docs/limits/tables.md#min-cell``."""
    return f"docs/limits/{block.__module__.rpartition('.')[2]}.md#{field.replace('_', '-')}"


def _of_field(block: type[BaseModel], name: str) -> Iterator[tuple[str, FieldInfo]]:
    """A parameter, and those of the block that it holds."""
    field = block.model_fields[name]
    yield name, field
    for kind, _ in fields(block)[name]:
        if is_model(kind):
            yield from ((f"{name}/{inner}", each) for inner, each in kind.model_fields.items())


def _of_model(model: type[Requirement | masking.Method]) -> str:
    sections = [
        f"{_name_of(model)}\n",
        f"{inspect.getdoc(model)}\n",
        "Parameters\n" + "".join(_parameter(name, field) for name, field in _parameters(model)),
        _monotone(model),
        f"Source\n  {model.SOURCE}\n",
        f"Example\n  - {model.EXAMPLE}\n",
    ]
    return "\n".join(section for section in sections if section)


def _name_of(model: type[BaseModel]) -> str:
    field = "method" if issubclass(model, masking.Method) else "model"
    return str(model.model_fields[field].default)


def _doc(model: type[BaseModel]) -> list[str]:
    """The docstring's paragraphs, each on one line."""
    return [" ".join(paragraph.split()) for paragraph in (inspect.getdoc(model) or "").split("\n\n")]


def _parameters(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """The model's own fields, then those that every one of its kind has."""
    fields = [(name, field) for name, field in model.model_fields.items() if name not in {"model", "method"}]
    shared = set(masking.Method.model_fields if issubclass(model, masking.Method) else Requirement.model_fields)
    return [pair for pair in fields if pair[0] not in shared] + [pair for pair in fields if pair[0] in shared]


def _parameter(name: str, field: FieldInfo) -> str:
    direction = next((mark for mark in field.metadata if isinstance(mark, Stricter)), None)
    facts = [_kinds(field), _default(field), DIRECTIONS.get(direction, "") if direction else ""]
    return f"  {name}  ({'; '.join(fact for fact in facts if fact)})\n      {field.description}\n"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    return f"default {default}" if default not in (None, {}, (), []) else "optional"


def _kinds(field: FieldInfo) -> str:
    annotation: Any = field.annotation
    kinds = [_kind(kind) for kind, _ in alternatives(annotation) if kind is not type(None)]
    return " or ".join(kinds)


def _kind(kind: Any) -> str:
    if form(kind) is Literal:
        return " | ".join(str(value) for value in get_args(kind))
    if is_model(kind):
        return f"mapping of {', '.join(kind.model_fields)}"
    return TYPES.get(kind, "list")


def _monotone(model: type[BaseModel]) -> str:
    monotone = getattr(model, "monotone", None)
    if monotone is None:
        return ""
    merging = "keeps it" if monotone.generalization else "can break it"
    suppressing = "never needs more suppression" if monotone.suppression else "can need more suppression"
    return f"Monotonicity\n  Merging classes {merging}; generalizing further {suppressing}.\n"
