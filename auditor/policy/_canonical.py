"""A policy as plain values: canonical JSON, from which its digest is made, and what is shown to people."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from auditor.policy.file.secrets import CONFIDENTIAL
from auditor.spec import as_json

ORIGINS = frozenset({"extends", "at_least", "contract", "pack"})
"""What a policy is made from, or held to when it is loaded."""
NOT_CANONICAL = ORIGINS | {"waivers", "baseline"}
"""Waivers and known failures excuse, they do not demand; what is inherited is merged in already."""
ADDED_LATER = ("not_released", "limits", "sample", "tradeoff")
"""Fields that are in no digest where they say nothing, as older policies have them."""
FIRST = ("id", "model", "method", "requirement", "role", "type", "severity")
"""The keys that say what an entry is: they stand first where a policy is shown."""


def masked(value: Any, secrets: Mapping[str, str], stand_in: Callable[[str], Any], path: str = "") -> Any:
    """A dumped policy with every secret replaced by what stands in for the variable of that name."""
    if path in secrets:
        return stand_in(secrets[path])
    if not secrets:
        return value
    inner = f"{path}/" if path else ""
    if isinstance(value, dict):
        return {key: masked(item, secrets, stand_in, f"{inner}{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [masked(item, secrets, stand_in, f"{inner}{i}") for i, item in enumerate(value)]
    return value


def canonical_json(policy: BaseModel, secrets: Mapping[str, str]) -> str:
    """The effective policy as canonical JSON: keys sorted, no white space, UTF-8, whole numbers without a point."""
    document = policy.model_dump(mode="json", exclude=set(NOT_CANONICAL), exclude_none=True)
    for name in ADDED_LATER:
        if not document.get(name):
            document.pop(name, None)
    named = masked(document, secrets, lambda name: {"secret": name})
    return json.dumps(_whole(named), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def effective(policy: BaseModel, secrets: Mapping[str, str]) -> dict[str, Any]:
    """The effective policy as plain values: defaults filled in, what says nothing left out, secrets hidden."""
    document: dict[str, Any] = said(policy, secrets, "")
    return {key: value for key, value in document.items() if key not in ORIGINS}


def said(value: Any, secrets: Mapping[str, str], path: str) -> Any:
    """A value of a policy as plain values, its secrets as "confidential"."""
    if path in secrets:
        return CONFIDENTIAL
    inner = f"{path}/" if path else ""
    if isinstance(value, BaseModel):
        shown = {
            name: said(getattr(value, name), secrets, f"{inner}{name}")
            for name in _in_order(type(value))
            if not _says_nothing(value, name)
        }
        return shown["role"] if list(shown) == ["role"] else shown
    if isinstance(value, dict):
        return {key: said(item, secrets, f"{inner}{key}") for key, item in value.items()}
    if isinstance(value, tuple):
        return [said(item, secrets, f"{inner}{i}") for i, item in enumerate(value)]
    if isinstance(value, Decimal):
        return _whole(as_json(value))
    return value.isoformat() if isinstance(value, date) else _whole(value)


def _in_order(model: type[BaseModel]) -> list[str]:
    names = list(model.model_fields)
    return [name for name in FIRST if name in names] + [name for name in names if name not in FIRST]


def _says_nothing(block: BaseModel, name: str) -> bool:
    value = getattr(block, name)
    return value is None or (value in ((), {}) and value == type(block).model_fields[name].default)


def _whole(value: Any) -> Any:
    """Floats that are whole numbers as integers: 5 and 5.0 are the same bound."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
