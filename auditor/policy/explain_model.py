"""What a model demands or a masking method does, in plain text, from what its class says about itself."""

from __future__ import annotations

import inspect
from decimal import Decimal
from typing import Any, Literal, TypeAlias, get_args

from pydantic.fields import FieldInfo

from auditor import masking
from auditor.models import Requirement, Stricter, registry
from auditor.policy._annotations import alternatives, form

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


Explained: TypeAlias = type[Requirement] | type[masking.Method]
"""What a policy names: a model that it demands, or a masking method that it applies."""


def explained() -> dict[str, Explained]:
    """Every model and every masking method, by the names that policies give them."""
    return {**registry(), **masking.registry()}


def model_list() -> str:
    """Every model, then every masking method, with its first sentence."""
    named = explained()
    width = max(map(len, named))
    return "".join(f"{name:<{width}}  {_doc(each)[0]}\n" for name, each in named.items())


def model_text(model: Explained) -> str:
    """Everything a policy's author needs to know about one model or masking method."""
    sections = [
        f"{_name_of(model)}\n",
        f"{inspect.getdoc(model)}\n",
        "Parameters\n" + "".join(_parameter(name, field) for name, field in _parameters(model)),
        _monotone(model),
        f"Source\n  {model.SOURCE}\n",
        f"Example\n  - {model.EXAMPLE}\n",
    ]
    return "\n".join(section for section in sections if section)


def _name_of(model: Explained) -> str:
    field = "method" if issubclass(model, masking.Method) else "model"
    return str(model.model_fields[field].default)


def _doc(model: Explained) -> list[str]:
    """The docstring's paragraphs, each on one line."""
    return [" ".join(paragraph.split()) for paragraph in (inspect.getdoc(model) or "").split("\n\n")]


def _parameters(model: Explained) -> list[tuple[str, FieldInfo]]:
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
    return TYPES.get(kind, "list")


def _monotone(model: Explained) -> str:
    monotone = getattr(model, "monotone", None)
    if monotone is None:
        return ""
    merging = "keeps it" if monotone.generalization else "can break it"
    suppressing = "never needs more suppression" if monotone.suppression else "can need more suppression"
    return f"Monotonicity\n  Merging classes {merging}; generalizing further {suppressing}.\n"
